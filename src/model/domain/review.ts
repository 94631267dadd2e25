// Where a person reviews an alert before it is published: one address an alert, which its author is told.

import type { AlertStatus } from "../entities/alert.ts";
import type { ToReview } from "../errors.ts";
import { parseId, showId } from "./ids.ts";

interface Place {
  publicUrl: string;
  /** Of the workspace; a uuid, as the ids below. */
  workspaceId: string;
  pusherId: string;
  alertId: string;
}

/** docs/rules.md#review-url */
export const reviewUrl = ({ publicUrl, workspaceId, pusherId, alertId }: Place): string =>
  `${publicUrl}/console/${showId("wsp", workspaceId)}/channels/${showId("psh", pusherId)}/alerts/${showId("alr", alertId)}`;

/**
 * The way out for a credential that may not publish: a sentence, and the alert that it is about. `args` are a caller's own: only
 * ids are taken of them, and whether there is such an alert is not looked at.
 */
export function reviewInstead(
  { pusher_id, alert_id, send }: Record<string, unknown>,
  { publicUrl, workspaceId }: Pick<Place, "publicUrl" | "workspaceId">,
): { said: string; review: ToReview | null } {
  if (send === true)
    return {
      said: "Or leave send out: that makes a draft, and its review_url is where a person can publish it.",
      review: null,
    };
  const pusherId = parseId("psh", String(pusher_id));
  const alertId = parseId("alr", String(alert_id));
  if (!pusherId || !alertId)
    return {
      said: `Or ask a person to do it in the console: ${publicUrl}/console/${showId("wsp", workspaceId)}`,
      review: null,
    };
  return {
    said: `Or ask a person to do it in the console: ${reviewUrl({ publicUrl, workspaceId, pusherId, alertId })}`,
    review: { pusher_id: showId("psh", pusherId), alert_id: showId("alr", alertId) },
  };
}

/** What a person may have decided about an alert. */
export const DECISIONS = ["waiting", "declined", "scheduled", "sent", "cancelled"] as const;

export type Decision = (typeof DECISIONS)[number];

/** What became of an alert so far. Who declined a draft said why. */
export function decisionOf(alert: { status: AlertStatus; review_reply: string | null }): Decision {
  if (alert.status === "repeating") return "scheduled";
  if (alert.status !== "draft") return alert.status;
  return alert.review_reply === null ? "waiting" : "declined";
}

/** What each of them means to the author. */
export const REVIEW_NOTES: Record<Decision, string> = {
  waiting:
    "Nobody has decided yet, and nothing is published. A person decides at review_url; wait again, or ask later.",
  declined:
    "A person declined it, and review_reply says why. Nothing is published; an edit puts it up for review again.",
  scheduled:
    "It is scheduled: phones show it from send_at on. Until then a person changes that at review_url.",
  sent: "It is sent and visible to every subscribed handset.",
  cancelled: "It was cancelled. duplicate_alert makes a new draft of it.",
};

/** What a client says to its person when it sends them to the review page. */
export const REVIEW_ASKS =
  "An alert is waiting for you. Look at it, then send, schedule or decline it. Nothing is published before you do.";
