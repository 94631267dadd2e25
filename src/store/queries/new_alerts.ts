// New alerts, of one call or of many at once: each with its line of the audit log, its event and the key that makes a call and its
// repeats one, in one statement, which is its own transaction where nothing else stands in it.

import {
  array,
  boolean,
  int,
  jsonb,
  nullable,
  outerJoined,
  type ParametersOf,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";
import { BOUNDED } from "../db/together.ts";
import { foundBy, HAS_WORDS } from "./alert_words.ts";
import { FIELDS, NAMES } from "./alerts.ts";
import { SCOPE, visibleTo } from "./channels.ts";
import { AUDIT_LINE } from "./journal.ts";
import { type Locking, lockedChannels, spelled } from "./sends.ts";

const defineStatement = statementsOf("publish");

/** What a line of the audit log has beside what it shares with the alert. */
const { id: audit_id, workspace_id, pusher_id, status, ...ACT } = AUDIT_LINE;

const NEW_ALERT = {
  ...SCOPE,
  id: uuid,
  /** draft, scheduled or sent. */
  status: text,
  ...FIELDS,
  /** Those of its texts, by which it is found. */
  words: array(text),
  audit_id,
  ...ACT,
  /** Of an alert that is no draft. */
  event_id: nullable(uuid),
  /** Of what is sent it ends with `"sent_at":null}}`, which the statement fills in. */
  event_body: nullable(text),
  /** The credential whose idempotency key it is. */
  key_of: nullable(text),
  key: nullable(text),
  /** Of the call, and its sealed answer but for what the statement gives; both in base64. */
  key_hash: nullable(text),
  key_answer: nullable(text),
};

type NewAlert = ParametersOf<typeof NEW_ALERT>;

const LINE_NAMES = Object.keys(AUDIT_LINE);
const UNKNOWN = "null}}";

const MAY = "(v.active or v.status = 'draft')";

/**
 * Writes new alerts, and checks in the same statement that the channels of those that are published are active. Positions count
 * from 1. One row for each whose channel is visible: `id` is null when the channel refused, and where the key was used before
 * (`repeated`), by another item of these as well. The channels are locked in the order of their ids, each once, and those alone
 * that the caller of an alert sees; then the keys, in theirs.
 */
const create = (name: string, locking: Locking) =>
  defineStatement(name, {
    parameters: { items: jsonb<readonly (NewAlert & { position: number })[]>() },
    columns: {
      position: int,
      active: boolean,
      requested_perms: array(text),
      /** When it is made, and sent if it is. */
      at: timestamptz,
      repeated: boolean,
      id: outerJoined(uuid),
    },
    text: `with ${lockedChannels(NEW_ALERT, "p.requested_perms, c.active", locking)},
      v as materialized (
        select r.*, p.active, p.requested_perms, clock_timestamp() as at from r
        join (select distinct * from c) p on p.id = r.pusher_id and ${visibleTo("r.workspace_id", "r.pusher_ids")}),
      first as materialized (
        select distinct on (key_of, operation, key) v.* from v where key is not null and ${MAY} order by key_of, operation, key, position),
      taken as (
        insert into idempotency_record as kept (credential_id, operation, key, request_hash, answer, given, created_at)
        select key_of, operation, key, decode(key_hash, 'base64'), decode(key_answer, 'base64'),
          jsonb_build_object('at', ${spelled("at")}, 'requested_perms', requested_perms), at
        from first order by key_of, operation, key
        on conflict (credential_id, operation, key) do update
          set (request_hash, answer, given, created_at) = (excluded.request_hash, excluded.answer, excluded.given, excluded.created_at)
          where kept.created_at < excluded.created_at - interval '${LIMITS.idempotency_hours} hours'
        returning credential_id, operation, key),
      fresh as materialized (
        select position from first join taken t on (t.credential_id, t.operation, t.key) = (key_of, first.operation, first.key)),
      i as (
        insert into alert (id, pusher_id, status, sent_at, created_at, updated_at, ${NAMES.join(", ")})
        select id, pusher_id, status, case status when 'sent' then at end, at, at, ${NAMES.join(", ")}
        from v where ${MAY} and (key is null or position in (select position from fresh)) order by position
        returning id),
      found as (
        insert into alert_words (alert_id, words)
        select v.id, ${foundBy("v.pusher_id", "v.words", "v.actor_id")} from v join i on i.id = v.id
        ${HAS_WORDS}),
      told as (
        insert into workspace_event (id, workspace_id, pusher_id, body)
        select v.event_id, v.workspace_id, v.pusher_id, case when v.status <> 'sent' then v.event_body
          else left(v.event_body, -${UNKNOWN.length}) || '"' || ${spelled("v.at")} || '"}}' end
        from v join i on i.id = v.id where v.event_id is not null order by v.position),
      noted as (
        insert into audit_event (${LINE_NAMES.join(", ")})
        select ${LINE_NAMES.map((column) => `v.${column === "id" ? "audit_id" : column}`).join(", ")}
        from v join i on i.id = v.id)
      select v.position, v.active, v.requested_perms, v.at, v.key is not null and ${MAY} and i.id is null as repeated, i.id
      from v left join i on i.id = v.id`,
  });

export const NEW_ALERTS = {
  together: create("create_alerts", { skips: "skip locked" }),
  waiting: create("create_waiting_alerts", { bounded: `${BOUNDED},` }),
  alone: create("create_alert", {}),
  byItself: ({ html }: NewAlert) => html !== null,
  lockOf: ({ pusher_id }: NewAlert) => pusher_id,
  ownerOf: ({ workspace_id }: NewAlert) => workspace_id,
};

export type CreatedAlert = RowOf<typeof NEW_ALERTS.alone>;
