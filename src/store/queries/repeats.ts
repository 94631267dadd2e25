// Alerts that read alike and were published a moment ago, for calls that may be repeats of one another.

import { array, int, neverNull, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("publish");

const WINDOW = `interval '${LIMITS.repeat_seconds} seconds'`;

/** SQL: `alert` has this title, text and time, and was made and published or scheduled within the window. */
export const readsAs = (channel: string, title: string, body: string, sendAt: string) =>
  `alert.pusher_id = ${channel} and alert.created_at > clock_timestamp() - ${WINDOW} and alert.status in ('sent', 'scheduled')
    and alert.title = ${title} and alert.body is not distinct from ${body}
    and alert.send_at is not distinct from ${sendAt}`;

/** The alerts of a channel that read so. */
export const equalAlerts = defineStatement.reading("equal_alerts", {
  parameters: { pusher_id: uuid, title: text, body: nullable(text), send_at: nullable(timestamptz) },
  columns: { id: uuid },
  text: `select id from alert where ${readsAs("$pusher_id::uuid", "$title::text", "$body::text", "$send_at::timestamptz")}`,
});

/** The one of these alerts, by their ids on the wire, that the actor published last by this operation within the window. */
export const publishedBy = defineStatement.reading("published_by", {
  parameters: { subjects: array(text), actor_id: text, operation: text, transports: array(text) },
  columns: { subject_id: neverNull(text) },
  text: `select subject_id from audit_event
    where subject_id = any($subjects::text[]) and actor_id = $actor_id and operation = $operation
      and transport = any($transports::text[]) and status in ('sent', 'scheduled')
      and created_at > clock_timestamp() - ${WINDOW}
    order by created_at desc limit 1`,
});

/** Among the newest `most` drafts of a channel those of one title and key that were not edited since they were made. */
export const uneditedDrafts = defineStatement.reading("unedited_drafts", {
  parameters: { pusher_id: uuid, title: text, collapse_key: text, most: int },
  columns: { id: uuid, updated_at: timestamptz },
  text: `select id, updated_at from (
      select id, title, collapse_key, created_at, updated_at from alert
      where pusher_id = $pusher_id and status = 'draft' order by created_at desc limit $most::int) drafts
    where title = $title::text and collapse_key = $collapse_key::text and updated_at = created_at`,
});

/** The ones of these alerts, by their ids on the wire, that the actor made as drafts. */
export const draftedBy = defineStatement.reading("drafted_by", {
  parameters: { subjects: array(text), actor_id: text },
  columns: { subject_id: neverNull(text) },
  text: `select subject_id from audit_event
    where subject_id = any($subjects::text[]) and actor_id = $actor_id and operation = 'create_alert' and status = 'draft'`,
});
