// Subscribers of a channel, and the breakdown over the whole set from the few rows that the triggers keep.

import { defineStatement, type Statement } from "../db/statement.ts";

export interface SubscriberRecord {
  device_id: string;
  platform: string;
  app_version: string;
  locale: string;
  timezone: string;
  muted: boolean;
  subscribed_at: string;
}

const STATUS_FILTER = { any: "true", active: "not s.muted", muted: "s.muted" } as const;

/** $1 channel, $2 strictly before (null: from the newest), $3 how many; ties of the last instant come along. */
export const listSubscribers = Object.fromEntries(
  Object.entries(STATUS_FILTER).map(([status, filter]) => [
    status,
    defineStatement<SubscriberRecord>(
      `list_subscribers_${status}`,
      `select s.device_id::text as device_id, d.platform, d.app_version, d.locale, d.timezone, s.muted, s.subscribed_at
       from (select * from subscription s where s.pusher_id = $1 and ${filter}
         and s.subscribed_at < coalesce($2::timestamptz, 'infinity')
         order by s.subscribed_at desc fetch first $3 rows with ties) s
       join device d on d.id = s.device_id order by s.subscribed_at desc, s.device_id`,
    ),
  ]),
) as Record<keyof typeof STATUS_FILTER, Statement<SubscriberRecord>>;

/** How many subscribers share each combination of facts. */
export const subscriberMix = defineStatement<{
  platform: string;
  app_version: string;
  locale: string;
  timezone: string;
  n: number;
  muted: number;
}>(
  "subscriber_mix",
  `select platform, app_version, locale, timezone, n::int as n, muted::int as muted
   from subscriber_mix where pusher_id = $1 and n > 0`,
);
