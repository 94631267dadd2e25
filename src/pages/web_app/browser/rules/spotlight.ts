// What deserves a look now, and what is history. An alert leaves the spotlight when it expires, is acknowledged, is
// put away, replaced by a newer one of its channel with the same collapse key, or has stood there long enough. It
// stays readable.

import { LIMITS } from "../../../../model/limits.ts";
import type { RuleAlert } from "./rule_types.ts";

const HOUR = 3_600_000;

/** How long an alert without an end of its own stands in the spotlight after it was sent. */
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
  | "before"
  | "ended"
>;

export interface InboxArrangement<A> {
  spotlight: A[];
  history: A[];
  /** When the arrangement is another one without anything new coming, in milliseconds since 1970; null: never. */
  next_change_at: number | null;
}

export const getPriorityRank = (priority: string): number =>
  priority === "urgent" ? 2 : priority === "important" ? 1 : 0;

/** Instants are texts of one length, so their order is that of the texts. */
export const compareNewestFirst = (
  a: Pick<RuleAlert, "sent_at" | "id">,
  b: Pick<RuleAlert, "sent_at" | "id">,
): number => (a.sent_at === b.sent_at ? (a.id < b.id ? 1 : -1) : a.sent_at < b.sent_at ? 1 : -1);

export const isWithdrawn = ({ status = "sent" }: Pick<RuleAlert, "status">): boolean => status !== "sent";

/** When an alert leaves the spotlight by itself, in milliseconds since 1970. */
export function getSpotlightEnd({
  sent_at,
  expires_at,
  requires_ack,
  before,
}: Pick<RuleAlert, "sent_at" | "expires_at" | "requires_ack" | "before">): number {
  if (expires_at !== null) return Date.parse(expires_at);
  // Who follows from now on is shown of the past what says itself that it still counts.
  if (before) return 0;
  return Date.parse(sent_at) + (requires_ack ? UNACKED_SPOTLIGHT_MS : SPOTLIGHT_MS);
}

export function arrangeInbox<A extends Arranged>(alerts: readonly A[], now: number): InboxArrangement<A> {
  const order = alerts.toSorted(compareNewestFirst);
  const standing = new Set<string>();
  const spotlight: A[] = [];
  const history: A[] = [];
  for (const alert of order) {
    // What was withdrawn replaces nothing: for a device that never had it, the older one stands.
    const replaced = !isWithdrawn(alert) && alert.collapse_key !== null && !claims(standing, alert);
    const answered = Boolean(alert.acked_at) || alert.dismissed || alert.ended;
    const over = replaced || isWithdrawn(alert) || answered || getSpotlightEnd(alert) <= now;
    (over ? history : spotlight).push(alert);
  }
  const next = Math.min(...spotlight.map(getSpotlightEnd));
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
