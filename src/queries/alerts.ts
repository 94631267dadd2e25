// Alert rows by raw SQL: what lists, reads and changes run. Visibility comes as an argument (see queries/channels.ts).
// What a status means at this instant is said in domain/alert_status.ts alone.

import { defineStatement, type Statement } from "../db/statement.ts";
import { effectiveSentAt, effectiveStatus, isDue, isPlanned, isVisible } from "../domain/alert_status.ts";
import type { AlertStatus } from "../entities/alert.ts";
import type { AlertRecord } from "../shapes/alert.ts";
import { VISIBLE } from "./channels.ts";

/** The columns that a caller's fields fill, with their types. */
const FIELDS = {
  title: "text",
  body: "text",
  priority: "text",
  layout: "text",
  image_url: "text",
  image_asset_id: "uuid",
  audio_asset_id: "uuid",
  html_asset_id: "uuid",
  html: "text",
  asset_html: "text",
  actions: "jsonb",
  requires_ack: "boolean",
  send_at: "timestamptz",
  expires_at: "timestamptz",
  sound: "text",
  audio_url: "text",
  vibrate: "text",
  tts_text: "text",
  tts_lang: "text",
  lat: "float8",
  lon: "float8",
  radius_km: "float8",
  geo_rule: "text",
  collapse_key: "text",
} as const;

type Markup = "html" | "asset_html";
export type AlertFields = Pick<AlertRecord, Exclude<keyof typeof FIELDS, Markup>> &
  Record<Markup, string | null>;

const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** The fields in the order in which insert and update take them. */
export function fieldParameters(fields: AlertFields): unknown[] {
  return NAMES.map((name) => (name === "actions" ? JSON.stringify(fields.actions) : fields[name]));
}

/** `$5::text, $6::text, …` */
const placeholders = (first: number) => NAMES.map((name, i) => `$${first + i}::${FIELDS[name]}`).join(", ");

const column = (name: string) => `alert.${name}`;

/** Without the markup, whose length stands in for it. */
const listColumns = (clock = "clock_timestamp()") => `alert.id, alert.pusher_id,
  ${effectiveStatus(clock)} as status, ${isDue("alert", clock)} as due,
  ${NAMES.filter((name) => name !== "html" && name !== "asset_html")
    .map(column)
    .join(", ")},
  coalesce(length(alert.html), 0) as html_length, ${effectiveSentAt(clock)} as sent_at,
  alert.cancelled_at, alert.created_at, alert.updated_at`;

const COLUMNS = `${listColumns()}, alert.html, alert.asset_html`;

/**
 * Writes a new alert and, when it is published, checks in the same statement that its channel is active. One row for a
 * visible channel, whose alert columns are null when the channel refused; none for a channel that is not visible.
 * $4 id, $5 status (draft, scheduled or sent), from $6 the fields.
 */
export const insertAlert = defineStatement<
  { active: boolean; requested_perms: string[]; inserted: string | null } & AlertRecord
>(
  "insert_alert",
  `with c as materialized (
     select c.pusher_id, c.active, p.requested_perms from channel_state c join pusher p on p.id = c.pusher_id
     where c.pusher_id = $1 and ${VISIBLE} for no key update of c),
   i as (
     insert into alert (id, pusher_id, status, sent_at, ${NAMES.join(", ")})
     select $4::uuid, c.pusher_id, $5::text, case $5::text when 'sent' then clock_timestamp() end, ${placeholders(6)}
     from c where c.active or $5::text = 'draft'
     returning ${COLUMNS})
   select c.active, c.requested_perms, i.id as inserted, i.* from c left join i on true`,
);

/** What a duplicate takes over: everything but the instants of its model. */
const COPIED = NAMES.filter((name) => name !== "send_at" && name !== "expires_at");

/**
 * Writes a draft with the fields and files of another alert. One row: `found` is false when the caller sees no such
 * alert, `target` null when it sees no such channel, and then nothing was written. $4 the alert, $5 the channel of the
 * copy, $6 its id. The channel is locked as for any new alert; the model and so its files stay until the commit.
 */
export const duplicateAlert = defineStatement<
  { found: boolean; target: string | null; requested_perms: string[] } & AlertRecord
>(
  "duplicate_alert",
  `with model as materialized (
     select alert.* from alert join pusher p on p.id = alert.pusher_id
     where alert.id = $4 and p.id = $1 and ${VISIBLE} for key share of alert),
   c as materialized (
     select c.pusher_id, p.requested_perms from channel_state c join pusher p on p.id = c.pusher_id
     where c.pusher_id = $5 and ${VISIBLE} for no key update of c),
   i as (
     insert into alert (id, pusher_id, status, ${COPIED.join(", ")})
     select $6::uuid, c.pusher_id, 'draft', ${COPIED.map((name) => `model.${name}`).join(", ")} from model, c
     returning ${COLUMNS})
   select exists (select from model) as found, c.pusher_id as target, c.requested_perms, i.*
   from (values (1)) one left join c on true left join i on true`,
);

