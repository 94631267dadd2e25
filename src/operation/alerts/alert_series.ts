// The effects of verbs on a repeating alert and its occurrences (docs/decisions/0033-each-occurrence-is-an-alert.md).
// The alert and its channel are locked.

import { createApiAndUiText } from "../../model/api_and_ui_error_texts.ts";
import { conflict, invalidRequest } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { findNextOccurrences, planSeriesFill } from "../../model/domain/occurrences.ts";
import { endRecurrenceBefore } from "../../model/fields/recurrence_rule.ts";
import { getNowIsoMicros, toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import type { HandlerContext } from "../../store/handler_context.ts";
import {
  applySeriesToOccurrences,
  cancelOccurrenceAndFollowing,
  cancelPlannedOccurrences,
  convertDraftToSeries,
  countRepeating,
  createOccurrences,
  deletePlannedOccurrences,
  readSeriesRecurrence,
  resetPlannedOccurrences,
} from "../../store/queries/alert_series.ts";
import type { AlertRecord, PreviousValues } from "../../store/queries/alerts.ts";
import { countAgainstSendLimit, emitAlertEvent, toAuditSubject } from "./alert_verb_helpers.ts";

async function fill({ id, recurrence, send_at }: AlertRecord, filled_until: string | null, ctx: HandlerContext) {
  const series = {
    series_id: id,
    recurrence: assertDefined(recurrence, "a series has a rule"),
    send_at: assertDefined(send_at, "a series has a start"),
    filled_until,
  };
  const items = [planSeriesFill(series, ctx.now().getTime())];
  for (const made of await ctx.sql(createOccurrences, { items })) emitAlertEvent(ctx, "alert.scheduled", made);
}

/** @throws 422 for a rule that names no time to come, or too many. */
function checkTimes(recurrence: string | null, sendAt: string, ctx: HandlerContext): void {
  if (recurrence === null) return;
  findNextOccurrences(recurrence, {
    sendAt: Date.parse(toIsoMicros(sendAt)),
    now: ctx.now().getTime(),
    most: LIMITS.occurrences_ahead,
  });
}

/**
 * Makes a draft that has a rule a series, with its first occurrences. Counts as a send, also when it is refused.
 * @throws 409, 422, 429.
 */
export async function startAlertSeries(
  alert: AlertRecord,
  { send_at, previous_values }: { send_at: string; previous_values: PreviousValues | null },
  ctx: HandlerContext,
): Promise<AlertRecord> {
  const [count] = await ctx.sql(countRepeating, alert);
  if ((count?.repeating ?? 0) >= LIMITS.repeating)
    throw conflict(
      "quota_reached",
      `This channel already has the maximum of ${LIMITS.repeating} repeating alerts. Cancel one of them first.`,
    );
  // A rule costs milliseconds also when it is refused, so it is counted first (rules#recurrence-cost).
  const counted = await countAgainstSendLimit(ctx, alert.pusher_id);
  counted.keep();
  checkTimes(alert.recurrence, send_at, ctx);
  const [after] = await ctx.sql(convertDraftToSeries, { id: alert.id, send_at, previous_values });
  const series = assertDefined(after, "the draft is locked");
  await fill(series, null, ctx);
  return series;
}

const cancelled = (rows: readonly AlertRecord[], ctx: HandlerContext) => {
  for (const row of rows) emitAlertEvent(ctx, "alert.cancelled", { ...row, status: "cancelled" });
};

/**
 * After an edit of a series: what is planned of it follows. @throws 422 for a rule that names no time to come, or too
 * many.
 */
export async function syncOccurrencesWithSeries(
  before: AlertRecord,
  after: AlertRecord,
  ctx: HandlerContext,
): Promise<void> {
  if (after.status === "draft") return cancelled(await ctx.sql(deletePlannedOccurrences, { id: after.id }), ctx);
  const sendAt = assertDefined(after.send_at, "a series has a start");
  await ctx.sql(applySeriesToOccurrences, { id: after.id });
  if (before.recurrence !== after.recurrence || before.send_at !== sendAt) {
    checkTimes(after.recurrence, sendAt, ctx);
    cancelled(await ctx.sql(resetPlannedOccurrences, { id: after.id }), ctx);
    await fill(after, getNowIsoMicros(ctx), ctx);
  }
}

/** Cancels the planned occurrences of a series that ends. */
export async function cancelSeriesOccurrences({ id }: AlertRecord, ctx: HandlerContext): Promise<AlertRecord[]> {
  const rows = await ctx.sql(cancelPlannedOccurrences, { id });
  cancelled(rows, ctx);
  return rows;
}

/**
 * Cancels an occurrence and all later ones, and returns it.
 * @throws 422 if it is not an occurrence
 */
export async function cancelOccurrencesFrom(alert: AlertRecord, ctx: HandlerContext): Promise<AlertRecord> {
  const { series_id, occurs_at } = alert;
  const [series] = series_id === null ? [] : await ctx.sql(readSeriesRecurrence, { id: series_id });
  if (series_id === null || occurs_at === null || !series?.recurrence)
    throw invalidRequest(
      "misplaced_field",
      createApiAndUiText(
        "The field “following” is only allowed for occurrences of a repeating alert. Omit it.",
        "This alert does not repeat, so it has no later occurrences.",
      ),
      "following",
    );
  const rows = await ctx.sql(cancelOccurrenceAndFollowing, {
    id: series_id,
    occurs_at,
    recurrence: endRecurrenceBefore(series.recurrence, Date.parse(toIsoMicros(occurs_at))),
  });
  cancelled(rows, ctx);
  ctx.audit({ lines: rows.map(toAuditSubject) });
  return rows.find(({ id }) => id === alert.id) ?? alert;
}
