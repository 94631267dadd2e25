// The statements that write new alerts and publish existing ones, for one call or many. Each writes the alert, its
// audit line and its event, and takes the idempotency key of a new alert. Without a transaction around it, a
// statement is its own. An alert whose status does not allow publishing is returned unchanged, and the caller refuses
// it.

import { EVENT_ALERT_FIELDS } from "../../model/domain/domain_events.ts";
import { getFieldNames } from "../../model/fields/field_table.ts";
import {
  array,
  boolean,
  int,
  jsonb,
  nullable,
  nullableByOuterJoin,
  type SqlParametersOf,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { LOCK_TIMEOUT_SQL } from "../db/batch_concurrent_calls.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import { buildSearchVectorSql, isWrittenBy } from "./alert_search_index.ts";
import { ALERT_COLUMN_NAMES, ALERT_COLUMNS, FULL_SELECTION, NEXT_ALERT_VERSION_SQL } from "./alerts.ts";
import { AUDIT_INSERT_COLUMNS } from "./audit_and_events.ts";
import { CHANNEL_SCOPE_PARAMETERS, VISIBLE_TO_CALLER_SQL, visibleChannelSql } from "./channels.ts";
import { selectEqualAlertIds } from "./equal_alerts.ts";

const defineStatement = createStatementDefiner("publish");

/** The handling of locked rows: skip the item, wait with a limit, or wait. */
interface LockedRowHandling {
  skipLocked?: string;
  lockTimeout?: string;
}

/**
 * SQL for `r`, the items of `$items` with these fields, and `c`, their channels with `columns`, id and workspace. Only
 * channels that an item's caller sees are locked, each once, in the order of their ids. Locked rows are looked up by
 * their keys, for any estimated number of rows of `r`.
 */
const lockChannelsSql = (
  fields: Readonly<Record<string, { sql: string }>>,
  columns: string,
  { skipLocked = "", lockTimeout = "" }: LockedRowHandling,
): string => `r as materialized (
        select r.* from ${lockTimeout} jsonb_to_recordset((select $items::jsonb)) r (position int, ${Object.entries(
          fields,
        )
          .map(([column, { sql }]) => `${column} ${sql}`)
          .join(", ")})),
      c as materialized (
        select c.* from (select distinct pusher_id, workspace_id, pusher_ids from r order by pusher_id) r
        cross join lateral (
          select p.id, p.workspace_id, ${columns} from channel_state c join pusher p on p.id = c.pusher_id
          where c.pusher_id = r.pusher_id and ${visibleChannelSql("r.workspace_id", "r.pusher_ids")}
          for no key update of c ${skipLocked}) c)`;

const { id: audit_id, workspace_id, pusher_id, ...ACT } = AUDIT_INSERT_COLUMNS;

const SEND = {
  ...CHANNEL_SCOPE_PARAMETERS,
  id: uuid,
  /** False: nothing is published, and the alert is returned for the caller to decide. */
  may: boolean,
  /** Expected versions, as responses spell them; null: any. */
  expected: nullable(array(text)),
  /** The caller's clock: what is over by then is not published. */
  asked_at: timestamptz,
  audit_id,
  ...ACT,
  event_id: uuid,
  /** The event up to the alert's own fields. */
  event_begins: text,
};

type Send = SqlParametersOf<typeof SEND>;

/** SQL for a timestamp in the format of the wire. */
export const formatTimestampSql = (instant: string) =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The event of a sent alert contains no other timestamp, because `send_at` is cleared. */
const TOLD = getFieldNames(EVENT_ALERT_FIELDS)
  .map((name) => `,"${name}":' || ${name === "send_at" ? "'null'" : `coalesce(to_json(i.${name})::text, 'null')`} || '`)
  .join("");

const LINE_NAMES = Object.keys(AUDIT_INSERT_COLUMNS);

/**
 * Publishes alerts. Positions count from 1. There is one row for each visible alert in its current state; `sent` if
 * this call published it. Channels are locked in the order of their ids, then the alerts, each once. If several items
 * publish the same alert, one does and the others find it sent. All use one time, read after the locks.
 */
const publish = (name: string, locking: LockedRowHandling) =>
  defineStatement(name, {
    parameters: { items: jsonb<readonly (Send & { position: number })[]>() },
    columns: { position: int, sent: boolean, active: boolean, ...FULL_SELECTION.columns },
    text: `with ${lockChannelsSql(SEND, "c.active", locking)},
      a as materialized (
        select a.* from (
          select distinct r.id, r.pusher_id from r
          join (select distinct * from c) p on p.id = r.pusher_id and
          ${visibleChannelSql("r.workspace_id", "r.pusher_ids")}
            order by r.id) r
        cross join lateral (
          select ${FULL_SELECTION.text} from alert where alert.id = r.id and alert.pusher_id = r.pusher_id
          for no key update ${locking.skipLocked ?? ""}) a),
      n as materialized (select clock_timestamp() as at from (select count(*) from a) locked),
      judged as materialized (
        select r.*, p.active, n.at, a.visible, r.expected is null as anyhow,
          p.active and a.ready and (r.expected is null or ${formatTimestampSql("a.updated_at")} = any(r.expected)) as
            fits,
          r.may and not a.visible and coalesce(a.expires_at > r.asked_at, true) as open
        from n cross join (select a.*, a.status not in ('cancelled', 'repeating') as ready,
            a.status = 'sent' or (a.status = 'scheduled' and a.send_at <= n.at) as visible from a cross join n) a
        join r on r.id = a.id and r.pusher_id = a.pusher_id
        join (select distinct * from c) p on p.id = r.pusher_id and
          ${visibleChannelSql("r.workspace_id", "r.pusher_ids")}),
      first as materialized (
        select distinct on (id) id, position from judged where fits and open order by id, position),
      v as materialized (
        select judged.*, first.position is not null as goes,
          judged.fits and (judged.visible or (judged.anyhow and exists (select from first where first.id = judged.id)))
            as stays
        from judged left join first using (position)),
      i as (
        update alert set status = 'sent', sent_at = v.at, send_at = null, recurrence = null, review_reply = null,
          updated_at = ${NEXT_ALERT_VERSION_SQL}
        from v where alert.id = v.id and v.goes
        returning ${FULL_SELECTION.text}),
      told as (
        insert into workspace_event (id, workspace_id, pusher_id, body)
        select v.event_id, v.workspace_id, v.pusher_id,
          v.event_begins || '${TOLD},"status":"sent","sent_at":"' || ${formatTimestampSql("i.sent_at")} || '"}}'
        from v join i on i.id = v.id where v.goes order by v.position),
      noted as (
        insert into audit_event (${LINE_NAMES.join(", ")})
        select ${LINE_NAMES.map((column) => (column === "id" ? "audit_id" : column)).join(", ")} from v where goes or
          stays)
      select v.position, v.goes as sent, v.active, now.*
      from v join (
        select * from i union all select * from a where not exists (select from first where first.id = a.id)) now on
          now.id = v.id`,
  });

export const PUBLISH_STATEMENT_VARIANTS = {
  skipLocked: publish("publish_alerts", { skipLocked: "skip locked" }),
  lockTimeout: publish("publish_waiting_alerts", { lockTimeout: `${LOCK_TIMEOUT_SQL},` }),
  single: publish("publish_alert", {}),
};

/** The result of a call whose audit line exists; one row. */
export const findPublishResult = defineStatement.reading("find_published", {
  parameters: { ...CHANNEL_SCOPE_PARAMETERS, id: uuid, event_id: uuid },
  columns: { sent: boolean, active: boolean, ...FULL_SELECTION.columns },
  text: `select c.active, ${FULL_SELECTION.text},
      exists (select from workspace_event e where e.workspace_id = $workspace_id and e.position is null and e.id =
        $event_id)
        or exists (select from workspace_event e where e.workspace_id = $workspace_id and e.position is not null and
          e.id = $event_id) as sent
    from alert join pusher p on p.id = alert.pusher_id join channel_state c on c.pusher_id = p.id
    where alert.id = $id and p.id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/** The values of an audit line that the alert does not have. */
const { status, ...ACT_ANEW } = ACT;

const NEW_ALERT = {
  ...CHANNEL_SCOPE_PARAMETERS,
  id: uuid,
  /** draft, scheduled or sent. */
  status: text,
  ...ALERT_COLUMNS,
  /** Those of its texts, by which it is found. */
  words: array(text),
  audit_id,
  ...ACT_ANEW,
  /** For an alert that is not a draft. */
  event_id: nullable(uuid),
  /** For a sent alert, it ends with `"sent_at":null}}`, which the statement fills in. */
  event_body: nullable(text),
  /** The credential whose idempotency key it is. */
  key_of: nullable(text),
  key: nullable(text),
  /** The hash of the call, and its encrypted response without the values of the statement, both in base64. */
  key_hash: nullable(text),
  key_answer: nullable(text),
};

type NewAlert = SqlParametersOf<typeof NEW_ALERT>;

const UNKNOWN = "null}}";

const MAY = "(v.active or v.status = 'draft')";

/**
 * SQL for the author's own alerts, for a send without a key. It is hidden in coalesce, so it does not cause a scan of
 * the search index.
 */
const EQUAL_IS_SOUGHT = `v.status <> 'draft' and v.key is null and coalesce(${isWrittenBy("v.actor_id")}, false)`;

/**
 * Inserts new alerts, and checks that the channels of published ones are active. Positions count from 1. There is one
 * row for each alert with a visible channel. `id` is null if the channel refused, and if the key was used before
 * (`repeated`), also by another item. Only channels that an alert's caller sees are locked, each once, in the order of
 * their ids, then the keys in theirs.
 */
const create = (name: string, locking: LockedRowHandling) =>
  defineStatement(name, {
    parameters: { items: jsonb<readonly (NewAlert & { position: number })[]>() },
    columns: {
      position: int,
      active: boolean,
      requested_perms: array(text),
      /** When it is made, and sent if it is. */
      at: timestamptz,
      repeated: boolean,
      /**
       * Id of the newest alert with the same writer and text that was published a moment ago; for a send without a
       * key.
       */
      equal: nullable(uuid),
      id: nullableByOuterJoin(uuid),
    },
    text: `with ${lockChannelsSql(NEW_ALERT, "p.requested_perms, c.active", locking)},
      v as materialized (
        select r.*, p.active, p.requested_perms, clock_timestamp() as at from r
        join (select distinct * from c) p on p.id = r.pusher_id and
          ${visibleChannelSql("r.workspace_id", "r.pusher_ids")}),
      first as materialized (
        select distinct on (key_of, operation, key) v.* from v where key is not null and ${MAY} order by key_of,
          operation, key, position),
      taken as (
        insert into idempotency_record as kept (credential_id, operation, key, request_hash, sealed_response,
          response_patch, created_at)
        select key_of, operation, key, decode(key_hash, 'base64'), decode(key_answer, 'base64'),
          jsonb_build_object('at', ${formatTimestampSql("at")}, 'requested_perms', requested_perms), at
        from first order by key_of, operation, key
        on conflict (credential_id, operation, key) do update
          set (request_hash, sealed_response, response_patch, created_at) = (excluded.request_hash,
            excluded.sealed_response, excluded.response_patch, excluded.created_at)
          where kept.created_at < excluded.created_at - interval '${LIMITS.idempotency_hours} hours'
        returning credential_id, operation, key),
      fresh as materialized (
        select position from first join taken t on (t.credential_id, t.operation, t.key) = (key_of, first.operation,
          first.key)),
      i as (
        insert into alert (id, pusher_id, status, sent_at, created_at, updated_at, search_vector,
          ${ALERT_COLUMN_NAMES.join(", ")})
        select id, pusher_id, status, case status when 'sent' then at end, at, at,
          ${buildSearchVectorSql("pusher_id", "words", "actor_id")}, ${ALERT_COLUMN_NAMES.join(", ")}
        from v where ${MAY} and (key is null or position in (select position from fresh)) order by position
        returning id),
      told as (
        insert into workspace_event (id, workspace_id, pusher_id, body)
        select v.event_id, v.workspace_id, v.pusher_id, case when v.status <> 'sent' then v.event_body
          else left(v.event_body, -${UNKNOWN.length}) || '"' || ${formatTimestampSql("v.at")} || '"}}' end
        from v join i on i.id = v.id where v.event_id is not null order by v.position),
      noted as (
        insert into audit_event (${LINE_NAMES.join(", ")})
        select ${LINE_NAMES.map((column) => `v.${column === "id" ? "audit_id" : column}`).join(", ")}
        from v join i on i.id = v.id)
      select v.position, v.active, v.requested_perms, v.at, v.key is not null and ${MAY} and i.id is null as repeated,
        (${selectEqualAlertIds(
          { channel: "v.pusher_id", title: "v.title", body: "v.body", sendAt: "v.send_at" },
          { condition: EQUAL_IS_SOUGHT, rows: 1 },
        )}) as equal,
        i.id
      from v left join i on i.id = v.id`,
  });

export const CREATE_STATEMENT_VARIANTS = {
  skipLocked: create("create_alerts", { skipLocked: "skip locked" }),
  lockTimeout: create("create_waiting_alerts", { lockTimeout: `${LOCK_TIMEOUT_SQL},` }),
  single: create("create_alert", {}),
  isLarge: ({ html }: NewAlert) => html !== null,
};

export type CreatedAlert = StatementRow<typeof CREATE_STATEMENT_VARIANTS.single>;
