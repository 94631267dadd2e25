// Settling: a scheduled alert that handsets are about to be shown is written down as sent first, so that no clock can take
// it back, on this replica or on another. It needs no worker and raises no event, since readers of the row see it as sent
// already.

import { defineStatement } from "../db/statement.ts";
import { isDue } from "../domain/alert_status.ts";
import { array, int, uuid } from "../fields/sql.ts";

/**
 * Settles what is due in channels, up to so many alerts; answers how many. The channels are locked first and in one order,
 * as for every change of an alert. A channel that another transaction has settled meanwhile has no due alerts left.
 * `updated_at` stays: nobody edited anything.
 */
export const settleDue = defineStatement("settle_due", {
  parameters: { channels: array(uuid), limit: int },
  columns: { settled: int },
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
      returning 1)
    select count(*)::int as settled from settled`,
});

/** So many channels in which something is due, the longest first. */
export const channelsWithDue = defineStatement("channels_with_due", {
  parameters: { limit: int },
  columns: { id: uuid },
  text: "select pusher_id as id from channel_state where next_at <= now() order by next_at limit $limit::int",
});
