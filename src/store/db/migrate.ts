// Database migrations. The migrator and the migrations are loaded only if one is missing, so a start without migrations
// costs one query.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { ConfigError } from "../config/setting_types.ts";
import { MIGRATIONS_FOLDER, type Orm, runWithoutStatementTimeout, SOURCE_EXTENSION } from "./orm.ts";

/** The key of our advisory lock. */
const MIGRATION_LOCK = 7_239_104_551;

const UNDEFINED_TABLE = "42P01";

/**
 * Steps that replace all migrations of a release (docs/decisions/0052-one-migration-per-release.md), each by the name
 * of its last one.
 */
const FOLDED = [{ fold: "Migration20261124000700_ntfy_platform", release: "0.1.0" }];

const folderOf = (orm: Orm): string => orm.config.get("migrations").path ?? MIGRATIONS_FOLDER;

/** Lists the migrations by file name, as the migrator records them. */
export const listMigrationNames = (folder = MIGRATIONS_FOLDER): string[] =>
  readdirSync(folder)
    .flatMap((file) => /^(Migration\w+)\.[jt]s$/.exec(file)?.[1] ?? [])
    .sort();

/**
 * Compares the migrations of a database with this version. `newer`: those of a later version. `before`: the release
 * that a build from source was leading to, which this version cannot upgrade.
 */
export function compareMigrations(had: Iterable<string>, steps = listMigrationNames()) {
  const names = new Set(had);
  const missing = steps.filter((name) => !names.has(name));
  const others = [...names].filter((name) => !steps.includes(name));
  const isLeftBefore = (fold: string) => {
    const from = steps.findLast((name) => name < fold) ?? "";
    return missing.includes(fold) && others.some((name) => from < name && name < fold);
  };
  return {
    missing,
    newer: others.filter((name) => FOLDED.every(({ fold }) => name > fold)),
    before: FOLDED.find(({ fold }) => isLeftBefore(fold))?.release ?? null,
  };
}

