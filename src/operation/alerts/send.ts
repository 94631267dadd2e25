// Publishes an existing alert by one statement, which calls of the same moment share
// (docs/decisions/0022-new-alerts-are-inserted-in-batches.md).

import { checkNotExpired } from "../../model/domain/alert_content.ts";
import { eventBody } from "../../model/domain/events.ts";
import { newUuid, showId } from "../../model/domain/ids.ts";
import { notFound } from "../../model/errors.ts";
import { nowMicros, toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import type { Context } from "../../store/context.ts";
import type { AlertRecord } from "../../store/queries/alerts.ts";
import { scope } from "../../store/queries/channels.ts";
import { SENDS, sentBefore } from "../../store/queries/sends.ts";
import { type AlertToChange, alertIds, announce, cellFor, countSend, refuseOther } from "./change.ts";
import { TAKEN } from "./create.ts";
import { settleShown } from "./show.ts";

/**
 * Publishes the alert, or finds it sent; answers it as it is then. The ceiling counts before, since nothing refuses what is written; what
 * was sent already takes nothing of it.
 * @throws 404, 409, 422 for what is over, 429, in this order.
 */
export async function send(path: AlertToChange, ctx: Context): Promise<AlertRecord> {
  const { pusherId, alertId } = alertIds(path);
  const ids = { pusher_id: showId("psh", pusherId), alert_id: showId("alr", alertId) };
  const counted = await countSend(ctx, pusherId).catch((limit: Error) => limit);
  const mayBeSent = !(counted instanceof Error);
  const event = { id: newUuid(), created_at: ctx.now().toISOString() };
  const line = ctx.together.end({ id: ids.alert_id, pusher_id: ids.pusher_id, status: "sent" });
  const asked_at = nowMicros(ctx);
  const alert = { ...scope(pusherId, ctx.caller), id: alertId };
  const row = await ctx.together
    .run(SENDS, {
      ...line,
      ...alert,
      may: mayBeSent,
      expected: expectedOf(path, ctx),
      asked_at,
      audit_id: line.id,
      event_id: event.id,
      event_begins: eventBody({ event: "alert.sent", ...event, data: ids }).slice(0, -"}}".length),
    })
    .catch(async (error) => {
      if (error.code !== TAKEN) throw error;
      // It had been done when the connection was lost that should have said so.
      return (await ctx.sql(sentBefore, { ...alert, event_id: event.id }))[0];
    });
  if (!row) throw notFound("alert");
  if (row.sent) {
    announce(ctx, "alert.sent", row, event);
    return row;
  }
  await settleShown([row], ctx);
  refuseOther(row, path, ctx);
  if (cellFor("send", row).do === "change") {
    checkNotExpired(toIsoMicrosOrNull(row.expires_at), asked_at);
    if (!mayBeSent) throw counted;
  }
  if (mayBeSent) await counted.giveBack();
  // What came due while it was looked at is found sent now.
  return row.status === "sent" ? row : send(path, ctx);
}

/** The versions that both the argument and the header allow; null: any. */
function expectedOf({ expected_updated_at: expected }: AlertToChange, ctx: Context): string[] | null {
  if (expected === undefined) return ctx.conditions.versions && [...ctx.conditions.versions];
  return ctx.conditions.match(expected) ? [expected] : [];
}
