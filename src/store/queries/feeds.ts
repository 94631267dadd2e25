// Feeds of public channels: first what a validator takes, from two rows; the alerts only for whom it has changed.

import { isDue } from "../../model/domain/alert_status.ts";
import { ALERT } from "../../model/fields/alert.ts";
import { PUSHER } from "../../model/fields/pusher.ts";
import { columnsOf, drawnOn } from "../../model/fields/record.ts";
import { boolean, int, neverNull, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";
import { EPOCH } from "./epoch.ts";

const defineStatement = statementsOf("pages");

const HEAD = columnsOf(drawnOn(PUSHER, "feed"));

/**
 * A channel whose feed anybody may read: docs/rules.md#feeds. `revision`: equal texts mean equal feeds. `due`: something came
 * due and is not settled. `modified`: the last change of what is shown; null while the second that it fell into goes on.
 */
export const publicFeed = defineStatement.reading("public_feed", {
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
  text: `select p.id, p.handle, ${Object.keys(HEAD)
    .map((name) => `p.${name}`)
    .join(", ")}, p.created_at,
      coalesce(c.next_at <= now(), false) as due, concat_ws('.', ${EPOCH}, p.id, c.rev, p.updated_at) as revision,
      case when clock_timestamp() >= m.second + interval '1 second' then m.second end as modified
    from pusher p join channel_state c on c.pusher_id = p.id
    cross join lateral (select date_trunc('second', greatest(c.changed_at, p.updated_at)) as second) m
    where p.handle = $handle and p.is_public and p.status <> 'suspended'`,
});

export type FeedChannel = RowOf<typeof publicFeed>;

/** Markup has a bound of its own below. */
const { html: _, ...fields } = columnsOf(drawnOn(ALERT, "feed"));
const SHOWN = { id: uuid, ...fields };

/**
 * The newest alerts of one channel. What came due is settled before; `due` adds what could not be (store/queries/settle.ts). Of
 * markup beyond `markup_bytes` an entry has the text alone.
 */
export const feedAlerts = defineStatement.reading("feed_alerts", {
  parameters: { pusher_id: uuid, due: boolean, limit: int, markup_bytes: int },
  columns: { ...SHOWN, html: nullable(text), sent_at: neverNull(timestamptz) },
  text: `select ${Object.keys(SHOWN)
    .map((column) => `a.${column}`)
    .join(", ")},
      case when a.layout <> 'document' and octet_length(coalesce(a.html, a.asset_html)) <= $markup_bytes::int
        then coalesce(a.html, a.asset_html) end as html, a.visible_at as sent_at
    from (
      (select s.id from alert s where s.pusher_id = $pusher_id and s.status = 'sent'
        order by s.visible_at desc, s.id desc limit $limit::int)
      union all
      (select d.id from alert d where $due::boolean and d.pusher_id = $pusher_id and ${isDue("d")}
        order by d.visible_at desc limit $limit::int)) newest
    join alert a on a.id = newest.id
    order by a.visible_at desc, a.id desc limit $limit::int`,
});

export type FeedAlert = RowOf<typeof feedAlerts>;
