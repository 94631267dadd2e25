// What accounts are told after the act, whoever did it and whether or not that process still lives: it waits in rows, and whichever
// process comes first locks them, writes the events down with the rows, and tells.

import type { SqlEntityManager } from "@mikro-orm/sql";
import type { DomainEvent } from "../../model/domain/events.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run, type Statement } from "../../store/db/statement.ts";
import { eventRows, insertEvents } from "../../store/queries/events.ts";

export interface TellDeps {
  orm: Orm;
  publish(event: DomainEvent): void;
  now(): Date;
}

/** Writes the events down as the last of the transaction, and hands them on. */
export async function writtenDown(em: SqlEntityManager, events: DomainEvent[]): Promise<DomainEvent[]> {
  if (events.length > 0) await run(em, insertEvents, eventRows(events));
  return events;
}

/** Tells of up to `max` rows that `lock` finds, as `tell` writes them down; answers of how many something waited. */
export async function tellWaiting<Row>(
  { orm, publish }: TellDeps,
  lock: Statement<{ max: number }, Row>,
  max: number,
  tell: (rows: Row[], em: SqlEntityManager) => Promise<DomainEvent[]>,
): Promise<number> {
  const em = orm.em.fork();
  // Nearly always nothing waits, and then nothing is begun.
  if ((await run(em, lock, { max })).length === 0) return 0;
  const { events, waited } = await em.transactional(async (inner) => {
    const rows = await run(inner, lock, { max });
    return { waited: rows.length, events: await tell(rows, inner) };
  });
  for (const event of events) publish(event);
  return waited;
}
