// SQL for members and their sessions, and for one-time links: creating one, its state, and its single use among
// simultaneous ones. connections.ts has connections.

import {
  array,
  boolean,
  bytea,
  nullable,
  nullableByOuterJoin,
  type SqlValuesOf,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { LINK_ISSUERS, ROLES } from "../../model/tables/member.ts";
import { createStatementDefiner } from "../db/statement.ts";
import { CALLER_MEMBER_COLUMNS } from "./api_keys.ts";

const defineStatement = createStatementDefiner("credentials");
const defineLock = createStatementDefiner("locks");
const defineList = createStatementDefiner("lists");
const defineForLibrary = createStatementDefiner("library");
const defineClaims = createStatementDefiner("claims");

const MEMBERSHIP = {
  email: text,
  /** True if the service has no other workspace (rules#service-state). */
  is_only_workspace: boolean,
  ...CALLER_MEMBER_COLUMNS.columns,
};

/** The columns of a person's member in one workspace, with the address. */
export type MemberRecord = SqlValuesOf<typeof MEMBERSHIP>;

/** Locks a member until the end of the transaction, so changes of its rows run one after another. */
export const lockMember = defineLock("lock_member", {
  parameters: { id: uuid },
  columns: { id: uuid },
  text: "select id from member where id = $id for no key update",
});

/** A person's memberships, the oldest first. */
export const listMembershipsOfUser = defineStatement.reading("memberships_of", {
  parameters: { user_id: text },
  columns: MEMBERSHIP,
  text: `select m.email, not exists (select 1 from workspace o where o.id <> w.id) as is_only_workspace,
      ${CALLER_MEMBER_COLUMNS.text} from member m join workspace w on w.id = m.workspace_id
    where m.user_id = $user_id order by m.created_at`,
});

/** The owners first, then by age. */
export const listWorkspaceMembers = defineList.reading("list_workspace_members", {
  parameters: { workspace_id: uuid },
  columns: {
    id: uuid,
    email: text,
    name: nullable(text),
    role: textEnum(ROLES),
    pusher_ids: nullable(array(uuid)),
    handles: nullable(array(text)),
    joined: boolean,
    invited: boolean,
    created_at: timestamptz,
    last_used_at: nullable(timestamptz),
  },
  text: `select m.id, m.email, m.name, m.role, m.pusher_ids, m.user_id is not null as joined,
      (select array_agg(p.handle order by p.handle) from pusher p
        where p.workspace_id = m.workspace_id and p.id = any(m.pusher_ids)) as handles,
      exists (select 1 from member_link l where l.member_id = m.id and l.expires_at > now()
        and l.used_at is null and l.replaced_at is null) as invited, m.created_at,
      greatest((select max(k.last_used_at) from api_key k where k.member_id = m.id),
        (select max(c.last_used_at) from connection c where c.member_id = m.id),
        (select max(s."updatedAt") from auth.session s where s."userId" = m.user_id)) as last_used_at
    from member m where m.workspace_id = $workspace_id
    order by array_position(array['owner', 'admin', 'editor', 'viewer'], m.role), m.created_at`,
});

/** Records the use of a passkey, and returns its owner. */
export const recordPasskeyUse = defineForLibrary("use_passkey", {
  parameters: { credential_id: text },
  columns: { user_id: text, email: text },
  text: `update auth.passkey p set "lastUsedAt" = now() from auth."user" u
    where u.id = p."userId" and p."credentialID" = $credential_id returning u.id as user_id, u.email`,
});

/** The account of a sign-in attempt; one of both arguments is given. */
export const findAccountOfSignInAttempt = defineForLibrary.reading("find_sign_in_account", {
  parameters: { email: nullable(text), credential_id: nullable(text) },
  columns: { id: text },
  text: `select id from auth."user" where email = $email
    union all select "userId" from auth.passkey where "credentialID" = $credential_id`,
});

/** For who lost the phone and the recovery codes. Nothing comes back where it was not on. */
export const deleteSecondFactor = defineForLibrary("drop_second_factor", {
  parameters: { user_id: text },
  columns: { id: text },
  text: `with gone as (delete from auth."twoFactor" where "userId" = $user_id returning "userId")
    update auth."user" u set "twoFactorEnabled" = false from gone where u.id = gone."userId" returning u.id`,
});

export const noteSessionUse = defineStatement("note_session_use", {
  parameters: { id: text },
  text: `update auth.session set "updatedAt" = now() where id = $id`,
});

const LIVE = "l.used_at is null and l.replaced_at is null and l.expires_at > now()";

/**
 * A new link replaces earlier ones of its kind. A link from the "forgot password" form, which anyone with the address
 * can request, does not end one that a person issued. `issued_by` is the issuer.
 */
export const markMemberLinksReplaced = defineClaims("replace_member_links", {
  parameters: { member_id: uuid, issued_by: textEnum(LINK_ISSUERS) },
  text: `update member_link l set replaced_at = now()
    where l.member_id = $member_id and ${LIVE} and (l.issued_by = 'person') = ($issued_by = 'person')`,
});

const LINK = {
  issued_by: textEnum(LINK_ISSUERS),
  used: boolean,
  replaced: boolean,
  expired: boolean,
  member_id: uuid,
  email: text,
  joined: boolean,
  workspace_id: uuid,
  workspace_name: text,
  /** The account behind the member, or else the one that has the member's address already. */
  user_id: nullableByOuterJoin(text),
  /** True if the account's e-mail address is verified. */
  proved: nullableByOuterJoin(boolean),
  /** True if it requires a second factor. */
  second_factor: nullable(boolean),
  /** True if that account is a member of other workspaces. */
  elsewhere: boolean,
};

export type MemberLinkRecord = SqlValuesOf<typeof LINK>;

/** The link in any state, with its member and account. */
export const findMemberLink = defineForLibrary.reading("find_member_link", {
  parameters: { token_hash: bytea },
  columns: LINK,
  text: `select l.issued_by, l.used_at is not null as used, l.replaced_at is not null as replaced,
    l.expires_at <= now() as expired,
      m.id as member_id, m.email, m.user_id is not null as joined, w.id as workspace_id, w.name as workspace_name,
      u.id as user_id, u."emailVerified" as proved, u."twoFactorEnabled" as second_factor,
      exists (select 1 from member o where o.user_id = u.id and o.workspace_id <> m.workspace_id) as elsewhere
    from member_link l join member m on m.id = l.member_id join workspace w on w.id = m.workspace_id
    left join auth."user" u on u.id = coalesce(m.user_id, (select a.id from auth."user" a where a.email = m.email))
    where l.token_hash = $token_hash`,
});

/** One row for exactly one of simultaneous uses. */
export const redeemMemberLink = defineClaims("redeem_member_link", {
  parameters: { token_hash: bytea },
  columns: { member_id: uuid },
  text: `update member_link l set used_at = now() where l.token_hash = $token_hash and ${LIVE} returning l.member_id`,
});

/** The other links of the same person end with it. */
export const endMemberLinksOfUser = defineClaims("end_member_links_of_user", {
  parameters: { user_id: text },
  text: `update member_link l set used_at = now() from member m where m.id = l.member_id and m.user_id = $user_id and
    ${LIVE}`,
});

/** Locks an account, so that simultaneous links wait. */
export const lockUser = defineLock("lock_user", {
  parameters: { id: text },
  columns: { id: text },
  text: `select id from auth."user" where id = $id for no key update`,
});

/** The member for a password reset by mail: one of the account, or one that it may become. */
export const findMemberForResetEmail = defineForLibrary.reading("member_to_reset", {
  parameters: { email: text },
  columns: { member_id: uuid, user_id: text },
  text: `select m.id as member_id, u.id as user_id from auth."user" u
    join member m on m.user_id = u.id or (m.user_id is null and m.email = u.email)
    where u.email = $email order by m.user_id is null, m.created_at limit 1`,
});