/** True when every migration that this build carries is in. */
export async function isMigrated(orm: Orm): Promise<boolean> {
  try {
    const done = await orm.em.fork().execute<{ name: string }[]>("select name from migration");
    const had = done.map(({ name }) => name);
    return compareMigrations(had, listMigrationNames(folderOf(orm))).missing.length === 0;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/** The migrations that a database has had, in their order; null: it is not one of Belfry's. */
export async function readAppliedMigrations(em: SqlEntityManager): Promise<string[] | null> {
  const [found] = await em.execute<{ there: boolean }[]>("select to_regclass('migration') is not null as there");
  if (!found?.there) return null;
  const done = await em.execute<{ name: string }[]>("select name from migration order by id");
  return done.map(({ name }) => name);
}

/** Runs these migrations in the transaction of `em`, on a database without other users. */
export async function runMigrationsInTransaction(orm: Orm, em: SqlEntityManager, migrations: string[]): Promise<void> {
  const { Migrator } = await import("@mikro-orm/migrations");
  await new Migrator(orm.em).up({ migrations, transaction: em.getTransactionContext() });
}

/** Reads all that `applyPendingMigrations` needs on an empty database, ahead of it. */
export async function preloadMigrations(): Promise<void> {
  await import("@mikro-orm/migrations");
  for (const name of listMigrationNames()) await import(`${MIGRATIONS_FOLDER}/${name}${SOURCE_EXTENSION}`);
}

interface MigrationOptions {
  /** The total time for attempts while other processes lock the tables. */
  patienceMs?: number;
  /** Runs before the first change of a database with earlier migrations. Its error ends the upgrade. */
  beforeUpgrade?: () => Promise<unknown>;
}

/**
 * Applies all missing migrations. One process at a time runs them; the others wait and then have nothing to do. A
 * migration may take as long as a large table needs. An older version may serve at the same time, because each
 * migration is one transaction.
 * @returns the names of the applied migrations
 * @throws ConfigError if other processes lock the tables for too long, or, before any write, if this version cannot
 * upgrade the database
 */
export async function applyPendingMigrations(
  orm: Orm,
  { patienceMs = PATIENCE_MS, beforeUpgrade }: MigrationOptions = {},
): Promise<string[]> {
  if (await isMigrated(orm)) return [];
  if (beforeUpgrade && (await readAppliedMigrations(orm.em.fork()))?.length) await beforeUpgrade();
  return runWithoutStatementTimeout(orm, async () => {
    const done: string[] = [];
    const inTheWay: string[] = [];
    for (;;) {
      const more = await patiently(patienceMs, () => migrateNext(orm, inTheWay));
      if (more.length === 0) return done;
      done.push(...more);
    }
  });
}

/**
 * The lock timeout for the first table, while calls that need it wait behind us, and for each further table. It is
 * below the second after which PostgreSQL looks for deadlocks, so other calls can continue.
 */
const FIRST_MS = 500;
const NEXT_MS = 200;
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;

/** Lock not available, deadlock. */
const IN_THE_WAY = /^(55P03|40P01)$/;

async function patiently<T>(ms: number, work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + ms; ; await pause(PAUSE_MS * Math.random()))
    try {
      return await work();
    } catch (error) {
      if (!IN_THE_WAY.test((error as { code?: string }).code ?? "")) throw error;
      if (performance.now() > until)
        throw new ConfigError(
          "DATABASE_URL",
          `points to a database that could not be migrated: tables were locked for ${ms / 1000} seconds (by a ` +
            "backup, a long transaction or a replica). Start again when the locks are released; completed migrations " +
            "are kept, and the older version still works.",
        );
    }
}

/** Runs all migrations on a new database, because it has no other users; else the next one. */
async function migrateNext(orm: Orm, inTheWay: string[]): Promise<string[]> {
  return orm.em.fork().transactional(async (em) => {
    for (const bound of ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
      await em.execute(`set local ${bound} = 0`);
    await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const folder = folderOf(orm);
    const steps = listMigrationNames(folder);
    const { missing, before } = compareMigrations((await readAppliedMigrations(em)) ?? [], steps);
    if (before)
      throw new ConfigError(
        "DATABASE_URL or DATA_DIR",
        `points to a database from a build older than ${before}, so nothing was changed. Run version ${before} on it ` +
          "once, then start this version.",
      );
    const [next] = missing;
    if (!next) return [];
    const migrations = missing.length === steps.length ? missing : [next];
    await lockTables(em, `${folder}/${next}${SOURCE_EXTENSION}`, inTheWay);
    await runMigrationsInTransaction(orm, em, migrations);
    return migrations;
  });
}

/** Tables that a statement of a migration changes or refers to. */
const CHANGED = /\b(?:table|update|into|from|on|references)\s+(?:only |if exists )?"?([a-z_]+)"?(?:\."?([a-z_]+)"?)?/g;

/**
 * Locks all tables of a migration before its first statement. A migration that locked some and waited for the next one
 * could deadlock with calls in another order. A table that was not available is locked first in the next attempt, so
 * the order becomes that of the calls.
 */
async function lockTables(em: SqlEntityManager, file: string, inTheWay: string[]): Promise<void> {
  // A function's body runs later.
  const source = readFileSync(file, "utf8").replace(/\$\$[\s\S]*?\$\$/g, "");
  const words = new Set([...source.matchAll(CHANGED)].map(([, first, second]) => second ?? first));
  const tables = await em.execute<{ name: string; table: string }[]>(
    `select relname as name, c.oid::regclass::text as "table" from pg_class c
      where relkind in ('r', 'p') and relnamespace in (select oid from pg_namespace where nspname in ('auth',
        current_schema()))
      order by c.oid`,
  );
  const changed = tables.filter(({ name }) => words.has(name)).map(({ table }) => table);
  await em.execute(`set local lock_timeout = ${FIRST_MS}`);
  for (const table of new Set([...inTheWay.filter((each) => changed.includes(each)), ...changed])) {
    await em.execute(`lock table ${table} in access exclusive mode`).catch((error) => {
      inTheWay.splice(0, Infinity, ...new Set([table, ...inTheWay]));
      throw error;
    });
    await em.execute(`set local lock_timeout = ${NEXT_MS}`);
  }
}
