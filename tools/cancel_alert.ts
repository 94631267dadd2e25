import { z } from "zod";
import { alertPath } from "../src/model/domain/review.ts";
import { need } from "../src/model/need.ts";
import { alertFor, announce, lineOf, published } from "../src/operation/alerts/change.ts";
import { stopFollowing, stopSeries } from "../src/operation/alerts/series.ts";
import { refuseUnapproved } from "../src/operation/scopes.ts";
import { defineTool } from "../src/operation/tool.ts";
import { cancelAlert } from "../src/store/queries/alerts.ts";
import { publishedBrief, publishedView, view } from "../src/store/shapes/alert.ts";
import { expectedVersion, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "cancel_alert",
  title: "Cancel alert",
  description:
    "Withdraw a sent or scheduled alert: it stops reaching phones that have not polled yet; those that have it keep it. Of a repeating one, all that is to come. Cannot be undone.",
  scope: "alerts:send",
  publishesNothing: () => true,
  mayNeedApproval: true,
  role: "editor",
  http: {
    method: "PATCH",
    path: "/api/v1/pushers/{id}/alerts/{alertId}",
    status: 200,
    when: { action: "cancel" },
  },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    following: z.boolean().optional().describe("Also all later ones of its series."),
    expected_updated_at: expectedVersion(),
    view,
  }),
  output: publishedView,
  brief: publishedBrief,
  async handler(input, ctx) {
    const { alert, cell } = await alertFor("cancel", input, ctx);
    if (cell.do === "stay") return published("cancel", alert, ctx);
    if (input.following || alert.status === "repeating") refuseUnapproved(ctx, alertPath(alert));
    if (input.following) return published("cancel", await stopFollowing(alert, ctx), ctx);
    const [row] = await ctx.sql(cancelAlert, { id: alert.id });
    const after = need(row, "the alert is locked");
    if (alert.status === "repeating") ctx.audit({ lines: [after, ...(await stopSeries(after, ctx))].map(lineOf) });
    else announce(ctx, "alert.cancelled", after);
    return published("cancel", after, ctx);
  },
});
