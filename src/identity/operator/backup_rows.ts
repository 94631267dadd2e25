// The rows of a backup, written by PostgreSQL's COPY and read back into tables that migrations created: exactly, and
// without triggers, because counters are included.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { CELL_SCHEMA_PREFIX } from "../../store/db/citus_cell.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getRowsPieceName } from "./backup_manifest.ts";
import { type BackupManifestPiece, type BackupPieceStore, readVerifiedPiece } from "./backup_storage.ts";
import type { PostgresCopier } from "./copy_stream.ts";

interface BackupTableEntry {
  /** Without a schema where it is the database's first one. */
  name: string;
  columns: string[];
  rows: number;
  pieces: BackupManifestPiece[];
}

interface DatabaseSequenceState {
  name: string;
  /** A text, since it may have more digits than JSON's numbers; null: nothing was taken from it. */
  last: string | null;
}

/** The maximum size of a part, for any store. */
const PIECE = 8 * 2 ** 20;

const NOT_OF_CELLS =
  "This command does not support Citus cells. Back up the coordinator and workers with Citus tools " +
  "(docs/explanation/scale.md#cells-on-citus).";

/** @throws 409 on the database of a cell. */
export async function checkNotCitusCell(em: SqlEntityManager): Promise<void> {
  const [at] = await em.execute<{ schema: string | null }[]>("select current_schema() as schema");
  if (at?.schema?.startsWith(CELL_SCHEMA_PREFIX)) throw conflict("database_incompatible", NOT_OF_CELLS);
}

const NAME = "case when n.nspname = current_schema() then '' else n.nspname || '.' end || c.relname";
const OURS = "n.nspname in (current_schema(), 'auth')";

/** Tables of released versions that a later one dropped or renamed. A backup of such a version contains them. */
const FORMER = ["alert_block", "alert_words", "epoch", "left_reports", "loose_alert", "own_device", "subscriber_mix"];

/** Other tables of the database are not touched. */
const createTableFilter = (orm: Orm) => {
  const entities = [...orm.getMetadata().getAll().values()].map(({ tableName }) => String(tableName));
  const names = new Set([...entities, ...FORMER, "migration"]);
  return ({ name }: { name: string }) => name.startsWith("auth.") || names.has(name);
};

interface Table {
  name: string;
  /** Quoted for SQL. */
  quoted: string;
  columns: string[];
}

/** Ours, with the columns that are not made of others. */
async function tablesIn(orm: Orm, em: SqlEntityManager): Promise<Table[]> {
  const found = await em.execute<Table[]>(
    `select ${NAME} as name, c.oid::regclass::text as quoted,
       array(select quote_ident(attname) from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  return found.filter(createTableFilter(orm));
}

/** Those that belong to a column of a table of ours, which live as long as it. */
async function sequencesIn(orm: Orm, em: SqlEntityManager): Promise<DatabaseSequenceState[]> {
  const found = await em.execute<(DatabaseSequenceState & { quoted: string; of: string })[]>(
    `select ${NAME.replaceAll("c.", "s.")} as name, ${NAME} as of, s.oid::regclass::text as quoted
     from pg_class s join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a',
       'i')
       join pg_class c on c.oid = d.refobjid join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and s.relkind = 'S' order by 1`,
  );
  const states: DatabaseSequenceState[] = [];
  const isKnown = createTableFilter(orm);
  for (const { name, of, quoted } of found.filter(({ of: name }) => isKnown({ name }))) {
    const [row] = await em.execute<{ last: string | null }[]>(
      `select case when is_called then last_value::text end as last from ${quoted}`,
    );
    if (of) states.push({ name, last: row?.last ?? null });
  }
  return states;
}

/** Writes all rows of the transaction's snapshot. Sequences are read last, so that no number is reused. */
export async function writeBackupRows(
  orm: Orm,
  em: SqlEntityManager,
  copier: PostgresCopier,
  box: BackupPieceStore,
): Promise<{ tables: BackupTableEntry[]; sequences: DatabaseSequenceState[] }> {
  const tables: BackupTableEntry[] = [];
  for (const { name, quoted, columns } of await tablesIn(orm, em)) {
    const pieces: BackupManifestPiece[] = [];
    const put = async (zipped: AsyncIterable<Buffer>) => {
      for await (const bytes of inPieces(zipped))
        pieces.push(await box.put(getRowsPieceName(name, pieces.length), bytes));
    };
    const query = `select ${columns.join(", ")} from ${quoted}`;
    const rows = await copier.copyOut(query, "values", (lines) => pipeline(lines, createGzip({ level: 4 }), put));
    tables.push({ name, columns, rows, pieces });
  }
  return { tables, sequences: await sequencesIn(orm, em) };
}

async function* inPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    held.push(chunk);
    length += chunk.length;
    if (length < PIECE) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}

/** Takes away what an earlier server left in the database. */
export async function dropDatabaseContents(orm: Orm, em: SqlEntityManager): Promise<void> {
  // The migrator has made this one, and looks for it on another connection.
  for (const { name, quoted } of await tablesIn(orm, em))
    await em.execute(name === "migration" ? `delete from ${quoted}` : `drop table ${quoted} cascade`);
  await em.execute("drop schema if exists auth cascade");
  const routines = await em.execute<{ quoted: string }[]>(
    `select p.oid::regprocedure::text as quoted from pg_proc p
     where p.pronamespace = current_schema()::regnamespace and p.proowner = current_user::regrole and p.prorettype =
       'trigger'::regtype
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  );
  for (const { quoted } of routines) await em.execute(`drop function ${quoted} cascade`);
}

