// What an answer of the inbox says of what the device has: new, withdrawn, too old to keep. Pure.

import { LIMITS } from "#limits";

/** An alert as the device keeps it. */
interface Kept {
  id: string;
  handle: string;
  status?: string;
  sent_at: string;
  html?: string | null;
  body?: string | null;
  tts_text?: string | null;
}

export interface Compared<Row, Known> {
  fresh: Row[];
  /** Not in the inbox any more, marked so. What the device has it keeps (docs/rules.md#cancel-reaches-no-further). */
  withdrawn: Known[];
}

/** The rows are the newest of the inbox, newest first; `all` tells that there are no others. */
export function compare<Row extends Kept, Known extends Kept>(
  rows: readonly Row[],
  all: boolean,
  known: ReadonlyMap<string, Known>,
): Compared<Row, Known> {
  const there = new Set(rows.map(({ id }) => id));
  const oldest = rows.at(-1)?.sent_at ?? "";
  const withdrawn = [...known.values()]
    // Of several that were sent at one instant the page may hold a part.
    .filter(
      ({ id, status, sent_at }) => status !== "cancelled" && !there.has(id) && (all || sent_at > oldest),
    )
    .map((alert) => ({ ...alert, status: "cancelled" }));
  return { fresh: rows.filter(({ id }) => !known.has(id)), withdrawn };
}

/** An app is no archive: the newest so many alerts are kept, and of these so many characters. */
export const KEPT_ALERTS = LIMITS.app_alerts;
export const KEPT_CHARACTERS = LIMITS.app_characters;
/** What an alert takes besides its long texts. */
const USUAL = 500;

/** Ids of the alerts beyond what is kept, the oldest of all. The newest one stays, however long it is. */
export function tooOld(alerts: readonly Kept[]): string[] {
  let characters = 0;
  return alerts
    .toSorted((a, b) => (a.sent_at < b.sent_at ? 1 : -1))
    .filter(({ html, body, tts_text }, i) => {
      characters += (html?.length ?? 0) + (body?.length ?? 0) + (tts_text?.length ?? 0) + USUAL;
      return i >= KEPT_ALERTS || (i > 0 && characters > KEPT_CHARACTERS);
    })
    .map(({ id }) => id);
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Milliseconds before the service is tried again after so many failures: twice as long each time, and never for all devices at the
 * same moment. `chance` is 0 to 1.
 */
export function pauseAfter(failures: number, chance: number): number {
  const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return Math.round(full * (0.5 + chance / 2));
}
