// The present names of what the lines of an audit log are about, and the writers of alerts by that log.

import { array, neverNull, nullable, text, textEnum, uuid } from "../../model/fields/sql_statement_types.ts";
import { ACTOR_TYPES } from "../../model/tables/audit_event.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";

const defineStatement = createStatementDefiner("statistics");

export const NAMED_SUBJECTS = ["alr", "inv", "whk", "key", "mem"] as const;

/** Rows without a channel are named to callers that see every channel. */
const SEES_ALL = "$pusher_ids::uuid[] is null and";

/** An alert by its title, a webhook by its address, and others by their names. Deleted rows are missing. */
export const listSubjectNames = defineStatement.reading("list_subject_names", {
  parameters: { ids: array(uuid), ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { kind: textEnum(NAMED_SUBJECTS), id: uuid, name: text },
  text: `select 'alr' as kind, a.id, a.title as name from alert a join pusher p on p.id = a.pusher_id
      where a.id = any($ids::uuid[]) and ${VISIBLE_TO_CALLER_SQL.text}
    union all select 'inv', i.id, i.label from invite i join pusher p on p.id = i.pusher_id
      where i.id = any($ids::uuid[]) and i.label is not null and ${VISIBLE_TO_CALLER_SQL.text}
    union all select 'whk', w.id, w.url from webhook_endpoint w
      where ${SEES_ALL} w.id = any($ids::uuid[]) and w.workspace_id = $workspace_id
    union all select 'key', k.id, k.name from api_key k join member m on m.id = k.member_id
      where ${SEES_ALL} k.id = any($ids::uuid[]) and m.workspace_id = $workspace_id
    union all select 'mem', m.id, coalesce(m.name, m.email) from member m
      where ${SEES_ALL} m.id = any($ids::uuid[]) and m.workspace_id = $workspace_id`,
});

/** The writer of each alert, as far as the log is kept. The condition excludes lines without a subject. */
export const listAlertWriters = defineStatement.reading("list_alert_writers", {
  parameters: { alert_ids: array(text), ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { alert_id: neverNull(text), type: textEnum(ACTOR_TYPES), name: nullable(text) },
  text: `select distinct on (subject_id) subject_id as alert_id, actor_type as type, actor_name as name
    from audit_event
    where workspace_id = $workspace_id and ($pusher_ids::uuid[] is null or pusher_id = any($pusher_ids::uuid[]))
      and subject_id = any($alert_ids::text[]) and operation in ('create_alert', 'duplicate_alert')
    order by subject_id, created_at`,
});
