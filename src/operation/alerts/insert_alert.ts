// A new alert is one statement, with its audit line, its event and its idempotency key.

import { type DomainEvent, serializeEvent } from "../../model/domain/domain_events.ts";
import { getSearchWords } from "../../model/domain/search_terms.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import type { AlertFields } from "../../model/fields/alert.ts";
import { getNowIsoMicros, toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { countCodePoints } from "../../model/fields/value_schemas.ts";
import type { AlertStatus } from "../../model/tables/alert.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import { readAlert } from "../../store/queries/alerts.ts";
import { CREATE_STATEMENT_VARIANTS, type CreatedAlert } from "../../store/queries/create_and_publish_alerts.ts";
import type { getChannelScopeSqlParameters } from "../access_checks.ts";
import { IdempotencyKeyUsedError } from "../idempotency.ts";
import { emitAlertEvent } from "./alert_verb_helpers.ts";
import { formatAlert } from "./format_alert.ts";
import { getRepeatedSendNote } from "./repeated_sends.ts";

type Alert = AlertFields &
  ReturnType<typeof getChannelScopeSqlParameters> & {
    id: string;
    status: Exclude<AlertStatus, "cancelled" | "repeating">;
  };

/** There is one of this id. */
export const UNIQUE_VIOLATION = "23505";

const USED: CreatedAlert = {
  position: 1,
  active: true,
  requested_perms: [],
  at: "",
  repeated: true,
  equal: null,
  id: null,
};

/** Adds the values to a response that only the statement knows. */
export function completeAnswerFromInsertedRow(kept: unknown, given: unknown) {
  const answer = kept as ReturnType<typeof formatAlert>;
  const { at, requested_perms } = given as Pick<CreatedAlert, "at" | "requested_perms">;
  const instant = toIsoMicros(at);
  return {
    ...answer,
    sent_at: answer.sent_at && instant,
    created_at: instant,
    updated_at: instant,
    notes: answer.notes.filter(({ capability }) => !(requested_perms as readonly string[]).includes(capability)),
  };
}

/**
 * Writes an alert, and returns it; undefined if its channel is not visible, and without a result if the channel is not
 * active. @throws IdempotencyKeyUsedError.
 */
export async function writeNewAlert(alert: Alert, ctx: HandlerContext) {
  const { id, pusher_id, status } = alert;
  const event: DomainEvent | null =
    status === "draft" ? null : emitAlertEvent(ctx, `alert.${status}`, { ...alert, sent_at: null });
  const line = ctx.sqlBatched.auditInStatement({
    id: formatId("alr", id),
    pusher_id: formatId("psh", pusher_id),
    status,
  });
  const now = getNowIsoMicros(ctx);
  const sent_at = status === "sent" ? now : null;
  const record = {
    ...alert,
    due: false,
    html_length: countCodePoints(alert.html ?? ""),
    sent_at,
    cancelled_at: null,
    series_id: null,
    occurs_at: null,
    created_at: now,
    updated_at: now,
  };
  const kept = formatAlert(record, [], ctx);
  const eventColumns = { event_id: event?.id ?? null, event_body: event && serializeEvent(event) };
  let created = await ctx.sqlBatched
    .run(CREATE_STATEMENT_VARIANTS, {
      ...line,
      ...alert,
      ...eventColumns,
      ...ctx.sqlBatched.idempotencyInStatement(kept),
      words: getSearchWords(alert.title, alert.body),
      audit_id: line.id,
    })
    .catch((error) => {
      if (error.code !== UNIQUE_VIOLATION) throw error;
      return USED;
    });
  if (created?.repeated) {
    // The alert was written before the connection was lost, or another call used the key.
    const [found] = await ctx.sql(readAlert, alert);
    if (!found) throw new IdempotencyKeyUsedError();
    created = { ...USED, ...found, at: found.created_at };
  }
  if (!created) return undefined;
  if (created.id && event && sent_at) event.data.sent_at = toIsoMicros(created.at);
  if (created.id === null) return { ...created, answer: null };
  return {
    ...created,
    answer: { ...completeAnswerFromInsertedRow(kept, created), ...getRepeatedSendNote(created.equal, ctx) },
  };
}
