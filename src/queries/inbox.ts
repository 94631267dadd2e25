// The inbox is a query over sent alerts: docs/rules.md#publishing-is-one-row. What came due is settled before (see
// handset/authenticate.ts), so the rows are those that say `sent`, whatever the clock says.

import { defineStatement } from "../db/statement.ts";
import type { AlertRecord } from "../shapes/alert.ts";

/** A visible alert with its channel's handle. */
export type InboxRecord = Omit<
  AlertRecord,
  "pusher_id" | "status" | "html_length" | "asset_html" | "created_at" | "updated_at"
> & {
  handle: string;
  html: string | null;
  /** When the next older alert became visible; null after the oldest one that was looked at. */
  following: string | null;
  /** About how many bytes this row and those before it have, unescaped. */
  so_far: number;
};

/** An unescaped row, about: its texts, and a kilobyte for everything else that a handset is shown. */
const SIZE = `1024${[
  "coalesce(alert.html, alert.asset_html)",
  "alert.title",
  "alert.body",
  "alert.image_url",
  "alert.audio_url",
  "alert.tts_text",
  "alert.actions::text",
]
  .map((text) => ` + coalesce(octet_length(${text}), 0)`)
  .join("")}`;

const BEFORE = `a.visible_at <= coalesce($2::timestamptz, 'infinity')
         and (a.visible_at < coalesce($2::timestamptz, 'infinity') or a.id < $5::uuid)`;

/**
 * A page of a device's inbox, newest first. $1 device, $2 strictly before (null: from the newest), $3 how many; rows
 * that share the last instant come along. $4 ends it at a number of bytes, though not before its first row; markup beyond
 * that is not even read. $5 is an alert that became visible at $2: those of this instant that come after it are
 * included. Ids come from the index alone, whole rows only for the page.
 */
const page = (also: string) => `with channels as materialized (
     select s.pusher_id from subscription s
     join channel_state c on c.pusher_id = s.pusher_id and not c.suspended where s.device_id = $1::bigint),
   top as (
     select ids.id, ids.visible_at from channels cross join lateral (
       (select a.id, a.visible_at from alert a
       where a.pusher_id = channels.pusher_id and a.status = 'sent' and ${BEFORE}
       order by a.visible_at desc fetch first $3 rows with ties)${also}) ids
     order by ids.visible_at desc fetch first $3 rows with ties),
   page as (
     select top.id, top.visible_at, lead(top.visible_at) over newest as following, ${SIZE} as size,
       sum(${SIZE}) over newest as so_far
     from top join alert on alert.id = top.id
     window newest as (order by top.visible_at desc, top.id desc))
   select page.following, page.so_far::float8, alert.id, p.handle, alert.visible_at as sent_at, alert.title, alert.body, alert.priority,
     alert.layout, alert.image_url, alert.image_asset_id, alert.audio_asset_id, alert.html_asset_id,
     coalesce(alert.html, alert.asset_html) as html, alert.actions, alert.requires_ack, alert.expires_at, alert.sound, alert.audio_url, alert.vibrate, alert.tts_text,
     alert.tts_lang, alert.lat, alert.lon, alert.radius_km, alert.geo_rule, alert.collapse_key
   from page join alert on alert.id = page.id join pusher p on p.id = alert.pusher_id
   where page.so_far <= $4::bigint or page.so_far = page.size
   order by page.visible_at desc, page.id desc`;

export const inboxPage = defineStatement<InboxRecord>("inbox_page", page(""));

/** The same with due alerts that could not be settled: $6, as `find_devices_with_due` names them. */
export const inboxPageWithDue = defineStatement<InboxRecord>(
  "inbox_page_with_due",
  page(`
       union all select a.id, a.visible_at from alert a
       where a.pusher_id = channels.pusher_id and a.status = 'scheduled'
         and concat_ws('.', a.id, a.xmin) = any($6::text[]) and ${BEFORE}`),
);
