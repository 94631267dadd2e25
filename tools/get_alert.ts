import { z } from "zod";
import { alertIds } from "../src/alerts/change.ts";
import { notFound } from "../src/errors.ts";
import { readAlert } from "../src/queries/alerts.ts";
import { scope } from "../src/queries/channels.ts";
import { alertView, showAlert } from "../src/shapes/alert.ts";
import { pathId } from "../src/shapes/fields.ts";
import { defineTool } from "../src/tool.ts";

export default defineTool({
  name: "get_alert",
  title: "Read alert",
  description: "Read one alert whole, its sanitised markup and its present status included.",
  scope: "alerts:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200 },
  hints: { readOnly: true, destructive: false, idempotent: true },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: pathId("psh_…"), alert_id: pathId("alr_…") }),
  output: alertView,
  async handler(input, ctx) {
    const { pusherId, alertId } = alertIds(input);
    const [alert] = await ctx.sql(readAlert, [...scope(pusherId, ctx.caller), alertId]);
    if (!alert) throw notFound();
    return showAlert(alert, ctx.surroundings.assets);
  },
});
