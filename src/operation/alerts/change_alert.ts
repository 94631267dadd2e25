// Shared by all verbs on an existing alert: find and lock it, look up what the verb does in its status, and announce
// the change. Also: which fields of an edit are compared, and what the history keeps and shows of them.

import { isDeepStrictEqual } from "node:util";
import { conflict, insufficientScope, notFound } from "../../model/api_error.ts";
import { formatApprovalMessage } from "../../model/domain/alert_review.ts";
import {
  ALERT_TRANSITIONS,
  type AlertEvent,
  type AlertVerb,
  CHANNEL_NOT_ACTIVE,
  NEEDS_ACTIVE_CHANNEL,
  refusalOf,
  VERB_NOTES,
} from "../../model/domain/alert_status.ts";
import { createAlertEventData, type DomainEvent, type EVENT_ALERT_FIELDS } from "../../model/domain/domain_events.ts";
import { formatId, parseChannelId, parseId } from "../../model/domain/type_ids.ts";
import { forBoth } from "../../model/error_messages.ts";
import { ALERT_FIELDS, type AlertFields } from "../../model/fields/alert.ts";
import { getFieldNames } from "../../model/fields/field_table.ts";
import { toIsoMicros } from "../../model/fields/timestamp_columns.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Caller, Context } from "../../store/handler_context.ts";
import { type AlertRecord, type ChangeRecord, lockAlert, type PreviousValues } from "../../store/queries/alerts.ts";
import { channelScopeParameters } from "../../store/queries/channels.ts";
import { publishDueAlerts } from "../../store/queries/inbox.ts";
import { showAlert } from "../../store/schemas/alert_schemas.ts";
import { getMissingPublishScopes, getMissingWithdrawScopes } from "../scope_checks.ts";
import { getAlertReviewUrl } from "./format_alert.ts";

interface AlertPath {
  pusher_id: string;
  alert_id: string;
}

/** The alert that a call shall change, and the version of it that the caller has in mind. */
export interface AlertToChange extends AlertPath {
  expected_updated_at?: string | undefined;
}

const changedMessage = (version: string) =>
  forBoth(
    `The alert has changed since the expected version; its updated_at is now ${version}. Read it with get_alert, then repeat the call with this value (or ETag over REST).`,
    "The alert has changed since you opened it. Check it again before you decide.",
  );

/** Due alerts of a channel that a change of one of them settles along with it. */
const SETTLED = 500;

/** The uuids of a path. @throws 404 for a text that is no such id. */
export function parseAlertIds(path: AlertPath): { pusherId: string; alertId: string } {
  const pusherId = parseChannelId(path.pusher_id, "alert");
  const alertId = parseId("alr", path.alert_id);
  if (!alertId) throw notFound("alert");
  return { pusherId, alertId };
}

/**
 * The alert, locked until the transaction ends, and settled if it is due. What the caller expects of it is compared
 * here for every verb, with the row locked (rules#expected-version). @throws 404 when the caller does not see it; 409
 * when it is another version than the expected one.
 */
export async function loadLockedAlert(path: AlertToChange, ctx: Context) {
  const { pusherId, alertId } = parseAlertIds(path);
  const [alert] = await ctx.sql(lockAlert, { ...channelScopeParameters(pusherId, ctx.caller), id: alertId });
  if (!alert) throw notFound("alert");
  requireExpectedVersion(alert, path, ctx);
  // If the rest of the change fails, they are due all the same, and a wake-up says no more than that something may be
  // new.
  if (alert.due) ctx.services.notifyDue(await ctx.sql(publishDueAlerts, { channels: [pusherId], limit: SETTLED }));
  return { alert, pusherId };
}

/** @throws 409 when the alert is another version than the caller expects. */
export function requireExpectedVersion(alert: AlertRecord, { expected_updated_at }: AlertToChange, ctx: Context): void {
  const version = toIsoMicros(alert.updated_at);
  if ((expected_updated_at ?? version) !== version || !ctx.conditions.match(version))
    throw conflict("version_conflict", changedMessage(version));
}

/** What the grid says to the verb. @throws 409 when the channel is not active or the state refuses the verb. */
export function getTransition(verb: AlertVerb, { active, status }: { active: boolean; status: AlertRecord["status"] }) {
  if (!active && NEEDS_ACTIVE_CHANNEL.has(verb)) throw conflict("channel_not_active", CHANNEL_NOT_ACTIVE);
  const cell = ALERT_TRANSITIONS[status][verb];
  if (cell.do === "refuse") throw refusalOf(cell);
  return cell;
}

/**
 * The locked alert and what the grid says to the verb.
 * @throws as `loadLockedAlert` does; 409 when the channel is not active or the state refuses the verb.
 */
export async function lockAlertForVerb(verb: AlertVerb, path: AlertToChange, ctx: Context) {
  const { alert, pusherId } = await loadLockedAlert(path, ctx);
  return { alert, cell: getTransition(verb, alert), pusherId };
}

