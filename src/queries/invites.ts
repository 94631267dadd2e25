// A page of invites, and an eviction: the channel was found visible, and locked where it changes, before. One invite goes
// through the entity manager.

import { defineStatement } from "../db/statement.ts";

interface InviteRecord {
  id: string;
  code: string;
  label: string | null;
  max_uses: number | null;
  uses: number;
  expires_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

/** $1 channel, $2 strictly before or null, $3 how many; ties of the last instant come along. */
export const listInvites = defineStatement<InviteRecord>(
  "list_invites",
  `select * from (select id, code, label, max_uses, uses, expires_at, revoked_at, created_at from invite
     where pusher_id = $1 and created_at < coalesce($2::timestamptz, 'infinity')
     order by created_at desc fetch first $3 rows with ties) i
   order by created_at desc, id desc`,
);

/** docs/rules.md#revoke-evicts. $1 channel, $2 invite. */
export const evictInvited = defineStatement<{ removed: number }>(
  "evict_invited",
  `with gone as (delete from subscription where pusher_id = $1 and invite_id = $2 returning 1)
   select count(*)::int as removed from gone`,
);
