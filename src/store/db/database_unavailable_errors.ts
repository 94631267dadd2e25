// Recognises the errors of a database that cannot work now: it is away, has no connection left, no space or no time.
// All others are errors of the statement.

import { ApiError, FileStoreError, serverError, unavailable } from "../../model/api_error.ts";

/**
 * PostgreSQL's error classes 08 (connections) and 53 (space, memory, connections), a server that starts or stops,
 * timeouts, and a server that no longer accepts writes. Also the system's errors for an unreachable server.
 */
const CODES = new RegExp(
  `^(${[
    "08...|53...|57P0[1-5]|57014|55P03|25P0[34]|25006",
    "ENOENT|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT",
    "EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND",
  ].join("|")})$`,
);

/** pg's own errors carry no code. */
const SENTENCES = new RegExp(
  `^(${[
    "Connection terminated|Connection ended|timeout e|Query read timeout",
    "Client (has encountered a connection error|was closed)|Cannot use a pool after",
  ].join("|")})`,
);

/** The code of such an error, "closed" where pg has none; null for every other error. */
export function findDatabaseUnavailableCode(error: unknown): string | null {
  for (let at = error as Cause | undefined; at; at = at.cause as Cause | undefined) {
    if (typeof at.code === "string" && CODES.test(at.code)) return at.code;
    if (typeof at.message === "string" && SENTENCES.test(at.message)) return "closed";
  }
  return null;
}

/** True if a unique constraint refused a row, also as the cause of another error. */
export function isUniqueViolation(error: unknown): boolean {
  for (let at = error as Cause | undefined; at; at = at.cause as Cause | undefined)
    if (at.code === "23505") return true;
  return false;
}

interface Cause {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
}

/**
 * Converts any error for a caller: an ApiError as it is, 503 while the database or the files are unavailable, else 500.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof FileStoreError)
    return unavailable(
      "file_storage_unavailable",
      "The file storage is not available. Try again in a moment; if it still fails, the operator " +
        "can find the cause in the log.",
      10,
    );
  return findDatabaseUnavailableCode(error) === null ? serverError() : createDatabaseUnavailableApiError();
}

/** 503 of a call that the database cannot serve now. */
export const createDatabaseUnavailableApiError = (): ApiError =>
  unavailable(
    "database_unavailable",
    "The database is not available. Retry after the time in Retry-After; for calls that create something, use the " +
      "same Idempotency-Key.",
  );
