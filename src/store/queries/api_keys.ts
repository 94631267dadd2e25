// API keys: look-ups by hash, operator commands, and the last requests in another program's format. Also shared parts
// of the look-ups of all credentials: several secrets at once (see createPositionedRowBatcher in
// store/db/batch_concurrent_calls.ts), and the member of one.

import {
  array,
  boolean,
  int,
  jsonb,
  neverNull,
  nullable,
  nullableByOuterJoin,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import type { IngestRequestRecord } from "../../model/tables/keys_and_connections.ts";
import { ROLES } from "../../model/tables/member.ts";
import { createStatementDefiner } from "../db/statement.ts";

const defineStatement = createStatementDefiner("credentials");
const defineList = createStatementDefiner("lists");
const defineJournal = createStatementDefiner("journal");

/** The columns that a call needs of a member `m` and its workspace `w`. */
export const CALLER_MEMBER_COLUMNS = {
  columns: {
    member_id: uuid,
    role: textEnum(ROLES),
    pusher_ids: nullable(array(uuid)),
    workspace_id: uuid,
    workspace_name: text,
    /** True if a webhook endpoint of the workspace subscribes to changes. */
    listening: boolean,
  },
  text: `m.id as member_id, m.role, m.pusher_ids, w.id as workspace_id, w.name as workspace_name,
    exists (select 1 from webhook_endpoint e where e.workspace_id = w.id and e.disabled_at is null) as listening`,
};

/**
 * Hashes in hex → rows, by position. The array is in a subquery to hide its length from the planner. For a short one,
 * it would plan again for every call.
 */
export const BATCH_TOKEN_HASH_LOOKUP = {
  parameters: { hashes: array(text) },
  columns: { position: int },
  selected: "t.position::int as position",
  from: "unnest((select $hashes::text[])) with ordinality t (hash, position)",
  hash: "decode(t.hash, 'hex')",
};

/** The live keys behind hashes, by position, with everything that a call needs to know of member and workspace. */
export const findKeysByHash = defineStatement.reading("find_keys", {
  parameters: BATCH_TOKEN_HASH_LOOKUP.parameters,
  columns: {
    ...BATCH_TOKEN_HASH_LOOKUP.columns,
    id: uuid,
    name: text,
    scopes: array(text),
    pusher_id: nullable(uuid),
    expires_at: nullable(timestamptz),
    requires_approval: boolean,
    ...CALLER_MEMBER_COLUMNS.columns,
  },
  text: `select ${BATCH_TOKEN_HASH_LOOKUP.selected}, k.id, k.name, k.scopes, k.pusher_id, k.expires_at,
    k.requires_approval,
    ${CALLER_MEMBER_COLUMNS.text}
    from ${BATCH_TOKEN_HASH_LOOKUP.from} join api_key k on k.hash = ${BATCH_TOKEN_HASH_LOOKUP.hash}
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
    handle: nullableByOuterJoin(text),
    created_at: timestamptz,
    expires_at: nullable(timestamptz),
    last_used_at: nullable(timestamptz),
    requires_approval: boolean,
    client_program: nullable(text),
    /** The program of its last request in another program's format; null for none, and where it is unknown. */
    speaks: nullable(text),
    /** Channels that such requests named, as the wire has them; null where it made none. */
    sends_to: nullable(array(text)),
    member_id: uuid,
    email: text,
    member_name: nullable(text),
    role: textEnum(ROLES),
    pusher_ids: nullable(array(uuid)),
  },
  text: `select k.id, k.name, k.scopes, k.pusher_id, p.handle, k.created_at, k.expires_at, k.last_used_at,
    k.requires_approval, k.client_program,
      l.requests->0->>'program' as speaks,
      case when l.key_id is not null then array(select distinct r->>'pusher_id'
        from jsonb_array_elements(l.requests) r where r->>'pusher_id' is not null) end as sends_to,
      m.id as member_id, m.email, m.name as member_name, m.role, m.pusher_ids
    from api_key k join member m on m.id = k.member_id left join pusher p on p.id = k.pusher_id
      left join sender_log l on l.key_id = k.id
    where m.workspace_id = $workspace_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    order by k.created_at desc`,
});

/** The sender programs for which these keys were created; a key without a program has no row. */
export const findIntendedKeyPrograms = defineList.reading("find_key_programs", {
  parameters: { workspace_id: uuid, ids: array(uuid) },
  columns: { id: uuid, client_program: neverNull(text) },
  text: `select k.id, k.client_program from api_key k join member m on m.id = k.member_id
    where k.id = any($ids::uuid[]) and m.workspace_id = $workspace_id and k.client_program is not null`,
});

/** SQL: adds a request of a key `l` to its earlier ones. */
const KEEP_NEWEST_REQUESTS_SQL = `on conflict (key_id) do update
    set requests = jsonb_path_query_array(excluded.requests || l.requests, '$[0 to ${LIMITS.sender_requests - 1}]')`;

/** The newest first; rows after the limit are removed. */
export const noteSenderRequest = defineJournal("note_sender_request", {
  parameters: { key_id: uuid, request: jsonb<IngestRequestRecord>() },
  text: `insert into sender_log as l (key_id, requests) values ($key_id, jsonb_build_array($request::jsonb))
    ${KEEP_NEWEST_REQUESTS_SQL}`,
});

/** The same with a secret of a key that has expired or was revoked; no row for any other secret. */
export const noteSenderRequestOfEndedKey = defineJournal("note_sender_request_of_ended_key", {
  parameters: { hash: text, request: jsonb<IngestRequestRecord>() },
  columns: { key_id: uuid },
  text: `insert into sender_log as l (key_id, requests)
    select k.id, jsonb_build_array($request::jsonb) from api_key k
    where k.hash = decode($hash, 'hex') and (k.revoked_at is not null or k.expires_at <= now())
    ${KEEP_NEWEST_REQUESTS_SQL} returning key_id`,
});

export const listSenderRequestsOfKey = defineList.reading("list_sender_requests", {
  parameters: { key_id: uuid },
  columns: { requests: jsonb<IngestRequestRecord[]>() },
  text: "select requests from sender_log where key_id = $key_id",
});

/**
 * The keys of a workspace of whose last requests in other programs' formats any was refused, with these requests. A key
 * that has ended is listed for a time after the last request that came since.
 */
export const listKeysWithRefusedRequests = defineList.reading("list_keys_with_refused_requests", {
  parameters: { workspace_id: uuid },
  columns: {
    id: uuid,
    name: text,
    pusher_id: nullable(uuid),
    client_program: nullable(text),
    /** When the key expired or was revoked; null for a live one. */
    ended_at: nullable(timestamptz),
    member_id: uuid,
    role: textEnum(ROLES),
    pusher_ids: nullable(array(uuid)),
    requests: jsonb<IngestRequestRecord[]>(),
  },
  text: `select k.id, k.name, k.pusher_id, k.client_program, e.at as ended_at, m.id as member_id, m.role,
      m.pusher_ids, l.requests
    from member m join api_key k on k.member_id = m.id join sender_log l on l.key_id = k.id
      cross join lateral (select least(k.revoked_at, case when k.expires_at <= now() then k.expires_at end) as at) e
    where m.workspace_id = $workspace_id
      and (e.at is null or l.requests->0->>'at' > to_char(
        greatest(e.at, now() - interval '${LIMITS.ended_key_days} days') at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      and l.requests @? '$[*] ? (@.outcome == "refused")'`,
});
