// Brings the schema up. The migrator and the migrations are read only where one of them is missing, so that a start that
// has nothing to do costs one query.

import { readdirSync } from "node:fs";
import { MIGRATIONS, type Orm, unbounded } from "./orm.ts";

/** Any number that nobody else takes advisory locks under. */
const MIGRATION_LOCK = 7_239_104_551;

const UNDEFINED_TABLE = "42P01";

/** By the names of their files, as the migrator writes them down. */
const carried = (): string[] =>
  readdirSync(MIGRATIONS).flatMap((file) => /^(Migration\w+)\.ts$/.exec(file)?.[1] ?? []);

/** True when every migration that this build carries is in. */
export async function isMigrated(orm: Orm): Promise<boolean> {
  try {
    const done = await orm.em.fork().execute<{ name: string }[]>("select name from migration");
    const names = new Set(done.map(({ name }) => name));
    return carried().every((name) => names.has(name));
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/** Reads all that `migrate` needs on an empty database, ahead of it. */
export async function readMigrator(): Promise<void> {
  await import("@mikro-orm/migrations");
  for (const name of carried()) await import(`${MIGRATIONS}/${name}.ts`);
}

/**
 * Brings the schema up: one process at a time, the others wait and then find nothing to do. It may take as long as a large
 * table takes. Returns the names of the migrations that it ran.
 */
export async function migrate(orm: Orm): Promise<string[]> {
  if (await isMigrated(orm)) return [];
  const { Migrator } = await import("@mikro-orm/migrations");
  const migrator = new Migrator(orm.em);
  return unbounded(orm, () =>
    orm.em.fork().transactional(async (em) => {
      for (const bound of ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
        await em.execute(`set local ${bound} = 0`);
      await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const done = await migrator.up({ transaction: em.getTransactionContext() });
      return done.map(({ name }) => name);
    }),
  );
}
