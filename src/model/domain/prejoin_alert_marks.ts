// Marks for alerts of a first page that were sent before a device joined (rules#before-joining). Devices with the same
// channels and marks share a page.

import { toIsoMicros } from "../fields/sql_statement_types.ts";
import { LIMITS } from "../limits.ts";

/** When a device joined channels, in microseconds since 1970. */
export interface JoinTimes {
  /** The latest of them. */
  readonly newest: number;
  /** The time of one channel, by its uuid; 0 where all alerts of the page are newer than that. */
  of(channel: string): number;
}

/** When an alert was sent, in microseconds since 1970, and its channel. */
export interface SentAlertTime {
  readonly channel: string;
  readonly at: number;
}

/** The state that a kept page of an inbox follows from. */
export interface InboxPageCacheInputs {
  /** The channels and their revisions; empty for a page without alerts. */
  channelsAt: string | null | undefined;
  marks: string;
  sent: readonly SentAlertTime[];
}

/** The marks of a page: a character for each alert. */
export const SENT_AFTER_JOINING_MARK = "0";
export const BEFORE_JOINING_MARK_CHAR = "1";
const HIDDEN = "-";

/** A page of which alerts are left out. */
export const hasHiddenAlertMark = (marks: string): boolean => marks.includes(HIDDEN);

/** @param timestamp as PostgreSQL prints it in UTC */
function parseMicros(timestamp: string): number {
  const iso = toIsoMicros(timestamp);
  return Date.parse(`${iso.slice(0, -4)}Z`) * 1000 + Number(iso.slice(-4, -1));
}

export const toSentAlertTimes = (rows: readonly { pusher_id: string; sent_at: string }[]): SentAlertTime[] =>
  rows.map(({ pusher_id, sent_at }) => ({ channel: pusher_id, at: parseMicros(sent_at) }));

/**
 * @param alerts the newest of all channels of the device, newest first, so that the first of each channel are its
 * newest
 */
export function markAlertsByJoinTime(alerts: readonly SentAlertTime[], joined: JoinTimes): string {
  if (joined.newest <= (alerts.at(-1)?.at ?? 0)) return SENT_AFTER_JOINING_MARK.repeat(alerts.length);
  const before = new Map<string, number>();
  const mark = ({ channel, at }: SentAlertTime) => {
    if (at >= joined.of(channel)) return SENT_AFTER_JOINING_MARK;
    const count = (before.get(channel) ?? 0) + 1;
    before.set(channel, count);
    return count > LIMITS.before_joining ? HIDDEN : BEFORE_JOINING_MARK_CHAR;
  };
  return alerts.map(mark).join("");
}

/**
 * Returns the marks of a page that was read for one device. Null if the page may lack alerts that an earlier device
 * sees.
 * @param rows its alerts, each marked
 */
export function buildJoiningMarksFromAlerts(
  rows: readonly { pusher_id: string; before_joining?: boolean }[],
): string | null {
  const before = new Map<string, number>();
  for (const { pusher_id, before_joining } of rows) {
    if (!before_joining) continue;
    const count = (before.get(pusher_id) ?? 0) + 1;
    if (count === LIMITS.before_joining) return null;
    before.set(pusher_id, count);
  }
  return rows
    .map(({ before_joining }) => (before_joining ? BEFORE_JOINING_MARK_CHAR : SENT_AFTER_JOINING_MARK))
    .join("");
}

/** Returns the join time by channel, from two lists of equal length. */
export const createJoinTimeLookup = (channels: readonly string[], since: readonly number[]): JoinTimes => ({
  newest: Math.max(0, ...since),
  of: (channel) => since[channels.indexOf(channel)] ?? 0,
});