/** Checks for our tables. The migrator's table remains after a failed restore, and is empty. */
export const hasBelfryTables = async (orm: Orm, em: SqlEntityManager) =>
  (await tablesIn(orm, em)).some(({ name }) => name !== "migration");

/**
 * Replaces the content of tables of the same migrations.
 * @throws 422 for changed parts and for other tables
 */
export async function restoreBackupRows(
  orm: Orm,
  em: SqlEntityManager,
  copier: PostgresCopier,
  box: BackupPieceStore,
  { tables, sequences }: { tables: BackupTableEntry[]; sequences: DatabaseSequenceState[] },
): Promise<void> {
  const there = await tablesIn(orm, em);
  const theirs = new Set((await sequencesIn(orm, em)).map(({ name }) => name));
  const shape = (all: { name: string; columns: string[] }[]) =>
    JSON.stringify(all.map(({ name, columns }) => [name, [...columns].sort()]));
  if (shape(there) !== shape(tables) || sequences.some(({ name }) => !theirs.has(name)))
    throw invalidRequest(
      "backup_invalid",
      `${box.where} has tables, columns or sequences that do not match its Belfry version. Restore it with the ` +
        "version that created it.",
      "from",
    );
  // The role owns the tables and is not a superuser, so foreign keys are dropped and created again, like in pg_dump.
  const keys = await em.execute<{ quoted: string; name: string; definition: string }[]>(
    `select k.conrelid::regclass::text as quoted, quote_ident(k.conname) as name, pg_get_constraintdef(k.oid) as
      definition
     from pg_constraint k join pg_namespace n on n.oid = k.connamespace where ${OURS} and k.contype = 'f' and
       k.conparentid = 0`,
  );
  const tables_ = there.map(({ quoted }) => quoted);
  for (const { quoted, name } of keys) await em.execute(`alter table ${quoted} drop constraint ${name}`);
  for (const table of tables_) await em.execute(`alter table ${table} disable trigger user`);
  await em.execute(`truncate ${tables_.join(", ")}`);
  for (const [i, { name, columns, rows, pieces }] of tables.entries()) {
    const table = assertDefined(tables_[i], "both have the same tables");
    const put = await copier.copyIn(table, columns, (into) =>
      pipeline(Readable.from(eachWhole(box, pieces)), createGunzip(), into),
    );
    if (put !== rows)
      throw invalidRequest(
        "backup_invalid",
        `${box.where} is damaged: ${name} does not have the expected number of rows. Restore another backup.`,
        "from",
      );
  }
  for (const { name, last } of sequences)
    if (last !== null)
      await em.execute("select setval(format('%I.%I', ?::text, ?::text)::regclass, ?::bigint)", [
        ...(await schemaOf(em, name)),
        last,
      ]);
  for (const table of tables_) await em.execute(`alter table ${table} enable trigger user`);
  for (const { quoted, name, definition } of keys)
    await em.execute(`alter table ${quoted} add constraint ${name} ${definition}`);
}

/** Otherwise the first hours are planned as for empty tables. */
export const analyzeTables = async (em: SqlEntityManager) => void (await em.execute("analyze"));

async function schemaOf(em: SqlEntityManager, name: string): Promise<[schema: string, name: string]> {
  const at = name.indexOf(".");
  if (at >= 0) return [name.slice(0, at), name.slice(at + 1)];
  const [row] = await em.execute<{ schema: string }[]>("select current_schema() as schema");
  return [assertDefined(row, "this function always returns a row").schema, name];
}

async function* eachWhole(box: BackupPieceStore, pieces: BackupManifestPiece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await readVerifiedPiece(box, piece);
}
