// What accounts that asked for it are still to be told of alerts (docs/rules.md#events-asked-for). It is noted where it happens, in
// the same statement, and told afterwards by whichever process comes first.

import { ANNOUNCED } from "../../model/domain/events.ts";
import { UNTOLD } from "../../model/entities/handset.ts";
import { ALERT } from "../../model/fields/alert.ts";
import { columnsOf } from "../../model/fields/record.ts";
import { array, boolean, int, nullable, selected, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";
import { countsOf } from "./reports.ts";

const defineStatement = statementsOf("reports");

/** Hold for a counter `c` whose acks, and whose replies, may be told again. */
const MAY_TELL = `coalesce(c.told_at, '-infinity') <= clock_timestamp() - interval '${LIMITS.acks_told_seconds} seconds'`;
const MAY_TELL_REPLIES = `coalesce(c.replied_told_at, '-infinity') <= clock_timestamp() - interval '1 second'`;

/** Locks the counters of alerts of which something is to be told now, but for those that somebody is reporting on. */
export const lockUntoldAlerts = defineStatement("lock_untold_alerts", {
  parameters: { max: int },
  columns: { alert_id: uuid },
  text: `select c.alert_id from alert_counter c where (${UNTOLD}) and (appeared or untold and ${MAY_TELL} or replied and ${MAY_TELL_REPLIES})
    order by c.alert_id limit $max::int for no key update skip locked`,
});

/**
 * Notes, of alerts whose counters are locked, what their accounts are told now, and answers it: that one became visible, unless
 * it was withdrawn meanwhile; how many acknowledged it (`acks`) and by how many that differs from what was told before (`delta`);
 * how often each reply was chosen.
 */
export const tellUntoldAlerts = defineStatement("tell_untold_alerts", {
  parameters: { alert_ids: array(uuid) },
  columns: {
    id: uuid,
    pusher_id: uuid,
    workspace_id: uuid,
    appeared: boolean,
    acks: int,
    delta: int,
    replied: boolean,
    replies: array(int),
    ...columnsOf(ANNOUNCED),
    ...columnsOf({ actions: ALERT.actions }),
    status: text,
    sent_at: nullable(timestamptz),
  },
  text: `with judged as materialized (
      select c.alert_id, c.appeared, n.acks, c.untold and ${MAY_TELL} as now,
        n.acks - c.told_acks as delta, c.replied and ${MAY_TELL_REPLIES} as replied, n.replies
      from alert_counter c cross join lateral ${countsOf("c.alert_id")} n where c.alert_id = any($alert_ids)),
    noted as (
      update alert_counter c set appeared = false, untold = c.untold and not j.now,
        told_acks = case when j.now then j.acks else c.told_acks end,
        told_at = case when j.now then clock_timestamp() else c.told_at end,
        replied = c.replied and not j.replied,
        replied_told_at = case when j.replied then clock_timestamp() else c.replied_told_at end
      from judged j where c.alert_id = j.alert_id)
    select alert.id, alert.pusher_id, p.workspace_id, j.appeared and alert.status = 'sent' as appeared,
      j.acks::int as acks,
      case when j.now then j.delta else 0 end::int as delta,
      j.replied, j.replies::int[] as replies, alert.actions,
      ${selected("alert", ANNOUNCED)}, alert.status, alert.sent_at
    from judged j join alert on alert.id = j.alert_id join pusher p on p.id = alert.pusher_id order by 1`,
});
