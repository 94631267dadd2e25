import { z } from "zod";
import { notFound } from "../src/model/api_error.ts";
import { checkAlertNotExpired } from "../src/model/domain/alert_validation.ts";
import { serializeEvent } from "../src/model/domain/domain_events.ts";
import { formatId, newUuid } from "../src/model/domain/type_ids.ts";
import { getNowIsoMicros, toIsoMicrosOrNull } from "../src/model/fields/sql_statement_types.ts";
import { getChannelScopeSqlParameters } from "../src/operation/access_checks.ts";
import {
  ALERT_SEND_LIMIT,
  type AlertPathWithExpectedVersion,
  checkExpectedAlertVersion,
  countAgainstSendLimit,
  emitAlertEvent,
  formatVerbAnswer,
  getAlertTransition,
  parseAlertPathIds,
} from "../src/operation/alerts/alert_verb_helpers.ts";
import { publishDueAlertsInRows } from "../src/operation/alerts/format_alert.ts";
import { UNIQUE_VIOLATION } from "../src/operation/alerts/insert_alert.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import type { HandlerContext } from "../src/store/handler_context.ts";
import type { AlertRecord } from "../src/store/queries/alerts.ts";
import { findPublishResult, PUBLISH_STATEMENT_VARIANTS } from "../src/store/queries/create_and_publish_alerts.ts";
import {
  alertStatusChangeBriefAnswer,
  alertStatusChangeSchema,
  alertViewParameter,
} from "../src/store/response_schemas/alert_schemas.ts";
import {
  channelIdParameter,
  expectedVersion,
  pathId,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "send_alert",
  title: "Send alert",
  description:
    "Publish a draft or scheduled alert to all subscribers now. Check it with get_alert first: this cannot be undone.",
  scope: "alerts:send",
  leadsToReview: true,
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}/alerts/{alertId}", status: 200, when: { action: "send" } },
  limit: ALERT_SEND_LIMIT,
  errors: ["invalid_request", "forbidden", "not_found", "conflict", "rate_limited"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    alert_id: pathId("alr_…"),
    expected_updated_at: expectedVersion(),
    view: alertViewParameter,
  }),
  returnsText: true,
  output: alertStatusChangeSchema,
  brief: alertStatusChangeBriefAnswer,
  // Its conditions, the change, the line of the audit log and the event.
  isOneStatement: () => true,
  handler: async (input, ctx) => formatVerbAnswer("send", await publishAlert(input, ctx), ctx),
});

/**
 * Publishes the alert, or finds it sent, and returns it. The send is counted first, because a written alert is never
 * refused. The count of an alert that was sent before is refunded.
 * @throws 404, 409, 422 for an expired one, 429, in this order
 */
async function publishAlert(path: AlertPathWithExpectedVersion, ctx: HandlerContext): Promise<AlertRecord> {
  const { pusherId, alertId } = parseAlertPathIds(path);
  const ids = { pusher_id: formatId("psh", pusherId), alert_id: formatId("alr", alertId) };
  const counted = await countAgainstSendLimit(ctx, pusherId).catch((limit: Error) => limit);
  const mayBeSent = !(counted instanceof Error);
  const event = { id: newUuid(), created_at: ctx.now().toISOString() };
  const line = ctx.sqlBatched.auditInStatement({ id: ids.alert_id, pusher_id: ids.pusher_id, status: "sent" });
  const asked_at = getNowIsoMicros(ctx);
  const alert = { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId };
  const expected = expectedOf(path, ctx);
  const findWritten = async () => (await ctx.sql(findPublishResult, { ...alert, event_id: event.id }))[0];
  const found = await ctx.sqlBatched
    .run(PUBLISH_STATEMENT_VARIANTS, {
      ...line,
      ...alert,
      may: mayBeSent,
      expected,
      asked_at,
      audit_id: line.id,
      event_id: event.id,
      event_begins: serializeEvent({ event: "alert.sent", ...event, data: ids }).slice(0, -"}}".length),
    })
    .catch(async (error) => {
      if (error.code !== UNIQUE_VIOLATION) throw error;
      // The alert was published before the connection was lost.
      return findWritten();
    });
  // The same, where the statement expected the version that its first run has replaced, and so wrote no audit line.
  const row = expected && found?.status === "sent" && !found.sent ? await findWritten() : found;
  if (!row) throw notFound("alert");
  if (row.sent) {
    emitAlertEvent(ctx, "alert.sent", row, event);
    return row;
  }
  await publishDueAlertsInRows([row], ctx);
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
function expectedOf(
  { expected_updated_at: expected }: AlertPathWithExpectedVersion,
  ctx: HandlerContext,
): string[] | null {
  if (expected === undefined) return ctx.conditions.versions && [...ctx.conditions.versions];
  return ctx.conditions.match(expected) ? [expected] : [];
}
