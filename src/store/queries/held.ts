// What held polls wait for, and how the processes tell one another that it may have changed (docs/rules.md#held-inbox). A
// poll waits for its device and for the channels of that device; each is known by its id, a number or a uuid, which no two
// share, and by the text of its revision. What streams of inboxes are told from, and what many held polls are asked again with, or begin
// with: each one statement, and all that it reads one snapshot.

import {
  array,
  bigint,
  boolean,
  float8,
  int,
  nullable,
  outerJoined,
  text,
  uuid,
} from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";
import { EPOCH } from "./epoch.ts";
import { JOINED, LEAVES, MARK, SINCE, UNSEEN } from "./handset.ts";
import { ALERT_SHOWN, pagesOfSets, SHOWN_OF_ALERT, SIZE } from "./inbox.ts";
import { HASHES } from "./keys.ts";

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
    /** The first part of its validators, and the end of that which is the device's own. */
    epoch: text,
    leaves: text,
    /** Of the channels' marks. */
    sum: text,
    channels: array(text),
    channel_revs: array(text),
    due_in: array(float8),
    /** When it joined each of them, in microseconds since 1970. */
    since: array(float8),
  },
  text: `select ${HASHES.selected}, d.id::text as id, d.subs_rev::text as rev, ${EPOCH} || ${LEAVES} as epoch, ${LEAVES} as leaves,
      coalesce(d.test_until > clock_timestamp(), false) as testing, joined.sum, joined.channels, joined.channel_revs, joined.due_in, joined.since
    from ${HASHES.from} join device d on d.token_hash = ${HASHES.hash}
    cross join lateral (
      select coalesce(sum(mark), 0)::text as sum, coalesce(array_agg(id order by id), '{}') as channels,
        coalesce(array_agg(rev::text order by id), '{}') as channel_revs,
        coalesce(array_agg(due_in order by id), '{}') as due_in, coalesce(array_agg(since order by id), '{}') as since
      from (
        select c.pusher_id::text as id, c.rev, ${MARK} as mark, ${DUE_IN} as due_in, ${SINCE} as since
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

/**
 * Of each channel its revision and mark, and its newest alerts that handsets see, `limit` of them and whoever shares the last
 * one's instant; one row an alert, newest first, or one without. What an alert shows stands beside it where `cards` are wanted, it
 * is none of the `known`, and not larger than `max_bytes`. `moved`: of the devices those whose subscriptions have changed since
 * the revision that is known of them, or that are gone.
 */
export const channelNews = defineStatement.reading("channel_news", {
  parameters: {
    channels: array(uuid),
    known: array(uuid),
    cards: boolean,
    limit: int,
    max_bytes: int,
    devices: array(bigint),
    device_revs: array(text),
  },
  columns: {
    channel: text,
    rev: text,
    mark: text,
    due_in: float8,
    newest: outerJoined(uuid),
    newest_sent: nullable(float8),
    moved: nullable(array(text)),
  },
  joined: ALERT_SHOWN,
  text: `select c.pusher_id::text as channel, c.rev::text as rev, ${MARK}::text as mark, ${DUE_IN} as due_in,
      head.id as newest, (extract(epoch from head.visible_at) * 1000000)::float8 as newest_sent, (
        select array_agg(w.id::text)
        from unnest((select $devices::bigint[]), (select $device_revs::text[])) w (id, rev)
        left join device d on d.id = w.id where coalesce(d.subs_rev::text, '') <> w.rev) as moved,
      ${SHOWN_OF_ALERT}
    from channel_state c
    left join lateral (
      select a.id, a.visible_at from alert a
      where a.pusher_id = c.pusher_id and a.status = 'sent' and not c.suspended
      order by a.visible_at desc fetch first ($limit::int) rows with ties) head on true
    left join alert on alert.id = head.id and $cards::boolean and head.id <> all($known::uuid[])
      and ${SIZE} <= $max_bytes::int
    left join pusher p on p.id = alert.pusher_id
    where c.pusher_id = any($channels::uuid[])
    order by c.pusher_id, head.visible_at desc, head.id desc`,
});

const pages = pagesOfSets({
  told: `
      select sets.set, members.positions, members.unseen, sets.sum::text as sum, sets.due, ${EPOCH} as epoch,
        sets.near and coalesce(sum(bytes.bytes) over (order by sets.set rows between unbounded preceding
          and 1 preceding), 0) < $max_total::int as read
      from sets join members on members.set = sets.set left join bytes on bytes.set = sets.set`,
  first: {
    positions: "shown.positions",
    unseen: "shown.unseen",
    epoch: "shown.epoch",
    sum: "shown.sum",
    due: "shown.due::text[]",
  },
});

/**
 * Devices by the hashes of their tokens and the revision that is known of each, in sets of those that have the same channels: of
 * each set its channels, and the sum of their marks that is known. Answers, in the first row of each set, which of its
 * devices (by position, from 1) are as they were known, which of these nobody has seen for a day, what the sum is now, and
 * the channels in which something has come due. A set whose sum is another one has a page, unless something is due in it or
 * those before it are too many; then it is not `read`.
 */
export const askedAgain = defineStatement.reading("asked_again", {
  parameters: {
    hashes: array(text),
    revs: array(bigint),
    sets: array(int),
    sums: array(text),
    channels: array(uuid),
    channel_sets: array(int),
    ...pages.parameters,
    max_channels: int,
    max_total: int,
  },
  columns: {
    ...pages.columns,
    positions: nullable(array(int)),
    unseen: nullable(array(text)),
    epoch: nullable(text),
    sum: nullable(text),
    due: nullable(array(text)),
  },
  joined: pages.joined,
  text: `with members as materialized (
      select t.set, array_agg(t.position::int) as positions,
        array_agg(d.id::text) filter (where ${UNSEEN}) as unseen
      from unnest((select $hashes::text[]), (select $revs::int8[]), (select $sets::int[]))
        with ordinality t (hash, rev, set, position)
      join device d on d.token_hash = decode(t.hash, 'hex') and d.subs_rev = t.rev
      group by t.set),
    states as materialized (
      select w.set, sum(${MARK}) as sum, array_agg(c.pusher_id) as channels,
        array_agg(c.pusher_id) filter (where c.next_at <= now()) as due
      from unnest((select $channels::uuid[]), (select $channel_sets::int[])) w (id, set)
      join channel_state c on c.pusher_id = w.id group by w.set),
    sets as materialized (
      select set, channels, sum, due, changed and coalesce(sum(cardinality(channels)) filter (where changed)
        over (order by set rows between unbounded preceding and 1 preceding), 0) < $max_channels::int as near
      from (
        select known.set, coalesce(states.channels, '{}') as channels, coalesce(states.sum, 0) as sum, states.due,
          coalesce(states.sum, 0)::text <> known.sum and states.due is null as changed
        from unnest((select $sums::text[])) with ordinality known (sum, set)
        left join states on states.set = known.set) looked),
    ${pages.text}`,
});
