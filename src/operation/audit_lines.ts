// The audit lines of a call that wrote: the caller, transport, operation and row. They contain ids and a status, never
// the value of a field (rules#audit-log). One statement with the commit writes the lines and the events. Workspaces are
// notified of subscribers at most once a second (rules#subscriber-events-are-gathered).

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { assertDefined } from "../model/assert.ts";
import { createSubscriberEvent, type DomainEvent } from "../model/domain/domain_events.ts";
import { formatId, newUuid, parseIdOrNull } from "../model/domain/type_ids.ts";
import type { AuditLine, CallTransport } from "../model/tables/audit_event.ts";
import { runStatement } from "../store/db/statement.ts";
import type { Caller, HandlerContext } from "../store/handler_context.ts";
import {
  insertAdditionalAuditRecord,
  insertAudit,
  insertAuditAndEvents,
  insertEvents,
  listMembershipsToAudit,
  toEventColumns,
} from "../store/queries/audit_and_events.ts";
import { claimSubscriberCountEvents } from "../store/queries/subscriber_lists_and_counts.ts";
import type { CreatedWorkspaceIds } from "./define_operation.ts";

/** The actor of a call, before the call runs. */
export type AuditActor = Omit<
  AuditLine,
  "id" | "operation" | "pusher_id" | "subject_id" | "status" | "count" | "changed"
>;

/** A member by its credential; of a session the member is the actor. */
export function createActor({ workspace, member, credential }: Caller, transport: CallTransport): AuditActor {
  const { type, id, name } = credential;
  return {
    workspace_id: workspace.id,
    actor_type: type,
    actor_id: type === "session" ? formatId("mem", member.id) : id,
    actor_name: name,
    member_id: member.id,
    transport,
  };
}

/** An actor without a name and workspace. */
const UNNAMED = { workspace_id: null, actor_id: null, actor_name: null, member_id: null };

/** A person in what concerns no workspace. */
export const createUnnamedPersonActor = (transport: CallTransport): AuditActor => ({
  ...UNNAMED,
  actor_type: "session",
  transport,
});

/**
 * Returns the actors for a change of a person's own account. All workspaces of the person record it, because their
 * owners trust that account.
 */
export async function findPersonActorPerWorkspace(
  db: SqlEntityManager | Kysely<unknown>,
  personId: string,
  transport: CallTransport,
): Promise<AuditActor | readonly AuditActor[]> {
  const memberships = await runStatement(db, listMembershipsToAudit, { user_id: personId });
  if (memberships.length === 0) return createUnnamedPersonActor(transport);
  return memberships.map(({ workspace_id, member_id, name }) => ({
    ...createUnnamedPersonActor(transport),
    ...{ workspace_id, actor_id: formatId("mem", member_id), actor_name: name, member_id },
  }));
}

/** Returns the operator as actor: any user of the machine. */
export const createOperatorActor = (workspace_id: string | null): AuditActor => ({
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
  actor: AuditActor,
  operation: string,
  input: unknown,
  body: unknown,
): Promise<void> {
  for (const line of createAuditLinePerActor(actor, operation, input, body)) await runStatement(db, insertAudit, line);
}

/** The lines themselves, one for each actor; there is one actor at least. */
export function createAuditLinePerActor(
  actors: AuditActor | readonly AuditActor[],
  operation: string,
  input: unknown,
  body: unknown,
  changed: string[] | null = null,
): AuditLine[] {
  const what = { operation, ...concerned(input, body), count: null, changed };
  return [actors].flat().map((actor) => ({ id: newUuid(), ...actor, ...what }));
}

/** Returns the creator of a workspace as its own log names them: its first member. */
export const createFirstMemberActor = (
  actors: AuditActor | readonly AuditActor[],
  made: CreatedWorkspaceIds,
): AuditActor => ({
  ...assertDefined([actors].flat()[0], "a created workspace has an actor"),
  workspace_id: parseIdOrNull("wsp", made.id),
  actor_id: made.member_id,
  member_id: parseIdOrNull("mem", made.member_id),
});

/** The ids that a call concerns: from its result where that has them, else from its arguments. */
function concerned(input: unknown, body: unknown) {
  const sent = (input ?? {}) as Record<string, unknown>;
  const answered = (body ?? {}) as Record<string, unknown>;
  const ids = [answered.id, sent.alert_id, sent.webhook_id, sent.member_id, sent.key_id, sent.pusher_id];
  const subject = ids.find((id): id is string => typeof id === "string" && WIRE_ID.test(id)) ?? null;
  const channels = [answered.pusher_id, sent.pusher_id, subject].map((id) => parseIdOrNull("psh", String(id)));
  const { status } = answered;
  return {
    pusher_id: channels.find((id) => id !== null) ?? null,
    subject_id: subject,
    status: typeof status === "string" && STATUSES.has(status) ? status : null,
  };
}

/** Writes what there is to be written down; nothing may follow it but the commit. */
export async function writeAuditAndEvents(
  db: SqlEntityManager | Kysely<unknown>,
  lines: ReturnType<typeof createAuditLinePerActor>,
  events: readonly DomainEvent[],
): Promise<void> {
  for (const line of lines.slice(0, -1)) await runStatement(db, insertAdditionalAuditRecord, line);
  const line = lines.at(-1);
  if (line && events.length > 0) await runStatement(db, insertAuditAndEvents, { ...line, ...toEventColumns(events) });
  else if (line) await runStatement(db, insertAudit, line);
  else if (events.length > 0) await runStatement(db, insertEvents, toEventColumns(events));
}

/**
 * Emits subscriber events after changes to subscriptions of these channels, whose rows are locked. For a channel with
 * an event a moment ago, the housekeeping emits it later.
 */
export async function emitSubscriberCounts(
  channels: readonly { pusher_id: string }[],
  ctx: Pick<HandlerContext, "sql" | "emit">,
): Promise<void> {
  const pusher_ids = channels.map(({ pusher_id }) => pusher_id);
  for (const claimed of await ctx.sql(claimSubscriberCountEvents, { pusher_ids }))
    ctx.emit(createSubscriberEvent(claimed));
}
