// The end of a transaction: who did it, for the audit log, and what happened, for the feed, in one statement that goes out with
// the commit. Accounts are told that somebody joined or left a second apart at least
// (docs/rules.md#subscriber-events-are-gathered).

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import { type DomainEvent, subscriberEvent } from "../model/domain/events.ts";
import type { Context } from "../store/context.ts";
import { run } from "../store/db/statement.ts";
import { insertAudit, insertAuditBefore } from "../store/queries/audit.ts";
import { eventRows, insertAuditAndEvents, insertEvents } from "../store/queries/events.ts";
import { tellSubscribers } from "../store/queries/subscribers.ts";
import type { auditLines } from "./audit.ts";

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
