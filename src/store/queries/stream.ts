// What streams of inboxes are told from: the newest alerts of channels, of which those that nobody knows yet are read whole, and
// which of the devices that follow are not what they were. All in one snapshot.

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
import { statementsOf } from "../db/statement.ts";
import { MARK } from "./handset.ts";
import { DUE_IN } from "./held.ts";
import { ALERT_SHOWN, SHOWN_OF_ALERT, SIZE } from "./inbox.ts";

const defineStatement = statementsOf("inbox");

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
    moved: nullable(array(text)),
  },
  joined: ALERT_SHOWN,
  text: `select c.pusher_id::text as channel, c.rev::text as rev, ${MARK}::text as mark, ${DUE_IN} as due_in,
      head.id as newest, (
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
