// Repeating alerts. Occurrences are created in advance as scheduled alerts, many in one statement, by any process. A
// slot of a series, `(series_id, occurs_at)`, is written once for any number of processes
// (docs/decisions/0033-each-occurrence-is-an-alert.md).

import { sqlIsPlanned } from "../../model/domain/alert_transitions.ts";
import type { planSeriesFill } from "../../model/domain/occurrences.ts";
import {
  array,
  int,
  jsonb,
  neverNull,
  nullable,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";
import {
  ALERT_COLUMN_NAMES,
  ALERT_HISTORY_PARAMETERS,
  FULL_SELECTION,
  NEXT_ALERT_VERSION_SQL,
  STORE_ALERT_CHANGE_HISTORY_SQL,
} from "./alerts.ts";
import { VISIBLE_TO_CALLER_SQL } from "./channels.ts";

const defineStatement = createStatementDefiner("publish");
const defineList = createStatementDefiner("lists");
const defineUpkeep = createStatementDefiner("upkeep");

const PLANNED = sqlIsPlanned("alert", "clock_timestamp()");

/** The values of an occurrence that differ from its series. */
const OWN: Readonly<Record<string, string>> = {
  send_at: "o.occurs_at",
  expires_at: "o.occurs_at + (s.expires_at - s.send_at)",
  recurrence: "null",
  review_reply: "null",
};

const SHARED = ALERT_COLUMN_NAMES.filter((name) => !Object.hasOwn(OWN, name));

/** Counts the repeating alerts of a locked channel. */
export const countRepeating = defineStatement.reading("count_repeating", {
  parameters: { pusher_id: uuid },
  columns: { repeating: int },
  text: "select count(*)::int as repeating from alert where pusher_id = $pusher_id and status = 'repeating'",
});

/** Makes a locked draft a series, of which nothing is written yet. */
export const convertDraftToSeries = defineStatement("convert_draft_to_series", {
  parameters: { ...ALERT_HISTORY_PARAMETERS, send_at: timestamptz },
  columns: FULL_SELECTION.columns,
  text: `with changed as (
      update alert set status = 'repeating', send_at = $send_at::timestamptz, review_reply = null, updated_at =
        ${NEXT_ALERT_VERSION_SQL}
      where id = $id returning ${FULL_SELECTION.text}),
    begun as (
      insert into alert_series (alert_id, filled_until, next_fill_at) select id, clock_timestamp(), clock_timestamp()
        from changed),
    ${STORE_ALERT_CHANGE_HISTORY_SQL}
    select * from changed`,
});

/** Series with occurrences to create now, the longest waiting first, without those of locked channels. */
/** SQL: the series whose next occurrences are to be created. */
export const DUE_SERIES_FROM_SQL = "alert_series where next_fill_at <= now()";

export const lockDueSeries = defineUpkeep("lock_due_series", {
  parameters: { max: int },
  columns: { series_id: uuid, recurrence: neverNull(text), send_at: neverNull(timestamptz), filled_until: timestamptz },
  // Here and below: of arrays the planner expects a few elements, so that it reads no table whole to join them.
  text: `with due as materialized (
      select alert_id from ${DUE_SERIES_FROM_SQL} order by next_fill_at limit $max::int),
    c as materialized (
      select pusher_id from channel_state
      where pusher_id = any(array(select pusher_id from alert where id = any(array(select alert_id from due))))
      order by pusher_id for no key update skip locked)
    select s.alert_id as series_id, a.recurrence, a.send_at, s.filled_until
    from alert_series s join alert a on a.id = s.alert_id join c on c.pusher_id = a.pusher_id
    where s.alert_id = any(array(select alert_id from due)) and s.next_fill_at <= now()
    order by s.alert_id for update of s`,
});

/** The time up to which occurrences of visible series exist. */
export const listSeriesFilledUntil = defineList.reading("list_series_filled_until", {
  parameters: { ids: array(uuid), ...VISIBLE_TO_CALLER_SQL.parameters },
  columns: { alert_id: uuid, filled_until: timestamptz },
  text: `select s.alert_id, s.filled_until from alert_series s
    join alert a on a.id = s.alert_id join pusher p on p.id = a.pusher_id and ${VISIBLE_TO_CALLER_SQL.text}
    where s.alert_id = any($ids::uuid[])`,
});

/**
 * Creates occurrences of series in locked channels, with the time up to which they exist, and cancels a finished
 * series.
 */
export const createOccurrences = defineStatement("create_occurrences", {
  parameters: { items: jsonb<readonly ReturnType<typeof planSeriesFill>[]>() },
  columns: { workspace_id: uuid, ...FULL_SELECTION.columns },
  text: `with f as materialized (
      select * from jsonb_to_recordset((select $items::jsonb))
        f (series_id uuid, filled_until timestamptz, next_fill_at timestamptz, occurrences jsonb)),
    made as (
      insert into alert (id, pusher_id, status, series_id, occurs_at, search_vector, ${ALERT_COLUMN_NAMES.join(", ")})
      select o.id, s.pusher_id, 'scheduled', s.id, o.occurs_at, s.search_vector,
        ${ALERT_COLUMN_NAMES.map((name) => OWN[name] ?? `s.${name}`).join(", ")}
      from f cross join jsonb_to_recordset(f.occurrences) o (id uuid, occurs_at timestamptz)
      join alert s on s.id = f.series_id and s.status = 'repeating' order by o.occurs_at
      on conflict (series_id, occurs_at) where series_id is not null do nothing
      returning ${FULL_SELECTION.text}),
    noted as (
      update alert_series s set filled_until = f.filled_until, next_fill_at = f.next_fill_at
      from f where s.alert_id = f.series_id and f.next_fill_at is not null and s.alert_id = any(array(select series_id
        from f))),
    gone as (
      delete from alert_series where alert_id = any(array(select series_id from f where next_fill_at is null))),
    over as (
      update alert set status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = ${NEXT_ALERT_VERSION_SQL}
      from f where alert.id = f.series_id and f.next_fill_at is null and alert.status = 'repeating')
    select p.workspace_id, made.* from made join pusher p on p.id = made.pusher_id order by made.occurs_at`,
});

/** Ends a locked series, or restarts its rule from now on, and removes its planned occurrences. `id`: the series. */
const withdrawing = (name: string, { change, series }: { change: string; series: string }) =>
  defineStatement(name, {
    parameters: { id: uuid },
    columns: FULL_SELECTION.columns,
    text: `with series as (${series}) ${change} returning ${FULL_SELECTION.text}`,
  });

const CANCELLED = `status = 'cancelled', cancelled_at = clock_timestamp(), updated_at = ${NEXT_ALERT_VERSION_SQL}`;
const NO_SERIES = "delete from alert_series where alert_id = $id";
const OF_SERIES = `series_id = $id and ${PLANNED}`;

export const cancelPlannedOccurrences = withdrawing("end_series", {
  change: `update alert set ${CANCELLED} where ${OF_SERIES}`,
  series: NO_SERIES,
});

/** The same for a series that becomes a draft again. It leaves no trace, so it can be scheduled again. */
export const deletePlannedOccurrences = withdrawing("take_back_series", {
  change: `delete from alert where ${OF_SERIES}`,
  series: NO_SERIES,
});

/** Those that were edited, moved or cancelled alone keep what they are, and their place. */
export const resetPlannedOccurrences = withdrawing("replan_series", {
  change: `delete from alert where ${OF_SERIES} and not detached_from_series and send_at = occurs_at`,
  series:
    "update alert_series set filled_until = clock_timestamp(), next_fill_at = clock_timestamp() where alert_id = $id",
});

/** Cancels an occurrence and all after it; its series ends before it by the rule that is given. */
export const cancelOccurrenceAndFollowing = defineStatement("cancel_following", {
  parameters: { id: uuid, occurs_at: timestamptz, recurrence: text },
  columns: FULL_SELECTION.columns,
  text: `with ended as (
      update alert set recurrence = $recurrence::text, updated_at = ${NEXT_ALERT_VERSION_SQL}
        where id = $id and status = 'repeating'),
    series as (
      update alert_series set next_fill_at = clock_timestamp() where alert_id = $id)
    update alert set ${CANCELLED} where ${OF_SERIES} and occurs_at >= $occurs_at::timestamptz returning
      ${FULL_SELECTION.text}`,
});

/** Applies the content of a series to its planned occurrences, except those that were edited separately. */
export const applySeriesToOccurrences = defineStatement("apply_series_to_occurrences", {
  parameters: { id: uuid },
  columns: { id: uuid },
  text: `with o as materialized (
      select id, occurs_at from alert where ${OF_SERIES} and not detached_from_series order by id for no key update),
    changed as (
      update alert set (${SHARED.join(", ")}, expires_at) = row(${SHARED.map((name) => `s.${name}`).join(", ")},
        ${OWN.expires_at}),
        search_vector = s.search_vector, updated_at = greatest(clock_timestamp(),
          alert.updated_at + interval '1 microsecond')
      from o, alert s where alert.id = o.id and s.id = $id returning alert.id)
    select id from changed`,
});

/** The rule of a series, if it still repeats; its channel is locked. */
export const readSeriesRecurrence = defineStatement.reading("read_series_recurrence", {
  parameters: { id: uuid },
  columns: { recurrence: nullable(text) },
  text: "select recurrence from alert where id = $id and status = 'repeating'",
});
