// Alerts that read alike and were published a moment ago, for calls that may be repeats of one another.

import { array, int, neverNull, nullable, text, timestamptz, uuid } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("publish");

const WINDOW = `interval '${LIMITS.repeat_seconds} seconds'`;

/**
 * SQL: ids of the newest `rows` alerts with this title and text that were made and published or scheduled within the
 * window. Their times differ by less than the window, because a repeat with a delay has a slightly later time. A
 * channel has no more sends in the window than its limit.
 */
export const selectEqualAlertIds = (
  { channel, title, body, sendAt }: Record<"channel" | "title" | "body" | "sendAt", string>,
  { condition = "true", rows = LIMITS.sends } = {},
) =>
  `select alert.id from alert
    where ${condition} and alert.pusher_id = ${channel} and alert.created_at > now() - ${WINDOW}
      and alert.status in ('sent', 'scheduled') and alert.title = ${title} and alert.body is not distinct from ${body}
      and (alert.send_at is not distinct from ${sendAt}
        or (alert.send_at > ${sendAt} - ${WINDOW} and alert.send_at < ${sendAt} + ${WINDOW}))
    order by alert.created_at desc limit ${rows}`;

/** The alerts of a channel that read so. */
export const findEqualAlerts = defineStatement.reading("equal_alerts", {
  parameters: { pusher_id: uuid, title: text, body: nullable(text), send_at: nullable(timestamptz) },
  columns: { id: uuid },
  text: selectEqualAlertIds({
    ...{ channel: "$pusher_id::uuid", title: "$title::text", body: "$body::text" },
    sendAt: "$send_at::timestamptz",
  }),
});

/**
 * The ones of these alerts, by their ids on the wire, that the actor published by this operation within the window.
 * Their lines are read first, by themselves: PostgreSQL would else read all that the actor did within the window.
 */
export const filterAlertsPublishedByActor = defineStatement.reading("find_alerts_published_by_actor", {
  parameters: { subjects: array(text), actor_id: text, operation: text, transports: array(text) },
  columns: { subject_id: neverNull(text) },
  text: `with line as materialized (select * from audit_event where subject_id = any($subjects::text[]))
    select subject_id from line
    where actor_id = $actor_id and operation = $operation and transport = any($transports::text[])
      and status in ('sent', 'scheduled') and created_at > now() - ${WINDOW}`,
});

/** Among the newest `most` drafts of a channel those of one title and key that were not edited since they were made. */
export const findEqualUneditedDrafts = defineStatement.reading("unedited_drafts", {
  parameters: { pusher_id: uuid, title: text, collapse_key: text, most: int },
  columns: { id: uuid, updated_at: timestamptz },
  text: `select id, updated_at from (
      select id, title, collapse_key, created_at, updated_at from alert
      where pusher_id = $pusher_id and status = 'draft' order by created_at desc limit $most::int) drafts
    where title = $title::text and collapse_key = $collapse_key::text and updated_at = created_at`,
});

/** The ones of these alerts, by their ids on the wire, that the actor made as drafts. */
export const filterDraftsCreatedByActor = defineStatement.reading("find_drafts_created_by_actor", {
  parameters: { subjects: array(text), actor_id: text },
  columns: { subject_id: neverNull(text) },
  text: `select subject_id from audit_event
    where subject_id = any($subjects::text[]) and actor_id = $actor_id and operation = 'create_alert' and status =
      'draft'`,
});
