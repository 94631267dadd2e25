// PostgreSQL's COPY on the connection of a transaction: rows as a stream of lines, for backups, restores and exports.

import type { Readable, Writable } from "node:stream";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { from, to } from "pg-copy-streams";
import { assertDefined } from "../../model/assert.ts";
import type { Orm } from "../../store/db/orm.ts";

/** A connection of pg. */
interface Client {
  query<S extends Readable | Writable>(stream: S): S;
  connection: { stream: { destroy(): void } };
}

/**
 * The formats of rows. `values`: exact, by column, as `copyIn` reads it. `json`: one column with the text of the line;
 * JSON never contains the two characters that would need escaping.
 */
const FORMATS = { values: "", json: String.raw` (format csv, delimiter e'\x01', quote e'\x02')` };

export interface PostgresCopier {
  /**
   * Passes the rows of a query to `write` and returns their number.
   * @throws the error of `write`; the connection is then closed, because the remaining rows are not read
   */
  copyOut(
    query: string,
    format: keyof typeof FORMATS,
    write: (lines: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<number>;
  /** Has `read` put rows that `copyOut` wrote as values into a table, and returns how many there were. */
  copyIn(table: string, columns: readonly string[], read: (rows: Writable) => Promise<void>): Promise<number>;
}

/**
 * Runs `work` in a transaction whose rows can be copied. Nothing else may run on `orm` as it begins.
 * @throws what `work` throws, and no change stays.
 */
export async function runInCopyTransaction<T>(
  orm: Orm,
  options: NonNullable<Parameters<SqlEntityManager["transactional"]>[1]>,
  work: (em: SqlEntityManager, copier: PostgresCopier) => Promise<T>,
): Promise<T> {
  const pool: { once(event: "acquire", listener: (client: Client) => void): unknown } = await orm.driver
    .getConnection()
    .getNativeClient();
  let client: Client | undefined;
  pool.once("acquire", (acquired) => (client = acquired));
  return orm.em.fork().transactional(async (em) => {
    const own = assertDefined(client, "the transaction runs on this connection");
    // Dates must be read as they were written, for any settings of the role.
    for (const set of ["datestyle = 'ISO, YMD'", "intervalstyle = postgres", "client_encoding = utf8"])
      await em.execute(`set local ${set}`);
    return work(em as SqlEntityManager, {
      async copyOut(query, format, write) {
        const counted = countLines(own.query(to(`copy (${query}) to stdout${FORMATS[format]}`)));
        try {
          await write(counted.lines());
        } catch (error) {
          own.connection.stream.destroy();
          throw error;
        }
        return counted.count();
      },
      async copyIn(table, columns, read) {
        const rows = own.query(from(`copy ${table} (${columns.join(", ")}) from stdin`));
        await read(rows);
        return rows.rowCount;
      },
    });
  }, options);
}

const LINE_END = 10;

/** The number that the database sends comes after the last row, and maybe later than the end of the stream. */
function countLines(rows: AsyncIterable<Buffer>) {
  let count = 0;
  return {
    count: () => count,
    async *lines() {
      for await (const bytes of rows) {
        for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count++;
        yield bytes;
      }
    },
  };
}
