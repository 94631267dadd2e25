// Counts of the alerts that a list finds, up to a limit, and lists by device reports. Their cost does not grow with
// history.

import { boolean, int, nullable, text, timestamptz } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { defineByAlertStatus } from "./alert_lists.ts";
import { LIST_SELECTION } from "./alerts.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";
import { selectReportCounts } from "./reports.ts";

const defineList = createStatementDefiner("lists");

/** One more than the largest exact count of a list. */
export const FIRST_INEXACT_COUNT = LIMITS.list_total + 1;

/** The number of alerts of each status in the channels that the caller sees, at most FIRST_INEXACT_COUNT. */
export const countAlertsByStatus = defineByAlertStatus((status, filter) =>
  defineList.reading(`count_alerts_${status}`, {
    parameters: VISIBLE_TO_CALLER_SQL.parameters,
    columns: { total: int },
    text: `select count(*)::int as total from (
      select 1 from pusher p cross join lateral (
        select 1 from alert where pusher_id = p.id and ${filter} limit ${FIRST_INEXACT_COUNT}) one
      where ${VISIBLE_TO_CALLER_SQL.text} limit ${FIRST_INEXACT_COUNT}) counted`,
  }),
);

/**
 * Sent alerts by the reports of devices: those that request an acknowledgement and have none, newest first, or those
 * with the most reads or acknowledgements. It reads the newest alerts of the period, up to a limit.
 */
export const listAlertsByReports = defineList.reading("list_alerts_by_reports", {
  parameters: {
    ...VISIBLE_TO_CALLER_SQL.parameters,
    from: nullable(timestamptz),
    to: nullable(timestamptz),
    unacked: boolean,
    rank: text,
    limit: int,
  },
  columns: { ...LIST_SELECTION.columns, reads: int, acks: int, total: int },
  text: `with recent as materialized (
      select alert.id, alert.requires_ack, alert.visible_at from pusher p cross join lateral (
        select id, requires_ack, visible_at from alert where pusher_id = p.id and status = 'sent'
          and visible_at >= coalesce($from::timestamptz, '-infinity')
          and visible_at < coalesce($to::timestamptz, 'infinity')
        order by visible_at desc limit ${LIMITS.list_reports}) alert
      where ${VISIBLE_TO_CALLER_SQL.text} order by alert.visible_at desc limit ${LIMITS.list_reports}),
    counted as (
      select recent.id, recent.visible_at, n.reads::int as reads, n.acks::int as acks, count(*) over ()::int as total
      from recent cross join lateral ${selectReportCounts("recent.id")} n
      where not $unacked::boolean or recent.requires_ack and n.acks = 0),
    page as (
      select * from counted
      order by case $rank::text when 'reads' then reads when 'acks' then acks end desc, visible_at desc, id desc
      limit $limit::int)
    select ${LIST_SELECTION.text}, page.reads, page.acks, page.total from page join alert on alert.id = page.id
    order by case $rank::text when 'reads' then page.reads when 'acks' then page.acks end desc,
      page.visible_at desc, page.id desc`,
});
