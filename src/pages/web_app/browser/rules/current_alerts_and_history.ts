// Separates current alerts from history. An alert leaves the spotlight when it expires, is acknowledged or dismissed,
// or after a fixed time. A newer one of its channel with the same collapse key also replaces it. It stays readable.

import { LIMITS } from "../../../../model/limits.ts";
import type { RuleAlert } from "./rule_types.ts";

const HOUR = 3_600_000;

/** The time in the spotlight after sending, for an alert without an end of its own. */
export const SPOTLIGHT_MS = LIMITS.spotlight_hours * HOUR;
/** And one that waits to be acknowledged. */
export const UNACKED_SPOTLIGHT_MS = LIMITS.spotlight_waits_days * 24 * HOUR;

type Arranged = Pick<
  RuleAlert,
  | "id"
  | "handle"
  | "status"
  | "sent_at"
  | "expires_at"
  | "priority"
  | "requires_ack"
  | "collapse_key"
  | "acked_at"
  | "dismissed"
  | "archived"
  | "snoozed_until"
  | "before"
  | "ended"
>;

interface InboxArrangement<A> {
  spotlight: A[];
  history: A[];
  /** When the arrangement is another one without anything new coming, in milliseconds since 1970; null: never. */
  next_change_at: number | null;
}

export const getPriorityRank = (priority: string): number =>
  priority === "urgent" ? 2 : priority === "important" ? 1 : 0;

/** Times are texts of one length, so their order is that of the texts. */
export const compareNewestFirst = (
  a: Pick<RuleAlert, "sent_at" | "id">,
  b: Pick<RuleAlert, "sent_at" | "id">,
): number => (a.sent_at === b.sent_at ? (a.id < b.id ? 1 : -1) : a.sent_at < b.sent_at ? 1 : -1);

export const isWithdrawn = ({ status = "sent" }: Pick<RuleAlert, "status">): boolean => status !== "sent";

/** True while the user's reminder is in the future. */
export const isSnoozed = ({ snoozed_until }: Pick<RuleAlert, "snoozed_until">, now: number): boolean =>
  (snoozed_until ?? 0) > now;

/** When an alert leaves the spotlight by itself, in milliseconds since 1970. */
export function getSpotlightEnd({
  sent_at,
  expires_at,
  requires_ack,
  before,
  snoozed_until,
}: Pick<RuleAlert, "sent_at" | "expires_at" | "requires_ack" | "before" | "snoozed_until">): number {
  if (expires_at !== null) return Date.parse(expires_at);
  // A new follower sees only those past alerts that are marked as still valid.
  if (before) return 0;
  const end = Date.parse(sent_at) + (requires_ack ? UNACKED_SPOTLIGHT_MS : SPOTLIGHT_MS);
  // A postponed one comes back for as long as a new one.
  return snoozed_until ? Math.max(end, snoozed_until + SPOTLIGHT_MS) : end;
}

export function arrangeInbox<A extends Arranged>(alerts: readonly A[], now: number): InboxArrangement<A> {
  const order = alerts.toSorted(compareNewestFirst);
  const standing = new Set<string>();
  const spotlight: A[] = [];
  const wakes: number[] = [];
  const history: A[] = [];
  for (const alert of order) {
    // A withdrawn alert replaces nothing: a device that never had it keeps the older one.
    const replaced = !isWithdrawn(alert) && alert.collapse_key !== null && !claims(standing, alert);
    const answered = Boolean(alert.acked_at) || alert.dismissed || alert.archived || alert.ended;
    const past = replaced || isWithdrawn(alert) || answered || getSpotlightEnd(alert) <= now;
    const sleeps = isSnoozed(alert, now);
    if (sleeps && !past) wakes.push(alert.snoozed_until ?? now);
    const over = past || sleeps;
    (over ? history : spotlight).push(alert);
  }
  const next = Math.min(...spotlight.map(getSpotlightEnd), ...wakes);
  // The sort is stable: newest first within a rank.
  spotlight.sort((a, b) => getPriorityRank(b.priority) - getPriorityRank(a.priority));
  return { spotlight, history, next_change_at: Number.isFinite(next) ? next : null };
}

/** The first one that comes with a channel's key has it. */
function claims(standing: Set<string>, { handle, collapse_key }: Arranged): boolean {
  // Neither a handle nor a key has a space.
  const name = `${handle} ${collapse_key}`;
  if (standing.has(name)) return false;
  standing.add(name);
  return true;
}
