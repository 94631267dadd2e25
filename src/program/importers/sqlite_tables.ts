// A SQLite file of another program: opened read-only and not trusted. Columns are requested by name, since versions
// differ. A missing column is empty.

import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ApiError, invalidRequest } from "../../model/api_error.ts";

/** Numbers and texts; what is neither is read as a text. */
export type SqliteRow = Record<string, string | number>;

const HEADER = "SQLite format 3\0";
/** The maximum length of a text, more than any of these programs permits. */
const MOST = 65_536;

const refused = (why: string) => invalidRequest("invalid_file", `The file ${why}.`, "file");

/** @throws 422 for a file that is not a SQLite database. */
export function openSqliteTables(path: string) {
  let head: string;
  try {
    if (!lstatSync(path).isFile()) throw refused("is a link, folder or device; specify the database file itself");
    const bytes = Buffer.alloc(HEADER.length);
    const file = openSync(path, "r");
    try {
      readSync(file, bytes);
    } finally {
      closeSync(file);
    }
    head = bytes.toString("latin1");
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw refused(
      `cannot be read (${(error as NodeJS.ErrnoException).code}); run this as a user with access, or copy it`,
    );
  }
  if (head !== HEADER) throw refused("is not an SQLite database");
  const db = sound(() => new DatabaseSync(path, { readOnly: true }));
  const close = () => db.close();
  try {
    // Definitions of the file cannot run code, and damaged pages are detected before they are followed.
    sound(() => db.exec("pragma trusted_schema = off; pragma cell_size_check = on; pragma mmap_size = 0"));
    const names = sound(() => db.prepare("select name from sqlite_master where type = 'table'").all());
    const tables = new Set(names.map(({ name }) => name));
    return {
      has: (table: string): boolean => tables.has(table),
      /** One row after another. `rest` is ours: conditions and order, with `?` for the values. */
      *rows(
        table: string,
        columns: readonly string[],
        rest = "",
        values: readonly (string | number)[] = [],
      ): Iterable<SqliteRow> {
        const there = new Set(
          sound(() => db.prepare("select name from pragma_table_info(?)").all(table)).map(({ name }) => name),
        );
        const shown = columns.map((column) =>
          there.has(column)
            ? `case typeof("${column}") when 'integer' then "${column}" when 'real' then "${column}"
                else substr(cast("${column}" as text), 1, ${MOST}) end as "${column}"`
            : `'' as "${column}"`,
        );
        const found = sound(() => db.prepare(`select ${shown.join(", ")} from "${table}" ${rest}`).iterate(...values));
        for (;;) {
          const { value, done } = sound(() => found.next());
          if (done) return;
          yield Object.fromEntries(columns.map((column) => [column, value[column] ?? ""])) as SqliteRow;
        }
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

export type SqliteTables = ReturnType<typeof openSqliteTables>;

/** SQLite's own messages may quote the file. */
function sound<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { errcode } = error as { errcode?: number };
    throw refused(
      `cannot be read by SQLite (${errcode ?? "?"}): it is damaged, incomplete or in use. ` +
        "Stop the program that uses it, then copy the file together with its companion files (-wal and -shm)",
    );
  }
}
