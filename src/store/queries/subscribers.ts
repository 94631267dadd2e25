// Subscribers of a channel, and the breakdown over the whole set from the few rows that the triggers keep.

import { DEVICE } from "../../model/fields/device.ts";
import { columnsOf, namesOf, shownTo } from "../../model/fields/record.ts";
import { boolean, int, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("lists");
const defineSum = statementsOf("statistics");

const FACTS = shownTo(DEVICE, "list");
const NAMES = namesOf(FACTS);

/** Ties of the last instant come along. `before` null: from the newest. */
const listBy = (status: string, filter: string) =>
  defineStatement(`list_subscribers_${status}`, {
    reads: true,
    parameters: { pusher_id: uuid, before: nullable(timestamptz), limit: int },
    columns: {
      device_id: text,
      ...columnsOf(FACTS),
      muted: boolean,
      subscribed_at: timestamptz,
    },
    text: `select s.device_id::text as device_id, ${NAMES.map((name) => `d.${name}`).join(", ")}, s.muted, s.subscribed_at
      from (select * from subscription s where s.pusher_id = $pusher_id and ${filter}
        and s.subscribed_at < coalesce($before::timestamptz, 'infinity')
        order by s.subscribed_at desc fetch first ($limit::int) rows with ties) s
      join device d on d.id = s.device_id order by s.subscribed_at desc, s.device_id`,
  });

export const listSubscribers = {
  any: listBy("any", "true"),
  active: listBy("active", "not s.muted"),
  muted: listBy("muted", "s.muted"),
};

/** How many subscribers share each combination of facts. */
export const subscriberMix = defineSum("subscriber_mix", {
  reads: true,
  parameters: { pusher_id: uuid },
  columns: { platform: text, app_version: text, locale: text, timezone: text, n: int, muted: int },
  text: `select platform, app_version, locale, timezone, n::int as n, muted::int as muted
    from subscriber_mix where pusher_id = $pusher_id and n > 0`,
});
