// Telling an account that somebody joined or left: the channel and a count (docs/rules.md#events-of-subscribers).

import type { Context } from "../context.ts";
import { showId } from "../domain/ids.ts";
import { subscriberCount } from "../queries/handset.ts";

export async function announceSubscribers(
  event: "subscriber.created" | "subscriber.deleted",
  channel: { id: string; workspace_id: string },
  ctx: Pick<Context, "sql" | "emit">,
): Promise<void> {
  const [row] = await ctx.sql(subscriberCount, { pusher_id: channel.id });
  const data = { pusher_id: showId("psh", channel.id), count: row!.subscribers };
  ctx.emit({ event, workspaceId: channel.workspace_id, data });
}
