// Records of changing calls: lines of the audit log, responses for repeats, and events. Events are written at the end
// of the transaction that caused them, and numbered by readers
// (docs/decisions/0018-event-numbers-are-assigned-on-reading.md). Also pages of the log and of the event feed.

import { assertDefined } from "../../model/assert.ts";
import { type DomainEvent, serializeEvent } from "../../model/domain/domain_events.ts";
import { parseIdOrNull } from "../../model/domain/type_ids.ts";
import {
  array,
  bigint,
  bytea,
  int,
  jsonb,
  neverNull,
  nullable,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { ACTOR_TYPES, CALL_TRANSPORTS } from "../../model/tables/audit_event.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";

const defineStatement = createStatementDefiner("journal");
const defineList = createStatementDefiner("lists");

/** The columns of an audit line. */
export const AUDIT_INSERT_COLUMNS = {
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

/** The shown columns. */
const { workspace_id: _, ...TOLD } = AUDIT_INSERT_COLUMNS;

const NAMES = Object.keys(AUDIT_INSERT_COLUMNS);

const AUDIT_INSERT = `insert into audit_event (${NAMES.join(", ")}) values
  (${NAMES.map((name) => `$${name}`).join(", ")})`;

/** One of several lines about one call; the last of them is `insertAudit`. */
export const insertAdditionalAuditRecord = defineStatement("insert_additional_audit_record", {
  parameters: AUDIT_INSERT_COLUMNS,
  columns: { id: uuid },
  text: `${AUDIT_INSERT} returning id`,
});

/** The workspaces that record a person's own actions, with the person's name in each. */
export const listMembershipsToAudit = defineStatement.reading("list_memberships_to_audit", {
  parameters: { user_id: text },
  columns: { workspace_id: uuid, member_id: uuid, name: text },
  text: `select workspace_id, id as member_id, coalesce(name, email) as name from member
    where user_id = $user_id order by created_at`,
});

/** The last statement of its transaction, so it is sent together with the commit. */
export const insertAudit = defineStatement("insert_audit", {
  parameters: AUDIT_INSERT_COLUMNS,
  text: AUDIT_INSERT,
  closes: true,
});

/** The scheduled alerts of a credential, from the newest `lines` of its audit log. */
export const listAlertsScheduledByActor = defineList.reading("list_alerts_scheduled_by_actor", {
  parameters: { workspace_id: uuid, actor_id: text, lines: int },
  columns: { subject_id: neverNull(text) },
  text: `select distinct subject_id from (select subject_id, status from audit_event
      where actor_id = $actor_id and workspace_id = $workspace_id order by created_at desc limit $lines::int) done
    where status = 'scheduled' and subject_id is not null`,
});

/** A page of a workspace's audit log, restricted by channel, newest first, with all rows of the last timestamp. */
export const listAudit = defineList.reading("list_audit", {
  parameters: {
    workspace_id: uuid,
    pusher_ids: nullable(array(uuid)),
    pusher_id: nullable(uuid),
    actor_id: nullable(text),
    actor_name: nullable(text),
    subject_id: nullable(text),
    operation: nullable(text),
    from: nullable(timestamptz),
    before: nullable(timestamptz),
    limit: int,
  },
  columns: {
    ...TOLD,
    handle: nullable(text),
    actor_type: textEnum(ACTOR_TYPES),
    transport: textEnum(CALL_TRANSPORTS),
    created_at: timestamptz,
  },
  text: `select ${Object.keys(TOLD).join(", ")}, created_at,
      (select p.handle from pusher p where p.id = audit_event.pusher_id) as handle
    from audit_event
    where workspace_id = $workspace_id and ($pusher_ids::uuid[] is null or pusher_id = any($pusher_ids::uuid[]))
      and ($pusher_id::uuid is null or pusher_id = $pusher_id) and ($actor_id::text is null or actor_id = $actor_id)
      and ($actor_name::text is null or actor_name = $actor_name)
      and ($subject_id::text is null or subject_id = $subject_id)
      and ($operation::text is null or operation = $operation)
      and created_at >= coalesce($from::timestamptz, '-infinity')
      and created_at < coalesce($before::timestamptz, 'infinity')
    order by created_at desc fetch first ($limit::int) rows with ties`,
});

export type AuditRecord = StatementRow<typeof listAudit>;

/** The owner and the operation of a key. */
const OWN = {
  parameters: { credential_id: text, operation: text, key: text },
  text: "credential_id = $credential_id and operation = $operation and key = $key",
};

const OVER = "created_at < now() - $hours::int * interval '1 hour'";

/** Forgets this key when its time is over; the others go by the housekeeping. */
export const removeExpiredIdempotencyKey = defineStatement("remove_expired_idempotency_key", {
  parameters: { ...OWN.parameters, hours: int },
  text: `delete from idempotency_record where ${OWN.text} and ${OVER}`,
});

/** One row when the key is new to this credential and operation; none when it was used. */
export const claimIdempotencyKey = defineStatement("claim_idempotency_key", {
  parameters: { ...OWN.parameters, request_hash: bytea },
  columns: { key: text },
  text: `insert into idempotency_record (credential_id, operation, key, request_hash)
    values ($credential_id, $operation, $key, $request_hash) on conflict do nothing returning key`,
});

export const findIdempotentResponse = defineStatement.reading("find_idempotent_response", {
  parameters: { ...OWN.parameters, hours: int },
  columns: { request_hash: bytea, sealed_response: nullable(bytea), response_patch: nullable(jsonb<unknown>()) },
  text: `select request_hash, sealed_response, response_patch from idempotency_record where ${OWN.text}
    and not (${OVER})`,
});

export const storeIdempotentResponse = defineStatement("store_idempotent_response", {
  parameters: { ...OWN.parameters, answer: bytea },
  text: `update idempotency_record set sealed_response = $answer where ${OWN.text}`,
});

const EVENTS = {
  parameters: {
    event_ids: array(uuid),
    event_workspaces: array(uuid),
    event_pushers: array(uuid),
    event_bodies: array(text),
  },
  text: `insert into workspace_event (id, workspace_id, pusher_id, body)
    select id, workspace_id, pusher_id, body
    from unnest($event_ids::uuid[], $event_workspaces::uuid[], $event_pushers::uuid[], $event_bodies::text[])
      with ordinality e (id, workspace_id, pusher_id, body, n) order by n`,
};

/** The columns of events, in order. */
export const toEventColumns = (events: readonly DomainEvent[]) => ({
  event_ids: events.map(({ id }) => id),
  event_workspaces: events.map(({ workspaceId }) => workspaceId),
  event_pushers: events.map(({ data }) =>
    assertDefined(parseIdOrNull("psh", data.pusher_id), "events contain public channel ids"),
  ),
  event_bodies: events.map(serializeEvent),
});

/** The last statement of its transaction, so it is sent together with the commit. */
export const insertEvents = defineStatement("insert_events", { ...EVENTS, closes: true });

/** The same with a line of the audit log. */
export const insertAuditAndEvents = defineStatement("insert_audit_and_events", {
  parameters: { ...AUDIT_INSERT_COLUMNS, ...EVENTS.parameters },
  text: `with told as (${EVENTS.text}) ${AUDIT_INSERT}`,
  closes: true,
});

/**
 * Numbers up to `limit` committed events. Readers queue for the workspace's row and lock it until their commit, so
 * numbers become visible in order. A reader that waited may have read before the other commit: numbered events keep
 * their number, and its own number stays unused.
 */
export const assignEventNumbers = defineList("number_events", {
  parameters: { workspace_id: uuid, limit: int },
  columns: { numbered: int },
  text: `with fresh as materialized (
      select f.serial, row_number() over (order by f.serial) as n from (
        select serial from workspace_event where workspace_id = $workspace_id and position is null
        order by serial limit $limit::int) f),
    taken as (
      update workspace w set last_event_position = w.last_event_position + f.n from (select count(*) as n from fresh) f
      where w.id = $workspace_id and f.n > 0 returning w.last_event_position - f.n as base),
    placed as (
      update workspace_event e set position = t.base + f.n from taken t, fresh f
      where e.serial = f.serial and e.position is null)
    select count(*)::int as numbered from fresh`,
});

/** Where the feed ends for now. */
export const readEventFeedEnd = defineList.reading("read_event_feed_end", {
  parameters: { workspace_id: uuid },
  columns: { last_event_position: bigint },
  text: "select last_event_position from workspace where id = $workspace_id",
});

/** A page of what has a place after `after` and not after `end`, of the channels that the caller sees. */
export const listEvents = defineList.reading("list_events", {
  parameters: { workspace_id: uuid, pusher_ids: nullable(array(uuid)), after: bigint, end: bigint, limit: int },
  columns: { id: uuid, body: text, position: neverNull(bigint) },
  text: `select id, body, position from workspace_event
    where workspace_id = $workspace_id and position > $after::bigint and position <= $end::bigint
      and ($pusher_ids::uuid[] is null or pusher_id = any($pusher_ids::uuid[]))
    order by position limit $limit::int`,
});

export type EventRecord = StatementRow<typeof listEvents>;
