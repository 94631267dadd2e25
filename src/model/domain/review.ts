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

/** rules#review-url */
export const reviewUrl = ({ publicUrl, workspaceId, pusherId, alertId }: Place): string =>
  `${publicUrl}/console/${showId("wsp", workspaceId)}/channels/${showId("psh", pusherId)}/alerts/${showId("alr", alertId)}`;

/** The same below the workspace's own page; ids are uuids. */
export const alertPath = ({ pusher_id, id }: { pusher_id: string; id: string }): string =>
  `/channels/${showId("psh", pusher_id)}/alerts/${showId("alr", id)}`;

/** Pages on which a person does what a credential may not do alone; `path` is below the workspace's own. */
export const consolePage = ({ publicUrl, workspaceId }: Pick<Place, "publicUrl" | "workspaceId">, path = ""): string =>
  `${publicUrl}/console/${showId("wsp", workspaceId)}${path}`;

/** The refusal of a credential that needs a person's approval: its only way out is a page (rules#asks-first). */
export const approvalAt = (page: string): string =>
  `This credential needs a person's approval for this. Ask a person to do it in the console: ${page}`;

/**
 * The way out for a credential that may not publish, and the alert that it is about. `said` follows what is missing; `approval` is
 * the whole refusal where only a person's approval is. Ids come from a caller's own `args`: whether the rows exist is not checked.
 */
export function reviewInstead(
  { pusher_id, alert_id, send }: Record<string, unknown>,
  place: Pick<Place, "publicUrl" | "workspaceId">,
): { said: string; approval: string; review: ToReview | null } {
  if (send === true)
    return {
      said: "Or leave send out: that makes a draft, and its review_url is where a person can publish it.",
      approval:
        "This credential needs a person's approval for this; leave send out. That makes a draft, and its review_url is where a person publishes it.",
      review: null,
    };
  const pusherId = parseId("psh", String(pusher_id));
  const alertId = parseId("alr", String(alert_id));
  const page =
    pusherId && alertId
      ? reviewUrl({ ...place, pusherId, alertId })
      : consolePage(place, pusherId && alert_id === undefined ? `/channels/${showId("psh", pusherId)}` : "");
  return {
    said: `Or ask a person to do it in the console: ${page}`,
    approval: approvalAt(page),
    review: pusherId && alertId ? { pusher_id: showId("psh", pusherId), alert_id: showId("alr", alertId) } : null,
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
  scheduled: "It is scheduled: phones show it from send_at on. Until then a person changes that at review_url.",
  sent: "It is sent and visible to every subscribed handset.",
  cancelled: "It was cancelled. duplicate_alert makes a new draft of it.",
};

/** The message of a client to its person when it sends them to a page for what needs their approval. */
export const APPROVAL_ASKS =
  "An assistant requests your approval to cancel or remove something. Review it on this page, and do it there if you agree.";

/** What a client says to its person when it sends them to the review page. */
export const REVIEW_ASKS =
  "An alert is waiting for you. Look at it, then send, schedule or decline it. Nothing is published before you do.";
