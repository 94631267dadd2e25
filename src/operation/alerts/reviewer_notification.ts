// The notification of reviewers about a waiting draft: an ordinary alert on the workspace's own channel for it. It
// names the channel and the author, and nothing of the draft, because it appears on lock screens. rules#reviews-channel

import { z } from "zod";
import type { AlertReviewTarget } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { formatAlertReviewUrl } from "../../model/domain/review_url_and_decision.ts";
import { getSearchWords } from "../../model/domain/search_terms.ts";
import { formatId, newUuid } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { claimReviewNotice, insertAlert } from "../../store/queries/alerts.ts";
import { getChannelScopeSqlParameters } from "../access_checks.ts";
import type { RunnableOperation } from "../handler_attempt.ts";
import { emitAlertEvent, parseAlertPathIds } from "./alert_verb_helpers.ts";
import { mergeAndSanitizeAlert } from "./compose_alert.ts";

/** The content of the e-mail, equal to that of the alert. */
interface WaitingDraft {
  channel: string;
  asker: string;
  url: string;
}

/**
 * Creates the internal operation for it. It is in no list of operations and has no audit line. Each draft has at most
 * one alert, with a limit per minute.
 * @param mail sends to addresses, and neither throws nor blocks; null without e-mail
 */
export const createReviewNoticeOperation = (
  mail: ((to: readonly string[], draft: WaitingDraft) => void) | null,
): RunnableOperation => ({
  name: "review_notice",
  output: z.null(),
  writes: "rows",
  limit: { name: "review-notices", per: "creator", max: LIMITS.review_notices, seconds: LIMITS.window_seconds },
  async handler(input, context) {
    const ctx = context as HandlerContext;
    const review = input as AlertReviewTarget;
    const { pusherId, alertId } = parseAlertPathIds(review);
    const id = newUuid();
    const [found] = await ctx.sql(claimReviewNotice, {
      ...getChannelScopeSqlParameters(pusherId, ctx.caller),
      id: alertId,
      review_notice_id: id,
    });
    if (!found) return null;
    const { workspace, credential } = ctx.caller;
    const url = formatAlertReviewUrl({
      publicUrl: ctx.services.publicUrl,
      workspaceId: workspace.id,
      pusherId,
      alertId,
    });
    const said = {
      title: `${found.name}: a draft awaits review`,
      body: `“${credential.name}” submitted a draft for review.`,
      collapse_key: formatId("alr", alertId),
      actions: [{ type: "open_url" as const, label: "Review", url }],
    };
    const { fields } = mergeAndSanitizeAlert(said, null, null);
    const words = getSearchWords(fields.title, fields.body);
    const made = { id, pusher_id: found.review_channel_id, status: "sent", words, writer: null };
    const [notice] = await ctx.sql(insertAlert, { ...made, ...fields });
    await ctx.countAgainstLimit(workspace.id);
    emitAlertEvent(ctx, "alert.sent", assertDefined(notice, "the insert returns its row"));
    ctx.afterCommit(() => mail?.(found.mail_to, { channel: found.name, asker: credential.name, url }));
    return null;
  },
});
