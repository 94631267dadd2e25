import { z } from "zod";
import { assertDefined } from "../src/model/assert.ts";
import { findChannel } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readChannelCounts } from "../src/store/queries/channels.ts";
import { channelIdParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";
import { sumDailyCounts } from "../src/store/stats/stats_queries.ts";
import {
  dailyTotalsSchema,
  findDateRangeProblem,
  periodArguments,
  resolveDateRange,
  sharedStatsFields,
  sumDailyTotals,
} from "../src/store/stats/stats_schemas.ts";

export default defineOperation({
  name: "get_pusher_stats",
  title: "Channel statistics",
  description: "Count a channel's sent alerts and device-reported reads and acknowledgements, per UTC day.",
  scope: "stats:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/stats", status: 200 },
  errors: ["invalid_request", "not_found"],
  card: true,
  input: z.strictObject({ pusher_id: channelIdParameter(), ...periodArguments }),
  contentProblem: findDateRangeProblem,
  output: z.object({ ...sharedStatsFields, buckets: dailyTotalsSchema }),
  async handler(input, ctx) {
    const { from, to } = resolveDateRange(input, ctx.now());
    const pusher = await findChannel(input, ctx);
    const [counts] = await ctx.sql(readChannelCounts, { pusher_id: pusher.id });
    const buckets = await ctx.sql(sumDailyCounts, { pusher_ids: [pusher.id], from, to });
    return {
      timezone: "UTC" as const,
      from,
      to,
      reach: assertDefined(counts, "every channel has its counts").subscribers,
      totals: sumDailyTotals(buckets),
      buckets,
    };
  },
});
