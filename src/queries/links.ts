// One-time links by raw SQL: making one, what became of one, and using it up for exactly one of simultaneous uses.

import { defineStatement } from "../db/statement.ts";
import type { LinkMaker } from "../entities/member.ts";

const LIVE = "l.used_at is null and l.replaced_at is null and l.expires_at > now()";

/**
 * A new link takes the place of the earlier ones; but whoever knows an address cannot end by the "forgot password" form
 * the link that somebody handed out. $1 member, $2 who asks.
 */
export const replaceLinks = defineStatement(
  "replace_links",
  `update member_link l set replaced_at = now()
   where l.member_id = $1 and ${LIVE} and (l.made_by = 'person') = ($2 = 'person')`,
);

/** $1 token hash, $2 member, $3 who asks, $4 seconds that it holds. */
export const insertLink = defineStatement(
  "insert_link",
  `insert into member_link (token_hash, member_id, made_by, expires_at)
   values ($1, $2, $3, now() + $4::int * interval '1 second')`,
);

export interface LinkRecord {
  made_by: LinkMaker;
  used: boolean;
  replaced: boolean;
  expired: boolean;
  member_id: string;
  email: string;
  joined: boolean;
  workspace_id: string;
  workspace_name: string;
  /** The account behind the member, or else the one that has the member's address already. */
  user_id: string | null;
  /** Whether that account is a member of other workspaces, too. */
  elsewhere: boolean;
}

/** The link with the member and the account that it is for, whatever became of it. $1 token hash. */
export const findLink = defineStatement<LinkRecord>(
  "find_link",
  `select l.made_by, l.used_at is not null as used, l.replaced_at is not null as replaced, l.expires_at <= now() as expired,
     m.id as member_id, m.email, m.user_id is not null as joined, w.id as workspace_id, w.name as workspace_name,
     u.id as user_id,
     exists (select 1 from member o where o.user_id = u.id and o.workspace_id <> m.workspace_id) as elsewhere
   from member_link l join member m on m.id = l.member_id join workspace w on w.id = m.workspace_id
   left join auth."user" u on u.id = coalesce(m.user_id, (select a.id from auth."user" a where a.email = m.email))
   where l.token_hash = $1`,
);

/** One row for exactly one of simultaneous uses. $1 token hash. */
export const useLink = defineStatement<{ member_id: string }>(
  "use_link",
  `update member_link l set used_at = now() where l.token_hash = $1 and ${LIVE} returning l.member_id`,
);

/** The other links of the same person end with it. $1 user. */
export const endLinksOf = defineStatement(
  "end_links_of",
  `update member_link l set used_at = now() from member m where m.id = l.member_id and m.user_id = $1 and ${LIVE}`,
);

/** What decides about an account waits for what another link is doing to it. $1 user. */
export const lockUser = defineStatement<{ id: string }>(
  "lock_user",
  `select id from auth."user" where id = $1 for no key update`,
);

/** $1 member, $2 user, $3 name or null to keep it, $4 address. */
export const attachUser = defineStatement(
  "attach_user",
  "update member set user_id = $2, name = coalesce($3, name), email = $4 where id = $1",
);

/** The member that a mail about a lost password goes to: one that the account is, else one that it may become. $1 address. */
export const memberToReset = defineStatement<{ member_id: string }>(
  "member_to_reset",
  `select m.id as member_id from auth."user" u
   join member m on m.user_id = u.id or (m.user_id is null and m.email = u.email)
   where u.email = $1 order by m.user_id is null, m.created_at limit 1`,
);

/** Whether the account of a member is a member of other workspaces, too. $1 member. */
export const isElsewhere = defineStatement<{ elsewhere: boolean }>(
  "is_elsewhere",
  `select exists (select 1 from member o where o.user_id = m.user_id and o.workspace_id <> m.workspace_id) as elsewhere
   from member m where m.id = $1`,
);
