// New alerts, of one call or of many at once: each with its line of the audit log and its event, in one statement, which is its
// own transaction where nothing else stands in it.

import {
  array,
  boolean,
  int,
  jsonb,
  nullable,
  type ParametersOf,
  text,
  uuid,
} from "../../model/fields/sql.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";
import { BOUNDED } from "../db/together.ts";
import { FIELDS, NAMES, WHOLE } from "./alert_columns.ts";
import { foundBy } from "./alert_words.ts";
import { AUDIT_LINE } from "./audit.ts";
import { SCOPE, visibleTo } from "./channels.ts";
import { type Locking, lockedChannels } from "./locked_channels.ts";

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
};

type NewAlert = ParametersOf<typeof NEW_ALERT>;

const LINE_NAMES = Object.keys(AUDIT_LINE);
const UNKNOWN = "null}}";

/**
 * Writes new alerts, and checks in the same statement that the channels of those that are published are active. Positions count
 * from 1. One row for each whose channel is visible; its alert columns are null when the channel refused. The channels are locked
 * in the order of their ids, each once, and those alone that the caller of an alert sees.
 */
const create = (name: string, locking: Locking) =>
  defineStatement(name, {
    parameters: { items: jsonb<readonly (NewAlert & { position: number })[]>() },
    columns: { position: int, active: boolean, requested_perms: array(text) },
    joined: WHOLE.columns,
    text: `with ${lockedChannels(NEW_ALERT, "p.requested_perms, c.active", locking)},
      v as materialized (
        select r.*, p.active, p.requested_perms from r
        join (select distinct * from c) p on p.id = r.pusher_id and ${visibleTo("r.workspace_id", "r.pusher_ids")}),
      i as (
        insert into alert (id, pusher_id, status, sent_at, ${NAMES.join(", ")})
        select id, pusher_id, status, case status when 'sent' then clock_timestamp() end, ${NAMES.join(", ")}
        from v where active or status = 'draft' order by position
        returning ${WHOLE.text}),
      found as (
        insert into alert_words (alert_id, words)
        select v.id, ${foundBy("v.pusher_id", "v.words", "v.actor_id")} from v join i on i.id = v.id),
      told as (
        insert into workspace_event (id, workspace_id, pusher_id, body)
        select v.event_id, v.workspace_id, v.pusher_id, case when i.sent_at is null then v.event_body
          else left(v.event_body, -${UNKNOWN.length}) || '"' || to_char(i.sent_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"}}' end
        from v join i on i.id = v.id where v.event_id is not null order by v.position),
      noted as (
        insert into audit_event (${LINE_NAMES.join(", ")})
        select ${LINE_NAMES.map((column) => `v.${column === "id" ? "audit_id" : column}`).join(", ")}
        from v join i on i.id = v.id)
      select v.position, v.active, v.requested_perms, i.* from v left join i on i.id = v.id`,
  });

export const NEW_ALERTS = {
  together: create("create_alerts", { skips: "skip locked" }),
  waiting: create("create_waiting_alerts", { bounded: `${BOUNDED},` }),
  alone: create("create_alert", {}),
  lockOf: ({ pusher_id }: NewAlert) => pusher_id,
  ownerOf: ({ workspace_id }: NewAlert) => workspace_id,
};

export type CreatedAlert = RowOf<typeof NEW_ALERTS.alone>;
