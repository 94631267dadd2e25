import { z } from "zod";
import { checkContent, checkNoRecurrence } from "../src/model/domain/alert_content.ts";
import { ALERT_GRID, CHANNEL_NOT_ACTIVE, refusalOf } from "../src/model/domain/alert_status.ts";
import { channelUuid, newUuid } from "../src/model/domain/ids.ts";
import { alertPath } from "../src/model/domain/review.ts";
import { wordsOf } from "../src/model/domain/words.ts";
import { conflict, notFound } from "../src/model/errors.ts";
import { ALERT } from "../src/model/fields/alert.ts";
import { nowMicros } from "../src/model/fields/columns.ts";
import { changesOf } from "../src/model/fields/record.ts";
import { need } from "../src/model/need.ts";
import { attachAssets } from "../src/operation/alerts/attach.ts";
import { ALERT_SENDS, alertIds, announce, countSend, lineOf, lockedAlert } from "../src/operation/alerts/change.ts";
import { compose, modelOf } from "../src/operation/alerts/compose.ts";
import { copyNote, firstOf } from "../src/operation/alerts/repeats.ts";
import { stopSeries } from "../src/operation/alerts/series.ts";
import { shownWhole } from "../src/operation/alerts/show.ts";
import { actorOf } from "../src/operation/audit.ts";
import { refuseUnapproved } from "../src/operation/scopes.ts";
import { defineTool, MAX_BODY } from "../src/operation/tool.ts";
import { cancelAlert, insertAlert } from "../src/store/queries/alerts.ts";
import { lockChannel, scope, visibleChannel } from "../src/store/queries/channels.ts";
import { composedBrief, composedView, view } from "../src/store/shapes/alert.ts";
import { pathId } from "../src/store/shapes/fields.ts";

const CORRECTED =
  "The original is already cancelled, and its correction may have been sent. Check the channel's alerts first; omit cancel_original to copy it anyway.";

export default defineTool({
  name: "duplicate_alert",
  title: "Duplicate alert",
  description:
    "Correct or repeat an alert in any state: a draft with its fields and files but send_at and expires_at, changed by what is given; on another channel by to_pusher_id. send true publishes it; cancel_original true does as cancel_alert.",
  scope: "alerts:write",
  alsoRequires: { "alerts:send": (raw) => raw.send === true || raw.cancel_original === true },
  publishesNothing: ({ send }) => send !== true,
  asDraft: ({ send: _, cancel_original: __, ...draft }) => draft,
  mayNeedApproval: true,
  role: "editor",
  http: {
    method: "POST",
    path: "/api/v1/pushers/{id}/alerts/{alertId}/duplicate",
    status: 201,
    maxBody: MAX_BODY.alerts,
  },
  creates: true,
  takesChanges: true,
  limit: ALERT_SENDS,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    to_pusher_id: pathId("Another channel; the same one when absent.").optional(),
    send: z.boolean().optional().describe("true publishes the copy (needs alerts:send)."),
    cancel_original: z
      .boolean()
      .optional()
      .describe("true withdraws the original, which was sent or scheduled (needs alerts:send)."),
    ...changesOf(ALERT),
    view,
  }),
  output: composedView,
  brief: composedBrief,
  async handler(input, ctx) {
    const { pusher_id, alert_id, to_pusher_id = pusher_id, send, cancel_original, view: _, ...sent } = input;
    const { pusherId: from } = alertIds({ pusher_id, alert_id });
    const to = channelUuid(to_pusher_id);
    // Whoever copies the other way takes both channels in the same order.
    const channels = from === to ? [] : [from, to].sort();
    for (const channel of channels) await ctx.sql(lockChannel, scope(channel, ctx.caller));
    const { alert } = await lockedAlert({ pusher_id, alert_id }, ctx);
    const [target] = from === to ? [alert] : await ctx.sql(visibleChannel, scope(to, ctx.caller));
    if (!target) throw notFound("channel");
    const ending = cancel_original ? ALERT_GRID[alert.status].cancel : null;
    if (ending?.do === "refuse") throw refusalOf(ending);
    if (ending?.do === "stay") throw conflict("alert_cancelled", CORRECTED);
    if (send && !target.active) throw conflict("channel_not_active", CHANNEL_NOT_ACTIVE);
    if (ending && alert.status === "repeating") refuseUnapproved(ctx, alertPath(alert));
    const model = modelOf(alert, ctx);
    const attached = await attachAssets(sent, model, ctx);
    if (attached.problem) throw attached.problem;
    const { fields, htmlLength } = compose(attached.sent, model, attached.text);
    const status = send ? (fields.send_at === null ? "sent" : "scheduled") : "draft";
    const changed = { send_at: true, expires_at: true, scheduled: status === "scheduled" };
    if (send) checkNoRecurrence(fields.recurrence);
    checkContent(fields, htmlLength, changed, nowMicros(ctx));
    const { title, body, send_at } = fields;
    const words = { pusher_id: to, title, body, send_at };
    // A correction goes out once by its original, which is cancelled then.
    const first = send && !cancel_original ? await firstOf("duplicate_alert", words, ctx) : null;
    if (first) return first;
    const note = send && !cancel_original ? await copyNote(words, ctx) : {};
    if (send) await countSend(ctx, to);
    const [ended] = ending?.do === "change" ? await ctx.sql(cancelAlert, { id: alert.id }) : [];
    const planned = ended && alert.status === "repeating" ? await stopSeries(ended, ctx) : [];
    if (ended && alert.status !== "repeating") announce(ctx, "alert.cancelled", ended);
    const [copy] = await ctx.sql(insertAlert, {
      id: newUuid(),
      pusher_id: to,
      status,
      words: wordsOf(fields.title, fields.body),
      writer: actorOf(ctx.caller, "rest").actor_id,
      ...fields,
    });
    const made = need(copy, "the channel is locked");
    const lines = [made, ...(ended ? [ended] : []), ...planned];
    ctx.audit({ lines: lines.map(lineOf) });
    if (status !== "draft") announce(ctx, `alert.${status}`, made);
    return { ...shownWhole(made, target.requested_perms, ctx), ...note };
  },
});
