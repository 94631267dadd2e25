// Lists of alerts, over every channel that the caller sees (see store/queries/channels.ts): the history by its age, and what is
// searched, by the instant that its status has.

import { isDue, isPlanned, isVisible } from "../../model/domain/alert_status.ts";
import type { AlertStatus } from "../../model/entities/alert.ts";
import { array, int, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { LISTED } from "./alert_columns.ts";
import { SOUGHT } from "./alert_words.ts";
import { VISIBLE } from "./channels.ts";

const defineList = statementsOf("lists");

type Listed = AlertStatus | "any";

function byStatus<S>(define: (status: Listed, filter: string) => S): Record<Listed, S> {
  return {
    any: define("any", "true"),
    draft: define("draft", "status = 'draft'"),
    scheduled: define("scheduled", isPlanned()),
    sent: define("sent", isVisible()),
    cancelled: define("cancelled", "status = 'cancelled'"),
  };
}

/** Where a page begins: from its first row on (null), or after a row. */
const PLACE = { before: nullable(timestamptz), inside: nullable(uuid), limit: int };

/**
 * A page of the history, newest first, for each status filter: strictly before an instant, or inside of it after an alert; rows that
 * share the last instant come along. Of each channel its newest, and of these the newest: cost grows with the channels and the page,
 * never with history.
 */
export const listAlerts = byStatus((status, filter) =>
  defineList(`list_alerts_${status}`, {
    reads: true,
    parameters: { ...VISIBLE.parameters, ...PLACE },
    columns: LISTED.columns,
    text: `select ${LISTED.text} from (
        select newest.id from pusher p cross join lateral (
          select id, created_at from alert
          where pusher_id = p.id and ${filter} and created_at <= coalesce($before::timestamptz, 'infinity')
            and (created_at < coalesce($before::timestamptz, 'infinity') or id < $inside)
          order by created_at desc fetch first ($limit::int) rows with ties) newest
        where ${VISIBLE.text}
        order by newest.created_at desc fetch first ($limit::int) rows with ties) page
      join alert on alert.id = page.id order by alert.created_at desc, alert.id desc`,
  }),
);

/** Alerts that a search looks at, the nearest of each channel, before it asks the index: of one, and of many together. */
const NEAREST = { one: 500, together: 5_000 };

const SIDES = {
  newest: {
    order: "desc",
    beyond: "<",
    reaches: ">=",
    first: "'infinity'",
    id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  },
  oldest: {
    order: "asc",
    beyond: ">",
    reaches: "<=",
    first: "'-infinity'",
    id: "00000000-0000-0000-0000-000000000000",
  },
};

export type Order = keyof typeof SIDES;

/** The instant of a status, and the indexes' own conditions that are this status together. */
const IN_TIME: Record<Listed, { instant: "created_at" | "visible_at"; filters: readonly string[] }> = {
  any: { instant: "created_at", filters: ["true"] },
  draft: { instant: "created_at", filters: ["status = 'draft'"] },
  scheduled: { instant: "visible_at", filters: [isPlanned()] },
  sent: { instant: "visible_at", filters: ["status = 'sent'", isDue()] },
  cancelled: { instant: "created_at", filters: ["status = 'cancelled'"] },
};

/**
 * The first alerts of a search after a place. What is common stands among the nearest alerts of each channel, and is taken from there;
 * what is rare has few entries in the index, which is asked about those channels alone where the nearest were not enough. The cost
 * grows with the channels and with the alerts that hold the words: most where many old ones do and no near one does.
 */
const search = (status: Listed, side: Order) => {
  const { instant, filters } = IN_TIME[status];
  const { order, beyond, reaches, first, id } = SIDES[side];
  const inRange = `${instant} >= coalesce($from::timestamptz, '-infinity') and ${instant} < coalesce($to::timestamptz, 'infinity')
            and (${instant}, id) ${beyond} (coalesce($before::timestamptz, ${first}), coalesce($inside::uuid, '${id}'))`;
  const nearest = filters.map(
    (filter) => `(select id, ${instant} as at from alert
            where pusher_id = channel.id and ${filter} and ${inRange}
            order by ${instant} ${order}, id ${order} limit (select n from span))`,
  );
  return defineList(`search_alerts_${status}_${side}`, {
    reads: true,
    parameters: {
      ...VISIBLE.parameters,
      words: array(text),
      writer: nullable(text),
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      ...PLACE,
    },
    columns: LISTED.columns,
    text: `with channel as materialized (
        select p.id, ${SOUGHT} as sought from pusher p where ${VISIBLE.text}),
      span as materialized (
        select case when bool_or(sought is not null) then greatest(1, least(${NEAREST.one}, ${NEAREST.together} / count(*))) else $limit::int end as n
        from channel),
      near as materialized (
        select channel.id as pusher_id, near.*,
          channel.sought is null
            or (select w.words @@ channel.sought from alert_words w where w.alert_id = near.id) as found
        from channel cross join lateral (
          select id, at, row_number() over (order by at ${order}, id ${order}) as place
          from (${nearest.join("\n            union all ")}) near
          order by place limit (select n from span)) near),
      enough as materialized (
        select at, id from near where found order by at ${order}, id ${order} offset $limit - 1 limit 1),
      further as (
        select alert.id, alert.at from near edge
        join channel on channel.id = edge.pusher_id
        cross join lateral (select alert_id from alert_words where words @@ channel.sought limit all) entry
        cross join lateral (
          select id, ${instant} as at from alert
          where id = entry.alert_id and pusher_id = channel.id and (${filters.join(" or ")}) and ${inRange}
            and (${instant}, id) ${beyond} (edge.at, edge.id) limit 1) alert
        where edge.place = (select n from span) and channel.sought is not null
          and not exists (select from enough where (enough.at, enough.id) ${reaches} (edge.at, edge.id)))
      select ${LISTED.text} from (
        select id, at from near where found union all select id, at from further
        order by at ${order}, id ${order} limit $limit) page
      join alert on alert.id = page.id order by page.at ${order}, page.id ${order}`,
  });
};

const searches = (side: Order) => byStatus((status) => search(status, side));

/** One statement for each status filter and order. */
export const searchAlerts = { newest: searches("newest"), oldest: searches("oldest") };
