// One-time links by raw SQL: making one, what became of one, and using it up for exactly one of simultaneous uses.

import { LINK_MAKERS } from "../../model/entities/member.ts";
import {
  boolean,
  bytea,
  nullable,
  oneOf,
  outerJoined,
  text,
  uuid,
  type ValuesOf,
} from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("claims");
const defineForLibrary = statementsOf("library");
const defineLock = statementsOf("locks");

const LIVE = "l.used_at is null and l.replaced_at is null and l.expires_at > now()";

/**
 * A new link replaces the earlier ones of its kind: a link that was asked for by the "forgot password" form, which anybody
 * can do who knows the address, does not end one that somebody handed out. `made_by` is who asks.
 */
export const replaceLinks = defineStatement("replace_links", {
  parameters: { member_id: uuid, made_by: oneOf(LINK_MAKERS) },
  text: `update member_link l set replaced_at = now()
    where l.member_id = $member_id and ${LIVE} and (l.made_by = 'person') = ($made_by = 'person')`,
});

const LINK = {
  made_by: oneOf(LINK_MAKERS),
  used: boolean,
  replaced: boolean,
  expired: boolean,
  member_id: uuid,
  email: text,
  joined: boolean,
  workspace_id: uuid,
  workspace_name: text,
  /** The account behind the member, or else the one that has the member's address already. */
  user_id: outerJoined(text),
  /** Whether it was shown that the account is of who reads the address. */
  proved: outerJoined(boolean),
  /** Whether it asks for a second factor. */
  second_factor: nullable(boolean),
  /** Whether that account is a member of other workspaces, too. */
  elsewhere: boolean,
};

export type LinkRecord = ValuesOf<typeof LINK>;

/** The link with the member and the account that it is for, whatever became of it. */
export const findLink = defineForLibrary.reading("find_link", {
  parameters: { token_hash: bytea },
  columns: LINK,
  text: `select l.made_by, l.used_at is not null as used, l.replaced_at is not null as replaced, l.expires_at <= now() as expired,
      m.id as member_id, m.email, m.user_id is not null as joined, w.id as workspace_id, w.name as workspace_name,
      u.id as user_id, u."emailVerified" as proved, u."twoFactorEnabled" as second_factor,
      exists (select 1 from member o where o.user_id = u.id and o.workspace_id <> m.workspace_id) as elsewhere
    from member_link l join member m on m.id = l.member_id join workspace w on w.id = m.workspace_id
    left join auth."user" u on u.id = coalesce(m.user_id, (select a.id from auth."user" a where a.email = m.email))
    where l.token_hash = $token_hash`,
});

/** One row for exactly one of simultaneous uses. */
export const useLink = defineStatement("use_link", {
  parameters: { token_hash: bytea },
  columns: { member_id: uuid },
  text: `update member_link l set used_at = now() where l.token_hash = $token_hash and ${LIVE} returning l.member_id`,
});

/** The other links of the same person end with it. */
export const endLinksOf = defineStatement("end_links_of", {
  parameters: { user_id: text },
  text: `update member_link l set used_at = now() from member m where m.id = l.member_id and m.user_id = $user_id and ${LIVE}`,
});

/** What decides about an account waits for what another link is doing to it. */
export const lockUser = defineLock("lock_user", {
  parameters: { id: text },
  columns: { id: text },
  text: `select id from auth."user" where id = $id for no key update`,
});

/** The member that a mail about a lost password goes to: one that the account is, else one that it may become. */
export const memberToReset = defineForLibrary.reading("member_to_reset", {
  parameters: { email: text },
  columns: { member_id: uuid, user_id: text },
  text: `select m.id as member_id, u.id as user_id from auth."user" u
    join member m on m.user_id = u.id or (m.user_id is null and m.email = u.email)
    where u.email = $email order by m.user_id is null, m.created_at limit 1`,
});
