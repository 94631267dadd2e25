// A call without an idempotency key that publishes what its credential published a moment ago. Over MCP and the command line it is answered
// the first alert; programs over REST decide for themselves. docs/rules.md#sent-once

import { parseId, showId } from "../../model/domain/ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Context } from "../../store/context.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import { scope } from "../../store/queries/channels.ts";
import { equalAlerts, publishedBy } from "../../store/queries/repeats.ts";
import { actorOf } from "../audit.ts";
import { shownWhole } from "./show.ts";

interface Words {
  /** Uuid. */
  pusher_id: string;
  title: string;
  body: string | null;
  send_at: string | null;
}

type Publishing = "create_alert" | "duplicate_alert";

/** Calls by which a send is a repeat: a program's own sends do not stop an assistant's. */
const TRANSPORTS: Record<Context["onRepeat"], readonly string[]> = {
  answer: ["mcp", "cli"],
  note: ["mcp", "cli", "rest"],
  send: [],
};

const ANSWERED = `The same alert was sent less than ${LIMITS.repeat_seconds} seconds ago, so it was not sent again. Pass a new idempotency_key to send it again.`;

const noted = (id: string) =>
  `This credential published ${id} with the same title and text on this channel within the last ${LIMITS.repeat_seconds} seconds. Use an Idempotency-Key, so that a repeated call sends nothing again.`;

/** The one of these alerts that this credential published last within the window, by its id on the wire; null for none. */
async function publishedBefore(
  ids: readonly string[],
  operation: Publishing,
  ctx: Context,
): Promise<string | null> {
  if (ids.length === 0) return null;
  const { actor_id } = actorOf(ctx.caller, "rest");
  const subjects = ids.map((id) => showId("alr", id));
  const [found] = await ctx.sql(publishedBy, {
    subjects,
    actor_id: actor_id ?? "",
    operation,
    transports: TRANSPORTS[ctx.onRepeat],
  });
  return found?.subject_id ?? null;
}

/** The alert that a call repeats, as its answer; null where it is the first. The channel is locked, so repeats wait for one another. */
export async function firstOf(
  operation: Publishing,
  { pusher_id, title, body, send_at }: Words,
  ctx: Context,
) {
  if (ctx.onRepeat !== "answer") return null;
  const equal = await ctx.sql(equalAlerts, { pusher_id, title, body, send_at });
  const first = await publishedBefore(
    equal.map(({ id }) => id),
    operation,
    ctx,
  );
  if (first === null) return null;
  const id = parseId("alr", first);
  const [alert] = id ? await ctx.sql(readAlert, { ...scope(pusher_id, ctx.caller), id }) : [];
  if (!alert) return null;
  ctx.tellEach([]);
  return { ...shownWhole(alert, alert.requested_perms, ctx), note: ANSWERED };
}

/** The note of a new alert with the text of earlier ones; empty unless the same credential published one of them. */
export async function repeatNote(
  equal: readonly string[],
  operation: Publishing,
  ctx: Context,
): Promise<{ note?: string }> {
  const first = ctx.onRepeat === "note" ? await publishedBefore(equal, operation, ctx) : null;
  return first === null ? {} : { note: noted(first) };
}
