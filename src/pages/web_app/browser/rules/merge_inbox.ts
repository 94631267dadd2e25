// Compares a response of the inbox with the device's alerts: new, withdrawn, outdated. Pure.

import { LIMITS } from "../../../../model/limits.ts";

/** An alert as the device keeps it. */
interface MergeableAlert {
  id: string;
  status?: string;
  sent_at: string;
  html?: string | null;
  body?: string | null;
  tts_text?: string | null;
  archived?: boolean;
}

/** The subscription that the device has now; null after it left the channel. */
interface JoinedSubscription {
  subscription: { subscribed_at: string } | null;
}

/**
 * An alert with the person's state. An alert that was sent before they followed its channel is read, and needs no
 * confirmation (rules#app-before-joining). So is one whose channel they follow no more. The service marks such alerts.
 * An alert that was kept under an earlier subscription has no mark, so its time is compared. Kept alerts stay as the
 * channel sent them.
 */
export function markAlertSentBeforeJoining<
  Row extends {
    sent_at: string;
    before_joining?: boolean;
    read_at: string | null;
    requires_ack: boolean;
    before?: boolean;
    ended?: boolean;
  },
>(alert: Row, channel: JoinedSubscription | undefined): Row {
  if (channel?.subscription === null)
    return { ...alert, ended: true, read_at: alert.read_at ?? alert.sent_at, requires_ack: false };
  const since = channel?.subscription.subscribed_at;
  if (!alert.before_joining && (since === undefined || alert.sent_at >= since)) return alert;
  return { ...alert, before: true, read_at: alert.read_at ?? since ?? alert.sent_at, requires_ack: false };
}

interface InboxDifference<Row, Known> {
  fresh: Row[];
  /** Marked as no longer in the inbox. The device keeps its copy (rules#cancel-reaches-no-further). */
  withdrawn: Known[];
}

/** The rows are the newest of the inbox, newest first; `all` is set if the inbox has no others. */
export function findInboxDifference<Row extends MergeableAlert, Known extends MergeableAlert>(
  rows: readonly Row[],
  all: boolean,
  known: ReadonlyMap<string, Known>,
): InboxDifference<Row, Known> {
  const there = new Set(rows.map(({ id }) => id));
  const oldest = rows.at(-1)?.sent_at ?? "";
  const withdrawn = [...known.values()]
    // The page may contain only a part of several alerts with the same time.
    .filter(({ id, status, sent_at }) => status !== "cancelled" && !there.has(id) && (all || sent_at > oldest))
    .map((alert) => ({ ...alert, status: "cancelled" }));
  return { fresh: rows.filter(({ id }) => !known.has(id)), withdrawn };
}

/** The app is not an archive: it keeps the newest alerts, up to this number and this many characters. */
export const MAX_STORED_ALERTS = LIMITS.app_alerts;
export const MAX_STORED_ALERT_CHARACTERS = LIMITS.app_characters;
/** The size of an alert without its long texts. */
const USUAL = 500;

/**
 * Ids of the alerts beyond the limits, the oldest of all. The newest one stays, with any length. The archive has limits
 * of its own, so new alerts never remove an archived one.
 */
export function findAlertsBeyondLimits(alerts: readonly MergeableAlert[]): string[] {
  const { kept = [], stored = [] } = Object.groupBy(alerts, ({ archived }) => (archived ? "kept" : "stored"));
  return [...findOldest(stored), ...findOldest(kept)];
}

function findOldest(alerts: readonly MergeableAlert[]): string[] {
  let characters = 0;
  let count = 0;
  return alerts
    .toSorted((a, b) => (a.sent_at < b.sent_at ? 1 : -1))
    .filter(({ html, body, tts_text }) => {
      characters += (html?.length ?? 0) + (body?.length ?? 0) + (tts_text?.length ?? 0) + USUAL;
      count++;
      return count > MAX_STORED_ALERTS || (count > 1 && characters > MAX_STORED_ALERT_CHARACTERS);
    })
    .map(({ id }) => id);
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Milliseconds before the next attempt after this number of failures: twice the previous delay, with jitter between
 * devices. `chance` is 0 to 1.
 */
export function getReconnectDelay(failures: number, chance: number): number {
  const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return Math.round(full * (0.5 + chance / 2));
}