/**
 * An edit that leaves an alert scheduled changes what will be published (rules#composing-is-not-publishing). Judged
 * of the locked row, so that an edit which waited for somebody's schedule is held to it as well. @throws 403
 * insufficient_scope.
 */
export function requireScopeToReschedule(alert: AlertRecord, sent: { send_at?: string | null }, ctx: Context): void {
  if (alert.status === "draft" || sent.send_at === null) return;
  const missing = getMissingPublishScopes(ctx.caller);
  if (missing === null) return;
  const review = { pusher_id: formatId("psh", alert.pusher_id), alert_id: formatId("alr", alert.id) };
  const page = getAlertReviewUrl(alert, ctx) ?? ctx.services.publicUrl;
  if (missing.length === 0) throw insufficientScope(missing, formatApprovalMessage(page), review);
  throw insufficientScope(
    missing,
    `Editing a scheduled alert requires the scope alerts:send. Use a credential that has it, send send_at as null to return the alert to draft, or ask a person to edit it in the console: ${page}`,
    review,
  );
}

/**
 * Deleting a scheduled alert withdraws it, as cancelling does (rules#delete-scheduled).
 * @throws 403 insufficient_scope.
 */
export function requireScopeToWithdraw(alert: AlertRecord, ctx: Context): void {
  if (alert.status !== "scheduled") return;
  const missing = getMissingWithdrawScopes(ctx.caller);
  if (missing === null) return;
  throw insufficientScope(
    missing,
    `Deleting a scheduled alert withdraws it, which requires the scope alerts:send. Use a credential that has it, or ask a person to delete it in the console: ${getAlertReviewUrl(alert, ctx)}`,
  );
}

/** What send, schedule and cancel answer: the alert as it is now, and what the verb means. */
export function formatVerbAnswer(verb: keyof typeof VERB_NOTES, record: AlertRecord, ctx: Context) {
  return { ...showAlert(record, ctx.services.assets), note: VERB_NOTES[verb] };
}

/** What is told of an alert: `sent_at` comes last, where the statement that sends a new one finds it. */
type Announced = Pick<AlertRecord, "id" | "pusher_id" | "status" | "sent_at" | keyof typeof EVENT_ALERT_FIELDS>;

/**
 * Announces a change of an alert with the data that receivers plan from. `written`: what a statement has written of
 * the event.
 */
export function emitAlertEvent(
  ctx: Context,
  event: AlertEvent,
  record: Announced,
  written: Partial<Pick<DomainEvent, "id" | "created_at">> = {},
): DomainEvent {
  if (event === "alert.sent") ctx.markChanged([record.pusher_id]);
  return ctx.emit({ ...written, event, data: createAlertEventData(record) });
}

/** What the audit log says of an alert, where a call changed several. */
export const toAuditSubject = ({ id, pusher_id, status }: Pick<AlertRecord, "id" | "pusher_id" | "status">) => ({
  id: formatId("alr", id),
  pusher_id: formatId("psh", pusher_id),
  status,
});

/**
 * Counts a send; the last thing that may refuse it. A workspace's calls count for its own channels alone, whatever
 * they name.
 */
export const countSend = (ctx: Context, pusherId: string): ReturnType<Context["countAgainstLimit"]> =>
  ctx.countAgainstLimit(getSendLimitSubject(ctx.caller, pusherId));

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
 * Everything but what follows from the texts. An edit that answers a reviewer takes the reply away, and so keeps it
 * here.
 */
const COMPARED = getFieldNames(ALERT_FIELDS).filter((name) => name !== "blocked");

/**
 * What an edit replaces: of the fields that it changes, what they hold. Both as rows with instants in UTC, so the ids
 * of files are uuids.
 */
export function getReplacedValues(
  stored: { [N in keyof AlertFields]?: AlertFields[N] | undefined },
  fields: AlertFields,
): PreviousValues {
  const changed = COMPARED.filter((name) => !isDeepStrictEqual(stored[name] ?? null, fields[name]));
  return Object.fromEntries(changed.map((name) => [name, stored[name] ?? null]));
}

const shown = (name: string, value: unknown): unknown =>
  name.endsWith("_asset_id") && typeof value === "string" ? formatId("ast", value) : value;

/**
 * What each kept edit changed, in the form that answers have, newest first. `current` is the alert as get_alert shows
 * it: an edit left a field as the one after it found it. Sending empties `send_at`, so what that was before is not
 * told of what is sent.
 */
export function listEdits(current: Readonly<Record<string, unknown>>, rows: readonly ChangeRecord[]) {
  const { send_at, ...others } = current;
  const after: Record<string, unknown> = current.status === "sent" ? others : { ...others, send_at };
  return rows.map(({ updated_at, previous_values }) => {
    const fields = COMPARED.filter((name) => Object.hasOwn(previous_values, name)).map((name) => {
      const before = shown(name, previous_values[name]);
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
