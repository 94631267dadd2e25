// A page of invites, and an eviction: the channel was found visible, and locked where it changes, before. One invite goes
// through the entity manager.

import { INVITE } from "../../model/fields/invite.ts";
import { columnsOf } from "../../model/fields/record.ts";
import { array, bigint, int, nullable, text, timestamptz, uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("lists");
const defineJoin = statementsOf("joins");

const COLUMNS = {
  id: uuid,
  code: text,
  ...columnsOf(INVITE),
  uses: int,
  revoked_at: nullable(timestamptz),
  created_at: timestamptz,
};

/** Strictly before an instant (null: from the newest); ties of the last one come along. */
export const listInvites = defineStatement.reading("list_invites", {
  parameters: { pusher_id: uuid, before: nullable(timestamptz), limit: int },
  columns: COLUMNS,
  text: `select * from (select ${Object.keys(COLUMNS).join(", ")} from invite
      where pusher_id = $pusher_id and created_at < coalesce($before::timestamptz, 'infinity')
      order by created_at desc fetch first ($limit::int) rows with ties) i
    order by created_at desc, id desc`,
});

/** So many of them are told at once; the others hear within a second. */
const TOLD = 10_000;

/** docs/rules.md#revoke-evicts. */
export const evictInvited = defineJoin("evict_invited", {
  parameters: { pusher_id: uuid, invite_id: uuid },
  columns: { removed: int, devices: array(bigint) },
  text: `with gone as (delete from subscription where pusher_id = $pusher_id and invite_id = $invite_id returning device_id)
    select count(*)::int as removed, coalesce((array_agg(device_id))[:${TOLD}], '{}') as devices from gone`,
});
