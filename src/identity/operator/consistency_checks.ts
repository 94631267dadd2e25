// The consistency checks of `belfry doctor`: recounting every counter from its rows, and finding incomplete or orphaned
// rows. It reads one snapshot, so it is exact while the service runs. It only changes anything with `repair`, and then
// only deletes orphaned rows.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { assertDefined } from "../../model/assert.ts";
import { int, text } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner, runStatement } from "../../store/db/statement.ts";
import { buildArraySqlPerReplyChoice } from "../../store/queries/reports.ts";

const defineStatement = createStatementDefiner("upkeep");

export interface DatabaseConsistencyReport {
  /** One entry a check; `wrong` is the number of rows that do not agree, 0 when all is well. */
  checks: { name: string; wrong: number }[];
  repaired?: { name: string; removed: number }[];
}

/** SQL for all counts of alerts, from all their rows. */
const EVERY_COUNT = `select alert_id, reads, acks, replies from alert_counter
    union all select alert_id, reads, acks, replies from alert_counter_stripe`;

/** Each check as a query over the rows that are wrong. */
const CHECKS: Record<string, string> = {
  "channel_state.status": `select 1 from pusher p left join channel_state c on c.pusher_id = p.id
    where c.pusher_id is null or c.active <> (p.status = 'active') or c.suspended <> (p.status = 'suspended')`,
  "channel_state.published": `select 1 from channel_state c where c.published <>
    (select count(*) from alert a where a.pusher_id = c.pusher_id and a.visible_at is not null)
      + (select coalesce(sum(k.deleted), 0) from channel_day k where k.pusher_id = c.pusher_id)`,
  "channel_state.subscribers": `select 1 from channel_state c where c.subscribers <>
    (select count(*) from subscription s where s.pusher_id = c.pusher_id)`,
  "channel_state.next_due_at": `select 1 from channel_state c where c.next_due_at is distinct from
    (select min(a.visible_at) from alert a where a.pusher_id = c.pusher_id and a.status = 'scheduled')`,
  "channel_day.published": `select 1 from channel_day k full join (
      select pusher_id, (visible_at at time zone 'UTC')::date as day, count(*) as n
      from alert where visible_at is not null group by 1, 2) a using (pusher_id, day)
    where coalesce(k.published, 0) <> coalesce(a.n, 0) + coalesce(k.deleted, 0)`,
  // Deleting a cancelled alert takes its counter along and leaves the days as they were.
  "channel_day.reports": `select 1 from (
      select a.pusher_id, sum(c.reads) as reads, sum(c.acks) as acks
      from (${EVERY_COUNT}) c join alert a on a.id = c.alert_id group by 1) c
    left join (select pusher_id, sum(reads) as reads, sum(acks) as acks from (
      select pusher_id, reads, acks from channel_day union all select pusher_id, reads, acks from channel_day_stripe) k
        group by 1) k
      using (pusher_id)
    where coalesce(k.reads, 0) < c.reads or coalesce(k.acks, 0) < c.acks`,
  alert_counter: `select 1 from alert a
    left join (select alert_id, sum(reads) as reads, sum(acks) as acks,
        ${buildArraySqlPerReplyChoice((place) => `sum(replies[${place}])::bigint`)} as replies
      from (${EVERY_COUNT}) c group by 1) c on c.alert_id = a.id
    left join (select alert_id, count(*) filter (where kind = 1) as reads, count(*) filter (where kind = 2) as acks,
        ${buildArraySqlPerReplyChoice((place) => `count(*) filter (where choice = ${place})`)} as replies
      from report group by 1) r on r.alert_id = a.id
    where coalesce(c.reads, 0) <> coalesce(r.reads, 0) or coalesce(c.acks, 0) <> coalesce(r.acks, 0)
      or coalesce(c.replies, '{0,0,0,0}') <> coalesce(r.replies, '{0,0,0,0}')`,
  subscriber_breakdown: `select 1 from subscriber_breakdown m full join (
      select s.pusher_id, d.platform, d.app_version, d.locale, d.timezone, count(*) as n,
        count(*) filter (where s.muted) as muted
      from subscription s join device d on d.id = s.device_id group by 1, 2, 3, 4, 5) s
      using (pusher_id, platform, app_version, locale, timezone)
    where coalesce(m.device_count, 0) <> coalesce(s.n, 0) or coalesce(m.muted_count, 0) <> coalesce(s.muted, 0)`,
  "report.orphans": `select 1 from report r where not exists (select 1 from alert a where a.id = r.alert_id)
    and not exists (select 1 from orphaned_report_alert l where l.alert_id = r.alert_id)`,
  "alert_counter.orphans":
    "select 1 from alert_counter c where not exists (select 1 from alert a where a.id = c.alert_id)",
  "alert_counter_stripe.orphans":
    "select 1 from alert_counter_stripe c where not exists (select 1 from alert a where a.id = c.alert_id)",
  "invite.uses": `select 1 from invite i where i.uses > coalesce(i.max_uses, i.uses)
    or i.uses < (select count(*) from subscription s where s.invite_id = i.id)`,
  // A sent alert that was published at its scheduled time keeps it.
  "alert.whole": `select 1 from alert where (status = 'sent' and (sent_at is null or send_at is distinct from sent_at
    and send_at is not null))
    or (status = 'scheduled' and (sent_at is not null or send_at is null))
    or (status = 'draft' and sent_at is not null)
    or (status = 'cancelled') <> (cancelled_at is not null)`,
};

const recount = defineStatement.reading("recount", {
  columns: { name: text, wrong: int },
  text: Object.entries(CHECKS)
    .map(([name, wrong]) => `select '${name}' as name, (select count(*)::int from (${wrong}) w) as wrong`)
    .join("\nunion all\n"),
});

/** Rows without what they belong to: check → the table. */
const ORPHANS: Record<string, string> = {
  "report.orphans": "report",
  "alert_counter.orphans": "alert_counter",
  "alert_counter_stripe.orphans": "alert_counter_stripe",
};

const sweeps = Object.entries(ORPHANS).map(([name, table]) => ({
  name,
  statement: defineStatement(`sweep_${table}`, {
    columns: { removed: int },
    text: `with gone as (delete from ${table} o where not exists (select 1 from alert a where a.id = o.alert_id)
      returning 1)
     select count(*)::int as removed from gone`,
  }),
}));

/** Runs the checks. With `repair`, it also returns the deleted rows by check; the checks then show the rest. */
export async function checkDatabaseConsistency(
  em: SqlEntityManager,
  { repair = false }: { repair?: boolean } = {},
): Promise<DatabaseConsistencyReport> {
  const repaired: NonNullable<DatabaseConsistencyReport["repaired"]> = [];
  for (const { name, statement } of repair ? sweeps : [])
    repaired.push({
      name,
      removed: assertDefined((await runStatement(em, statement, {}))[0], "a count query always returns a row").removed,
    });
  return { checks: await runStatement(em, recount, {}), ...(repair ? { repaired } : {}) };
}
