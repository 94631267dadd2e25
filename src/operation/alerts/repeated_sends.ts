// A call without an idempotency key that repeats its credential's last publication. Over MCP and the command line it
// returns the first alert; programs over REST decide for themselves. rules#sent-once

import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import { filterAlertsPublishedByActor, findEqualAlerts } from "../../store/queries/equal_alerts.ts";
import { getChannelScopeSqlParameters } from "../access_checks.ts";
import { createActor } from "../audit_lines.ts";
import { formatAlert } from "./format_alert.ts";

interface Words {
  /** Uuid. */
  pusher_id: string;
  title: string;
  body: string | null;
  send_at: string | null;
}

type Publishing = "create_alert" | "duplicate_alert";

/** Calls by which a send is a repeat: a program's own sends do not stop an assistant's. */
const TRANSPORTS: Record<HandlerContext["onRepeat"], readonly string[]> = {
  answer: ["mcp", "cli"],
  note: ["mcp", "cli", "rest"],
  send: [],
};

const ANSWERED =
  `An identical alert was sent less than ${LIMITS.repeat_seconds} seconds ago, so this one was not sent. To send it ` +
  "anyway, pass a new idempotency_key.";

const noted = (id: string) =>
  `This credential sent ${id} with the same title and text on this channel within the last ${LIMITS.repeat_seconds} ` +
  "seconds. Use an Idempotency-Key to prevent duplicates.";

/**
 * The first of these alerts, newest first, that this credential published within the window, by its id on the wire;
 * null for none.
 */
async function publishedBefore(
  ids: readonly string[],
  operation: Publishing,
  ctx: HandlerContext,
): Promise<string | null> {
  if (ids.length === 0) return null;
  const { actor_id } = createActor(ctx.caller, "rest");
  const subjects = ids.map((id) => formatId("alr", id));
  const found = await ctx.sql(filterAlertsPublishedByActor, {
    subjects,
    actor_id: actor_id ?? "",
    operation,
    transports: TRANSPORTS[ctx.onRepeat],
  });
  const own = new Set(found.map(({ subject_id }) => subject_id));
  return subjects.find((id) => own.has(id)) ?? null;
}

/**
 * The alert that a call repeats, as its answer; null where it is the first. The channel is locked, so repeats wait
 * for one another.
 */
export async function findIdenticalPublishedAlert(
  operation: Publishing,
  { pusher_id, title, body, send_at }: Words,
  ctx: HandlerContext,
) {
  if (ctx.onRepeat !== "answer") return null;
  const equal = await ctx.sql(findEqualAlerts, { pusher_id, title, body, send_at });
  const first = await publishedBefore(
    equal.map(({ id }) => id),
    operation,
    ctx,
  );
  if (first === null) return null;
  const id = parseIdOrNull("alr", first);
  const [alert] = id ? await ctx.sql(readAlert, { ...getChannelScopeSqlParameters(pusher_id, ctx.caller), id }) : [];
  if (!alert) return null;
  ctx.audit({ lines: [] });
  return { ...formatAlert(alert, alert.requested_perms, ctx), note: ANSWERED };
}

/** The note of a new alert; `equal`: the one before it with the same writer and text. */
export const getRepeatedSendNote = (equal: string | null, ctx: HandlerContext): { note?: string } =>
  equal === null || ctx.onRepeat !== "note" ? {} : { note: noted(formatId("alr", equal)) };

/** The same for a copy, which is only a repeat of another copy. */
export async function findRepeatedCopyNote(words: Words, ctx: HandlerContext): Promise<{ note?: string }> {
  if (ctx.onRepeat !== "note") return {};
  const equal = (await ctx.sql(findEqualAlerts, words)).map(({ id }) => id);
  const first = await publishedBefore(equal, "duplicate_alert", ctx);
  return first === null ? {} : { note: noted(first) };
}
