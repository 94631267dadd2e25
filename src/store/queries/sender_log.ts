// The last requests of keys in another program's words: a ring of a few in one row a key.

import type { SenderRequest } from "../../model/entities/api_key.ts";
import { jsonb, uuid } from "../../model/fields/sql.ts";
import { LIMITS } from "../../model/limits.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("journal");
const defineList = statementsOf("lists");

/** The newest first; what comes behind the last that is kept is gone. */
export const noteSenderRequest = defineStatement("note_sender_request", {
  parameters: { key_id: uuid, request: jsonb<SenderRequest>() },
  text: `insert into sender_log as l (key_id, requests) values ($key_id, jsonb_build_array($request::jsonb))
    on conflict (key_id) do update
    set requests = jsonb_path_query_array(excluded.requests || l.requests, '$[0 to ${LIMITS.sender_requests - 1}]')`,
});

export const listSenderRequests = defineList.reading("list_sender_requests", {
  parameters: { key_id: uuid },
  columns: { requests: jsonb<SenderRequest[]>() },
  text: "select requests from sender_log where key_id = $key_id",
});
