// The aggregate SQL: counters by day and channel, never the alerts or reports themselves, so that cost does not grow with
// history. What is visible comes as an argument: the ids of the channels to sum.

import { defineStatement } from "../db/statement.ts";
import { isPlanned } from "../domain/alert_status.ts";

/** Channels that the caller sees. $1 workspace, $2 ids or null. */
export const visibleChannels = defineStatement<{ id: string; handle: string; name: string; reach: number }>(
  "visible_channels",
  `select p.id, p.handle, p.name, c.subscribers::int as reach from pusher p join channel_state c on c.pusher_id = p.id
   where p.workspace_id = $1 and ($2::uuid[] is null or p.id = any($2::uuid[])) order by p.created_at desc, p.id desc`,
);

/**
 * `published` counts scheduled alerts on the day of their instant; those whose instant has not come are taken off again.
 * $1 channels, $2 first and $3 last day.
 */
const DAYS = `
  select k.pusher_id, k.day, k.published as alerts_sent, k.reads, k.acks from channel_day k
  where k.pusher_id = any($1::uuid[]) and k.day between $2::date and $3::date
  union all
  select a.pusher_id, (a.visible_at at time zone 'UTC')::date, -1, 0, 0 from alert a
  where a.pusher_id = any($1::uuid[]) and ${isPlanned("a")}
    and (a.visible_at at time zone 'UTC')::date between $2::date and $3::date`;

const SUMS = "sum(alerts_sent)::int as alerts_sent, sum(reads)::int as reads, sum(acks)::int as acks";

interface Sums {
  alerts_sent: number;
  reads: number;
  acks: number;
}

/** One row a UTC day, empty days included. */
export const daySums = defineStatement<Sums & { date: string }>(
  "day_sums",
  `with days as (${DAYS})
   select to_char(d, 'YYYY-MM-DD') as date, coalesce(s.alerts_sent, 0) as alerts_sent, coalesce(s.reads, 0) as reads,
     coalesce(s.acks, 0) as acks
   from generate_series($2::date, $3::date, interval '1 day') d
   left join (select day, ${SUMS} from days group by day) s on s.day = d::date order by d`,
);

/** One row a channel that has anything in the range. */
export const channelSums = defineStatement<Sums & { pusher_id: string }>(
  "channel_sums",
  `with days as (${DAYS}) select pusher_id, ${SUMS} from days group by pusher_id`,
);

/** An alert's exact totals and its channel's reach. $1 alert. */
export const alertTotals = defineStatement<{ reach: number; reads: number; acks: number }>(
  "alert_totals",
  `select s.subscribers::int as reach, coalesce(c.reads, 0)::int as reads, coalesce(c.acks, 0)::int as acks
   from alert a join channel_state s on s.pusher_id = a.pusher_id left join alert_counter c on c.alert_id = a.id
   where a.id = $1`,
);

/** More surviving reports than this are sampled by device, whose ids are random. */
export const SAMPLE = 10_000;

/**
 * Half hours, then hours (docs/rules.md#alert-stats). $1 alert, $2 the instant it became
 * visible. `seen` is how many reports survive, counted up to one more than the sample.
 */
export const alertTimeline = defineStatement<{ start: string; reads: number; acks: number; seen: number }>(
  "alert_timeline",
  `with surviving as materialized (
     select kind, at, row_number() over (order by device_id, kind) as place from report
     where alert_id = $1 and at is not null order by device_id, kind limit ${SAMPLE + 1}),
   bucketed as (
     select kind, greatest(0, floor(extract(epoch from at - $2::timestamptz) / 1800))::int as half_hour
     from surviving where place <= ${SAMPLE}),
   starts as (
     select kind, case when half_hour < 12 then half_hour else half_hour - half_hour % 2 end as half_hour from bucketed)
   select $2::timestamptz + half_hour * interval '30 minutes' as start,
     (count(*) filter (where kind = 1))::int as reads, (count(*) filter (where kind = 2))::int as acks,
     (select count(*) from surviving)::int as seen
   from starts group by half_hour order by half_hour`,
);
