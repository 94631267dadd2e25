// An alert that was shown to its owner as sent stays sent, as it does for handsets.

import type { Context } from "../../store/context.ts";
import type { AlertRecord } from "../../store/queries/alert_columns.ts";

/** Settles what these rows show as sent though it is only due. The rows stay as they were read. */
export async function settleShown(rows: AlertRecord[], ctx: Context): Promise<void> {
  const channels = new Set(rows.filter(({ due }) => due).map(({ pusher_id }) => pusher_id));
  if (channels.size > 0) await ctx.services.settle([...channels]);
}
