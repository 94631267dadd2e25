// Channels by their handles for programs that listen as to ntfy, and the backlog of these channels. Each statement
// reads one snapshot.

import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { getFieldSqlTypes, pickFieldDefinitions } from "../../model/fields/field_table.ts";
import {
  array,
  bigint,
  boolean,
  int,
  neverNull,
  nullable,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import {
  FULL_BODY_LENGTH_COLUMN_TYPE,
  selectBodyExcerptByteLength,
  selectColumnsWithExcerpt,
  selectFullBodyLength,
} from "./alert_excerpt.ts";
import { buildJoinHistoryStartSql } from "./alerts_before_joining.ts";

const defineStatement = createStatementDefiner("inbox");

const FIELDS = getFieldSqlTypes(
  pickFieldDefinitions(
    ALERT_FIELDS,
    "title",
    "body",
    "priority",
    "source_url",
    "image_url",
    "image_asset_id",
    "actions",
    "expires_at",
    "collapse_key",
  ),
);

/**
 * The columns that a message is made of: of the alert `a` of the channel `p`. Markup is represented by its address
 * alone.
 */
const SHOWN = {
  id: uuid,
  handle: text,
  is_public: boolean,
  icon: nullable(text),
  has_page: boolean,
  sent_at: neverNull(timestamptz),
  ...FIELDS,
  ...FULL_BODY_LENGTH_COLUMN_TYPE,
};
const SELECTED = `a.id, p.handle, p.is_public, p.image_url as icon, a.has_page, a.visible_at as sent_at,
      ${selectColumnsWithExcerpt("a", FIELDS)}, ${selectFullBodyLength("a")}`;
const HAS_PAGE = "coalesce(html, asset_html) is not null as has_page";

/** rules#ntfy-listens. The channels of these handles that a device, or an anonymous client, may listen to. */
export const findNtfyChannels = defineStatement.reading("find_ntfy_channels", {
  parameters: { handles: array(text), device_id: nullable(bigint) },
  columns: {
    id: text,
    handle: text,
    is_public: boolean,
    due: boolean,
    /** The revision of the device's subscriptions. */
    device_rev: nullable(text),
  },
  text: `select p.id::text as id, p.handle, p.is_public, coalesce(c.next_due_at <= now(), false) as due,
      (select d.subscriptions_revision::text from device d where d.id = $device_id::bigint) as device_rev
    from pusher p join channel_state c on c.pusher_id = p.id and not c.suspended
    where p.handle = any($handles::text[]) and p.status <> 'suspended' and (p.is_public
      or exists (select 1 from subscription s where s.pusher_id = p.id and s.device_id = $device_id::bigint))`,
});

export type NtfyChannel = StatementRow<typeof findNtfyChannels>;

/** The approximate bytes of a message without its title and text. */
const REST_BYTES = 250;

/**
 * SQL for the messages of channels from a position on, without expired ones: their identity, and the approximate bytes.
 * Due alerts are published before. A device that joined a channel gets the alerts of its inbox.
 */
const createMessageStatement = (order: "asc" | "desc") => ({
  parameters: {
    device_id: nullable(bigint),
    channels: array(uuid),
    since: nullable(timestamptz),
    after: nullable(uuid),
    limit: int,
  },
  columns: { id: uuid, handle: text, bytes: int, before_joining: boolean },
  text: `with place as materialized (
      select coalesce(found.at, $since::timestamptz, '-infinity') as at,
        case when found.at is null then '00000000-0000-0000-0000-000000000000'::uuid else $after::uuid end as id
      from (select max(coalesce(visible_at, sent_at)) as at from alert
        where id = $after::uuid and pusher_id = any($channels::uuid[])) found)
    select newest.id, p.handle, newest.bytes, coalesce(newest.visible_at < joined.subscribed_at, false) as
      before_joining
    from unnest($channels::uuid[]) channel (id)
    join channel_state c on c.pusher_id = channel.id and not c.suspended
    join pusher p on p.id = channel.id
    left join subscription joined on joined.pusher_id = channel.id and joined.device_id = $device_id::bigint
    left join lateral (${buildJoinHistoryStartSql("channel.id", "joined.subscribed_at")}) first on true
    cross join lateral (
      select s.id, s.visible_at, octet_length(s.title)
        + coalesce(${selectBodyExcerptByteLength("s")}, 0) + ${REST_BYTES} as bytes
      from alert s where s.pusher_id = channel.id and s.status = 'sent'
        and (s.visible_at, s.id) > ((select at from place), (select id from place))
        and s.visible_at >= coalesce(first.visible_at, '-infinity')
        and (s.visible_at > coalesce(first.visible_at, '-infinity') or s.id >= first.id)
        and coalesce(s.expires_at > now(), true)
      order by s.visible_at ${order}, s.id ${order} limit $limit::int) newest
    order by newest.visible_at ${order}, newest.id ${order} limit $limit::int`,
});

/** The newest since a time, newest first. */
export const listNtfyMessagesSince = defineStatement.reading("ntfy_messages_since", createMessageStatement("desc"));

/** The oldest after the alert `after`, oldest first; if it was deleted, since the time. */
export const listNtfyMessagesAfter = defineStatement.reading("ntfy_messages_after", createMessageStatement("asc"));

/** These alerts in this order, without those that were withdrawn or expired in the meantime. */
export const readNtfyMessagesById = defineStatement.reading("ntfy_messages_by_id", {
  parameters: { ids: array(uuid) },
  columns: SHOWN,
  text: `select ${SELECTED}
    from unnest($ids::uuid[]) with ordinality wanted (id, place)
    cross join lateral (select alert.*, ${HAS_PAGE} from alert where alert.id = wanted.id) a
    join pusher p on p.id = a.pusher_id
    join channel_state c on c.pusher_id = p.id and not c.suspended
    where a.status = 'sent' and coalesce(a.expires_at > now(), true)
    order by wanted.place`,
});

export type NtfyBacklogIdAndSize = StatementRow<typeof listNtfyMessagesSince>;

export type NtfyAlert = StatementRow<typeof readNtfyMessagesById>;
