// The aggregate SQL: counters by day and channel, never the alerts or reports themselves, so that cost does not grow
// with history. The visible channels are an argument.

import { sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { array, date, int, text, timestamptz, uuid } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { VISIBLE_TO_CALLER_SQL } from "../queries/channels.ts";
import { selectReportCounts } from "../queries/reports.ts";

const defineStatement = createStatementDefiner("statistics");

/** Channels that the caller sees, the newest first. */
export const listVisibleChannelsWithReach = defineStatement.reading("list_visible_channels_with_reach", {
  parameters: VISIBLE_TO_CALLER_SQL.parameters,
  columns: { id: uuid, handle: text, name: text, reach: int },
  text: `select p.id, p.handle, p.name, c.subscribers::int as reach
    from pusher p join channel_state c on c.pusher_id = p.id
    where ${VISIBLE_TO_CALLER_SQL.text} order by p.created_at desc, p.id desc`,
});

/**
 * The counts of channels in a range of days. `published` counts scheduled alerts on the day of their time; future ones
 * are subtracted.
 */
const DAYS = {
  parameters: { pusher_ids: array(uuid), from: date, to: date },
  text: `
  select k.pusher_id, k.day, k.published as alerts_sent, k.reads, k.acks from channel_day k
  where k.pusher_id = any($pusher_ids::uuid[]) and k.day between $from::date and $to::date
  union all
  select k.pusher_id, k.day, 0, k.reads, k.acks from channel_day_stripe k
  where k.pusher_id = any($pusher_ids::uuid[]) and k.day between $from::date and $to::date
  union all
  select a.pusher_id, (a.visible_at at time zone 'UTC')::date, -1, 0, 0 from alert a
  where a.pusher_id = any($pusher_ids::uuid[]) and ${sqlIsPlanned("a")}
    and (a.visible_at at time zone 'UTC')::date between $from::date and $to::date`,
};

const SUMS = {
  columns: { alerts_sent: int, reads: int, acks: int },
  text: "sum(alerts_sent)::int as alerts_sent, sum(reads)::int as reads, sum(acks)::int as acks",
};

/** One row a UTC day, empty days included. */
export const sumDailyCounts = defineStatement.reading("day_sums", {
  parameters: DAYS.parameters,
  columns: { date: text, ...SUMS.columns },
  text: `with days as (${DAYS.text})
    select to_char(d, 'YYYY-MM-DD') as date, coalesce(s.alerts_sent, 0) as alerts_sent, coalesce(s.reads, 0) as reads,
      coalesce(s.acks, 0) as acks
    from generate_series($from::date, $to::date, interval '1 day') d
    left join (select day, ${SUMS.text} from days group by day) s on s.day = d::date order by d`,
});

/** One row a channel that has anything in the range. */
export const readSumsPerChannel = defineStatement.reading("channel_sums", {
  parameters: DAYS.parameters,
  columns: { pusher_id: uuid, ...SUMS.columns },
  text: `with days as (${DAYS.text}) select pusher_id, ${SUMS.text} from days group by pusher_id`,
});

/** An alert's exact totals, replies among them, and its channel's reach. */
export const readSingleAlertTotals = defineStatement.reading("alert_totals", {
  parameters: { alert_id: uuid },
  columns: { reach: int, reads: int, acks: int, replies: array(int), actions: ALERT_FIELDS.actions.sql },
  text: `select s.subscribers::int as reach, c.reads::int as reads, c.acks::int as acks,
      c.replies::int[] as replies, a.actions
    from alert a join channel_state s on s.pusher_id = a.pusher_id cross join lateral ${selectReportCounts("a.id")} c
    where a.id = $alert_id`,
});

/** More surviving reports than this are sampled by device, whose ids are random. */
export const TIMELINE_REPORT_SAMPLE_SIZE = LIMITS.stats_sample;

/**
 * Half hours, then hours (rules#alert-stats). `sent_at` is the time at which the alert became visible. `seen` is the
 * number of remaining reports, counted up to one more than the sample.
 */
export const readAlertTimeline = defineStatement.reading("alert_timeline", {
  parameters: { alert_id: uuid, sent_at: timestamptz, sample: int },
  columns: { start: timestamptz, reads: int, acks: int, seen: int },
  text: `with surviving as materialized (
      select kind, reported_at, row_number() over (order by device_id, kind) as place from report
      where alert_id = $alert_id and kind <> 3 and reported_at is not null order by device_id, kind
        limit $sample::int + 1),
    bucketed as (
      select kind, greatest(0, floor(extract(epoch from reported_at - $sent_at::timestamptz) / 1800))::int as half_hour
      from surviving where place <= $sample::int),
    starts as (
      select kind, case when half_hour < 12 then half_hour else half_hour - half_hour % 2 end as half_hour from
        bucketed)
    select $sent_at::timestamptz + half_hour * interval '30 minutes' as start,
      (count(*) filter (where kind = 1))::int as reads, (count(*) filter (where kind = 2))::int as acks,
      (select count(*) from surviving)::int as seen
    from starts group by half_hour order by half_hour`,
});
