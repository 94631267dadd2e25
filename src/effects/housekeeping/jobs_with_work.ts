// The housekeeping jobs that must run within a second of their cause. One statement finds which of them have work, so
// that an idle service does not query the database for each.

import { array, text } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../../store/db/statement.ts";
import { DUE_SERIES_FROM_SQL } from "../../store/queries/alert_series.ts";
import { CHANNELS_WITH_DUE_SQL } from "../../store/queries/inbox.ts";
import { PENDING_ALERT_EVENTS_FROM_SQL } from "../../store/queries/reports.ts";
import { CHANNELS_WITH_PENDING_EVENTS_SQL } from "../../store/queries/subscriber_lists_and_counts.ts";

const defineStatement = createStatementDefiner("upkeep");

/** SQL: the rows that a round of each job works on. */
const WORK = {
  due_alerts: CHANNELS_WITH_DUE_SQL,
  due_series: DUE_SERIES_FROM_SQL,
  pending_subscriber_events: CHANNELS_WITH_PENDING_EVENTS_SQL,
  pending_alert_events: PENDING_ALERT_EVENTS_FROM_SQL,
};

/** The names of the jobs that have work. */
export const findJobsWithWork = defineStatement.reading("find_waiting_jobs", {
  primary: true,
  columns: { names: array(text) },
  text: `select array_remove(array[
    ${Object.entries(WORK)
      .map(([name, rows]) => `case when exists (select from ${rows}) then '${name}' end`)
      .join(", ")}], null) as names`,
});
