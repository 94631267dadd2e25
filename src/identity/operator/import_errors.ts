// Refusals of a file of `belfry import`: each names the line, and the field where a rule or a constraint names one.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { type ApiError, conflict, invalidRequest } from "../../model/api_error.ts";
import { runStatement } from "../../store/db/statement.ts";
import { runInTransactionOrDryRun } from "./dry_run_transaction.ts";
import { type ExportRowKind, type ExportTableStatements, readConstraintColumns } from "./export_tables.ts";
import type { ImportRowValues } from "./import_row_rules.ts";

/** A row with the number of its line, from 1. */
export interface NumberedRow {
  line: number;
  row: ImportRowValues;
}

/** A row that belongs to no workspace of the file. */
export class RowWithoutWorkspaceError extends Error {}

const wrong = (line: number, kind: ExportRowKind, problem: string) =>
  `Line ${line} of the file (${kind}) is not valid: ${problem}`;

/** `problem` is a sentence of ours, which repeats nothing of the file. */
export const createLineError = (line: number, kind: ExportRowKind, problem: string): ApiError =>
  invalidRequest("invalid_file", wrong(line, kind, problem), "file");

export const createImportFileError = (what: string): ApiError =>
  invalidRequest("invalid_file", `The file ${what}.`, "file");

type DatabaseError = Error & { code?: string; constraint?: string; column?: string; table?: string };

/** Data exceptions, constraints, and sizes that an index does not take. */
const OF_ROWS = /^(22|23|54)/;
const isOfRow = (error: unknown): boolean =>
  error instanceof RowWithoutWorkspaceError || OF_ROWS.test((error as DatabaseError).code ?? "");

/**
 * Puts rows by `put`, which changes nothing but the database. @throws 422 or 409 that names the first line that the
 * database rejects. It quotes the row, so its message is not passed on.
 */
export async function insertRowsOrLocateError(
  em: SqlEntityManager,
  of: ExportTableStatements,
  lines: readonly NumberedRow[],
  put: (em: SqlEntityManager, rows: ImportRowValues[]) => Promise<void>,
): Promise<void> {
  /** Returns the error of the first `count` lines. */
  const attempt = (count: number, dryRun: boolean): Promise<unknown> => {
    const rows = lines.slice(0, count).map(({ row }) => row);
    return runInTransactionOrDryRun(em, dryRun, (inside) => put(inside, rows)).then(
      () => null,
      (error: unknown) => {
        if (isOfRow(error)) return error;
        throw error;
      },
    );
  };
  let cause = await attempt(lines.length, false);
  if (cause === null) return;
  // The known numbers of accepted and rejected lines, for a binary search.
  let [accepted, rejected] = [0, lines.length];
  while (rejected - accepted > 1) {
    const middle = (accepted + rejected) >> 1;
    const error = await attempt(middle, true);
    if (error === null) accepted = middle;
    else [rejected, cause] = [middle, error];
  }
  throw await refusalOf(em, of, lines[rejected - 1]?.line ?? 0, cause);
}

async function refusalOf(
  em: SqlEntityManager,
  { kind, table, columns }: ExportTableStatements,
  line: number,
  cause: unknown,
): Promise<ApiError> {
  if (cause instanceof RowWithoutWorkspaceError)
    return createLineError(line, kind, "it does not belong to a workspace in the file.");
  const { code = "", constraint = "", column, table: of } = cause as DatabaseError;
  const found = column
    ? [{ column }]
    : constraint && of === table
      ? await runStatement(em, readConstraintColumns, { table, constraint })
      : [];
  const fields = found.map((one) => one.column).filter((name) => columns.includes(name));
  const named = fields.join(" and ") || "a value";
  const is = fields.length > 1 ? "are" : "is";
  if (code === "23505")
    return conflict(
      "already_exists",
      wrong(line, kind, `${named} ${is} already in use, on this server or on another line of the file.`),
    );
  if (code === "23502") return createLineError(line, kind, `${named} is missing.`);
  if (code === "23503") return createLineError(line, kind, `${named} does not refer to a row in the file.`);
  const by = constraint && ` (${constraint})`;
  return createLineError(line, kind, `${named} ${is} not accepted by the database${by}.`);
}
