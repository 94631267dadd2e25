// The end of a transaction: who did it, for the audit log, and what happened, for the feed of events. One statement, which
// goes out with the commit, so neither costs an exchange with the database.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import type { DomainEvent } from "../model/domain/events.ts";
import { run } from "../store/db/statement.ts";
import { insertAudit, insertAuditBefore } from "../store/queries/audit.ts";
import { eventRows, insertAuditAndEvents, insertEvents } from "../store/queries/events.ts";
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
