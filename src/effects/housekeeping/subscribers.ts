// Tells accounts what their channels' subscribers came to while they could not be told: a second after the last event, whoever
// wrote it and whether or not that process still lives (docs/rules.md#subscriber-events-are-gathered).

import type { SqlEntityManager } from "@mikro-orm/sql";
import { type DomainEvent, subscriberEvent } from "../../model/domain/events.ts";
import { newUuid } from "../../model/domain/ids.ts";
import type { Orm } from "../../store/db/orm.ts";
import { run } from "../../store/db/statement.ts";
import { eventRows, insertEvents } from "../../store/queries/events.ts";
import { lockUntold, tellSubscribers } from "../../store/queries/subscribers.ts";

/** What is to be told now of channels that are locked, written down as the last of the transaction. */
export async function tell(
  channels: readonly { pusher_id: string }[],
  em: SqlEntityManager,
  at: Date,
): Promise<DomainEvent[]> {
  const told = await run(em, tellSubscribers, { pusher_ids: channels.map(({ pusher_id }) => pusher_id) });
  const events = told.map((one) => ({
    id: newUuid(),
    created_at: at.toISOString(),
    listening: true,
    ...subscriberEvent(one),
  }));
  if (events.length > 0) await run(em, insertEvents, eventRows(events));
  return events;
}

/** Tells of up to `max` channels of which something waits, and answers of how many something waited. */
export async function tellUntold(
  { orm, publish, now }: { orm: Orm; publish(event: DomainEvent): void; now(): Date },
  max: number,
): Promise<number> {
  const em = orm.em.fork();
  // Nearly always nothing waits, and then nothing is begun.
  if ((await run(em, lockUntold, { max })).length === 0) return 0;
  const { events, waited } = await em.transactional(async (inner) => {
    const channels = await run(inner, lockUntold, { max });
    return { waited: channels.length, events: await tell(channels, inner, now()) };
  });
  for (const event of events) publish(event);
  return waited;
}
