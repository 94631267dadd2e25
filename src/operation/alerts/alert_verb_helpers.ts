// Shared by all verbs on an existing alert: find and lock it, look up what the verb does in its status, and announce
// the change. Also: which fields of an edit are compared, and what the history keeps and shows of them.

import { isDeepStrictEqual } from "node:util";
import { createApiAndUiText } from "../../model/api_and_ui_error_texts.ts";
import { conflict, insufficientScope, notFound } from "../../model/api_error.ts";
import {
  ALERT_VERB_OUTCOMES_BY_STATUS,
  type AlertEventName,
  type AlertVerb,
  CHANNEL_NOT_ACTIVE,
  createTransitionError,
  VERB_NOTES,
  VERBS_NEEDING_ACTIVE_CHANNEL,
} from "../../model/domain/alert_transitions.ts";
import { createAlertEventData, type DomainEvent, type EVENT_ALERT_FIELDS } from "../../model/domain/domain_events.ts";
import { formatApprovalRequiredMessage } from "../../model/domain/review_url_and_decision.ts";
import { formatId, parseChannelId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { ALERT_FIELDS, type AlertFields } from "../../model/fields/alert.ts";
import { getFieldNames } from "../../model/fields/field_table.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Caller, HandlerContext } from "../../store/handler_context.ts";
import { type AlertEditRecord, type AlertRecord, lockAlert, type PreviousValues } from "../../store/queries/alerts.ts";
import { publishDueAlerts } from "../../store/queries/inbox.ts";
import { toAlertView } from "../../store/response_schemas/alert_schemas.ts";
import { getChannelScopeSqlParameters, getMissingPublishScopes, getMissingWithdrawScopes } from "../access_checks.ts";
import { getAlertReviewUrl } from "./format_alert.ts";

interface AlertPath {
  pusher_id: string;
  alert_id: string;
}

/** The alert that a call shall change, and the version of it that the caller has in mind. */
export interface AlertPathWithExpectedVersion extends AlertPath {
  expected_updated_at?: string | undefined;
}

const changedMessage = (version: string) =>
  createApiAndUiText(
    "The alert has changed and is no longer the version that you expected. Read it with get_alert, then retry with " +
      `its current updated_at (or ETag over REST): ${version}.`,
    "The alert has changed since you opened it. Review it again before you decide.",
  );

/** The number of due alerts of a channel that a change of one also publishes. */
const SETTLED = 500;

/**
 * Returns the UUIDs of a path.
 * @throws 404 for a text that is not such an id
 */
export function parseAlertPathIds(path: AlertPath): { pusherId: string; alertId: string } {
  const pusherId = parseChannelId(path.pusher_id, "alert");
  const alertId = parseIdOrNull("alr", path.alert_id);
  if (!alertId) throw notFound("alert");
  return { pusherId, alertId };
}

/**
 * Returns the alert, locked until the end of the transaction, and published if it is due. The expected version is
 * compared here for every verb, with the row locked (rules#expected-version).
 * @throws 404 if the caller cannot see it; 409 for another version
 */
export async function loadLockedAlert(path: AlertPathWithExpectedVersion, ctx: HandlerContext) {
  const { pusherId, alertId } = parseAlertPathIds(path);
  const [alert] = await ctx.sql(lockAlert, { ...getChannelScopeSqlParameters(pusherId, ctx.caller), id: alertId });
  if (!alert) throw notFound("alert");
  checkExpectedAlertVersion(alert, path, ctx);
  // If the rest of the change fails, they are still due. A push notification only means that the inbox may have
  // changed.
  if (alert.due) ctx.services.notifyDue(await ctx.sql(publishDueAlerts, { channels: [pusherId], limit: SETTLED }));
  return { alert, pusherId };
}

/** @throws 409 when the alert is another version than the caller expects. */
export function checkExpectedAlertVersion(
  alert: AlertRecord,
  { expected_updated_at }: AlertPathWithExpectedVersion,
  ctx: HandlerContext,
): void {
  const version = toIsoMicros(alert.updated_at);
  if ((expected_updated_at ?? version) !== version || !ctx.conditions.match(version))
    throw conflict("version_conflict", changedMessage(version));
}

/**
 * Returns the transition of a verb.
 * @throws 409 if the channel is not active or the status refuses the verb
 */
export function getAlertTransition(
  verb: AlertVerb,
  { active, status }: { active: boolean; status: AlertRecord["status"] },
) {
  if (!active && VERBS_NEEDING_ACTIVE_CHANNEL.has(verb)) throw conflict("channel_not_active", CHANNEL_NOT_ACTIVE);
  const cell = ALERT_VERB_OUTCOMES_BY_STATUS[status][verb];
  if (cell.do === "refuse") throw createTransitionError(cell);
  return cell;
}

/**
 * Returns the locked alert and the transition of a verb.
 * @throws like `loadLockedAlert`; 409 if the channel is not active or the status refuses the verb
 */
export async function lockAlertForVerb(verb: AlertVerb, path: AlertPathWithExpectedVersion, ctx: HandlerContext) {
  const { alert, pusherId } = await loadLockedAlert(path, ctx);
  return { alert, cell: getAlertTransition(verb, alert), pusherId };
}

/**
 * Checks the scope for editing a scheduled alert, which changes the published text (rules#composing-is-not-publishing).
 * It uses the locked row, so an edit that waited for another caller's schedule is also checked.
 * @throws 403 insufficient_scope
 */
export function requireScopeToEditScheduled(
  alert: AlertRecord,
  sent: { send_at?: string | null },
  ctx: HandlerContext,
): void {
  if (alert.status === "draft" || sent.send_at === null) return;
  const missing = getMissingPublishScopes(ctx.caller);
  if (missing === null) return;
  const review = { pusher_id: formatId("psh", alert.pusher_id), alert_id: formatId("alr", alert.id) };
  const page = getAlertReviewUrl(alert, ctx) ?? ctx.services.publicUrl;
  if (missing.length === 0) throw insufficientScope(missing, formatApprovalRequiredMessage(page), review);
  throw insufficientScope(
    missing,
    "Editing a scheduled alert requires the scope alerts:send. Use a credential that has it, set send_at to null to " +
      `return the alert to draft, or ask a person to edit it in the console: ${page}`,
    review,
  );
}

/**
 * Deleting a scheduled alert withdraws it, as cancelling does (rules#delete-scheduled).
 * @throws 403 insufficient_scope.
 */
export function requireScopeToDeleteScheduled(alert: AlertRecord, ctx: HandlerContext): void {
  if (alert.status !== "scheduled") return;
  const missing = getMissingWithdrawScopes(ctx.caller);
  if (missing === null) return;
  throw insufficientScope(
    missing,
    "Deleting a scheduled alert also withdraws it, which requires the scope alerts:send. Use a credential that has " +
      `it, or ask a person to delete it in the console: ${getAlertReviewUrl(alert, ctx)}`,
  );
}

/** Returns the response of send, schedule and cancel: the current alert, and the note of the verb. */
export function formatVerbAnswer(verb: keyof typeof VERB_NOTES, record: AlertRecord, ctx: HandlerContext) {
  return { ...toAlertView(record, ctx.services.assets), note: VERB_NOTES[verb] };
}

/** The fields of an alert in events. `sent_at` is the last, where the statement of a new alert finds it. */
type Announced = Pick<AlertRecord, "id" | "pusher_id" | "status" | "sent_at" | keyof typeof EVENT_ALERT_FIELDS>;

/**
 * Announces a change of an alert with the data that receivers plan from. `written`: what a statement has written of
 * the event.
 */
export function emitAlertEvent(
  ctx: HandlerContext,
  event: AlertEventName,
  record: Announced,
  written: Partial<Pick<DomainEvent, "id" | "created_at">> = {},
): DomainEvent {
  if (event === "alert.sent") ctx.markChanged([record.pusher_id]);
  return ctx.emit({ ...written, event, data: createAlertEventData(record) });
}

/** Returns the audit entry of an alert, for a call that changed several. */
export const toAuditSubject = ({ id, pusher_id, status }: Pick<AlertRecord, "id" | "pusher_id" | "status">) => ({
  id: formatId("alr", id),
  pusher_id: formatId("psh", pusher_id),
  status,
});

/** Counts a send, as its last check. Calls of a workspace count only for its own channels, with any id. */
export const countAgainstSendLimit = (
  ctx: HandlerContext,
  pusherId: string,
): ReturnType<HandlerContext["countAgainstLimit"]> => ctx.countAgainstLimit(getSendLimitSubject(ctx.caller, pusherId));

/** The subject under which the sends of a channel are counted. */
export const getSendLimitSubject = ({ workspace }: Pick<Caller, "workspace">, pusherId: string): string =>
  `${workspace.id}/${pusherId}`;

export const ALERT_SEND_LIMIT = {
  name: "alert-sends",
  per: "pusher",
  max: LIMITS.sends,
  seconds: LIMITS.window_seconds,
} as const;

/**
 * All fields that do not follow from the texts. An edit after a reviewer's reply removes the reply, and so keeps it
 * here.
 */
const COMPARED = getFieldNames(ALERT_FIELDS).filter((name) => name !== "blocked");

/**
 * Returns the previous values of the fields that an edit changes. Both are rows with UTC times, so file ids are UUIDs.
 */
export function getReplacedValues(
  stored: { [N in keyof AlertFields]?: AlertFields[N] | undefined },
  fields: AlertFields,
): PreviousValues {
  const changed = COMPARED.filter((name) => !isDeepStrictEqual(stored[name] ?? null, fields[name]));
  return Object.fromEntries(changed.map((name) => [name, stored[name] ?? null]));
}

const toWireValue = (name: string, value: unknown): unknown =>
  name.endsWith("_asset_id") && typeof value === "string" ? formatId("ast", value) : value;

/**
 * Returns the changes of each stored edit, newest first, in the form of responses. `current` is the alert as get_alert
 * shows it; each edit changed the state before the next one. Sending clears `send_at`, so its former value is not
 * listed for a sent alert.
 */
export function formatAlertEdits(current: Readonly<Record<string, unknown>>, rows: readonly AlertEditRecord[]) {
  const { send_at, ...others } = current;
  const after: Record<string, unknown> = current.status === "sent" ? others : { ...others, send_at };
  return rows.map(({ updated_at, previous_values }) => {
    const fields = COMPARED.filter((name) => Object.hasOwn(previous_values, name)).map((name) => {
      const before = toWireValue(name, previous_values[name]);
      const field = { name: name as string, before, after: after[name] };
      after[name] = before;
      return field;
    });
    return {
      updated_at: toIsoMicros(updated_at),
      fields: fields.filter(({ name, after }) => name !== "review_reply" && after !== undefined),
      replied_to: (previous_values.review_reply ?? null) as string | null,
    };
  });
}
