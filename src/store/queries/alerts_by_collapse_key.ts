// Alerts of one channel that share a collapse key, for programs that name them by it.

import { sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import { boolean, int, nullable, text, uuid } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner } from "../db/statement.ts";

// Read on the primary, since a replica may not have the alert that a newer one replaces.
const defineStatement = createStatementDefiner("publish");

/**
 * Scheduled alerts with a collapse key or an id, and sent ones among the newest `$newest`, newest first, without
 * occurrences of a series. The cost depends on the number of scheduled alerts, not on history.
 */
export const findAlertsByCollapseKey = defineStatement.reading("find_collapse_sequence", {
  parameters: { pusher_id: uuid, collapse_key: text, id: nullable(uuid), newest: int },
  columns: { id: uuid, planned: boolean },
  text: `select found.id, found.planned from (
      select id, collapse_key, ${sqlIsPlanned()} as planned, series_id from alert
      where pusher_id = $pusher_id and status = 'scheduled'
      union all
      (select id, collapse_key, false, series_id from alert
        where pusher_id = $pusher_id and status = 'sent'
        order by visible_at desc, id desc limit $newest::int)) found
    where (found.collapse_key = $collapse_key or found.id = $id::uuid) and found.series_id is null
    order by found.id desc limit ${LIMITS.moves}`,
});
