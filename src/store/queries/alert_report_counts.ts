// The reads and acknowledgements of several alerts, for lists in the console.

import { array, int, uuid } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";
import { selectReportCounts } from "./reports.ts";

const defineStatement = createStatementDefiner("statistics");

/** The reads and acknowledgements of each of these alerts that the caller sees. */
export const listAlertReportCounts = defineStatement.reading("count_listed_reports", {
  parameters: { ids: array(uuid), ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { id: uuid, reads: int, acks: int },
  text: `select a.id, c.reads::int as reads, c.acks::int as acks
    from alert a join pusher p on p.id = a.pusher_id cross join lateral ${selectReportCounts("a.id")} c
    where a.id = any($ids::uuid[]) and ${VISIBLE_TO_CALLER_SQL.text}`,
});
