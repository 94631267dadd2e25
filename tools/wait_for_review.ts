import { z } from "zod";
import { decisionOf, REVIEW_NOTES } from "../src/model/domain/review.ts";
import { notFound } from "../src/model/errors.ts";
import { instant } from "../src/model/fields/accepts.ts";
import { toIsoMicros } from "../src/model/fields/columns.ts";
import { LIMITS } from "../src/model/limits.ts";
import { alertIds } from "../src/operation/alerts/change.ts";
import { settleShown, shownWhole } from "../src/operation/alerts/show.ts";
import { defineTool } from "../src/operation/tool.ts";
import { readAlert } from "../src/store/queries/alerts.ts";
import { scope } from "../src/store/queries/channels.ts";
import { decidedBrief, decidedView, view } from "../src/store/shapes/alert.ts";
import { heldSeconds, pathId } from "../src/store/shapes/fields.ts";

export default defineTool({
  name: "wait_for_review",
  title: "Wait for review",
  description: `What a person decided about an alert: sent, scheduled or declined (review_reply says why). Held up to ${LIMITS.review_held_seconds} seconds while nobody has decided.`,
  scope: "alerts:read",
  waits: true,
  tellsReview: (whole) => (whole as z.infer<typeof decidedView>).decision !== "waiting",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}/review", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    alert_id: pathId("alr_…"),
    seconds: heldSeconds(),
    seen_updated_at: instant().optional().describe("Waits while updated_at is this."),
    view,
  }),
  output: decidedView,
  brief: decidedBrief,
  async handler(input, ctx) {
    const { pusherId, alertId } = alertIds(input);
    const find = async () => {
      const [alert] = await ctx.sql(readAlert, { ...scope(pusherId, ctx.caller), id: alertId });
      if (!alert) throw notFound("alert");
      return alert;
    };
    let alert = await find();
    const version = toIsoMicros(alert.updated_at);
    const { seconds = LIMITS.review_held_seconds, seen_updated_at: seen } = input;
    if (seen === undefined ? decisionOf(alert) === "waiting" : seen === version) {
      const { id: subject } = ctx.caller.credential;
      const { signal, rest } = ctx.patience;
      const wait = { pusherId, alertId, version: alert.updated_at, ms: seconds * 1000, subject, signal };
      await rest(ctx.services.untilChanged(wait));
      alert = await find();
    }
    await settleShown([alert], ctx);
    const decision = decisionOf(alert);
    const whole = shownWhole(alert, alert.requested_perms, ctx);
    return { ...whole, decision, note: REVIEW_NOTES[decision] };
  },
});
