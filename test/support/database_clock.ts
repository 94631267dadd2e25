// Controls the database's clock in a test. Every statement of the service stays unchanged. A schema before pg_catalog
// in the search path defines `now()` and `clock_timestamp()`, also in triggers, with a time that is fixed until it is
// moved.

import type { World } from "./world.ts";

export interface MovedClock {
  /**
   * Moves the clock of every connection that was opened since, forward or back, to this number of seconds after the
   * start.
   */
  set(seconds: number): Promise<void>;
  /** That time in the format of the wire. */
  at(seconds: number): string;
}

/** Connections that are opened from now on (a replica's, not the world's own) live by the moved clock. */
export async function moveClock(world: World): Promise<MovedClock> {
  const start = Math.ceil(Date.now() / 1000) * 1000;
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString().replace("Z", "000Z");
  for (const sql of [
    "create schema moved",
    "create table moved.clock (at timestamptz not null)",
    `insert into moved.clock values ('${at(0)}')`,
    "create function moved.now() returns timestamptz language sql stable as 'select at from moved.clock'",
    "create function moved.clock_timestamp() returns timestamptz language sql volatile as 'select at from moved.clock'",
  ])
    await world.sql(sql);
  const [{ name }] = await world.sql("select current_database() as name");
  await world.sql(`alter database ${name} set search_path = moved, pg_catalog, public`);
  return {
    at,
    set: async (seconds) => {
      await world.sql("update moved.clock set at = ?", [at(seconds)]);
    },
  };
}
