import { z } from "zod";
import { checkContent, checkRule } from "../src/model/domain/alert_content.ts";
import { alreadySent } from "../src/model/domain/alert_status.ts";
import { wordsOf } from "../src/model/domain/words.ts";
import { ALERT } from "../src/model/fields/alert.ts";
import { nowMicros } from "../src/model/fields/columns.ts";
import { changesOf } from "../src/model/fields/record.ts";
import { attachAssets } from "../src/operation/alerts/attach.ts";
import { alertFor, announce, formerOf, lockedAlert, refuseComposer } from "../src/operation/alerts/change.ts";
import { compose, storedOf } from "../src/operation/alerts/compose.ts";
import { followSeries } from "../src/operation/alerts/series.ts";
import { shownWhole } from "../src/operation/alerts/show.ts";
import { defineTool, MAX_BODY } from "../src/operation/tool.ts";
import { updateAlert } from "../src/store/queries/alerts.ts";
import { composedBrief, composedView, view } from "../src/store/shapes/alert.ts";
import { expectedVersion, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "update_alert",
  title: "Edit alert",
  description:
    "Edit a draft or a scheduled alert, by the fields of create_alert; of a repeating one, all to come. Absent fields stay; null clears. Never publishes a draft. What is scheduled needs alerts:send, unless send_at is null in the same call: then it is a draft again. Sent and cancelled alerts are frozen.",
  scope: "alerts:write",
  mayRequire: { "alerts:send": "the alert is scheduled and send_at is not sent as null" },
  role: "editor",
  http: {
    method: "PATCH",
    path: "/api/v1/pushers/{id}/alerts/{alertId}",
    status: 200,
    maxBody: MAX_BODY.alerts,
  },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    ...changesOf(ALERT),
    expected_updated_at: expectedVersion(),
    view,
  }),
  output: composedView,
  brief: composedBrief,
  async handler(input, ctx) {
    const { pusher_id: _, alert_id: __, expected_updated_at: ___, ...sent } = input;
    if (Object.values(sent).every((value) => value === undefined)) {
      // Nothing is edited, so a frozen alert has nothing to refuse.
      const { alert } = await lockedAlert(input, ctx);
      return shownWhole(alert, alert.requested_perms, ctx);
    }
    const { alert } = await alertFor("edit", input, ctx);
    refuseComposer(alert, sent, ctx);
    const stored = storedOf(alert, ctx);
    const attached = await attachAssets(sent, stored, ctx);
    if (attached.problem) throw attached.problem;
    const { fields, htmlLength } = compose(attached.sent, stored, attached.text);
    // A scheduled alert without send_at is a draft again (rules#edit-to-draft).
    const status = alert.status !== "draft" && fields.send_at === null ? "draft" : alert.status;
    checkRule(status, fields.recurrence);
    // What repeats began at its send_at, perhaps long ago; its end is only held against that.
    const repeats = status === "repeating";
    const moved = repeats ? fields.send_at !== stored.send_at : sent.send_at !== undefined;
    const changed = {
      send_at: moved || repeats,
      expires_at: sent.expires_at !== undefined && !repeats,
      scheduled: moved && status !== "draft",
    };
    checkContent(fields, htmlLength, changed, nowMicros(ctx));
    const former = formerOf(stored, fields);
    ctx.audit({ changed: Object.keys(former) });
    const says = fields.title !== stored.title || fields.body !== stored.body;
    const words = says ? wordsOf(fields.title, fields.body) : null;
    const apart = alert.series_id !== null && Object.keys(former).some((name) => name !== "send_at");
    const [after] = await ctx.sql(updateAlert, { id: alert.id, status, former, words, apart, ...fields });
    // It became visible while we looked at it.
    if (!after) throw alreadySent("edit");
    if (alert.status === "repeating") await followSeries(alert, after, ctx);
    else if (alert.status === "scheduled" && status === "draft") announce(ctx, "alert.cancelled", after);
    else if (status === "scheduled" && after.send_at !== alert.send_at) announce(ctx, "alert.scheduled", after);
    return shownWhole(after, alert.requested_perms, ctx);
  },
});
