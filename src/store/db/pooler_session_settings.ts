// Checks of the session settings that a transaction pooler sets on its connections, because borrowers must not.

import type { Config } from "../config/all_settings.ts";
import { ConfigError } from "../config/setting_types.ts";
import type { Orm } from "./orm.ts";

interface Found {
  name: string;
  setting: string;
}

/**
 * Warns about timeouts that the connections of such a pooler lack, with the configuration to add. This process still
 * ends its own calls in time.
 * @throws ConfigError if the time zone differs, which would shift the days
 */
export async function checkPoolerSettings(
  orm: Orm,
  config: Pick<Config, "databaseStatementTimeoutMs" | "databaseLockTimeoutMs" | "databaseIdleTimeoutMs">,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  const wanted: Record<string, number> = {
    statement_timeout: config.databaseStatementTimeoutMs,
    lock_timeout: config.databaseLockTimeoutMs,
    idle_in_transaction_session_timeout: config.databaseIdleTimeoutMs,
  };
  const found = await orm.em
    .fork()
    .execute<Found[]>(
      "select name, setting from pg_settings where name = 'TimeZone' or name = any(string_to_array(?, ' '))",
      [Object.keys(wanted).join(" ")],
    );
  const has = new Map(found.map(({ name, setting }) => [name, setting]));
  if (has.get("TimeZone") !== "UTC")
    throw new ConfigError(
      "DATABASE_URL",
      "points to a pooler whose connections ignore TimeZone=UTC. Set it for the role or the database.",
    );
  const missing = Object.entries(wanted).filter(([name, ms]) => has.get(name) !== String(ms));
  if (missing.length === 0) return;
  const connect_query = missing.map(([name, ms]) => `set ${name} = ${ms}`).join("; ");
  log.warn(
    { connect_query },
    "the pooler's connections lack these timeouts; see docs/how-to/postgresql.md#use-a-connection-pooler for " +
      "the configuration",
  );
}
