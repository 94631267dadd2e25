// Where a person reviews an alert before it is published: one address an alert, which its author is told.

import type { ToReview } from "../errors.ts";
import { parseId, showId } from "./ids.ts";

interface Place {
  /** Origin of the pages for people. */
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
  { pusher_id, alert_id }: Record<string, unknown>,
  { publicUrl, workspaceId }: Pick<Place, "publicUrl" | "workspaceId">,
): { said: string; review: ToReview | null } {
  if (alert_id === undefined)
    return {
      said: "Or leave send out: that makes a draft, and its review_url is where a person can publish it.",
      review: null,
    };
  const pusherId = parseId("psh", String(pusher_id));
  const alertId = parseId("alr", String(alert_id));
  if (!pusherId || !alertId) return { said: "Or ask a person to do it in the console.", review: null };
  return {
    said: `Or ask a person to do it in the console: ${reviewUrl({ publicUrl, workspaceId, pusherId, alertId })}`,
    review: { pusher_id: showId("psh", pusherId), alert_id: showId("alr", alertId) },
  };
}
