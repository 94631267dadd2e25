// Alert rows by raw SQL: what lists, reads and changes run. Visibility comes as an argument (see store/queries/channels.ts).
// What a status means at this instant is said in model/domain/alert_status.ts alone.

import { effectiveSentAt, isDue, isPlanned, isVisible } from "../../model/domain/alert_status.ts";
import type { AlertStatus } from "../../model/entities/alert.ts";
import { ALERT } from "../../model/fields/alert.ts";
import { columnsOf, shownTo } from "../../model/fields/record.ts";
import { array, boolean, int, neverNull, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";
import { KEEP, KEEPING } from "./alert_changes.ts";
import { FIELDS, GIVEN, LISTED, NAMES, WHOLE } from "./alert_columns.ts";
import { SCOPE, VISIBLE } from "./channels.ts";

const defineStatement = statementsOf("publish");
const defineList = statementsOf("lists");

/** An alert of a channel that the caller sees. */
const OWN = { ...SCOPE, id: uuid };

/** Writes an alert beside other changes of its transaction, on a channel that is locked (see store/queries/new_alerts.ts). */
export const insertAlert = defineStatement("insert_alert", {
  parameters: { id: uuid, pusher_id: uuid, status: text, ...FIELDS },
  columns: WHOLE.columns,
  text: `insert into alert (id, pusher_id, status, sent_at, ${NAMES.join(", ")})
    values ($id, $pusher_id, $status::text, case $status::text when 'sent' then clock_timestamp() end, ${GIVEN})
    returning ${WHOLE.text}`,
});

/** One alert for reading. */
export const readAlert = defineStatement("read_alert", {
  reads: true,
  parameters: OWN,
  columns: { requested_perms: array(text), ...WHOLE.columns },
  text: `select p.requested_perms, ${WHOLE.text} from alert join pusher p on p.id = alert.pusher_id
    where alert.id = $id and p.id = $pusher_id and ${VISIBLE.text}`,
});

/** Whether there is such an alert, and since when it is visible; without its fields. */
export const alertExists = defineStatement("alert_exists", {
  reads: true,
  parameters: OWN,
  columns: { id: uuid, sent_at: nullable(timestamptz) },
  text: `select id, ${effectiveSentAt()} as sent_at from alert
    where id = $id and pusher_id = (select p.id from pusher p where p.id = $pusher_id and ${VISIBLE.text})`,
});

/** The present version of each of these alerts that is there. */
export const alertVersions = defineList("alert_versions", {
  reads: true,
  parameters: { ids: array(uuid) },
  columns: { id: uuid, updated_at: timestamptz },
  text: "select id, updated_at from alert where id = any($ids::uuid[])",
});

/** What handsets are shown: two alerts that agree in it are one to who reads them. */
const READ = columnsOf(shownTo(ALERT, "handset"));
const READ_NAMES = Object.keys(READ) as (keyof typeof READ)[];

/**
 * The newest alert of a channel that was sent in the last minutes and reads as the given fields do. One row for a visible
 * channel, with nulls where there is none; the alert that a form made is none to that form (`once`).
 */
export const equalSend = defineList("equal_send", {
  reads: true,
  parameters: { ...SCOPE, credential_id: text, once: nullable(text), ...READ },
  joined: { id: uuid, sent_at: neverNull(timestamptz) },
  text: `select alert.id, alert.sent_at from pusher p
    left join lateral (
      select id, sent_at from alert
      where pusher_id = p.id and status = 'sent'
        and visible_at > clock_timestamp() - interval '${LIMITS.equal_send_minutes} minutes'
        and (${READ_NAMES.join(", ")}) is not distinct from (${READ_NAMES.map((name) => `$${name}::${READ[name].sql}`).join(", ")})
        and not exists (select from idempotency_record
          where credential_id = $credential_id and operation = 'create_alert' and key = $once::text)
      order by visible_at desc limit 1) alert on true
    where p.id = $pusher_id and ${VISIBLE.text}`,
});

/**
 * One alert for changing: its channel and it are locked until the transaction ends, so that of simultaneous changes
 * each sees what the one before it left.
 */
export const lockAlert = defineStatement("lock_alert", {
  parameters: OWN,
  columns: { active: boolean, requested_perms: array(text), ...WHOLE.columns },
  text: `select c.active, p.requested_perms, ${WHOLE.text} from channel_state c
    join pusher p on p.id = c.pusher_id
    join alert on alert.pusher_id = c.pusher_id
    where c.pusher_id = $pusher_id and ${VISIBLE.text} and alert.id = $id for no key update of c, alert`,
});

/** Time does not wait for a lock: an alert that was scheduled when it was locked may have become visible since. */
export const NOT_VISIBLE = `not ${isVisible("alert", "clock_timestamp()")}`;

/** Names a version of the row, so it grows with every change, also where the clock steps back. */
export const NEXT_VERSION = "greatest(clock_timestamp(), updated_at + interval '1 microsecond')";

/** Changes a locked alert that handsets do not see yet, and keeps what it replaced. No row: they see it already. */
const edit = (set: string) => `with changed as (
    update alert set ${set}, updated_at = ${NEXT_VERSION}
    where id = $id and ${NOT_VISIBLE} returning ${WHOLE.text}),
  ${KEEP}
  select * from changed`;

/** Takes the fields of an alert. */
export const updateAlert = defineStatement("update_alert", {
  parameters: { ...KEEPING, status: text, ...FIELDS },
  columns: WHOLE.columns,
  text: edit(`status = $status, (${NAMES.join(", ")}) = row(${GIVEN})`),
});

/** Publishing is one row changing. No row: handsets see the alert already. */
export const publishAlert = defineStatement("publish_alert", {
  parameters: { id: uuid },
  columns: WHOLE.columns,
  text: `update alert set status = 'sent', sent_at = clock_timestamp(), send_at = null,
      review_reply = null, updated_at = ${NEXT_VERSION}
    where id = $id and ${NOT_VISIBLE} returning ${WHOLE.text}`,
});

/** Schedules a draft, or moves what is scheduled. */
export const scheduleAlert = defineStatement("schedule_alert", {
  parameters: { ...KEEPING, send_at: timestamptz },
  columns: WHOLE.columns,
  text: edit("status = 'scheduled', send_at = $send_at::timestamptz, review_reply = null"),
});

/** Leaves a draft with a reply to its author. */
export const declineAlert = defineStatement("decline_alert", {
  parameters: { ...KEEPING, review_reply: text },
  columns: WHOLE.columns,
  text: edit(
    "status = 'draft', send_at = case status when 'draft' then send_at end, review_reply = $review_reply",
  ),
});

/** What had become visible keeps its `sent_at`; what had not keeps none. */
export const cancelAlert = defineStatement("cancel_alert", {
  parameters: { id: uuid },
  columns: WHOLE.columns,
  text: `update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = ${NEXT_VERSION},
      sent_at = case when ${isVisible("alert", "clock_timestamp()")} then visible_at end
    where id = $id returning ${WHOLE.text}`,
});

/** One statement for each status filter, `any` included. */
function byStatus<S>(define: (status: string, filter: string) => S): Record<AlertStatus | "any", S> {
  return {
    any: define("any", "true"),
    draft: define("draft", "status = 'draft'"),
    scheduled: define("scheduled", isPlanned()),
    sent: define("sent", isVisible()),
    cancelled: define("cancelled", "status = 'cancelled'"),
  };
}

const PAGE = { before: nullable(timestamptz), limit: int };

/**
 * A page of a channel's history, newest first, for each status filter: strictly before an instant (null: from the
 * newest), and rows that share the last instant come along.
 */
export const listAlerts = byStatus((status, filter) =>
  defineList(`list_alerts_${status}`, {
    reads: true,
    parameters: { pusher_id: uuid, ...PAGE },
    columns: LISTED.columns,
    text: `select ${LISTED.text} from alert
      where pusher_id = $pusher_id and ${filter} and created_at < coalesce($before::timestamptz, 'infinity')
      order by created_at desc fetch first ($limit::int) rows with ties`,
  }),
);

/**
 * The same over every channel that the caller sees: of each its newest, and of these the newest. Cost grows with the
 * channels and the page, never with history.
 */
export const listAccountAlerts = byStatus((status, filter) =>
  defineList(`list_account_alerts_${status}`, {
    reads: true,
    parameters: { ...VISIBLE.parameters, ...PAGE },
    columns: LISTED.columns,
    text: `select ${LISTED.text} from (
        select newest.id from pusher p cross join lateral (
          select id, created_at from alert
          where pusher_id = p.id and ${filter} and created_at < coalesce($before::timestamptz, 'infinity')
          order by created_at desc fetch first ($limit::int) rows with ties) newest
        where ${VISIBLE.text}
        order by newest.created_at desc fetch first ($limit::int) rows with ties) page
      join alert on alert.id = page.id order by alert.created_at desc, alert.id desc`,
  }),
);

/**
 * The alerts of every channel that the caller sees by the instant at which phones see them: what is planned, the soonest first and
 * strictly after `before`, or what is visible, the newest first and strictly before it. Cost as of `listAccountAlerts`.
 */
const byTime = (status: string, side: "asc" | "desc", filters: readonly string[]) => {
  const [beyond, end] = side === "asc" ? [">", "-infinity"] : ["<", "infinity"];
  const some = (filter: string) => `(select id, visible_at from alert
            where pusher_id = p.id and ${filter} and visible_at ${beyond} coalesce($before::timestamptz, '${end}')
            order by visible_at ${side} fetch first ($limit::int) rows with ties)`;
  return defineList(`list_account_${status}_by_time`, {
    reads: true,
    parameters: { ...VISIBLE.parameters, ...PAGE },
    columns: LISTED.columns,
    text: `select ${LISTED.text} from (
        select near.id from pusher p cross join lateral (
          ${filters.map(some).join("\n          union all\n          ")}) near
        where ${VISIBLE.text}
        order by near.visible_at ${side} fetch first ($limit::int) rows with ties) page
      join alert on alert.id = page.id order by alert.visible_at ${side}, alert.id ${side}`,
  });
};

export const listByTime = {
  scheduled: byTime("scheduled", "asc", [isPlanned()]),
  sent: byTime("sent", "desc", ["status = 'sent'", isDue()]),
};
