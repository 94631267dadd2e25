// `belfry cell`: lays a whole Belfry into one schema that Citus keeps on one worker, with a role that sees nothing
// else (docs/explanation/scale.md#cells-on-citus). Adds, and never removes: what a run that died left behind, the
// next one goes on with.

import { randomBytes } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { CELL_FUNCTIONS, CELL_PREFIX } from "../../store/db/citus_cell.ts";
import { applyMigrations } from "../../store/db/migrate.ts";
import { createDatabaseError, withOrm } from "./operator_database.ts";

/** PostgreSQL cuts longer identifiers, and two cells would have one name. */
const NAME = /^[a-z][a-z0-9_]{0,39}$/;

/** What the schema says of itself until all of it is there, and from then on. */
const BEGUN = "A Belfry that is being laid out";
const DONE = "A Belfry";

type Row = Record<string, unknown>;

/**
 * `url`: of the coordinator, as a superuser. `name`: what the cell is called there. @returns the address for the
 * service, without a password for a cell that stood already: nobody but who made it has that; host and port of the
 * `worker` on which all of it lies; `made` is false where it stood already, and was left as it is. @throws ApiError
 * where Citus is not there or has no workers, the name is none or is taken, or the role may not do so.
 */
export async function createCell(url: string, name: string) {
  if (!NAME.test(name))
    throw invalidRequest(
      "invalid_format",
      "The cell name must start with a lowercase letter and contain only lowercase letters, digits and _: [a-z][a-z0-9_]{0,39}.",
      "name",
    );
  const cell = CELL_PREFIX + name;
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
      "Citus is not installed in this database. Run CREATE EXTENSION citus on the coordinator and each worker, or use a separate database for each Belfry.",
    );
  if (!superuser)
    throw conflict("database_incompatible", "Creating a cell requires a superuser of the coordinator in DATABASE_URL.");
  const [{ workers } = {}] = await em.execute<Row[]>(
    "select citus_is_coordinator() and exists (select from citus_get_active_worker_nodes()) as workers",
  );
  if (!workers)
    throw conflict(
      "database_incompatible",
      "DATABASE_URL must name a coordinator with workers. Add one with citus_add_node('host', 5432).",
    );
}

/**
 * The role and its empty schema, which is on a worker from its beginning: so what a later version adds comes to be
 * there, too.
 */
async function begin(em: SqlEntityManager, cell: string, password: string, again: boolean): Promise<void> {
  await em.transactional(async (inside) => {
    const statements = again
      ? [`alter role ${cell} password '${password}'`]
      : [
          `create role ${cell} login password '${password}'`,
          `alter role ${cell} set search_path = ${cell}`,
          // A worker's sessions do not hear what the coordinator's were told as they began.
          `alter role ${cell} set timezone = 'UTC'`,
          // Citus asks for it before it puts triggers beside rows; ours change rows of the same schema alone.
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
    for (const statement of CELL_FUNCTIONS) await orm.em.fork().execute(statement);
    await applyMigrations(orm);
  });

/** Not let in, or not reached. */
const AWAY = /^(08|28)/;

function explain(error: unknown): never {
  if (!AWAY.test((error as { code?: string }).code ?? "")) throw error;
  throw conflict(
    "database_incompatible",
    "The new role cannot connect. Allow it in pg_hba.conf: with its password on the coordinator, and from the coordinator on each worker (trust, certificate or .pgpass). Then run the command again.",
  );
}

const urlOf = (url: string, username: string, password: string) =>
  Object.assign(new URL(url), { username, password }).href;
