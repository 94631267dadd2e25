// The result of each verb for an alert in each status (docs/reference/rules/alert-states.md, "Alerts: states and
// verbs"). The table is pure: it uses no row, clock or caller.

import { createApiAndUiText, type ErrorMessage } from "../api_and_ui_error_texts.ts";
import { type ApiError, conflict } from "../api_error.ts";
import type { ErrorCodeOfType } from "../error_codes.ts";
import type { AlertStatus } from "../tables/alert.ts";

// This file also has the only SQL that compares an alert with the clock. A row with the status `sent` is never
// compared, so the alert survives a clock that steps back.

/** SQL: a scheduled `alert` whose time has passed. `clock` is the time of the query. */
export const sqlIsDue = (alert = "alert", clock = "now()") =>
  `(${alert}.status = 'scheduled' and ${alert}.visible_at <= ${clock})`;

/** SQL: a scheduled `alert` whose time has not passed. */
export const sqlIsPlanned = (alert = "alert", clock = "now()") =>
  `(${alert}.status = 'scheduled' and ${alert}.visible_at > ${clock})`;

/** SQL: what handsets see (rules#passed-is-sent). */
export const sqlIsVisible = (alert = "alert", clock = "now()") =>
  `(${alert}.status = 'sent' or ${sqlIsDue(alert, clock)})`;

/**
 * SQL for the visible status of an alert, for select lists (rules#passed-is-sent). `clock` is the time of the query. It
 * is `now()` if it must agree with a filter of the same statement.
 */
export const sqlEffectiveStatus = (clock = "clock_timestamp()") =>
  `case when ${sqlIsDue("alert", clock)} then 'sent' else alert.status end`;

/** SQL for the time at which the alert became visible. It is the `send_at` of a scheduled alert. */
export const sqlEffectiveSentAt = (clock = "clock_timestamp()") =>
  `case when ${sqlIsDue("alert", clock)} then alert.visible_at else alert.sent_at end`;

export type AlertVerb = "edit" | "send" | "schedule" | "cancel" | "delete";

export type AlertEventName = "alert.sent" | "alert.scheduled" | "alert.cancelled";

/** `change`: carry it out. `stay`: return 200 with the alert as it is. `refuse`: 409 with a solution. */
type AlertVerbOutcome = { do: "change"; event?: AlertEventName } | { do: "stay" } | Refusal;

type ConflictCode = ErrorCodeOfType<"conflict">;
type Refusal = { do: "refuse"; code: ConflictCode; message: ErrorMessage };

const refuse = (code: ConflictCode, message: ErrorMessage): Refusal => ({ do: "refuse", code, message });

/** A refusal whose way out is a new draft. */
const copied = (why: string): ErrorMessage =>
  createApiAndUiText(`${why} copy it with duplicate_alert.`, `${why} duplicate it.`);

const FROZEN_SENT = copied("A sent alert cannot be edited. Cancel it and send a correction, or");
const FROZEN_CANCELLED = copied("A cancelled alert cannot be edited. To send it again,");

export const ALERT_VERB_OUTCOMES_BY_STATUS: Record<AlertStatus, Record<AlertVerb, AlertVerbOutcome>> = {
  draft: {
    edit: { do: "change" },
    send: { do: "change", event: "alert.sent" },
    schedule: { do: "change", event: "alert.scheduled" },
    cancel: refuse("alert_not_sent", "A draft cannot be cancelled. Delete it instead."),
    delete: { do: "change" },
  },
  repeating: {
    edit: { do: "change" },
    send: refuse(
      "alert_repeats",
      createApiAndUiText(
        "A repeating alert cannot be sent immediately. To publish it once now, copy it with duplicate_alert and " +
          "send the copy.",
        "A repeating alert cannot be sent immediately. To send it once now, duplicate it and send the copy.",
      ),
    ),
    schedule: { do: "stay" },
    cancel: { do: "change" },
    delete: refuse(
      "alert_repeats",
      "A repeating alert must be cancelled before it can be deleted. This also cancels its scheduled occurrences.",
    ),
  },
  scheduled: {
    edit: { do: "change" },
    send: { do: "change", event: "alert.sent" },
    schedule: { do: "stay" },
    cancel: { do: "change", event: "alert.cancelled" },
    delete: { do: "change" },
  },
  sent: {
    edit: refuse("alert_already_sent", FROZEN_SENT),
    send: { do: "stay" },
    schedule: refuse("alert_already_sent", copied("A sent alert cannot be scheduled. To send it again,")),
    cancel: { do: "change", event: "alert.cancelled" },
    delete: refuse("alert_already_sent", "A sent alert cannot be deleted. Cancel it to withdraw it."),
  },
  cancelled: {
    edit: refuse("alert_cancelled", FROZEN_CANCELLED),
    send: refuse("alert_cancelled", copied("A cancelled alert cannot be sent. To send it again,")),
    schedule: refuse("alert_cancelled", copied("A cancelled alert cannot be scheduled. To schedule it again,")),
    cancel: { do: "stay" },
    delete: { do: "change" },
  },
};

/** 409 of a verb that the grid refuses. */
export const createTransitionError = ({ code, message }: Refusal): ApiError => conflict(code, message);

/** 409 of a verb that the grid refuses for sent alerts: the alert became visible while the call ran. */
export const alreadySent = (verb: "edit" | "schedule" | "delete"): ApiError =>
  createTransitionError(ALERT_VERB_OUTCOMES_BY_STATUS.sent[verb] as Refusal);

/** Verbs that an inactive channel refuses in every status, before the table is used. */
export const VERBS_NEEDING_ACTIVE_CHANNEL: ReadonlySet<AlertVerb> = new Set(["send", "schedule"]);

/** Their 409 (rules#send-needs-active). */
export const CHANNEL_NOT_ACTIVE = "The channel is not active. Resume it, or keep the alert as a draft.";

/** The `note` of send, schedule and cancel. It explains the result, also for repeats. */
export const VERB_NOTES = {
  send:
    "The alert is now visible to all subscribed handsets. Sending it again has no effect and does not notify anyone " +
    "twice.",
  schedule: "The alert becomes visible at send_at. Until then it can be edited, cancelled or returned to draft.",
  repeat:
    "The alert repeats from send_at. Each occurrence is a separate scheduled alert with this id as its series_id. " +
    "list_alerts shows the next ones, and each can be edited or cancelled. Editing this alert changes all unsent " +
    "occurrences; cancel_alert ends the series.",
  cancel: "Handsets that have not received the alert will not get it. Handsets that already received it keep it.",
} as const;
