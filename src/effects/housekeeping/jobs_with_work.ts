// The housekeeping jobs that must run within a second of their cause. One statement finds which of them have work, so
// that an idle service does not query the database for each (rules#idle-work).

import { assertDefined } from "../../model/assert.ts";
import { array, int, text } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { countEndedStatements } from "../../store/db/connection_timeouts_and_client.ts";
import type { Orm } from "../../store/db/orm.ts";
import { createStatementDefiner, getKysely, runStatement } from "../../store/db/statement.ts";
import { DUE_SERIES_FROM_SQL } from "../../store/queries/alert_series.ts";
import { CHANNELS_WITH_DUE_SQL } from "../../store/queries/inbox.ts";
import { PENDING_ALERT_EVENTS_FROM_SQL, WAITING_ALERT_EVENTS_FROM_SQL } from "../../store/queries/reports.ts";
import { CHANNELS_WITH_PENDING_EVENTS_SQL } from "../../store/queries/subscriber_lists_and_counts.ts";

const defineStatement = createStatementDefiner("upkeep");

/** SQL: the rows that a round of each job works on. */
const WORK = {
  due_alerts: CHANNELS_WITH_DUE_SQL,
  due_series: DUE_SERIES_FROM_SQL,
  pending_subscriber_events: CHANNELS_WITH_PENDING_EVENTS_SQL,
  pending_alert_events: PENDING_ALERT_EVENTS_FROM_SQL,
};

/** The jobs that have work, and the seconds until one can have. Events that wait for their time count as none. */
export const findJobsWithWork = defineStatement.reading("find_waiting_jobs", {
  primary: true,
  columns: { names: array(text), rest_seconds: int },
  text: `select array_remove(array[
    ${Object.entries(WORK)
      .map(([name, rows]) => `case when exists (select from ${rows}) then '${name}' end`)
      .join(", ")}], null) as names,
    case when exists (select from channel_state where subscribers_pending)
        or exists (select from ${WAITING_ALERT_EVENTS_FROM_SQL}) then 0
      else floor(greatest(0, least(${LIMITS.idle_search_seconds}, extract(epoch from least(
        (select min(next_due_at) from channel_state), (select min(next_fill_at) from alert_series)) - now()))))::int
      end as rest_seconds`,
});

/** The search of the jobs. `isSoleProcess`: no other process uses the database, except for operators' commands. */
export const createJobSearch = (orm: Orm, isSoleProcess: boolean) => ({
  findWaiting: async () =>
    assertDefined((await runStatement(getKysely(orm), findJobsWithWork, {}))[0], "a query without a table has one row"),
  countStatements: isSoleProcess ? countEndedStatements : undefined,
});
