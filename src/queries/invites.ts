// Invites and evictions by raw SQL. The channel was found visible, and locked where it changes, before.

import { defineStatement } from "../db/statement.ts";

export interface InviteRecord {
  id: string;
  pusher_id: string;
  code: string;
  label: string | null;
  max_uses: number | null;
  uses: number;
  expires_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

const COLUMNS = "id, pusher_id, code, label, max_uses, uses, expires_at, revoked_at, created_at";

/** $1 channel, $2 strictly before or null, $3 how many; ties of the last instant come along. */
export const listInvites = defineStatement<InviteRecord>(
  "list_invites",
  `select * from (select ${COLUMNS} from invite
     where pusher_id = $1 and created_at < coalesce($2::timestamptz, 'infinity')
     order by created_at desc fetch first $3 rows with ties) i
   order by created_at desc, id desc`,
);

export const insertInvite = defineStatement<InviteRecord>(
  "insert_invite",
  `insert into invite (id, pusher_id, code, label, max_uses, expires_at) values ($1, $2, $3, $4, $5, $6)
   returning ${COLUMNS}`,
);

/** $1 channel, $2 invite. */
export const inviteExists = defineStatement<{ id: string }>(
  "invite_exists",
  "select id from invite where pusher_id = $1 and id = $2",
);

/** The first instant stays (docs/rules.md#revoke-invite). $1 channel, $2 invite. */
export const revokeInvite = defineStatement<InviteRecord>(
  "revoke_invite",
  `update invite set revoked_at = coalesce(revoked_at, clock_timestamp()) where pusher_id = $1 and id = $2
   returning ${COLUMNS}`,
);

/** docs/rules.md#revoke-evicts. $1 channel, $2 invite. */
export const evictInvited = defineStatement<{ removed: number }>(
  "evict_invited",
  `with gone as (delete from subscription where pusher_id = $1 and invite_id = $2 returning 1)
   select count(*)::int as removed from gone`,
);
