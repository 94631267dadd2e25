// The audit lines of a call that wrote: who called, by which transport, which operation and which row. They hold ids
// and a status, never the value of a field (rules#audit-log). The lines and the events are written by one
// statement, with the commit. Workspaces are notified of subscribers at most once a second
// (rules#subscriber-events-are-gathered).

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { type DomainEvent, subscriberEvent } from "../model/domain/events.ts";
import { newUuid, parseId, showId } from "../model/domain/ids.ts";
import type { AuditLine, Transport } from "../model/entities/audit_event.ts";
import { need } from "../model/need.ts";
import type { Caller, Context } from "../store/context.ts";
import { run } from "../store/db/statement.ts";
import {
  eventRows,
  insertAudit,
  insertAuditAndEvents,
  insertAuditBefore,
  insertEvents,
  membershipsToTell,
} from "../store/queries/journal.ts";
import { tellSubscribers } from "../store/queries/subscribers.ts";
import type { MadeWorkspace } from "./tool.ts";

/** Who acts, as far as it is known before the call runs. */
export type Actor = Omit<AuditLine, "id" | "operation" | "pusher_id" | "subject_id" | "status" | "count" | "changed">;

/** A member by its credential; of a session the member is the actor. */
export function actorOf({ workspace, member, credential }: Caller, transport: Transport): Actor {
  const { type, id, name } = credential;
  return {
    workspace_id: workspace.id,
    actor_type: type,
    actor_id: type === "session" ? showId("mem", member.id) : id,
    actor_name: name,
    member_id: member.id,
    transport,
  };
}

/** The workspace that what a caller does belongs to. */
export const addressOf = ({ workspace }: Caller) => ({
  workspaceId: workspace.id,
  listening: workspace.listening,
});

/** Nobody by name, in no workspace. */
const UNNAMED = { workspace_id: null, actor_id: null, actor_name: null, member_id: null };

/** A person in what concerns no workspace. */
export const personActor = (transport: Transport): Actor => ({
  ...UNNAMED,
  actor_type: "session",
  transport,
});

/** What a person does to the own account is told in each of the person's workspaces: their owners trust that account. */
export async function personActors(
  db: SqlEntityManager | Kysely<unknown>,
  personId: string,
  transport: Transport,
): Promise<Actor | readonly Actor[]> {
  const memberships = await run(db, membershipsToTell, { user_id: personId });
  if (memberships.length === 0) return personActor(transport);
  return memberships.map(({ workspace_id, member_id, name }) => ({
    ...personActor(transport),
    ...{ workspace_id, actor_id: showId("mem", member_id), actor_name: name, member_id },
  }));
}

/** The operator, who is whoever may use the machine. */
export const operatorActor = (workspace_id: string | null): Actor => ({
  ...UNNAMED,
  workspace_id,
  actor_type: "operator",
  transport: "operator",
});

const WIRE_ID = /^[a-z]{3}_[0-9a-z]{26}$/;
const STATUSES = new Set([
  "draft",
  "repeating",
  "scheduled",
  "sent",
  "cancelled",
  "active",
  "paused",
  "suspended",
  "failed",
]);

/** Writes down in its transaction that the call was done. `body` is its answer. */
export async function writeAudit(
  db: SqlEntityManager | Kysely<unknown>,
  actor: Actor,
  operation: string,
  input: unknown,
  body: unknown,
): Promise<void> {
  for (const line of auditLines(actor, operation, input, body)) await run(db, insertAudit, line);
}

/** The lines themselves, one for each actor; there is one actor at least. */
export function auditLines(
  actors: Actor | readonly Actor[],
  operation: string,
  input: unknown,
  body: unknown,
  changed: string[] | null = null,
): AuditLine[] {
  const what = { operation, ...concerned(input, body), count: null, changed };
  return [actors].flat().map((actor) => ({ id: newUuid(), ...actor, ...what }));
}

/** Who made a workspace, as its own log names that person: its first member. */
export const makerOf = (actors: Actor | readonly Actor[], made: MadeWorkspace): Actor => ({
  ...need([actors].flat()[0], "somebody has made it"),
  workspace_id: parseId("wsp", made.id),
  actor_id: made.member_id,
  member_id: parseId("mem", made.member_id),
});

/** The ids that a call concerns: of its answer where that has them, else of its arguments. */
function concerned(input: unknown, body: unknown) {
  const sent = (input ?? {}) as Record<string, unknown>;
  const answered = (body ?? {}) as Record<string, unknown>;
  const ids = [answered.id, sent.alert_id, sent.webhook_id, sent.member_id, sent.key_id, sent.pusher_id];
  const subject = ids.find((id): id is string => typeof id === "string" && WIRE_ID.test(id)) ?? null;
  const channels = [answered.pusher_id, sent.pusher_id, subject].map((id) => parseId("psh", String(id)));
  const { status } = answered;
  return {
    pusher_id: channels.find((id) => id !== null) ?? null,
    subject_id: subject,
    status: typeof status === "string" && STATUSES.has(status) ? status : null,
  };
}

/** Writes what there is to be written down; nothing may follow it but the commit. */
export async function writeEnd(
  db: SqlEntityManager | Kysely<unknown>,
  lines: ReturnType<typeof auditLines>,
  events: readonly DomainEvent[],
): Promise<void> {
  for (const line of lines.slice(0, -1)) await run(db, insertAuditBefore, line);
  const line = lines.at(-1);
  if (line && events.length > 0) await run(db, insertAuditAndEvents, { ...line, ...eventRows(events) });
  else if (line) await run(db, insertAudit, line);
  else if (events.length > 0) await run(db, insertEvents, eventRows(events));
}

/**
 * To be called when subscriptions of these channels have changed, whose rows are locked. A channel of which something was told
 * a moment ago is told of by the housekeeping.
 */
export async function announceSubscribers(
  channels: readonly { pusher_id: string }[],
  ctx: Pick<Context, "sql" | "emit">,
): Promise<void> {
  const pusher_ids = channels.map(({ pusher_id }) => pusher_id);
  for (const told of await ctx.sql(tellSubscribers, { pusher_ids })) ctx.emit(subscriberEvent(told));
}
