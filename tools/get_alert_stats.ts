import { z } from "zod";
import { notFound } from "../src/model/errors.ts";
import { choicesOf, choicesView } from "../src/model/fields/alert_action.ts";
import { toIsoMicros } from "../src/model/fields/columns.ts";
import { said } from "../src/model/limits.ts";
import { need } from "../src/model/need.ts";
import { alertIds } from "../src/operation/alerts/change.ts";
import { defineTool } from "../src/operation/tool.ts";
import { alertExists } from "../src/store/queries/alerts.ts";
import { scope } from "../src/store/queries/channels.ts";
import { pathId } from "../src/store/shapes/fields.ts";
import { alertTimeline, alertTotals, SAMPLE } from "../src/store/stats/queries.ts";
import { reach } from "../src/store/stats/shapes.ts";

const NOTE = `Totals are exact counts of what devices reported. The timeline thins out as devices prune old reports, and past ${said("stats_sample")} surviving reports it shows a sample of devices.`;

export default defineTool({
  name: "get_alert_stats",
  title: "Alert statistics",
  description:
    "How many devices reported reading, acknowledging and answering one alert, with a timeline. Reports are voluntary: there is no delivered figure and no rate.",
  scope: "stats:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}/stats", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: pathId("Channel id, psh_…, or its handle"), alert_id: pathId("alr_…") }),
  output: z.object({
    timezone: z.literal("UTC"),
    reach,
    totals: z.object({ reads: z.int(), acks: z.int() }),
    replies: choicesView.describe("How many devices chose each reply last; empty where nothing is asked."),
    buckets: z.array(z.object({ start: z.string(), reads: z.int(), acks: z.int() })),
    note: z.string(),
    sampled: z.boolean(),
  }),
  async handler(input, ctx) {
    const { pusherId, alertId } = alertIds(input);
    const [alert] = await ctx.sql(alertExists, { ...scope(pusherId, ctx.caller), id: alertId });
    if (!alert) throw notFound("alert");
    const [totals] = await ctx.sql(alertTotals, { alert_id: alertId });
    const { reach, reads, acks, ...asked } = need(totals, "a count has a row");
    const { sent_at } = alert;
    const timeline =
      sent_at === null ? [] : await ctx.sql(alertTimeline, { alert_id: alertId, sent_at, sample: SAMPLE });
    return {
      timezone: "UTC" as const,
      reach,
      totals: { reads, acks },
      replies: choicesOf(asked, asked.replies),
      buckets: timeline.map(({ start, reads, acks }) => ({ start: toIsoMicros(start), reads, acks })),
      note: NOTE,
      sampled: (timeline[0]?.seen ?? 0) > SAMPLE,
    };
  },
});
