// Telling an account that somebody joined or left: the channel and a count, a second apart at least, whoever comes and goes
// (docs/rules.md#subscriber-events-are-gathered).

import { subscriberEvent } from "../model/domain/events.ts";
import type { Context } from "../store/context.ts";
import { tellSubscribers } from "../store/queries/subscribers.ts";

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
