// `belfry cell`: creates a complete Belfry in one schema that Citus keeps on one worker, with a role that sees nothing
// else (docs/explanation/scale.md#cells-on-citus). It only adds objects, and continues an interrupted run.

import { randomBytes } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { CELL_SCHEMA_PREFIX, CITUS_IMMUTABLE_FUNCTIONS } from "../../store/db/citus_cell.ts";
import { applyPendingMigrations } from "../../store/db/migrate.ts";
import { createDatabaseError, withOrm } from "./operator_database.ts";

/** PostgreSQL cuts longer identifiers, and two cells would have one name. */
const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** The comment of the schema until it is complete, and afterwards. */
const BEGUN = "A Belfry schema that is still being set up";
const DONE = "A Belfry";

type Row = Record<string, unknown>;

/**
 * Creates a cell.
 * @param url the coordinator, as a superuser
 * @param name the name of the cell
 * @returns the URL for the service, without the password for an existing cell; host and port of its `worker`; `made` is
 * false if it existed and was not changed
 * @throws ApiError without Citus or workers, for an invalid or used name, or without the privileges
 */
export async function createCitusDatabaseSchema(url: string, name: string) {
  if (!NAME.test(name))
    throw invalidRequest(
      "invalid_format",
      "The cell name must start with a lowercase letter and contain only lowercase letters, digits and _: " +
        "[a-z][a-z0-9_]{0,39}.",
      "name",
    );
  const cell = CELL_SCHEMA_PREFIX + name;
  return withOrm({ databaseUrl: url, databasePoolSize: 1 }, async (orm) => {
    const em = orm.em.fork();
    await refuseWithoutCitus(em).catch((error) => {
      throw createDatabaseError(error);
    });
    const [found] = await em.execute<Row[]>(
      `select obj_description(n.oid, 'pg_namespace') as mark, r.oid is not null as role, n.oid is not null as schema
       from (select) one left join pg_namespace n on n.nspname = ? left join pg_roles r on r.rolname = ?`,
      [cell, cell],
    );
    const made = found?.mark !== DONE;
    const password = randomBytes(24).toString("base64url");
    if (made) {
      if ((found?.role || found?.schema) && found?.mark !== BEGUN)
        throw conflict(
          "already_exists",
          `The schema or role ${cell} already exists and was not created by this command. Choose another name.`,
        );
      await begin(em, cell, password, found?.mark === BEGUN);
      await fill(urlOf(url, cell, password)).catch(explain);
      await em.execute(`comment on schema ${cell} is '${DONE}'`);
    }
    const [at] = await em.execute<Row[]>(
      "select distinct nodename || ':' || nodeport as worker from citus_shards where table_name::text like ?",
      [`${cell.replaceAll("_", "\\_")}.%`],
    );
    return { cell, database_url: urlOf(url, cell, made ? password : ""), worker: String(at?.worker), made };
  });
}

async function refuseWithoutCitus(em: SqlEntityManager): Promise<void> {
  const [{ citus, superuser } = {}] = await em.execute<Row[]>(
    `select exists (select from pg_extension where extname = 'citus') as citus,
      current_setting('is_superuser') = 'on' as superuser`,
  );
  if (!citus)
    throw conflict(
      "database_incompatible",
      "Citus is not installed in this database. Run CREATE EXTENSION citus on the coordinator and each worker, or " +
        "use a separate database for each Belfry instance.",
    );
  if (!superuser)
    throw conflict(
      "database_incompatible",
      "Creating a cell requires superuser access to the coordinator. Use a superuser in DATABASE_URL.",
    );
  const [{ workers } = {}] = await em.execute<Row[]>(
    "select citus_is_coordinator() and exists (select from citus_get_active_worker_nodes()) as workers",
  );
  if (!workers)
    throw conflict(
      "database_incompatible",
      "DATABASE_URL must point to a coordinator with workers. Add one with citus_add_node('host', 5432).",
    );
}

/** Creates the role and its empty schema on a worker, so objects of later versions are created there. */
async function begin(em: SqlEntityManager, cell: string, password: string, again: boolean): Promise<void> {
  await em.transactional(async (inside) => {
    const statements = again
      ? [`alter role ${cell} password '${password}'`]
      : [
          `create role ${cell} login password '${password}'`,
          `alter role ${cell} set search_path = ${cell}`,
          // A worker's sessions do not get the coordinator's session settings.
          `alter role ${cell} set timezone = 'UTC'`,
          // Citus requires it for triggers; ours only change rows of the same schema.
          `alter role ${cell} set citus.enable_unsafe_triggers = on`,
          `create schema ${cell} authorization ${cell}`,
          `comment on schema ${cell} is '${BEGUN}'`,
          `select citus_schema_distribute('${cell}')`,
        ];
    for (const statement of statements) await inside.execute(statement);
  });
}

const fill = (url: string): Promise<void> =>
  withOrm({ databaseUrl: url, databasePoolSize: 2 }, async (orm) => {
    for (const statement of CITUS_IMMUTABLE_FUNCTIONS) await orm.em.fork().execute(statement);
    await applyPendingMigrations(orm);
  });

/** Login refused, or unreachable. */
const AWAY = /^(08|28)/;

function explain(error: unknown): never {
  if (!AWAY.test((error as { code?: string }).code ?? "")) throw error;
  throw conflict(
    "database_incompatible",
    "The new role cannot connect. In pg_hba.conf on the coordinator, allow it to connect with its password. On " +
      "each worker, allow it to connect from the coordinator (trust, certificate or .pgpass). Then run the command " +
      "again.",
  );
}

const urlOf = (url: string, username: string, password: string) =>
  Object.assign(new URL(url), { username, password }).href;
