// Publishes an existing alert by one statement, which calls of the same moment share
// (docs/decisions/0022-new-alerts-are-inserted-in-batches.md).

import { notFound } from "../../model/api_error.ts";
import { checkAlertNotExpired } from "../../model/domain/alert_validation.ts";
import { serializeEvent } from "../../model/domain/domain_events.ts";
import { formatId, newUuid } from "../../model/domain/type_ids.ts";
import { getNowIsoMicros, toIsoMicrosOrNull } from "../../model/fields/postgres_types.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import type { AlertRecord } from "../../store/queries/alerts.ts";
import { channelScopeParameters } from "../../store/queries/channels.ts";
import { findPublished, PUBLISH_ALERT_STATEMENTS } from "../../store/queries/create_and_publish_alerts.ts";
import {
  type AlertToChange,
  checkExpectedAlertVersion,
  countSend,
  emitAlertEvent,
  getAlertTransition,
  parseAlertPathIds,
} from "./change_alert.ts";
import { publishDueShown } from "./format_alert.ts";
import { UNIQUE_VIOLATION } from "./insert_alert.ts";

/**
 * Publishes the alert, or finds it sent, and returns it. The rate limit counts before, because a written alert is never
 * refused; a sent one uses nothing of it.
 * @throws 404, 409, 422 for an expired one, 429, in this order
 */
export async function publishAlert(path: AlertToChange, ctx: HandlerContext): Promise<AlertRecord> {
  const { pusherId, alertId } = parseAlertPathIds(path);
  const ids = { pusher_id: formatId("psh", pusherId), alert_id: formatId("alr", alertId) };
  const counted = await countSend(ctx, pusherId).catch((limit: Error) => limit);
  const mayBeSent = !(counted instanceof Error);
  const event = { id: newUuid(), created_at: ctx.now().toISOString() };
  const line = ctx.sqlBatched.auditInStatement({ id: ids.alert_id, pusher_id: ids.pusher_id, status: "sent" });
  const asked_at = getNowIsoMicros(ctx);
  const alert = { ...channelScopeParameters(pusherId, ctx.caller), id: alertId };
  const row = await ctx.sqlBatched
    .run(PUBLISH_ALERT_STATEMENTS, {
      ...line,
      ...alert,
      may: mayBeSent,
      expected: expectedOf(path, ctx),
      asked_at,
      audit_id: line.id,
      event_id: event.id,
      event_begins: serializeEvent({ event: "alert.sent", ...event, data: ids }).slice(0, -"}}".length),
    })
    .catch(async (error) => {
      if (error.code !== UNIQUE_VIOLATION) throw error;
      // The alert was published before the connection was lost.
      return (await ctx.sql(findPublished, { ...alert, event_id: event.id }))[0];
    });
  if (!row) throw notFound("alert");
  if (row.sent) {
    emitAlertEvent(ctx, "alert.sent", row, event);
    return row;
  }
  await publishDueShown([row], ctx);
  checkExpectedAlertVersion(row, path, ctx);
  if (getAlertTransition("send", row).do === "change") {
    checkAlertNotExpired(toIsoMicrosOrNull(row.expires_at), asked_at);
    if (!mayBeSent) throw counted;
  }
  if (mayBeSent) await counted.refund();
  // An alert that became due during the check is found as sent now.
  return row.status === "sent" ? row : publishAlert(path, ctx);
}

/** The versions that both the argument and the header allow; null: any. */
function expectedOf({ expected_updated_at: expected }: AlertToChange, ctx: HandlerContext): string[] | null {
  if (expected === undefined) return ctx.conditions.versions && [...ctx.conditions.versions];
  return ctx.conditions.match(expected) ? [expected] : [];
}