/** One alert for reading. $4 is the alert. */
export const readAlert = defineStatement<{ requested_perms: string[] } & AlertRecord>(
  "read_alert",
  `select p.requested_perms, ${COLUMNS} from alert join pusher p on p.id = alert.pusher_id
   where alert.id = $4 and p.id = $1 and ${VISIBLE}`,
);

/** Whether there is such an alert, and since when it is visible; without its fields. $4 is the alert. */
export const alertExists = defineStatement<{ id: string; sent_at: string | null }>(
  "alert_exists",
  `select id, ${effectiveSentAt()} as sent_at from alert where id = $4 and pusher_id = (select p.id from pusher p where p.id = $1 and ${VISIBLE})`,
);

/**
 * One alert for changing: its channel and it are locked until the transaction ends, so that of simultaneous changes
 * each sees what the one before it left. $4 is the alert.
 */
export const lockAlert = defineStatement<{ active: boolean; requested_perms: string[] } & AlertRecord>(
  "lock_alert",
  `select c.active, p.requested_perms, ${COLUMNS} from channel_state c
   join pusher p on p.id = c.pusher_id
   join alert on alert.pusher_id = c.pusher_id
   where c.pusher_id = $1 and ${VISIBLE} and alert.id = $4 for no key update of c, alert`,
);

/** Time does not wait for a lock: an alert that was scheduled when it was locked may have become visible since. */
const NOT_VISIBLE = `not ${isVisible("alert", "clock_timestamp()")}`;

/** Takes the fields of a locked alert that handsets do not see yet. $1 alert, $2 status, from $3 the fields. */
export const updateAlert = defineStatement<AlertRecord>(
  "update_alert",
  `update alert set status = $2, (${NAMES.join(", ")}) = row(${placeholders(3)}), updated_at = clock_timestamp()
   where id = $1 and ${NOT_VISIBLE}
   returning ${COLUMNS}`,
);

/** Publishing is one row changing. No row: handsets see the alert already. */
export const publishAlert = defineStatement<AlertRecord>(
  "publish_alert",
  `update alert set status = 'sent', sent_at = clock_timestamp(), send_at = null, updated_at = clock_timestamp()
   where id = $1 and ${NOT_VISIBLE} returning ${COLUMNS}`,
);

/** Schedules a draft, or moves what is scheduled. $1 alert, $2 its instant. No row: handsets see the alert already. */
export const scheduleAlert = defineStatement<AlertRecord>(
  "schedule_alert",
  `update alert set status = 'scheduled', send_at = $2::timestamptz, updated_at = clock_timestamp()
   where id = $1 and ${NOT_VISIBLE} returning ${COLUMNS}`,
);

/** What had become visible keeps its `sent_at`; what had not keeps none. */
export const cancelAlert = defineStatement<AlertRecord>(
  "cancel_alert",
  `update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = clock_timestamp(),
     sent_at = case when ${isVisible("alert", "clock_timestamp()")} then visible_at end
   where id = $1 returning ${COLUMNS}`,
);

/** No row: handsets see the alert already. */
export const removeAlert = defineStatement<{ id: string }>(
  "remove_alert",
  `delete from alert where id = $1 and ${NOT_VISIBLE} returning id`,
);

const STATUS_FILTER: Record<AlertStatus | "any", string> = {
  any: "true",
  draft: "status = 'draft'",
  scheduled: isPlanned(),
  sent: isVisible(),
  cancelled: "status = 'cancelled'",
};

/** One statement for each status filter, `any` included. */
function byStatus(
  name: string,
  text: (filter: string) => string,
): Record<AlertStatus | "any", Statement<AlertRecord>> {
  return Object.fromEntries(
    Object.entries(STATUS_FILTER).map(([status, filter]) => [
      status,
      defineStatement<AlertRecord>(`${name}_${status}`, text(filter)),
    ]),
  ) as Record<AlertStatus | "any", Statement<AlertRecord>>;
}

/**
 * A page of a channel's history, newest first, for each status filter. $1 channel, $2 strictly before (null: from the
 * newest), $3 how many; rows that share the last instant come along.
 */
export const listAlerts = byStatus(
  "list_alerts",
  (filter) => `select ${listColumns("now()")} from alert
   where pusher_id = $1 and ${filter} and created_at < coalesce($2::timestamptz, 'infinity')
   order by created_at desc fetch first $3 rows with ties`,
);

/**
 * The same over every channel that the caller sees: of each its newest, and of these the newest. $1 workspace, $2 channels
 * or null, $3 strictly before, $4 how many. Cost grows with the channels and the page, never with history.
 */
export const listAccountAlerts = byStatus(
  "list_account_alerts",
  (filter) => `select ${listColumns("now()")} from (
     select newest.id from pusher p cross join lateral (
       select id, created_at from alert
       where pusher_id = p.id and ${filter} and created_at < coalesce($3::timestamptz, 'infinity')
       order by created_at desc fetch first $4 rows with ties) newest
     where p.workspace_id = $1 and ($2::uuid[] is null or p.id = any($2::uuid[]))
     order by newest.created_at desc fetch first $4 rows with ties) page
   join alert on alert.id = page.id order by alert.created_at desc, alert.id desc`,
);
