// Keys by hash, and what operators do with them.

import { ROLES } from "../../model/entities/member.ts";
import {
  array,
  boolean,
  nullable,
  oneOf,
  outerJoined,
  text,
  timestamptz,
  uuid,
} from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";
import { HASHES } from "./hashes.ts";
import { MEMBER_FACTS } from "./member_facts.ts";

const defineStatement = statementsOf("credentials");
const defineList = statementsOf("lists");

/** The live keys behind hashes, by position, with everything that a call needs to know of member and workspace. */
export const findKeys = defineStatement.reading("find_keys", {
  parameters: HASHES.parameters,
  columns: {
    ...HASHES.columns,
    id: uuid,
    name: text,
    scopes: array(text),
    pusher_id: nullable(uuid),
    expires_at: nullable(timestamptz),
    asks_first: boolean,
    ...MEMBER_FACTS.columns,
  },
  text: `select ${HASHES.selected}, k.id, k.name, k.scopes, k.pusher_id, k.expires_at, k.asks_first, ${MEMBER_FACTS.text}
    from ${HASHES.from} join api_key k on k.hash = ${HASHES.hash}
    join member m on m.id = k.member_id join workspace w on w.id = m.workspace_id
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
});

export const noteKeyUse = defineStatement("note_key_use", {
  parameters: { id: uuid },
  text: "update api_key set last_used_at = now() where id = $id",
});

/** The live keys of a workspace, the newest first. */
export const listWorkspaceKeys = defineList.reading("list_workspace_keys", {
  parameters: { workspace_id: uuid },
  columns: {
    id: uuid,
    name: text,
    scopes: array(text),
    pusher_id: nullable(uuid),
    handle: outerJoined(text),
    created_at: timestamptz,
    expires_at: nullable(timestamptz),
    last_used_at: nullable(timestamptz),
    asks_first: boolean,
    made_for: nullable(text),
    member_id: uuid,
    email: text,
    member_name: nullable(text),
    role: oneOf(ROLES),
    pusher_ids: nullable(array(uuid)),
  },
  text: `select k.id, k.name, k.scopes, k.pusher_id, p.handle, k.created_at, k.expires_at, k.last_used_at, k.asks_first, k.made_for, m.id as member_id, m.email,
      m.name as member_name, m.role, m.pusher_ids
    from api_key k join member m on m.id = k.member_id left join pusher p on p.id = k.pusher_id
    where m.workspace_id = $workspace_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    order by k.created_at desc`,
});
