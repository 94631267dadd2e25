// JSON text with long lists, bounded before it is parsed: the entries of a list that are beyond the limits are left
// out and counted.

import { invalidRequest } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

const SPACE = 0x20;
const FIRST_NON_ASCII = 0x80;

/** From here on entries of a list are left out, so that there is room for what comes after it. */
const LIST_VALUES = LIMITS.ingest_values * 0.75;

interface JsonWithOmittedEntries {
  /** The text without the entries that were left out. */
  bytes: Uint8Array;
  /** Entries that were left out. */
  omitted: number;
}

/**
 * Leaves out the last entries of a list with too many values or bytes: of the outermost list, and of lists in the
 * outermost object. @throws ApiError (invalid_request) for too many values elsewhere, and for too many levels
 */
export function truncateJsonLists(bytes: Uint8Array): JsonWithOmittedEntries {
  // A file is not nested too deeply: the parser says that it is not JSON. A byte order mark may come before the text.
  const first = bytes.find((byte) => byte > SPACE && byte < FIRST_NON_ASCII);
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return { bytes, omitted: 0 };
  const kept: Uint8Array[] = [];
  /**
   * Where the text begins that is not in `kept` yet, and where the text ends that stays of a list; -1: all of it
   * stays.
   */
  let from = 0;
  let end = -1;
  let omitted = 0;
  let values = 0;
  let depth = 0;
  /** The level of such lists, whether one is open at it, and where it begins. */
  let listDepth = 0;
  let isInList = false;
  let begin = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) inText = !inText;
    else if (inText) {
      if (byte === BACKSLASH) i++;
    } else if (byte === COMMA) {
      const isBetween = isInList && depth === listDepth;
      if (isBetween && (end >= 0 || values > LIST_VALUES || i - begin > LIMITS.ingest_list)) {
        omitted++;
        if (end < 0) end = i;
      } else if (end < 0 && ++values > LIMITS.ingest_values) throw createTooManyValuesError();
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > LIMITS.ingest_depth) throw createTooDeepError();
      if (end < 0 && ++values > LIMITS.ingest_values) throw createTooManyValuesError();
      if (depth === 1) listDepth = byte === OPEN_LIST ? 1 : 2;
      if (depth === listDepth) {
        isInList = byte === OPEN_LIST;
        begin = i;
      }
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth === listDepth) {
        isInList = false;
        if (end >= 0) {
          kept.push(bytes.subarray(from, end));
          from = i;
          end = -1;
        }
      }
      depth--;
    }
  }
  if (omitted === 0) return { bytes, omitted };
  return { bytes: Buffer.concat([...kept, bytes.subarray(from)]), omitted };
}

export const createTooManyValuesError = () =>
  invalidRequest(
    "body_too_large",
    `The body contains more than ${LIMITS.ingest_values} values. Send fewer values at once.`,
  );
const createTooDeepError = () =>
  invalidRequest(
    "body_too_large",
    `The JSON is nested more than ${LIMITS.ingest_depth} levels deep. Reduce the nesting.`,
  );
