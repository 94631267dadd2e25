// Searches of alerts, over every channel that the caller sees (see store/queries/channels.ts), in the order of the
// time that their status has.

import { sqlIsDue, sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import {
  array,
  boolean,
  int,
  jsonb,
  nullable,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { type AlertStatusFilter, defineByAlertStatus, PAGE_PARAMETERS } from "./alert_lists.ts";
import { LIST_SELECTION } from "./alerts.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";

const defineList = createStatementDefiner("lists");

/** The visible channels with tags. A term that is a prefix of a tag is not searched in the alerts of its channel. */
export const listVisibleChannelTags = defineList.reading("tagged_channels", {
  parameters: VISIBLE_TO_CALLER_SQL.parameters,
  columns: { id: uuid, tags: array(text) },
  text: `select p.id, p.tags from pusher p where ${VISIBLE_TO_CALLER_SQL.text} and p.tags <> '{}' order by p.id`,
});

/** The number of alerts at the start of the page that are scanned before the search index is used. */
const NEAR = 5_000;

const SIDES = {
  newest: { order: "desc", beyond: "<", first: "'infinity'", last: "ffffffff-ffff-ffff-ffff-ffffffffffff" },
  oldest: { order: "asc", beyond: ">", first: "'-infinity'", last: "00000000-0000-0000-0000-000000000000" },
};

export type SearchTimeOrder = keyof typeof SIDES;

/** Conditions of the two search indexes: alerts that are visible to phones at some time, and others. */
const VISIBLE_SOMEDAY = "visible_at is not null";
const HIDDEN = "visible_at is null";

interface InTime {
  /** The time of the status. */
  instant: "created_at" | "visible_at";
  /** Conditions of indexes of one channel that are this status together. */
  filters: readonly string[];
  /** The same of indexes of all channels. */
  wide: readonly string[];
  /** Conditions of the search indexes. */
  indexes: readonly string[];
}

const hidden = (status: AlertStatusFilter): InTime => ({
  instant: "created_at",
  filters: [`status = '${status}'`],
  wide: ["true"],
  indexes: [HIDDEN],
});
const visible = (...filters: string[]): InTime => ({
  instant: "visible_at",
  filters,
  wide: filters,
  indexes: [VISIBLE_SOMEDAY],
});

const IN_TIME: Record<AlertStatusFilter, InTime> = {
  any: { instant: "created_at", filters: ["true"], wide: ["true"], indexes: [VISIBLE_SOMEDAY, HIDDEN] },
  draft: hidden("draft"),
  repeating: hidden("repeating"),
  cancelled: hidden("cancelled"),
  scheduled: visible(sqlIsPlanned()),
  sent: visible("alert.status = 'sent'", sqlIsDue()),
};

/** A query of PostgreSQL's full text for some channels, by their ids; null: all of their alerts are found. */
export interface AlertTextQueryOfChannels {
  ids: readonly string[];
  sought: string | null;
}

/**
 * The first alerts of a search after a position, by two plans (docs/decisions/0056). The first scans the nearest
 * alerts, which is enough for a frequent term. If they are too few, the second uses the search index, which is cheap
 * for a rare term. It also reads the nearest alerts of channels that match completely. `scans` together find at least
 * the alerts of `sought` and `tagged`. Conditions after `offset 0` are hidden from the planner, which would use the
 * index of another column.
 */
const search = (status: AlertStatusFilter, side: SearchTimeOrder) => {
  const { instant, filters, wide, indexes } = IN_TIME[status];
  const { order, beyond, first, last } = SIDES[side];
  const nearestFirst = (row: string, at: string) => `${row}.${at} ${order}, ${row}.id ${order}`;
  const inRange = `alert.${instant} >= coalesce($from::timestamptz, '-infinity') and alert.${instant} <
    coalesce($to::timestamptz, 'infinity')
            and (alert.${instant}, alert.id) ${beyond} (coalesce($before::timestamptz, ${first}),
              coalesce($inside::uuid, '${last}'))`;
  const nearest = (condition: string, of: readonly string[], limit: string | number) =>
    of.map(
      (filter) => `(select id, pusher_id, status, search_vector, visible_at, ${instant} as at from alert
          where ${condition} and ${filter} and ${inRange} order by ${nearestFirst("alert", instant)} limit ${limit})`,
    );
  const listed = `(${filters.join(" or ")})`;
  return {
    parameters: {
      ...VISIBLE_TO_CALLER_SQL.parameters,
      /** A query of PostgreSQL's full text; null: all alerts are found. */
      sought: nullable(text),
      tagged: jsonb<readonly AlertTextQueryOfChannels[]>(),
      scans: array(text),
      /** True if `scans` may find more than `sought` and `tagged`. */
      recheck: boolean,
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      ...PAGE_PARAMETERS,
    },
    order: nearestFirst("page", "at"),
    pages: `with channel as materialized (
        select p.id, (case when tagged.id is null then $sought::text else tagged.sought end)::tsquery as sought
        from pusher p left join (
          select unnest(ids) as id, sought from jsonb_to_recordset((select $tagged::jsonb)) t (ids uuid[], sought text))
            tagged on tagged.id = p.id
        where ${VISIBLE_TO_CALLER_SQL.text}),
      near as materialized (
        select alert.id, alert.at,
          channel.id is not null and ${listed} and (channel.sought is null
            or coalesce(alert.search_vector @@ channel.sought, false)) as fits
        from (select * from (${[
          ...nearest("cardinality($pusher_ids::uuid[]) is distinct from 1", wide, NEAR),
          ...nearest("cardinality($pusher_ids::uuid[]) = 1 and pusher_id = ($pusher_ids::uuid[])[1]", filters, NEAR),
        ].join("\n          union all ")}) alert order by ${nearestFirst("alert", "at")} limit ${NEAR}) alert
        left join channel on channel.id = alert.pusher_id),
      enough as materialized (
        select count(*) < ${NEAR} or count(*) filter (where fits) >= $limit::int as enough from near),
      found as (
        select id, at from near where fits and (select enough from enough)
        union all
        ${indexes
          .map(
            (index) => `select alert.id, alert.at from unnest($scans::text[]) scan cross join lateral (
          select alert.id, alert.${instant} as at from (
            select id, pusher_id, status, search_vector, visible_at, created_at from alert
              where search_vector @@ scan::tsquery and ${index} offset 0) alert
          join channel on channel.id = alert.pusher_id and (not $recheck::boolean
            or alert.search_vector @@ channel.sought)
          where ${listed} and ${inRange} order by ${nearestFirst("alert", instant)} limit $limit::int) alert
        where not (select enough from enough)`,
          )
          .join("\n        union all ")}
        union all
        select alert.id, alert.at from channel cross join lateral (
          select id, at from (${nearest("pusher_id = channel.id", filters, "$limit::int").join(
            "\n          union all ",
          )}) alert
          order by ${nearestFirst("alert", "at")} limit $limit::int) alert
        where not (select enough from enough) and channel.sought is null),
      page as (select id, at from found group by id, at order by at ${order}, id ${order} limit $limit::int)`,
  };
};

const searches = (side: SearchTimeOrder) =>
  defineByAlertStatus((status) => {
    const { parameters, pages, order } = search(status, side);
    return defineList.reading(`search_alerts_${status}_${side}`, {
      parameters,
      columns: LIST_SELECTION.columns,
      text: `${pages}
      select ${LIST_SELECTION.text} from page join alert on alert.id = page.id order by ${order}`,
    });
  });

/** The number of alerts that a search finds, at most `limit`. */
export const countAlertSearchResults = defineByAlertStatus((status) => {
  const { parameters, pages } = search(status, "newest");
  return defineList.reading(`count_found_${status}`, {
    parameters,
    columns: { total: int },
    text: `${pages}
      select count(*)::int as total from page`,
  });
});

/** One statement for each status filter and order. */
export const searchAlertsByOrder = { newest: searches("newest"), oldest: searches("oldest") };
