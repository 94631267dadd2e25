// SQL for alert rows: reads and changes; lists are in a separate file. The visible rows are an argument (see
// store/queries/channels.ts). Only model/domain/alert_transitions.ts compares a status with the clock. An edit also
// stores the previous values (see model/tables/alert.ts) in its statement. Waiting drafts are reported from here.

import {
  sqlEffectiveSentAt,
  sqlEffectiveStatus,
  sqlIsDue,
  sqlIsVisible,
} from "../../model/domain/alert_transitions.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import {
  getFieldNames,
  getFieldSqlTypes,
  selectFieldDefinitionsHiddenFrom,
  selectFieldsShownTo,
} from "../../model/fields/field_table.ts";
import {
  array,
  boolean,
  int,
  jsonb,
  neverNull,
  nullable,
  type SqlValuesOf,
  selectColumns,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { ALERT_STATUSES } from "../../model/tables/alert.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import { FULL_BODY_LENGTH_COLUMN_TYPE, selectColumnsWithExcerpt, selectFullBodyLength } from "./alert_excerpt.ts";
import { ALERT_WRITER_ID_SQL, buildSearchVectorSql, editedSearchTerms } from "./alert_search_index.ts";
import { CHANNEL_SCOPE_PARAMETERS, VISIBLE_TO_CALLER_SQL } from "./channels.ts";
import { selectReportCounts } from "./reports.ts";

const defineStatement = createStatementDefiner("publish");
const defineList = createStatementDefiner("lists");
const defineClaim = createStatementDefiner("claims");

/** The columns that a change writes. */
export const ALERT_COLUMNS = getFieldSqlTypes(ALERT_FIELDS);

/** Their names, in the order in which statements give them. */
export const ALERT_COLUMN_NAMES = getFieldNames(ALERT_FIELDS);

/** `$title::text, $body::text, …` */
const ALERT_PARAMETERS_SQL = ALERT_COLUMN_NAMES.map((name) => `$${name}::${ALERT_COLUMNS[name].sql}`).join(", ");

const IN_LISTS = getFieldSqlTypes(selectFieldsShownTo(ALERT_FIELDS, "list"));

/** The columns of full reads only. */
const REST = getFieldSqlTypes(selectFieldDefinitionsHiddenFrom(ALERT_FIELDS, "list"));

/** An alert as `selectFields` reads its fields, without those that only whole reads have. */
const listed = (clock = "clock_timestamp()", selectFields = selectColumns) => ({
  columns: {
    id: uuid,
    pusher_id: uuid,
    /** The effective one. */
    status: textEnum(ALERT_STATUSES),
    /** True if the row is scheduled and its time has passed (see store/queries/inbox.ts). */
    due: boolean,
    ...IN_LISTS,
    html_length: int,
    series_id: nullable(uuid),
    occurs_at: nullable(timestamptz),
    sent_at: nullable(timestamptz),
    cancelled_at: nullable(timestamptz),
    created_at: timestamptz,
    updated_at: timestamptz,
  },
  text: `alert.id, alert.pusher_id, ${sqlEffectiveStatus(clock)} as status, ${sqlIsDue("alert", clock)} as due,
    ${selectFields("alert", IN_LISTS)},
    coalesce(length(alert.html), 0) as html_length, alert.series_id, alert.occurs_at, ${sqlEffectiveSentAt(clock)} as
      sent_at,
    alert.cancelled_at, alert.created_at, alert.updated_at`,
});

const ROW = listed("now()", selectColumnsWithExcerpt);

/** The handle of its channel, and the id of its author, a credential or member. */
const HANDLE = { handle: text };
const WRITER = { writer: nullable(text) };

/** An alert as lists show it: with the beginning of its text, and the length of its markup. */
export const LIST_SELECTION = {
  columns: { ...ROW.columns, ...FULL_BODY_LENGTH_COLUMN_TYPE, ...HANDLE, ...WRITER },
  text: `${ROW.text}, ${selectFullBodyLength("alert")}, (select p.handle from pusher p where p.id = alert.pusher_id) as
    handle,
    ${ALERT_WRITER_ID_SQL} as writer`,
};

/** An alert with everything. */
export const FULL_SELECTION = {
  columns: { ...listed().columns, ...REST },
  text: `${listed().text}, ${selectColumns("alert", REST)}`,
};

/** An alert as the statements return it: timestamps as PostgreSQL prints them, and of lists without the rest. */
export type AlertRecord = SqlValuesOf<typeof ROW.columns> &
  Partial<
    SqlValuesOf<typeof REST> &
      SqlValuesOf<typeof FULL_BODY_LENGTH_COLUMN_TYPE> &
      SqlValuesOf<typeof HANDLE> &
      SqlValuesOf<typeof WRITER>
  >;

/** Values by the name of their field. */
export type PreviousValues = Record<string, unknown>;

export const ALERT_HISTORY_PARAMETERS = { id: uuid, previous_values: nullable(jsonb<PreviousValues>()) };

/**
 * `with` parts after `changed`, the rows that an update of alert `$id` returns. They store the previous values, unless
 * `$previous_values` is null, and delete the oldest ones. All parts see the table as it was before.
 */
export const STORE_ALERT_CHANGE_HISTORY_SQL = `kept as (
    insert into alert_change (alert_id, updated_at, previous_values)
    select id, updated_at, $previous_values::jsonb from changed where $previous_values::jsonb is not null),
  let_go as (
    delete from alert_change where alert_id = $id and $previous_values::jsonb is not null and updated_at < (
      select updated_at from alert_change where alert_id = $id
      order by updated_at desc offset ${LIMITS.alert_changes - 2} limit 1))`;

export const listChangesOfAlert = defineList.reading("list_alert_changes", {
  parameters: { alert_id: uuid },
  columns: { updated_at: timestamptz, previous_values: jsonb<PreviousValues>() },
  text: "select updated_at, previous_values from alert_change where alert_id = $alert_id order by updated_at desc",
});

export type AlertEditRecord = StatementRow<typeof listChangesOfAlert>;

/** An alert of a channel that the caller sees. */
const OWN = { ...CHANNEL_SCOPE_PARAMETERS, id: uuid };

/** Inserts an alert in a transaction with other changes, on a locked channel (see create_and_publish_alerts.ts). */
export const insertAlert = defineStatement("insert_alert", {
  parameters: { id: uuid, pusher_id: uuid, status: text, words: array(text), writer: nullable(text), ...ALERT_COLUMNS },
  columns: FULL_SELECTION.columns,
  text: `with i as (
      insert into alert (id, pusher_id, status, sent_at, search_vector, ${ALERT_COLUMN_NAMES.join(", ")})
      select $id, $pusher_id, $status::text, case $status::text when 'sent' then clock_timestamp() end,
        ${buildSearchVectorSql("$pusher_id::uuid", "$words::text[]", "$writer::text")}, ${ALERT_PARAMETERS_SQL}
      returning ${FULL_SELECTION.text})
    select * from i`,
});

/** One alert for reading. */
export const readAlert = defineStatement.reading("read_alert", {
  parameters: OWN,
  columns: { requested_perms: array(text), ...FULL_SELECTION.columns, ...WRITER },
  text: `select p.requested_perms, ${FULL_SELECTION.text}, ${ALERT_WRITER_ID_SQL} as writer
    from alert join pusher p on p.id = alert.pusher_id
    where alert.id = $id and p.id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/** The channel of an alert, where the caller sees it. */
export const findAlertChannel = defineStatement.reading("find_alert_channel", {
  parameters: { id: uuid, ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { pusher_id: uuid },
  text: `select p.id as pusher_id from alert a join pusher p on p.id = a.pusher_id
    where a.id = $id and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/** Checks that the alert exists, with the time since when it is visible, without its fields. */
export const alertExists = defineStatement.reading("alert_exists", {
  parameters: OWN,
  columns: { id: uuid, sent_at: nullable(timestamptz) },
  text: `select id, ${sqlEffectiveSentAt()} as sent_at from alert where id = $id
    and pusher_id = (select p.id from pusher p where p.id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text})`,
});

/** The present version of each existing alert of these, and the count of each reply. */
export const listCurrentAlertVersions = defineList.reading("list_current_alert_versions", {
  parameters: { ids: array(uuid) },
  columns: { id: uuid, updated_at: timestamptz, replies: array(int) },
  text: `select a.id, a.updated_at, c.replies::int[] as replies
    from alert a cross join lateral ${selectReportCounts("a.id")} c where a.id = any($ids::uuid[])`,
});

/** The columns that handsets see. Two alerts with equal ones look identical. */
const READ = getFieldSqlTypes(selectFieldsShownTo(ALERT_FIELDS, "handset"));
const READ_NAMES = Object.keys(READ) as (keyof typeof READ)[];

/**
 * The newest alert of a channel that was sent in the last minutes with the given fields. One row for a visible channel,
 * with nulls without such an alert; the alert of the same form (`once`) does not count.
 */
export const findEqualSend = defineList.reading("find_equal_send", {
  parameters: { ...CHANNEL_SCOPE_PARAMETERS, credential_id: text, once: nullable(text), ...READ },
  joined: { id: uuid, sent_at: neverNull(timestamptz) },
  text: `select alert.id, alert.sent_at from pusher p
    left join lateral (
      select id, sent_at from alert
      where pusher_id = p.id and status = 'sent'
        and visible_at > now() - interval '${LIMITS.equal_send_minutes} minutes'
        and (${READ_NAMES.join(", ")}) is not distinct from
          (${READ_NAMES.map((name) => `$${name}::${READ[name].sql}`).join(", ")})
        and not exists (select from idempotency_record
          where credential_id = $credential_id and operation = 'create_alert' and key = $once::text)
      order by visible_at desc limit 1) alert on true
    where p.id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text}`,
});

/** Locks one alert and its channel until the end of the transaction, so simultaneous changes see each other. */
export const lockAlert = defineStatement("lock_alert", {
  parameters: OWN,
  columns: { active: boolean, requested_perms: array(text), ...FULL_SELECTION.columns },
  text: `select c.active, p.requested_perms, ${FULL_SELECTION.text} from channel_state c
    join pusher p on p.id = c.pusher_id
    join alert on alert.pusher_id = c.pusher_id
    where c.pusher_id = $pusher_id and ${VISIBLE_TO_CALLER_SQL.text} and alert.id = $id for no key update of c, alert`,
});

/** Time does not wait for a lock: an alert that was scheduled when it was locked may have become visible since. */
export const ALERT_NOT_VISIBLE_SQL = `not ${sqlIsVisible("alert", "clock_timestamp()")}`;

/** Names a version of the row, so it grows with every change, also where the clock steps back. */
export const NEXT_ALERT_VERSION_SQL = "greatest(clock_timestamp(), updated_at + interval '1 microsecond')";

/** Changes a locked alert that handsets do not see yet, and keeps what it replaced. No row: they see it already. */
const edit = (set: string) => `with changed as (
    update alert set ${set}, updated_at = ${NEXT_ALERT_VERSION_SQL}
    where id = $id and ${ALERT_NOT_VISIBLE_SQL} returning ${FULL_SELECTION.text}),
  ${STORE_ALERT_CHANGE_HISTORY_SQL}
  select * from changed`;

/** Takes the fields of an alert. */
export const updateUnsentAlert = defineStatement("update_alert", {
  /** `detached`: the occurrence no longer follows its series. */
  parameters: {
    ...ALERT_HISTORY_PARAMETERS,
    status: text,
    words: nullable(array(text)),
    detached: boolean,
    ...ALERT_COLUMNS,
  },
  columns: FULL_SELECTION.columns,
  text: edit(
    `status = $status, detached_from_series = detached_from_series or $detached,
      (${ALERT_COLUMN_NAMES.join(", ")}) = row(${ALERT_PARAMETERS_SQL}),
      search_vector = case when $words::text[] is null then alert.search_vector
        else ${editedSearchTerms("$words::text[]")} end`,
  ),
});

/** Schedules a draft, or moves what is scheduled. */
export const scheduleAlert = defineStatement("schedule_alert", {
  parameters: { ...ALERT_HISTORY_PARAMETERS, send_at: timestamptz },
  columns: FULL_SELECTION.columns,
  text: edit("status = 'scheduled', send_at = $send_at::timestamptz, review_reply = null"),
});

/** Leaves a draft with a reply to its author. */
export const declineAlert = defineStatement("decline_alert", {
  parameters: { ...ALERT_HISTORY_PARAMETERS, review_reply: text },
  columns: FULL_SELECTION.columns,
  text: edit("status = 'draft', send_at = case status when 'draft' then send_at end, review_reply = $review_reply"),
});

/** A visible alert keeps its `sent_at`; another one has none. */
export const cancelAlert = defineStatement("cancel_alert", {
  parameters: { id: uuid },
  columns: FULL_SELECTION.columns,
  text: `update alert set status = 'cancelled', cancelled_at = clock_timestamp(),
      updated_at = ${NEXT_ALERT_VERSION_SQL},
      sent_at = case when ${sqlIsVisible("alert", "clock_timestamp()")} then visible_at end
    where id = $id returning ${FULL_SELECTION.text}`,
});

/**
 * The channel for the notification about a waiting draft, the name of the draft's channel, and the members who want an
 * e-mail and may decide. No row if the channel is missing, the draft was already reported, needs no decision, or is on
 * that channel itself. Once for each draft, also for simultaneous callers.
 */
export const claimReviewNotice = defineClaim("claim_review_notice", {
  parameters: { ...CHANNEL_SCOPE_PARAMETERS, id: uuid, review_notice_id: uuid },
  columns: { review_channel_id: uuid, name: text, mail_to: array(text) },
  text: `update alert a set review_notice_id = $review_notice_id
    from pusher p join workspace w on w.id = p.workspace_id
      join pusher r on r.id = w.review_channel_id and r.workspace_id = w.id and r.id <> p.id and r.status = 'active'
        and not r.is_public
    where a.id = $id and a.pusher_id = $pusher_id and p.id = a.pusher_id and ${VISIBLE_TO_CALLER_SQL.text}
      and a.status = 'draft' and a.review_reply is null and a.review_notice_id is null
    returning r.id as review_channel_id, p.name, array(
      select u.email from member m join auth."user" u on u.id = m.user_id
      where m.workspace_id = w.id and m.wants_draft_emails and m.role <> 'viewer' and (m.pusher_ids is null
        or p.id = any(m.pusher_ids))
      order by m.id) as mail_to`,
});
