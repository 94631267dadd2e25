// Changes of channels, devices, audiences and alerts by revision, and the notifications between processes of a
// database.

import { array, bigint, boolean, float8, int, nullable, text, uuid } from "../../model/fields/sql_statement_types.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { DATABASE_EPOCH_SQL } from "./database_epoch.ts";
import { selectReportCounts } from "./reports.ts";

const defineStatement = createStatementDefiner("inbox");

/**
 * Milliseconds by the database's clock until something comes due in the channel `c`; infinite when nothing is
 * planned.
 */
export const DUE_IN_SQL = "coalesce(extract(epoch from c.next_due_at - clock_timestamp()) * 1000, 'infinity')::float8";

/** The revision of the alert `a` with the counts `c` of its replies, as `formatAlertRevision` writes it. */
const ALERT_REVISION = "concat_ws(' ', a.updated_at, array_to_string(c.replies, '.'))";

/** @param version its `updated_at` as PostgreSQL prints it */
export const formatAlertRevision = (version: string, replies: readonly number[]): string =>
  `${version} ${replies.join(".")}`;

/**
 * Returns the channels, devices, audiences and alerts whose revision differs from the known one (null: deleted). It
 * also returns channels with alerts that are due, or due within two seconds or at any time (`planned`), and channels
 * where that has changed.
 */
export const findChangedRevisions = defineStatement.reading("find_changed_revisions", {
  primary: true,
  parameters: {
    channels: array(uuid),
    channel_revs: array(text),
    channel_planned: array(boolean),
    devices: array(bigint),
    device_revs: array(text),
    audiences: array(uuid),
    audience_revs: array(text),
    alerts: array(uuid),
    alert_revs: array(text),
    planned: boolean,
  },
  columns: { kind: text, id: text, revision: nullable(text), due_in: float8 },
  text: `select 'channel' as kind, w.id::text as id, c.revision::text as revision, ${DUE_IN_SQL} as due_in
    from unnest((select $channels::uuid[]), (select $channel_revs::text[]), (select $channel_planned::boolean[])) w (id,
      rev, planned)
    left join channel_state c on c.pusher_id = w.id
    where coalesce(c.revision::text, '') <> w.rev or c.next_due_at <= clock_timestamp() + interval '2 seconds'
      or ($planned::boolean and c.next_due_at is not null) or (c.next_due_at is not null) <> w.planned
    union all
    select 'device', w.id::text, d.subscriptions_revision::text, 'infinity'
    from unnest((select $devices::bigint[]), (select $device_revs::text[])) w (id, rev)
    left join device d on d.id = w.id
    where coalesce(d.subscriptions_revision::text, '') <> w.rev
    union all
    select 'audience', w.id::text, p.is_public::text, 'infinity'
    from unnest((select $audiences::uuid[]), (select $audience_revs::text[])) w (id, rev)
    left join pusher p on p.id = w.id
    where coalesce(p.is_public::text, '') <> w.rev
    union all
    select 'alert', w.id::text, now.revision, 'infinity'
    from unnest((select $alerts::uuid[]), (select $alert_revs::text[])) w (id, rev)
    left join lateral (
      select ${ALERT_REVISION} as revision from alert a cross join lateral ${selectReportCounts("a.id")} c
      where a.id = w.id) now on true
    where coalesce(now.revision, '') <> w.rev`,
});

/**
 * The current snapshot: while the text is equal, no changing transaction has ended. After a change of the epoch, no
 * known revision is valid.
 */
export const readSnapshot = defineStatement.reading("read_snapshot", {
  primary: true,
  columns: { seen: text, epoch: text },
  text: `select pg_current_snapshot()::text as seen, ${DATABASE_EPOCH_SQL} as epoch`,
});

/**
 * Notifies all listening processes, after the commit and in a separate transaction, because senders in one would queue.
 * It does not wait for the disk: a lost message is detected without it.
 */
export const notifyProcesses = defineStatement.reading("notify_processes", {
  primary: true,
  parameters: { topic: text, payloads: array(text) },
  columns: { sent: int },
  text: `select count(pg_notify($topic, payload))::int as sent
    from set_config('synchronous_commit', 'off', true), unnest($payloads::text[]) payload`,
});
