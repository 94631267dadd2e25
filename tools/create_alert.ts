import { z } from "zod";
import { checkContent, checkNoRecurrence, problemOf } from "../src/model/domain/alert_content.ts";
import { CHANNEL_NOT_ACTIVE } from "../src/model/domain/alert_status.ts";
import { channelUuid, newUuid } from "../src/model/domain/ids.ts";
import { conflict, notFound } from "../src/model/errors.ts";
import { ALERT } from "../src/model/fields/alert.ts";
import { nowMicros } from "../src/model/fields/columns.ts";
import { argumentsOf } from "../src/model/fields/record.ts";
import { LIMITS } from "../src/model/limits.ts";
import { need } from "../src/model/need.ts";
import { attachAssets } from "../src/operation/alerts/attach.ts";
import { ALERT_SENDS, countSend } from "../src/operation/alerts/change.ts";
import { compose } from "../src/operation/alerts/compose.ts";
import { answerOf, create } from "../src/operation/alerts/create.ts";
import { firstOf } from "../src/operation/alerts/repeats.ts";
import { defineTool, MAX_BODY } from "../src/operation/tool.ts";
import { lockChannel, scope, visibleChannel } from "../src/store/queries/channels.ts";
import { composedBrief, composedView, view } from "../src/store/shapes/alert.ts";
import { pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "create_alert",
  title: "Compose alert",
  description: `Compose an alert on a channel. Without send it stays a draft that no phone sees. With send true it is published at once, or scheduled when send_at is ahead; what is published cannot be unsent. At most ${LIMITS.sends} sends a minute for a channel.`,
  scope: "alerts:write",
  alsoRequires: { "alerts:send": (raw) => raw.send === true },
  asDraft: ({ send: _, ...draft }) => draft,
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers/{id}/alerts", status: 201, maxBody: MAX_BODY.alerts },
  // With send true it cannot be undone, and clients ask before they let that happen.
  creates: true,
  // Files are locked meanwhile, and so is the channel where repeats wait for one another.
  isOneStatement: (input, onRepeat) =>
    !(input.image_asset_id || input.audio_asset_id || input.html_asset_id) && !(input.send && onRepeat === "answer"),
  answerAgain: answerOf,
  limit: ALERT_SENDS,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    send: z.boolean().optional().describe("true publishes (needs alerts:send); false or absent makes a draft."),
    ...argumentsOf(ALERT),
    view,
  }),
  output: composedView,
  brief: composedBrief,
  async handler(input, ctx) {
    const pusherId = channelUuid(input.pusher_id);
    const attached = await attachAssets(input, null, ctx);
    const { fields, htmlLength } = compose(attached.sent, null, attached.text);
    const status = input.send ? (fields.send_at === null ? "sent" : "scheduled") : "draft";
    const changed = { send_at: true, expires_at: true, scheduled: status === "scheduled" };
    const problem =
      attached.problem ??
      problemOf(() => {
        if (input.send) checkNoRecurrence(fields.recurrence);
        checkContent(fields, htmlLength, changed, nowMicros(ctx));
      });
    const channel = scope(pusherId, ctx.caller);
    if (input.send && !problem && ctx.onRepeat === "answer") {
      if (!(await ctx.sql(lockChannel, channel))[0]) throw notFound("channel");
      const { title, body, send_at } = fields;
      const first = await firstOf("create_alert", { pusher_id: pusherId, title, body, send_at }, ctx);
      if (first) return first;
    }
    const counted =
      status === "draft" || problem
        ? null
        : await countSend(ctx, pusherId).then(
            () => null,
            (limit) => limit,
          );
    // What is refused is not tried; a missing or paused channel is reported before what is wrong with the alert.
    const refusal = problem ?? counted;
    const row = refusal
      ? (await ctx.sql(visibleChannel, channel)).map((found) => ({ ...found, answer: null }))[0]
      : await create({ ...channel, id: newUuid(), status, ...fields }, ctx);
    if (!row) throw notFound("channel");
    if (!row.active && status !== "draft") throw conflict("channel_not_active", CHANNEL_NOT_ACTIVE);
    if (refusal) throw refusal;
    return need(row.answer, "an active channel takes an alert");
  },
});
