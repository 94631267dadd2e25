// What many held polls are asked again with, or begin with, in one statement: whether their devices are still who and where they
// were, what their inboxes depend on now, and the pages of those that have become others. All in one snapshot.

import { array, bigint, int, nullable, text, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { EPOCH } from "./epoch.ts";
import { MARK, UNSEEN } from "./handset.ts";
import { pagesOfSets } from "./inbox.ts";

const defineStatement = statementsOf("inbox");

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
