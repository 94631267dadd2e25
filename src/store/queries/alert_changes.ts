// What edits replaced (see model/entities/alert.ts): kept by the statement that makes the edit, so it costs no exchange of its
// own, and read newest first.

import { jsonb, nullable, timestamptz, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("lists");

/** Values by the name of their field. */
export type Former = Record<string, unknown>;

export const KEEPING = { id: uuid, former: nullable(jsonb<Former>()) };

/**
 * `with` parts that follow `changed`, the rows that an update of alert `$id` returns: they keep what the edit replaced, unless
 * `$former` is null, and let go of what is older than the newest. All parts see the table as it was before.
 */
export const KEEP = `kept as (
    insert into alert_change (alert_id, updated_at, former)
    select id, updated_at, $former::jsonb from changed where $former::jsonb is not null),
  let_go as (
    delete from alert_change where alert_id = $id and $former::jsonb is not null and updated_at < (
      select updated_at from alert_change where alert_id = $id
      order by updated_at desc offset ${LIMITS.alert_changes - 2} limit 1))`;

export const listAlertChanges = defineStatement.reading("list_alert_changes", {
  parameters: { alert_id: uuid },
  columns: { updated_at: timestamptz, former: jsonb<Former>() },
  text: "select updated_at, former from alert_change where alert_id = $alert_id order by updated_at desc",
});

export type ChangeRecord = RowOf<typeof listAlertChanges>;
