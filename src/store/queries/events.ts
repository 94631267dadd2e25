// The feed of events: written at the end of the transaction that made them true, numbered by who reads, and pages of them
// (docs/decisions/0018-events-are-numbered-by-their-readers.md).

import { type DomainEvent, eventBody } from "../../model/domain/events.ts";
import { parseId } from "../../model/domain/ids.ts";
import { array, bigint, int, neverNull, nullable, text, uuid } from "../../model/fields/sql.ts";
import { need } from "../../model/need.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";
import { AUDIT_INSERT, AUDIT_LINE } from "./audit.ts";

const defineStatement = statementsOf("journal");
const defineList = statementsOf("lists");

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

/** What is written of events, in their order. */
export const eventRows = (events: readonly DomainEvent[]) => ({
  event_ids: events.map(({ id }) => id),
  event_workspaces: events.map(({ workspaceId }) => workspaceId),
  event_pushers: events.map(({ data }) =>
    need(parseId("psh", data.pusher_id), "events name channels as they are shown"),
  ),
  event_bodies: events.map(eventBody),
});

/** The last statement of its transaction, so it goes out together with the commit (see store/db/opening.ts). */
export const insertEvents = defineStatement("insert_events", { ...EVENTS, closes: true });

/** The same with a line of the audit log. */
export const insertAuditAndEvents = defineStatement("insert_audit_and_events", {
  parameters: { ...AUDIT_LINE, ...EVENTS.parameters },
  text: `with told as (${EVENTS.text}) ${AUDIT_INSERT}`,
  closes: true,
});

/**
 * Gives places to up to `limit` committed events that have none. Readers queue for the workspace's row and hold it until they
 * commit, so places become visible in their order. A reader that waited may have looked before the other one committed: what
 * has a place by then keeps it, and its own place stays empty.
 */
export const numberEvents = defineList("number_events", {
  parameters: { workspace_id: uuid, limit: int },
  columns: { numbered: int },
  text: `with fresh as materialized (
      select f.serial, row_number() over (order by f.serial) as n from (
        select serial from workspace_event where workspace_id = $workspace_id and position is null
        order by serial limit $limit::int) f),
    taken as (
      update workspace w set events_numbered = w.events_numbered + f.n from (select count(*) as n from fresh) f
      where w.id = $workspace_id and f.n > 0 returning w.events_numbered - f.n as base),
    placed as (
      update workspace_event e set position = t.base + f.n from taken t, fresh f
      where e.serial = f.serial and e.position is null)
    select count(*)::int as numbered from fresh`,
});

/** Where the feed ends for now. */
export const feedEnd = defineList.reading("feed_end", {
  parameters: { workspace_id: uuid },
  columns: { events_numbered: bigint },
  text: "select events_numbered from workspace where id = $workspace_id",
});

/** A page of what has a place after `after` and not after `end`, of the channels that the caller sees. */
export const listEvents = defineList.reading("list_events", {
  parameters: {
    workspace_id: uuid,
    pusher_ids: nullable(array(uuid)),
    after: bigint,
    end: bigint,
    limit: int,
  },
  columns: { id: uuid, body: text, position: neverNull(bigint) },
  text: `select id, body, position from workspace_event
    where workspace_id = $workspace_id and position > $after::bigint and position <= $end::bigint
      and ($pusher_ids::uuid[] is null or pusher_id = any($pusher_ids::uuid[]))
    order by position limit $limit::int`,
});

export type EventRecord = RowOf<typeof listEvents>;
