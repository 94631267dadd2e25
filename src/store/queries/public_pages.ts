// Data of pages without a session: the card of a channel with its newest alerts, and feeds of public channels. A feed
// first reads its validator from two rows, and the alerts only after a change. They contain nothing of owners or
// devices.

import { sqlIsDue } from "../../model/domain/alert_transitions.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import { getFieldSqlTypes, pickFieldDefinitions, selectFieldsDrawnOn } from "../../model/fields/field_table.ts";
import {
  boolean,
  float8,
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
import { CHANNEL_STATUSES } from "../../model/tables/channel.ts";
import { createStatementDefiner, type StatementRow } from "../db/statement.ts";
import { selectColumnsWithExcerpt } from "./alert_excerpt.ts";
import { DATABASE_EPOCH_SQL } from "./database_epoch.ts";
import { CHANNEL_CARD_COLUMNS, USABLE_INVITE_SQL } from "./subscriptions_and_directory.ts";

const defineStatement = createStatementDefiner("pages");

/** The number of characters of an alert's text on a page. One more is read to detect longer texts. */
export const PUBLIC_EXCERPT_LENGTH = 600;

/** The page shows only a part of text and markup. */
const { body: _, html: __, ...ON_PAGES } = getFieldSqlTypes(selectFieldsDrawnOn(ALERT_FIELDS, "public"));
const ALERT_COLUMNS = {
  id: uuid,
  ...ON_PAGES,
  text: nullable(text),
  has_page: boolean,
  sent_at: neverNull(timestamptz),
};

/** An alert of a page, with times in the format of responses. */
export type PublicAlertRow = SqlValuesOf<typeof ALERT_COLUMNS>;

const INSTANTS = ["sent_at", "expires_at"];
const VALUES: Record<string, string> = {
  text: `left(a.body, ${PUBLIC_EXCERPT_LENGTH + 1})`,
  has_page: "coalesce(a.html, a.asset_html) is not null",
  sent_at: "a.visible_at",
};
const jsonPair = (name: string) => {
  const value = VALUES[name] ?? `a.${name}`;
  return `'${name}', ${INSTANTS.includes(name) ? `to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : value}`;
};

/**
 * rules#channel-page. One row if the channel is visible with this invite code or none, with the newest alerts of a
 * public one. `due`: it has unpublished due alerts; those requested with `due` are still shown
 * (store/queries/inbox.ts).
 */
export const findPublicChannel = defineStatement.reading("public_channel", {
  parameters: { handle: text, code: nullable(text), due: boolean, limit: int },
  columns: {
    id: uuid,
    status: textEnum(CHANNEL_STATUSES),
    due: boolean,
    ...CHANNEL_CARD_COLUMNS,
    alerts: jsonb<PublicAlertRow[]>(),
  },
  text: `select p.id, p.status, coalesce(c.next_due_at <= now(), false) as due,
    ${selectColumns("p", CHANNEL_CARD_COLUMNS)},
    newest.alerts
    from pusher p join channel_state c on c.pusher_id = p.id
    cross join lateral (
      select coalesce(jsonb_agg(a.told order by a.visible_at desc, a.id desc), '[]') as alerts from (
        select a.visible_at, a.id, jsonb_build_object(${Object.keys(ALERT_COLUMNS).map(jsonPair).join(", ")}) as told
        from alert a where p.is_public and a.id = any(array(
          (select s.id from alert s where s.pusher_id = p.id and s.status = 'sent'
            order by s.visible_at desc, s.id desc limit $limit::int)
          union all
          (select d.id from alert d where $due::boolean and d.pusher_id = p.id and ${sqlIsDue("d")}
            order by d.visible_at desc limit $limit::int)))
        order by a.visible_at desc, a.id desc limit $limit::int) a) newest
    where p.handle = $handle and p.status <> 'suspended' and (p.is_public
      or exists (select 1 from invite i where i.pusher_id = p.id and i.code = $code::text and ${USABLE_INVITE_SQL}))`,
});

export type PublicChannel = StatementRow<typeof findPublicChannel>;

const PLACED = {
  handle: text,
  ...getFieldSqlTypes(
    pickFieldDefinitions(
      CHANNEL_FIELDS,
      "name",
      "category",
      "description",
      "city",
      "initials",
      "gradient_from",
      "gradient_to",
    ),
  ),
  search_text: text,
  lat: neverNull(float8),
  lon: neverNull(float8),
  radius_km: neverNull(float8),
};

/** rules#near-me. The newest channels of the directory that have a circle. */
export const listDirectoryChannelsWithLocation = defineStatement.reading("channels_with_location", {
  parameters: { limit: int },
  columns: PLACED,
  text: `select ${selectColumns("p", PLACED)}
    from pusher p where p.is_public and p.status = 'active' and p.radius_km is not null
    order by p.created_at desc limit $limit::int`,
});

/** Up to two channels of the directory. */
export const listTwoPublicChannels = defineStatement.reading("two_public_channels", {
  columns: { handle: text },
  text: "select p.handle from pusher p where p.is_public and p.status = 'active' order by p.created_at limit 2",
});

const HEAD = getFieldSqlTypes(selectFieldsDrawnOn(CHANNEL_FIELDS, "feed"));

/**
 * A channel with a public feed: rules#feeds. Equal `revision` means equal feeds. `due`: it has unpublished due alerts.
 * `modified`: the last visible change; null during the second of the change.
 */
export const findPublicFeedChannel = defineStatement.reading("public_feed", {
  parameters: { handle: text },
  columns: {
    id: uuid,
    handle: text,
    ...HEAD,
    created_at: timestamptz,
    due: boolean,
    revision: text,
    modified: nullable(timestamptz),
  },
  text: `select p.id, p.handle, ${selectColumns("p", HEAD)}, p.created_at,
      coalesce(c.next_due_at <= now(), false) as due, concat_ws('.', ${DATABASE_EPOCH_SQL}, p.id, c.revision,
        p.updated_at)
        as revision,
      case when clock_timestamp() >= m.second + interval '1 second' then m.second end as modified
    from pusher p join channel_state c on c.pusher_id = p.id
    cross join lateral (select date_trunc('second', greatest(c.changed_at, p.updated_at)) as second) m
    where p.handle = $handle and p.is_public and p.status <> 'suspended'`,
});

export type PublicFeedChannel = StatementRow<typeof findPublicFeedChannel>;

/** Markup has a separate limit below. */
const { html: ___, ...IN_FEEDS } = getFieldSqlTypes(selectFieldsDrawnOn(ALERT_FIELDS, "feed"));
const ENTRY = { id: uuid, ...IN_FEEDS };

/**
 * The newest alerts of one channel. Due alerts are published before; `due` adds those that could not be
 * (store/queries/inbox.ts). An entry with markup above `markup_bytes` has only its text.
 */
export const listPublicFeedAlerts = defineStatement.reading("list_public_feed_alerts", {
  parameters: { pusher_id: uuid, due: boolean, limit: int, markup_bytes: int },
  columns: { ...ENTRY, html: nullable(text), sent_at: neverNull(timestamptz) },
  text: `select ${selectColumnsWithExcerpt("a", ENTRY)},
      case when a.layout <> 'document' and octet_length(coalesce(a.html, a.asset_html)) <= $markup_bytes::int
        then coalesce(a.html, a.asset_html) end as html, a.visible_at as sent_at
    from (
      (select s.id from alert s where s.pusher_id = $pusher_id and s.status = 'sent'
        order by s.visible_at desc, s.id desc limit $limit::int)
      union all
      (select d.id from alert d where $due::boolean and d.pusher_id = $pusher_id and ${sqlIsDue("d")}
        order by d.visible_at desc limit $limit::int)) newest
    join alert a on a.id = newest.id
    order by a.visible_at desc, a.id desc limit $limit::int`,
});

export type PublicFeedAlert = StatementRow<typeof listPublicFeedAlerts>;
