// The audit log: one row a call that wrote, and pages of them.

import { ACTOR_TYPES, TRANSPORTS } from "../../model/entities/audit_event.ts";
import { array, int, neverNull, nullable, oneOf, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("journal");
const defineList = statementsOf("lists");

/** What is written of a line. */
export const AUDIT_LINE = {
  id: uuid,
  workspace_id: nullable(uuid),
  actor_type: text,
  actor_id: nullable(text),
  actor_name: nullable(text),
  member_id: nullable(uuid),
  transport: text,
  operation: text,
  pusher_id: nullable(uuid),
  subject_id: nullable(text),
  status: nullable(text),
  count: nullable(int),
  changed: nullable(array(text)),
};

/** What is shown of it. */
const { workspace_id: _, ...TOLD } = AUDIT_LINE;

const NAMES = Object.keys(AUDIT_LINE);

export const AUDIT_INSERT = `insert into audit_event (${NAMES.join(", ")}) values (${NAMES.map((name) => `$${name}`).join(", ")})`;

/** One of several lines about one call; the last of them is `insertAudit`. */
export const insertAuditBefore = defineStatement("insert_audit_before", {
  parameters: AUDIT_LINE,
  columns: { id: uuid },
  text: `${AUDIT_INSERT} returning id`,
});

/** In which workspaces a person's own acts are told, and by which name. */
export const membershipsToTell = defineStatement.reading("memberships_to_tell", {
  parameters: { user_id: text },
  columns: { workspace_id: uuid, member_id: uuid, name: text },
  text: `select workspace_id, id as member_id, coalesce(name, email) as name from member
    where user_id = $user_id order by created_at`,
});

/** The last statement of its transaction, so it goes out together with the commit (see store/db/opening.ts). */
export const insertAudit = defineStatement("insert_audit", {
  parameters: AUDIT_LINE,
  text: AUDIT_INSERT,
  closes: true,
});

/** Which alerts a credential left scheduled, by the newest `lines` of what it did. */
export const scheduledBy = defineList.reading("scheduled_by", {
  parameters: { workspace_id: uuid, actor_id: text, lines: int },
  columns: { subject_id: neverNull(text) },
  text: `select distinct subject_id from (select subject_id, status from audit_event
      where actor_id = $actor_id and workspace_id = $workspace_id order by created_at desc limit $lines::int) done
    where status = 'scheduled' and subject_id is not null`,
});

/** What one channel's restriction leaves of a workspace's log, newest first; ties of the last instant come along. */
export const listAudit = defineList.reading("list_audit", {
  parameters: {
    workspace_id: uuid,
    pusher_ids: nullable(array(uuid)),
    pusher_id: nullable(uuid),
    actor_id: nullable(text),
    subject_id: nullable(text),
    before: nullable(timestamptz),
    limit: int,
  },
  columns: {
    ...TOLD,
    actor_type: oneOf(ACTOR_TYPES),
    transport: oneOf(TRANSPORTS),
    created_at: timestamptz,
  },
  text: `select ${Object.keys(TOLD).join(", ")}, created_at
    from audit_event
    where workspace_id = $workspace_id and ($pusher_ids::uuid[] is null or pusher_id = any($pusher_ids::uuid[]))
      and ($pusher_id::uuid is null or pusher_id = $pusher_id) and ($actor_id::text is null or actor_id = $actor_id)
      and ($subject_id::text is null or subject_id = $subject_id)
      and created_at < coalesce($before::timestamptz, 'infinity')
    order by created_at desc fetch first ($limit::int) rows with ties`,
});

export type AuditRecord = RowOf<typeof listAudit>;
