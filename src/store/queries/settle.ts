// Settling: a scheduled alert that handsets are about to be shown is written down as sent first, so that no clock can take
// it back, on this replica or on another. It needs no worker, since readers of the row see it as sent already. Where an endpoint
// asks to be told, that is noted in the same statement (docs/rules.md#events-asked-for).

import { isDue } from "../../model/domain/alert_status.ts";
import { array, int, text, uuid } from "../../model/fields/sql.ts";
import { type RowOf, statementsOf } from "../db/statement.ts";
import { asksFor } from "./webhooks.ts";

const defineStatement = statementsOf("inbox");

/**
 * Settles what is due in channels, up to so many alerts; answers how many in each, and the priorities of those that are not
 * over already. Whoever settles an alert is the only one who does, so it is for them to wake its devices. The channels are locked first and in one order,
 * as for every change of an alert. A channel that another transaction has settled meanwhile has no due alerts left.
 * `updated_at` stays: nobody edited anything.
 */
export const settleDue = defineStatement("settle_due", {
  parameters: { channels: array(uuid), limit: int },
  columns: { pusher_id: uuid, settled: int, waking: array(text) },
  text: `with held as materialized (
      select pusher_id from channel_state where pusher_id = any($channels) and next_at <= now()
      order by pusher_id for no key update),
    settled as (
      update alert set status = 'sent', sent_at = send_at
      where id in (
          select due.id from held cross join lateral (
            select a.id from alert a where a.pusher_id = held.pusher_id and ${isDue("a")}) due
          limit $limit::int)
        and ${isDue()}
      returning id, pusher_id, priority, expires_at),
    appeared as (
      insert into alert_counter (alert_id, appeared)
      select s.id, true from settled s join pusher p on p.id = s.pusher_id
      where ${asksFor("alert.visible", "p.workspace_id")} order by s.id
      on conflict (alert_id) do update set appeared = true)
    select pusher_id, count(*)::int as settled,
      coalesce(array_agg(distinct priority) filter (where coalesce(expires_at > now(), true)), '{}') as waking
    from settled group by pusher_id`,
});

/** What was settled in one channel. */
export type Settled = RowOf<typeof settleDue>;

/** So many channels in which something is due, the longest first. */
export const channelsWithDue = defineStatement.reading("channels_with_due", {
  primary: true,
  parameters: { limit: int },
  columns: { id: uuid },
  text: "select pusher_id as id from channel_state where next_at <= now() order by next_at limit $limit::int",
});
