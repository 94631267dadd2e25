// What held polls wait for, and how the processes tell one another that it may have changed (docs/rules.md#held-inbox). A
// poll waits for its device and for the channels of that device; each is known by its id, a number or a uuid, which no two
// share, and by the text of its revision.

import { array, bigint, boolean, float8, int, nullable, text, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";
import { EPOCH } from "./epoch.ts";
import { JOINED, MARK } from "./handset.ts";
import { HASHES } from "./hashes.ts";

const defineStatement = statementsOf("inbox");

/** More channels than one held poll may wait for (see handset/held/hold.ts), so that nobody reads an endless list. */
export const CHANNELS_READ = LIMITS.channels_of_device + 1;

/** Milliseconds by the database's clock until something comes due in the channel `c`; infinite when nothing is planned. */
export const DUE_IN =
  "coalesce(extract(epoch from c.next_at - clock_timestamp()) * 1000, 'infinity')::float8";

/** Devices by the hashes of their tokens, each with what its poll waits for. */
export const findWaitedFor = defineStatement.reading("find_waited_for", {
  parameters: HASHES.parameters,
  columns: {
    ...HASHES.columns,
    id: text,
    rev: text,
    /** It is shown a test of a draft, as no other device is. */
    testing: boolean,
    epoch: text,
    /** Of the channels' marks. */
    sum: text,
    channels: array(text),
    channel_revs: array(text),
    due_in: array(float8),
  },
  text: `select ${HASHES.selected}, d.id::text as id, d.subs_rev::text as rev, ${EPOCH} as epoch,
      coalesce(d.test_until > clock_timestamp(), false) as testing, joined.sum, joined.channels, joined.channel_revs, joined.due_in
    from ${HASHES.from} join device d on d.token_hash = ${HASHES.hash}
    cross join lateral (
      select coalesce(sum(mark), 0)::text as sum, coalesce(array_agg(id order by id), '{}') as channels,
        coalesce(array_agg(rev::text order by id), '{}') as channel_revs,
        coalesce(array_agg(due_in order by id), '{}') as due_in
      from (
        select c.pusher_id::text as id, c.rev, ${MARK} as mark, ${DUE_IN} as due_in
        from ${JOINED}
        where s.device_id = d.id limit ${CHANNELS_READ}) c) joined`,
});

/**
 * Of channels and devices with the revisions that are known of them (null: gone), those that have another one now, and
 * channels in which something is due or comes due within two seconds.
 */
export const findChanged = defineStatement.reading("find_changed", {
  primary: true,
  parameters: {
    channels: array(uuid),
    channel_revs: array(text),
    devices: array(bigint),
    device_revs: array(text),
  },
  columns: { id: text, rev: nullable(text), due_in: float8 },
  text: `select w.id::text as id, c.rev::text as rev, ${DUE_IN} as due_in
    from unnest((select $channels::uuid[]), (select $channel_revs::text[])) w (id, rev)
    left join channel_state c on c.pusher_id = w.id
    where coalesce(c.rev::text, '') <> w.rev or c.next_at <= clock_timestamp() + interval '2 seconds'
    union all
    select w.id::text, d.subs_rev::text, 'infinity'
    from unnest((select $devices::bigint[]), (select $device_revs::text[])) w (id, rev)
    left join device d on d.id = w.id
    where coalesce(d.subs_rev::text, '') <> w.rev`,
});

/**
 * What a reading sees: as long as the text is the same, no transaction that changed anything has come to its end. Under another epoch
 * nothing that is known holds, whatever its revision is.
 */
export const snapshot = defineStatement.reading("snapshot", {
  primary: true,
  columns: { seen: text, epoch: text },
  text: `select pg_current_snapshot()::text as seen, ${EPOCH} as epoch`,
});

/**
 * Tells every process that listens. It is sent after the commit that it speaks of, in a transaction of its own: in the same
 * one, senders would queue up for each other. Nothing waits for the disk: a word that is lost is found without it.
 */
export const notifyProcesses = defineStatement.reading("notify_processes", {
  primary: true,
  parameters: { topic: text, payloads: array(text) },
  columns: { sent: int },
  text: `select count(pg_notify($topic, payload))::int as sent
    from set_config('synchronous_commit', 'off', true), unnest($payloads::text[]) payload`,
});
