import { z } from "zod";
import { formatId } from "../src/model/domain/type_ids.ts";
import { visibilityParameters } from "../src/operation/access_checks.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { listVisibleChannelsWithReach, readSumsPerChannel, sumDailyCounts } from "../src/store/stats/stats_queries.ts";
import {
  dailyTotalsSchema,
  findDateRangeProblem,
  periodArguments,
  reachCountSchema,
  resolveDateRange,
  sharedStatsFields,
  sumDailyTotals,
} from "../src/store/stats/stats_schemas.ts";

const NOTHING = { alerts_sent: 0, reads: 0, acks: 0 };

export default defineOperation({
  name: "get_account_stats",
  title: "Account statistics",
  description: "Count sent alerts and device-reported reads and acknowledgements, per UTC day and channel.",
  scope: "stats:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/core/stats", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject(periodArguments),
  returnsText: true,
  contentProblem: findDateRangeProblem,
  output: z.object({
    ...sharedStatsFields,
    buckets: dailyTotalsSchema,
    channels: z.array(
      z.object({
        pusher_id: z.string(),
        handle: z.string(),
        name: z.string(),
        reach: reachCountSchema,
        alerts_sent: z.int(),
        reads: z.int(),
        acks: z.int(),
      }),
    ),
  }),
  async handler(input, ctx) {
    const { from, to } = resolveDateRange(input, ctx.now());
    const channels = await ctx.sql(listVisibleChannelsWithReach, visibilityParameters(ctx.caller));
    const ids = channels.map(({ id }) => id);
    const buckets = await ctx.sql(sumDailyCounts, { pusher_ids: ids, from, to });
    const sums = new Map(
      (await ctx.sql(readSumsPerChannel, { pusher_ids: ids, from, to })).map(({ pusher_id, ...sum }) => [
        pusher_id,
        sum,
      ]),
    );
    return {
      timezone: "UTC" as const,
      from,
      to,
      reach: channels.reduce((total, channel) => total + channel.reach, 0),
      totals: sumDailyTotals(buckets),
      buckets,
      channels: channels.map(({ id, handle, name, reach: reached }) => ({
        pusher_id: formatId("psh", id),
        handle,
        name,
        reach: reached,
        ...(sums.get(id) ?? NOTHING),
      })),
    };
  },
});
