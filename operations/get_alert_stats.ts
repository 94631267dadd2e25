import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { assertDefined } from "../src/model/assert.ts";
import { choiceCountsSchema, pairReplyChoicesWithCounts } from "../src/model/fields/alert_actions.ts";
import { toIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { formatLimit } from "../src/model/limits.ts";
import { getChannelScopeSqlParameters } from "../src/operation/access_checks.ts";
import { parseAlertPathIds } from "../src/operation/alerts/alert_verb_helpers.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { alertExists } from "../src/store/queries/alerts.ts";
import { channelIdParameter, pathId } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import {
  readAlertTimeline,
  readSingleAlertTotals,
  TIMELINE_REPORT_SAMPLE_SIZE,
} from "../src/store/stats/stats_queries.ts";
import { reachCountSchema } from "../src/store/stats/stats_schemas.ts";

const NOTE =
  "Totals are exact counts of what devices reported. The timeline loses detail as devices prune old reports. " +
  `Above ${formatLimit("stats_sample")} reports, it shows a sample of devices.`;

export default defineOperation({
  name: "get_alert_stats",
  title: "Alert statistics",
  description: "Count devices that reported reads, acknowledgements or replies, not deliveries or rates.",
  scope: "stats:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/alerts/{alertId}/stats", status: 200 },
  errors: ["invalid_request", "not_found"],
  card: true,
  input: z.strictObject({ pusher_id: channelIdParameter(), alert_id: pathId("alr_…") }),
  returnsText: true,
  output: z.object({
    timezone: z.literal("UTC"),
    reach: reachCountSchema,
    totals: z.object({ reads: z.int(), acks: z.int() }),
    replies: choiceCountsSchema.describe(
      "Number of devices per choice, based on each device's latest reply; empty if the alert has no question.",
    ),
    buckets: z.array(z.object({ start: z.string(), reads: z.int(), acks: z.int() })),
    note: z.string(),
    sampled: z.boolean(),
  }),
  async handler(input, ctx) {
    const { pusherId, alertId } = parseAlertPathIds(input);
    const [alert] = await ctx.sql(alertExists, { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId });
    if (!alert) throw notFound("alert");
    const [totals] = await ctx.sql(readSingleAlertTotals, { alert_id: alertId });
    const { reach, reads, acks, ...asked } = assertDefined(totals, "a count query always returns a row");
    const { sent_at } = alert;
    const timeline =
      sent_at === null
        ? []
        : await ctx.sql(readAlertTimeline, { alert_id: alertId, sent_at, sample: TIMELINE_REPORT_SAMPLE_SIZE });
    return {
      timezone: "UTC" as const,
      reach,
      totals: { reads, acks },
      replies: pairReplyChoicesWithCounts(asked, asked.replies),
      buckets: timeline.map(({ start, reads, acks }) => ({ start: toIsoMicros(start), reads, acks })),
      note: NOTE,
      sampled: (timeline[0]?.seen ?? 0) > TIMELINE_REPORT_SAMPLE_SIZE,
    };
  },
});
