// What is refused for who calls, whatever the operation: rows that the caller does not see, and a role that may not.

import type { Kysely } from "kysely";
import type { Caller } from "./context.ts";
import { run } from "./db/statement.ts";
import { channelUuid, parseId } from "./domain/ids.ts";
import { forbidden, notFound } from "./errors.ts";
import { alertExists } from "./queries/alerts.ts";
import { scope, visibleChannel } from "./queries/channels.ts";
import { inviteExists } from "./queries/invites.ts";
import { webhookExists, webhookScope } from "./queries/webhooks.ts";

/** 404 for rows that the caller does not see: it comes before a refusal of the role, and on repeats, too. */
async function refuseInvisible(
  db: Kysely<unknown>,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<void> {
  if (typeof input.webhook_id === "string") {
    const webhookId = parseId("whk", input.webhook_id);
    const found = webhookId && (await run(db, webhookExists, [...webhookScope(caller), webhookId]))[0];
    if (!found) throw notFound("webhook");
  }
  if (typeof input.pusher_id !== "string") return;
  const pusherId = channelUuid(input.pusher_id);
  const what = typeof input.alert_id === "string" ? "alert" : "channel";
  if (!(await run(db, visibleChannel, scope(pusherId, caller)))[0]) throw notFound(what);
  if (typeof input.invite_id === "string") {
    const inviteId = parseId("inv", input.invite_id);
    if (!inviteId || !(await run(db, inviteExists, [pusherId, inviteId]))[0]) throw notFound("invite");
  }
  if (typeof input.alert_id !== "string") return;
  const alertId = parseId("alr", input.alert_id);
  if (!alertId || !(await run(db, alertExists, [...scope(pusherId, caller), alertId]))[0])
    throw notFound("alert");
}

/** Visibility of the channel that was asked for, and of the one that was made (docs/rules.md#idempotency-keys). */
export async function refuseRepeat(
  db: Kysely<unknown>,
  caller: Caller,
  input: Record<string, unknown>,
  first: unknown,
): Promise<void> {
  // What a duplicate was made of may be gone by now: only the channels are looked at, the one that it went to as well.
  const { alert_id: _, to_pusher_id: to, ...channel } = input;
  await refuseInvisible(db, caller, channel);
  if (to !== undefined) await refuseInvisible(db, caller, { pusher_id: to });
  const { id } = first as { id?: unknown };
  const made = typeof id === "string" ? parseId("psh", id) : null;
  if (made && caller.pusherIds && !caller.pusherIds.includes(made))
    throw forbidden(
      "This credential or its member was restricted since, and does not see what this key made.",
    );
}

export async function refuseRole(
  db: Kysely<unknown>,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<never> {
  await refuseInvisible(db, caller, input);
  throw forbidden(
    "The member behind this credential has a role that may not do this; ask an owner of the workspace.",
  );
}
