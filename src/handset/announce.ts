// Telling an account that somebody joined or left: the channel and a count (docs/rules.md#events-of-subscribers).

import { showId } from "../model/domain/ids.ts";
import { need } from "../model/need.ts";
import type { Context } from "../store/context.ts";
import { subscriberCounts } from "../store/queries/moving.ts";

type SubscriberEvent = "subscriber.created" | "subscriber.deleted";

export async function announceSubscribers(
  event: SubscriberEvent,
  channel: { id: string; workspace_id: string },
  ctx: Pick<Context, "sql" | "emit">,
): Promise<void> {
  const [row] = await ctx.sql(subscriberCounts, { pusher_ids: [channel.id] });
  announceCount(event, { ...channel, ...need(row, "a count has a row") }, ctx);
}

/** The same where the count is known. */
export function announceCount(
  event: SubscriberEvent,
  { id, workspace_id, subscribers }: { id: string; workspace_id: string; subscribers: number },
  ctx: Pick<Context, "emit">,
): void {
  const data = { pusher_id: showId("psh", id), count: subscribers };
  ctx.emit({ event, workspaceId: workspace_id, data });
}
