// What is refused for who calls, whatever the operation: rows that the caller does not see, and a role that may not.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { channelUuid, parseId } from "../model/domain/ids.ts";
import { Invite } from "../model/entities/pusher.ts";
import { WebhookEndpoint } from "../model/entities/webhook.ts";
import { forbidden, notFound } from "../model/errors.ts";
import { forBoth } from "../model/for_people.ts";
import type { Caller } from "../store/context.ts";
import { run } from "../store/db/statement.ts";
import { alertExists } from "../store/queries/alerts.ts";
import { scope, visibleChannel } from "../store/queries/channels.ts";

/** 404 for rows that the caller does not see: it comes before a refusal of the role, and on repeats, too. */
async function refuseInvisible(
  em: SqlEntityManager,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<void> {
  if (typeof input.webhook_id === "string") {
    const id = parseId("whk", input.webhook_id);
    if (!id || !(await em.findOne(WebhookEndpoint, { id }))) throw notFound("webhook");
  }
  if (typeof input.pusher_id !== "string") return;
  const what = typeof input.alert_id === "string" ? "alert" : "channel";
  const pusherId = channelUuid(input.pusher_id, what);
  if (!(await run(em, visibleChannel, scope(pusherId, caller)))[0]) throw notFound(what);
  if (typeof input.invite_id === "string") {
    const id = parseId("inv", input.invite_id);
    if (!id || !(await em.findOne(Invite, { id, pusher: pusherId }))) throw notFound("invite");
  }
  if (typeof input.alert_id !== "string") return;
  const alertId = parseId("alr", input.alert_id);
  if (!alertId || !(await run(em, alertExists, { ...scope(pusherId, caller), id: alertId }))[0])
    throw notFound("alert");
}

/** Visibility of the channel that was asked for, and of the one that was made (docs/rules.md#idempotency-keys). */
export async function refuseRepeat(
  em: SqlEntityManager,
  caller: Caller,
  input: Record<string, unknown>,
  first: unknown,
): Promise<void> {
  // The alert that a duplicate was made of may be gone by now, so only the two channels are looked at: its own and the one
  // that it went to.
  const { alert_id: _, to_pusher_id: to, ...channel } = input;
  await refuseInvisible(em, caller, channel);
  if (to !== undefined) await refuseInvisible(em, caller, { pusher_id: to });
  const { id } = first as { id?: unknown };
  const made = typeof id === "string" ? parseId("psh", id) : null;
  if (made && caller.pusherIds && !caller.pusherIds.includes(made))
    throw forbidden(
      forBoth(
        "This credential or its member was restricted since, and does not see what this key made.",
        "You see fewer channels since then, and not what this form made.",
      ),
    );
}

export async function refuseRole(
  em: SqlEntityManager,
  caller: Caller,
  input: Record<string, unknown>,
): Promise<never> {
  await refuseInvisible(em, caller, input);
  throw forbidden(
    forBoth(
      "The member behind this credential has a role that may not do this; ask an owner of the workspace.",
      "Your role may not do this. Ask an owner of the workspace.",
    ),
  );
}
