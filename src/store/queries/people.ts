// Members and sessions' members by raw SQL; links and connections stand beside.

import { ROLES } from "../../model/entities/member.ts";
import {
  array,
  boolean,
  nullable,
  oneOf,
  text,
  timestamptz,
  uuid,
  type ValuesOf,
} from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { MEMBER_FACTS } from "./member_facts.ts";

const defineStatement = statementsOf("credentials");
const defineLock = statementsOf("locks");
const defineList = statementsOf("lists");
const defineForLibrary = statementsOf("library");

const MEMBERSHIP = { email: text, ...MEMBER_FACTS.columns };

/** What a call needs to know of the member that a person is in one workspace, with the address. */
export type MemberRecord = ValuesOf<typeof MEMBERSHIP>;

/** Held until the transaction ends: what counts or replaces something of one member happens in turn. */
export const lockMember = defineLock("lock_member", {
  parameters: { id: uuid },
  columns: { id: uuid },
  text: "select id from member where id = $id for no key update",
});

/** A person's memberships, the oldest first. */
export const membershipsOf = defineStatement.reading("memberships_of", {
  parameters: { user_id: text },
  columns: MEMBERSHIP,
  text: `select m.email, ${MEMBER_FACTS.text} from member m join workspace w on w.id = m.workspace_id
    where m.user_id = $user_id order by m.created_at`,
});

/** The owners first, then by age. */
export const listWorkspaceMembers = defineList.reading("list_workspace_members", {
  parameters: { workspace_id: uuid },
  columns: {
    id: uuid,
    email: text,
    name: nullable(text),
    role: oneOf(ROLES),
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

/** Writes down that a passkey was used, and answers whose it is. */
export const usePasskey = defineForLibrary("use_passkey", {
  parameters: { credential_id: text },
  columns: { user_id: text, email: text },
  text: `update auth.passkey p set "lastUsedAt" = now() from auth."user" u
    where u.id = p."userId" and p."credentialID" = $credential_id returning u.id as user_id, u.email`,
});

/** The account that somebody tries to get into; one of both is given. */
export const accountTried = defineForLibrary.reading("account_tried", {
  parameters: { email: nullable(text), credential_id: nullable(text) },
  columns: { id: text },
  text: `select id from auth."user" where email = $email
    union all select "userId" from auth.passkey where "credentialID" = $credential_id`,
});

/** For who lost the phone and the recovery codes. Nothing comes back where it was not on. */
export const dropSecondFactor = defineForLibrary("drop_second_factor", {
  parameters: { user_id: text },
  columns: { id: text },
  text: `with gone as (delete from auth."twoFactor" where "userId" = $user_id returning "userId")
    update auth."user" u set "twoFactorEnabled" = false from gone where u.id = gone."userId" returning u.id`,
});

export const noteSessionUse = defineStatement("note_session_use", {
  parameters: { id: text },
  text: `update auth.session set "updatedAt" = now() where id = $id`,
});
