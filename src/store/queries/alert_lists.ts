// Lists of alerts, over every channel that the caller sees (see store/queries/channels.ts): the history by its age, and what is
// searched, by the instant that its status has.

import { isDue, isPlanned, isVisible } from "../../model/domain/alert_status.ts";
import type { AlertStatus } from "../../model/entities/alert.ts";
import { array, int, nullable, selected, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { anySought, SOUGHT, SOUGHT_TOGETHER } from "./alert_words.ts";
import { LISTED } from "./alerts.ts";
import { VISIBLE } from "./channels.ts";

const defineList = statementsOf("lists");

type Listed = AlertStatus | "any";

function byStatus<S>(define: (status: Listed, filter: string) => S): Record<Listed, S> {
  return {
    any: define("any", "true"),
    draft: define("draft", "status = 'draft'"),
    repeating: define("repeating", "status = 'repeating'"),
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
  defineList.reading(`list_alerts_${status}`, {
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

/** Loose alerts that a search looks at, the newest of the workspace: many times what there are but while very many come at once. */
const LOOSE = 2_000;

/** Blocks that a page of a search looks into; more where several reach to the same instant, so that each page gets further. */
const BLOCKS = 25;

const SIDES = {
  newest: { order: "desc", beyond: "<", first: "'infinity'", near: "to", far: "from", nearer: "least" },
  oldest: { order: "asc", beyond: ">", first: "'-infinity'", near: "from", far: "to", nearer: "greatest" },
};

export type Order = keyof typeof SIDES;

/** An id from which on a page has all of an instant. */
export const LAST_ID: Record<Order, string> = {
  newest: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  oldest: "00000000-0000-0000-0000-000000000000",
};

/** The instant of a status, and the indexes' own conditions that are this status together. */
const IN_TIME: Record<Listed, { instant: "created_at" | "visible_at"; filters: readonly string[] }> = {
  any: { instant: "created_at", filters: ["true"] },
  draft: { instant: "created_at", filters: ["status = 'draft'"] },
  repeating: { instant: "created_at", filters: ["status = 'repeating'"] },
  scheduled: { instant: "visible_at", filters: [isPlanned()] },
  sent: { instant: "visible_at", filters: ["status = 'sent'", isDue()] },
  cancelled: { instant: "created_at", filters: ["status = 'cancelled'"] },
};

/**
 * The first alerts of a search after a place. Of a channel of which all is found, its nearest; else those of the nearest blocks that have
 * the words, and of what is loose. A block's edge is where its alerts begin, seen from the place. What lies beyond the edge of the first
 * block that is not looked into is left for the next page, which begins there: `edge`, null where there is no such block. One row at least.
 */
const search = (status: Listed, side: Order) => {
  const { instant, filters } = IN_TIME[status];
  const { order, beyond, first, near, far, nearer } = SIDES[side];
  const hidden = status === "draft" || status === "repeating" || status === "cancelled";
  const part = instant === "created_at" ? "created" : "visible";
  const before = `coalesce($before::timestamptz, ${first})`;
  const inRange = (row: string, id: string) =>
    `${row}.${instant} >= coalesce($from::timestamptz, '-infinity') and ${row}.${instant} < coalesce($to::timestamptz, 'infinity')
            and (${row}.${instant}, ${id}) ${beyond} (${before}, coalesce($inside::uuid, '${LAST_ID[side]}'))`;
  const nearest = filters.map(
    (filter) => `(select id, ${instant} as at from alert
            where pusher_id = channel.id and ${filter} and ${inRange("alert", "id")}
            order by ${instant} ${order}, id ${order} limit $limit::int)`,
  );
  const listed = `(${filters.join(" or ")})`;
  return defineList.reading(`search_alerts_${status}_${side}`, {
    parameters: {
      ...VISIBLE.parameters,
      words: array(text),
      writer: nullable(text),
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      ...PLACE,
    },
    columns: { edge: nullable(timestamptz) },
    joined: LISTED.columns,
    text: `with channel as materialized (
        select p.id, ${SOUGHT} as sought from pusher p where ${VISIBLE.text}),
      sought as materialized (
        select ${anySought(hidden ? status : null)} as words from (
          select id, sought, row_number() over () as n from channel where sought is not null) channel
        group by n / ${SOUGHT_TOGETHER}),
      block as materialized (
        select id, edge, rank() over (order by edge ${order}) as place from (
          select distinct b.id, ${nearer}(b.${part}_${near}, ${before}) as edge
          from sought cross join lateral (select * from alert_block where words @@ sought.words limit all) b
          where b.workspace_id = $workspace_id and b.${part}_to >= coalesce($from::timestamptz, '-infinity')
            and b.${part}_from < coalesce($to::timestamptz, 'infinity') and b.${part}_${far} ${beyond}= ${before}) reached),
      unread as materialized (
        select edge from block where place > ${BLOCKS} order by edge ${order} limit 1),
      loose as materialized (
        select alert_id, pusher_id from loose_alert where workspace_id = $workspace_id
        order by created_at desc limit ${LOOSE}),
      found as (
        select near.id, near.at from channel cross join lateral (
          select id, at from (${nearest.join("\n            union all ")}) near
          order by at ${order}, id ${order} limit $limit::int) near
        where channel.sought is null
        union all
        select alert.id, alert.${instant} from loose
        join channel on channel.id = loose.pusher_id
        cross join lateral (
          select alert_id from alert_words where alert_id = loose.alert_id and words @@ channel.sought limit 1) words
        join alert on alert.id = words.alert_id and ${listed} and ${inRange("alert", "alert.id")}
        union all
        (select alert.id, words.at from (
          select w.alert_id, w.${instant} as at from block
          join alert_words w on w.block_id = block.id
          join channel on channel.id = w.pusher_id and w.words @@ channel.sought
          where block.place <= ${BLOCKS} and ${hidden ? "w.visible_at is null" : "true"} and ${inRange("w", "w.alert_id")}
          order by w.${instant} ${order}, w.alert_id ${order}) words
        cross join lateral (select id from alert where id = words.alert_id and ${listed} limit 1) alert
        order by words.at ${order}, words.alert_id ${order} limit $limit::int)),
      page as (
        select id, at from found
        where not exists (select from unread where found.at ${beyond}= unread.edge)
        order by at ${order}, id ${order} limit $limit::int)
      select (select edge from unread) as edge, ${selected("listed", LISTED.columns)} from (select) always
      left join (
        select page.at, ${LISTED.text} from page join alert on alert.id = page.id) listed on true
      order by listed.at ${order}, listed.id ${order}`,
  });
};

const searches = (side: Order) => byStatus((status) => search(status, side));

/** One statement for each status filter and order. */
export const searchAlerts = { newest: searches("newest"), oldest: searches("oldest") };
