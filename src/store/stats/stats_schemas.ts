// Statistics on the wire: verifiable counts only, without a number of deliveries or a rate. Also the UTC days of a
// request; no plan shortens a range (rules#stats-no-clamp).

import { z } from "zod";
import { createApiAndUiText, createZodRefineParams } from "../../model/api_and_ui_error_texts.ts";
import { invalidRequest } from "../../model/api_error.ts";
import { catchApiError } from "../../model/domain/alert_validation.ts";
import { TIME_RANGE_DESCRIPTIONS } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";

export const reachCountSchema = z
  .int()
  .describe("Current number of subscribers that could be reached, including muted ones.");

const totalsSchema = z.object({
  alerts_sent: z.int(),
  reads: z.int().describe("Reports from devices whose users chose to send them."),
  acks: z.int(),
});

export const dailyTotalsSchema = z.array(
  z.object({ date: z.string(), alerts_sent: z.int(), reads: z.int(), acks: z.int() }),
);

/** Fields that channel and account statistics share. */
export const sharedStatsFields = {
  timezone: z.literal("UTC"),
  from: z.string(),
  to: z.string(),
  reach: reachCountSchema,
  totals: totalsSchema,
};

/** rules#stats-sums */
export function sumDailyTotals(
  buckets: { alerts_sent: number; reads: number; acks: number }[],
): z.infer<typeof totalsSchema> {
  const sum = { alerts_sent: 0, reads: 0, acks: 0 };
  for (const bucket of buckets) {
    sum.alerts_sent += bucket.alerts_sent;
    sum.reads += bucket.reads;
    sum.acks += bucket.acks;
  }
  return sum;
}

const DAY_MS = 86_400_000;

const DAYS = { day: 1, week: 7, month: 30 } as const;

/** A day of the calendar, which has no year 0. */
const isDate = (value: string) =>
  /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.slice(0, 10) === value;

const date = () =>
  z
    .string()
    .refine(isDate, createZodRefineParams("invalid_timestamp", "must be a date, such as 2026-11-20"))
    .meta({ format: "date" });

/** Arguments of both range statistics. */
export const periodArguments = {
  period: z.enum(["day", "week", "month"]).optional().describe("Today, or the last 7 or 30 UTC days. Default: week."),
  from: date().optional().describe(TIME_RANGE_DESCRIPTIONS.first_day),
  to: date().optional().describe(TIME_RANGE_DESCRIPTIONS.last_day),
};

interface DateRange {
  from: string;
  to: string;
}

/** @throws 422 for a range that is incomplete, reversed, over the limit or combined with a period. */
export function resolveDateRange(
  input: { period?: keyof typeof DAYS; from?: string; to?: string },
  now: Date,
): DateRange {
  const { period, from, to } = input;
  if (from === undefined && to === undefined) {
    const last = Date.parse(now.toISOString().slice(0, 10));
    return { from: dateOf(last - (DAYS[period ?? "week"] - 1) * DAY_MS), to: dateOf(last) };
  }
  if (period !== undefined)
    throw invalidRequest(
      "mutually_exclusive_fields",
      createApiAndUiText(
        "“period” cannot be combined with “from” and “to”. Send either “period”, or both “from” and “to”.",
        "Choose either a period or a start and end date, not both.",
      ),
      from === undefined ? "to" : "from",
    );
  if (from === undefined || to === undefined)
    throw invalidRequest(
      "fields_required_together",
      createApiAndUiText(
        "The fields “from” and “to” belong together. Send both.",
        "Enter both the first and the last day.",
      ),
      from === undefined ? "from" : "to",
    );
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1)
    throw invalidRequest(
      "invalid_time_range",
      createApiAndUiText(
        "The last day (to) must not be before the first day (from).",
        "The last day must not be before the first.",
      ),
      "to",
    );
  if (days > LIMITS.stats_days)
    throw invalidRequest("invalid_time_range", `The range must be at most ${LIMITS.stats_days} days long.`, "to");
  return { from, to };
}

/** The refusal of the range of a call whose other arguments are wrong; null if an argument of the range is wrong. */
export const findDateRangeProblem = (
  sent: Parameters<typeof resolveDateRange>[0],
  { wrong, now }: { wrong: ReadonlySet<string>; now(): Date },
) =>
  Object.keys(periodArguments).some((name) => wrong.has(name))
    ? null
    : catchApiError(() => resolveDateRange(sent, now()));

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
