// The history of alerts by its age, over every channel that the caller sees (see store/queries/channels.ts).

import { sqlIsPlanned, sqlIsVisible } from "../../model/domain/alert_transitions.ts";
import { int, nullable, timestamptz, uuid } from "../../model/fields/sql_statement_types.ts";
import type { AlertStatus } from "../../model/tables/alert.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { LIST_SELECTION } from "./alerts.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";

const defineList = createStatementDefiner("lists");

export type AlertStatusFilter = AlertStatus | "any";

export function defineByAlertStatus<S>(
  define: (status: AlertStatusFilter, filter: string) => S,
): Record<AlertStatusFilter, S> {
  return {
    any: define("any", "true"),
    draft: define("draft", "status = 'draft'"),
    repeating: define("repeating", "status = 'repeating'"),
    scheduled: define("scheduled", sqlIsPlanned()),
    sent: define("sent", sqlIsVisible()),
    cancelled: define("cancelled", "status = 'cancelled'"),
  };
}

/** Where a page begins: from its first row on (null), or after a row. */
export const PAGE_PARAMETERS = { before: nullable(timestamptz), inside: nullable(uuid), limit: int };

/**
 * A page of the history, newest first, for each status filter. It starts before a timestamp, or after an alert with
 * this timestamp, and includes all rows of its last timestamp. It takes the newest of each channel, then the newest of
 * these, so the cost grows with the channels and the page, not with history.
 */
export const listAlerts = defineByAlertStatus((status, filter) =>
  defineList.reading(`list_alerts_${status}`, {
    parameters: { ...VISIBLE_TO_CALLER_SQL.parameters, ...PAGE_PARAMETERS },
    columns: LIST_SELECTION.columns,
    text: `select ${LIST_SELECTION.text} from (
        select newest.id from pusher p cross join lateral (
          select id, created_at from alert
          where pusher_id = p.id and ${filter} and created_at <= coalesce($before::timestamptz, 'infinity')
            and (created_at < coalesce($before::timestamptz, 'infinity') or id < $inside)
          order by created_at desc fetch first ($limit::int) rows with ties) newest
        where ${VISIBLE_TO_CALLER_SQL.text}
        order by newest.created_at desc fetch first ($limit::int) rows with ties) page
      join alert on alert.id = page.id order by alert.created_at desc, alert.id desc`,
  }),
);
