// The review of an alert before it is published: its URL, which the author receives, and the decision.

import type { AlertReviewTarget } from "../api_error.ts";
import type { AlertStatus } from "../tables/alert.ts";
import { formatId, parseIdOrNull } from "./type_ids.ts";

interface ReviewLocation {
  publicUrl: string;
  /** The UUID of the workspace, like the ids below. */
  workspaceId: string;
  pusherId: string;
  alertId: string;
}

/** rules#review-url */
export const formatAlertReviewUrl = ({ publicUrl, workspaceId, pusherId, alertId }: ReviewLocation): string =>
  `${publicUrl}/console/${formatId("wsp", workspaceId)}/channels/${formatId("psh", pusherId)}/alerts/${formatId(
    "alr",
    alertId,
  )}`;

/** The same below the workspace's own page; ids are uuids. */
export const getConsoleAlertPath = ({ pusher_id, id }: { pusher_id: string; id: string }): string =>
  `/channels/${formatId("psh", pusher_id)}/alerts/${formatId("alr", id)}`;

/** Pages on which a person does what a credential may not do alone; `path` is below the workspace's own. */
export const getConsoleUrl = (
  { publicUrl, workspaceId }: Pick<ReviewLocation, "publicUrl" | "workspaceId">,
  path: string,
): string => `${publicUrl}/console/${formatId("wsp", workspaceId)}${path}`;

/** The refusal of a credential that needs a person's approval: its only way out is a page (rules#asks-first). */
export const formatApprovalRequiredMessage = (page: string): string =>
  `This credential needs human approval for this call. Ask a person to do it in the console: ${page}`;

/**
 * The way out for a credential that may not publish, and the alert that it is about. `said` follows what is missing;
 * `approval` is the whole refusal where only a person's approval is. Ids come from a caller's own `args`: whether the
 * rows exist is not checked.
 */
export function getPublishRefusalAlternative(
  { pusher_id, alert_id, send }: Record<string, unknown>,
  place: Pick<ReviewLocation, "publicUrl" | "workspaceId">,
): { said: string; approval: string; review: AlertReviewTarget | null } {
  if (send === true)
    return {
      said: "Or create the alert without send: a person can publish the draft at its review_url.",
      approval:
        "This credential needs human approval before it can publish. Create the alert without send: a person can " +
        "publish the draft at its review_url.",
      review: null,
    };
  const pusherId = parseIdOrNull("psh", String(pusher_id));
  const alertId = parseIdOrNull("alr", String(alert_id));
  const page =
    pusherId && alertId
      ? formatAlertReviewUrl({ ...place, pusherId, alertId })
      : getConsoleUrl(place, pusherId && alert_id === undefined ? `/channels/${formatId("psh", pusherId)}` : "");
  return {
    said: `Or ask a person to do it in the console: ${page}`,
    approval: formatApprovalRequiredMessage(page),
    review: pusherId && alertId ? { pusher_id: formatId("psh", pusherId), alert_id: formatId("alr", alertId) } : null,
  };
}

/** The possible decisions about an alert. */
export const REVIEW_DECISIONS = ["waiting", "declined", "scheduled", "sent", "cancelled"] as const;

type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** Returns the decision about an alert. A declined draft has a reason. */
export function deriveAlertReviewDecision(alert: { status: AlertStatus; review_reply: string | null }): ReviewDecision {
  if (alert.status === "repeating") return "scheduled";
  if (alert.status !== "draft") return alert.status;
  return alert.review_reply === null ? "waiting" : "declined";
}

/** The note for the author about each decision. */
export const REVIEW_DECISION_NOTES: Record<ReviewDecision, string> = {
  waiting:
    "The alert is awaiting a decision and is not published. A person decides at review_url. Wait again, or check " +
    "later.",
  declined:
    "A person declined the alert, so it is not published; review_reply has the reason. Editing the alert submits it " +
    "for review again.",
  scheduled: "The alert is scheduled and becomes visible at send_at. Until then, a person can change it at review_url.",
  sent: "The alert has been sent and is visible on all subscribed devices.",
  cancelled: "The alert was cancelled. Use duplicate_alert to copy it to a new draft.",
};

/** The message of a client to its person when it sends them to a page for what needs their approval. */
export const CANCEL_OR_DELETE_APPROVAL_MESSAGE =
  "An assistant is asking for your approval to cancel or delete something. Open the page to review the request " +
  "and, if you agree, cancel or delete the item there.";

/** The prompt of a client that sends its user to the review page. */
export const REVIEW_PROMPT =
  "An alert is waiting for you. Review it, then send, schedule or decline it. Nothing is published until you do.";
