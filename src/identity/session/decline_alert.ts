import { z } from "zod";
import { ALERT_GRID } from "../../model/domain/alert_status.ts";
import { parseId } from "../../model/domain/ids.ts";
import { conflict, notFound } from "../../model/errors.ts";
import { text } from "../../model/fields/accepts.ts";
import { toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { LIMITS } from "../../model/limits.ts";
import { alertFor, announce } from "../../operation/alerts/change.ts";
import { followSeries } from "../../operation/alerts/series.ts";
import { shownWhole } from "../../operation/alerts/show.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { declineAlert } from "../../store/queries/alerts.ts";
import { reviewedView } from "../../store/shapes/alert.ts";
import { expectedVersion } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "decline_alert",
  title: "Decline alert",
  description:
    "Say why an alert is not published: its author reads it as review_reply. What was scheduled is a draft again.",
  auth: "member",
  role: "editor",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: z.strictObject({
    pusher_id: z.string(),
    alert_id: z.string(),
    review_reply: text(1, LIMITS.alert_review_reply, { lines: true }),
    expected_updated_at: expectedVersion(),
  }),
  output: reviewedView,
  async handler({ review_reply, ...path }, ctx) {
    if (!parseId("psh", path.pusher_id)) throw notFound("alert");
    const { alert } = await alertFor("edit", path, ctx);
    const former = alert.status !== "draft" ? { send_at: toIsoMicrosOrNull(alert.send_at) } : null;
    const [after] = await ctx.sql(declineAlert, { id: alert.id, review_reply, former });
    // It became visible while we looked at it.
    if (!after) throw conflict((ALERT_GRID.sent.edit as { message: string }).message);
    if (alert.status === "repeating") await followSeries(alert, after, ctx);
    else if (alert.status === "scheduled") announce(ctx, "alert.cancelled", after);
    return shownWhole(after, alert.requested_perms, ctx);
  },
});
