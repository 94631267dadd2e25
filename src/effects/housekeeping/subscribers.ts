// Tells accounts what their channels' subscribers came to while they could not be told: a second after the last event, whoever
// wrote it and whether or not that process still lives (docs/rules.md#subscriber-events-are-gathered).

import type { SqlEntityManager } from "@mikro-orm/sql";
import { type DomainEvent, subscriberEvent } from "../../model/domain/events.ts";
import { newUuid } from "../../model/domain/ids.ts";
import { run } from "../../store/db/statement.ts";
import { lockUntold, tellSubscribers } from "../../store/queries/subscribers.ts";
import { type TellDeps, tellWaiting, writtenDown } from "./waiting.ts";

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
  return writtenDown(em, events);
}

/** Tells of up to `max` channels of which something waits, and answers of how many something waited. */
export const tellUntold = (deps: TellDeps, max: number): Promise<number> =>
  tellWaiting(deps, lockUntold, max, (channels, em) => tell(channels, em, deps.now()));
