import { z } from "zod";
import { checkContent } from "../src/model/domain/alert_content.ts";
import { ALERT_GRID } from "../src/model/domain/alert_status.ts";
import { wordsOf } from "../src/model/domain/words.ts";
import { conflict } from "../src/model/errors.ts";
import { ALERT } from "../src/model/fields/alert.ts";
import { nowMicros } from "../src/model/fields/columns.ts";
import { changesOf } from "../src/model/fields/record.ts";
import { attachAssets } from "../src/operation/alerts/attach.ts";
import { alertFor, announce, lockedAlert, refuseComposer } from "../src/operation/alerts/change.ts";
import { formerOf } from "../src/operation/alerts/changes.ts";
import { compose } from "../src/operation/alerts/compose.ts";
import { shownWhole } from "../src/operation/alerts/show.ts";
import { storedOf } from "../src/operation/alerts/stored.ts";
import { defineTool, MAX_BODY } from "../src/operation/tool.ts";
import { updateAlert } from "../src/store/queries/alerts.ts";
import { composedView } from "../src/store/shapes/alert.ts";
import { composedBrief, view } from "../src/store/shapes/alert_brief.ts";
import { expectedVersion, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "update_alert",
  title: "Edit alert",
  description:
    "Edit fields of a draft or of a scheduled alert, as create_alert has them. Absent fields stay; null clears. Never publishes a draft. A scheduled alert needs alerts:send, unless send_at is null in the same call: that returns it to draft, with the other fields. Sent and cancelled alerts are frozen.",
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
    // A scheduled alert without send_at is a draft again (docs/rules.md#edit-to-draft).
    const status = alert.status === "scheduled" && fields.send_at === null ? "draft" : alert.status;
    const moved = sent.send_at !== undefined;
    const changed = {
      send_at: moved,
      expires_at: sent.expires_at !== undefined,
      scheduled: moved && status === "scheduled",
    };
    checkContent(fields, htmlLength, changed, nowMicros(ctx));
    const former = formerOf(stored, fields);
    ctx.tellChanged(Object.keys(former));
    const says = fields.title !== stored.title || fields.body !== stored.body;
    const words = says ? wordsOf(fields.title, fields.body) : null;
    const [after] = await ctx.sql(updateAlert, { id: alert.id, status, former, words, ...fields });
    // It became visible while we looked at it.
    if (!after) throw conflict((ALERT_GRID.sent.edit as { message: string }).message);
    if (alert.status === "scheduled" && status === "draft") announce(ctx, "alert.cancelled", after);
    else if (status === "scheduled" && after.send_at !== alert.send_at)
      announce(ctx, "alert.scheduled", after);
    return shownWhole(after, alert.requested_perms, ctx);
  },
});
