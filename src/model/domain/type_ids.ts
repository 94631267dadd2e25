// Conversion between TypeIDs on the wire and UUIDs (version 7) in the rows. A text that is not a valid id of the given
// kind is null, and the caller treats it like a missing row.

import { randomUUID } from "node:crypto";
import { ApiError, notFound } from "../api_error.ts";
import type { MissingResource } from "../error_codes.ts";

const KINDS = ["psh", "alr", "inv", "whk", "ast", "key", "wsp", "mem", "con", "aud", "dlv", "evt"] as const;
export type IdKind = (typeof KINDS)[number];

let lastMs = 0;
let count = 0;

/** A uuid of version 7 (RFC 9562): it sorts after all that this process made before, also when the clock steps back. */
export function newUuid(): string {
  const chance = randomUUID();
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Half of the counter's room is left for the same millisecond.
    count = Number.parseInt(chance.slice(0, 3), 16) & 0x7ff;
  } else if (++count > 0xfff) {
    lastMs++;
    count = 0;
  }
  return buildUuid(lastMs, count, chance);
}

/** `count` has twelve bits; the variant and the last 62 bits are those of `chance`, a random uuid of version 4. */
export function buildUuid(ms: number, count: number, chance: string): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}${chance.slice(18)}`;
}

/** Crockford's base 32, in lower case: what a TypeID writes 128 bits in, 26 digits of five bits. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** The values of the digits, by character code; undefined for other characters. */
const VALUE_OF_HEX = valuesOf("0123456789abcdef");
const VALUE_OF_DIGIT = valuesOf(DIGITS);

function valuesOf(digits: string): (number | undefined)[] {
  const values: (number | undefined)[] = Array(128).fill(undefined);
  for (let i = 0; i < digits.length; i++) values[digits.charCodeAt(i)] = i;
  return values;
}

/** uuid → `psh_01h…`. In small integers, since a page shows hundreds. */
export function formatId(kind: IdKind, uuid: string): string {
  let id = `${kind}_`;
  // 26 digits have 130 bits, so the first two are zero.
  let held = 0;
  let bits = 2;
  for (let i = 0; i < uuid.length; i++) {
    const value = VALUE_OF_HEX[uuid.charCodeAt(i)];
    if (value === undefined) continue;
    held = (held << 4) | value;
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    id += DIGITS[held >> bits];
    held &= (1 << bits) - 1;
  }
  return id;
}

export function formatIdOrNull(kind: IdKind, uuid: string | null): string | null {
  return uuid === null ? null : formatId(kind, uuid);
}

/**
 * Parses a channel id to its UUID. Callers look up other texts as a handle first, so the error explains both forms. It
 * depends only on the form of the argument, not on stored data.
 * @param row the resource of the 404
 * @throws 404
 */
export function parseChannelId(text: string, row: MissingResource = "channel"): string {
  const id = parseIdOrNull("psh", text);
  if (id) return id;
  // Another kind's id is a missing row (rules#ids).
  if (KINDS.some((kind) => parseIdOrNull(kind, text) !== null)) throw notFound(row);
  throw new ApiError("channel_not_found", "Channel not found. Use its id (psh_…) or its handle.");
}

/** `psh_01h…` → uuid; null for any other text, another kind's id included. */
export function parseIdOrNull(kind: IdKind, text: string): string | null {
  if (text.length !== kind.length + 27 || !text.startsWith(`${kind}_`)) return null;
  const first = VALUE_OF_DIGIT[text.charCodeAt(kind.length + 1)];
  // More bits do not fit into a UUID.
  if (first === undefined || first > 7) return null;
  let hex = "";
  let held = first;
  let bits = 3;
  for (let i = kind.length + 2; i < text.length; i++) {
    const value = VALUE_OF_DIGIT[text.charCodeAt(i)];
    if (value === undefined) return null;
    held = (held << 5) | value;
    bits += 5;
    while (bits >= 4) {
      bits -= 4;
      hex += DIGITS[held >> bits];
      held &= (1 << bits) - 1;
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
