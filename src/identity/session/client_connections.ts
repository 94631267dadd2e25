// The assistants that a person connected: consent, what each may do, its end.

import { z } from "zod";
import { notFound } from "../../model/api_error.ts";
import { assertDefined } from "../../model/assert.ts";
import { formatId, formatIdOrNull, newUuid, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { ALL_SCOPES, IMPLICIT_SCOPE } from "../../model/scopes.ts";
import { Channel } from "../../model/tables/channel.ts";
import { Connection, ConnectionConsent } from "../../model/tables/keys_and_connections.ts";
import { defineMemberOperation, definePersonOperation } from "../../operation/define_operation.ts";
import {
  deleteEarlierConsents,
  listConnections,
  listUserConnectionsOfClient,
  upsertConnection,
} from "../../store/queries/connections.ts";
import { deletedResourceSchema, unpagedListSchema } from "../../store/response_schemas/shared_parameters_and_pages.ts";
import { parseClientName } from "../auth/client_metadata_fields.ts";
import { endAssistantConnectionsByFilter } from "../auth/consent_grants.ts";

export const list_connections = defineMemberOperation({
  name: "list_connections",
  title: "List connected assistants",
  description: "The assistants that the person has connected to this workspace.",
  role: "viewer",
  writes: "nothing",
  output: unpagedListSchema({
    id: z.string(),
    name: z.string().nullable().describe("The name that the assistant chose, which is not verified."),
    uri: z.string().nullable(),
    scopes: z.array(z.string()),
    requires_approval: z.boolean(),
    pusher_id: z.string().nullable(),
    handle: z.string().nullable(),
    last_used_at: z.string().nullable(),
    created_at: z.string(),
  }),
  async handler(_input, { sql, caller }) {
    const rows = await sql(listConnections, { user_id: caller.person.id, workspace_id: caller.workspace.id });
    return {
      data: rows.map((row) => ({
        ...row,
        id: formatId("con", row.id),
        name: parseClientName(row.name),
        pusher_id: formatIdOrNull("psh", row.pusher_id),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
        created_at: toIsoMicros(row.created_at),
      })),
    };
  },
});

export const list_grants = definePersonOperation({
  name: "list_grants",
  title: "List an assistant's grants",
  description: "The person's grants to one assistant, with one entry per member, newest first.",
  writes: "nothing",
  input: z.strictObject({ client_id: z.string() }),
  output: unpagedListSchema({
    member_id: z.string(),
    pusher_id: z.string().nullable(),
    scopes: z.array(z.string()),
    requires_approval: z.boolean(),
  }),
  async handler({ client_id }, { sql, caller }) {
    const rows = await sql(listUserConnectionsOfClient, { user_id: caller.person.id, client_id });
    return {
      data: rows.map(({ member_id, pusher_id, scopes, requires_approval }) => ({
        member_id: formatId("mem", member_id),
        pusher_id: formatIdOrNull("psh", pusher_id),
        scopes,
        requires_approval,
      })),
    };
  },
});

export const grant_connection = defineMemberOperation({
  name: "grant_connection",
  title: "Connect an assistant",
  description:
    "Store the person's grant to an assistant after the authorization server has issued a code. " +
    "Without a stored grant, the code is not valid and the assistant must request access again.",
  role: "viewer",
  errors: ["not_found"],
  input: z.strictObject({
    grant_id: z.uuid().describe("The grant that the authorization code refers to."),
    client_id: z.string(),
    pusher_id: z
      .string()
      .nullable()
      .describe("The only channel that the assistant can use; null means all of the member's channels."),
    scopes: z.array(z.enum(ALL_SCOPES)),
    requires_approval: z
      .boolean()
      .default(true)
      .describe("If true, the assistant requires approval before it publishes."),
  }),
  output: z.object({ id: z.string() }),
  async handler({ grant_id, client_id, pusher_id, scopes, requires_approval }, { em, sql, caller }) {
    const pusher = pusher_id === null ? null : parseIdOrNull("psh", pusher_id);
    if (pusher_id !== null && !(pusher && (await em.findOne(Channel, { id: pusher })))) throw notFound("channel");
    const [connection] = await sql(upsertConnection, {
      id: newUuid(),
      user_id: caller.person.id,
      client_id,
      member_id: caller.member.id,
      pusher_id: pusher,
      scopes: [...new Set([IMPLICIT_SCOPE, ...scopes])],
      requires_approval,
    });
    const connection_id = assertDefined(connection, "the insert returns its row").id;
    await em.insert(ConnectionConsent, { id: grant_id, connection: connection_id });
    await sql(deleteEarlierConsents, { connection_id, last_grant_id: grant_id });
    return { id: formatId("con", connection_id) };
  },
});

export const update_connection = defineMemberOperation({
  name: "update_connection",
  title: "Change an assistant",
  description:
    "Set whether one of the person's assistants requires approval before it publishes. Takes effect with the " +
    "assistant's next call.",
  role: "viewer",
  errors: ["not_found"],
  input: z.strictObject({ connection_id: z.string(), requires_approval: z.boolean() }),
  output: z.object({ id: z.string() }),
  async handler({ connection_id, requires_approval }, { em, caller, audit }) {
    const id = parseIdOrNull("con", connection_id);
    const connection = id && (await em.findOne(Connection, { id, user_id: caller.person.id }));
    if (!connection) throw notFound("connection");
    if (connection.requires_approval !== requires_approval) audit({ changed: ["requires_approval"] });
    connection.requires_approval = requires_approval;
    return { id: connection_id };
  },
});

export const end_connection = defineMemberOperation({
  name: "end_connection",
  title: "Disconnect an assistant",
  description:
    "End one of the person's connections. The assistant's next request is refused, and its tokens can no longer be " +
    "refreshed.",
  role: "viewer",
  errors: ["not_found"],
  input: z.strictObject({ connection_id: z.string() }),
  output: deletedResourceSchema,
  async handler({ connection_id }, { em, caller }) {
    const id = parseIdOrNull("con", connection_id);
    const ended = id ? await endAssistantConnectionsByFilter(em, { id, user_id: caller.person.id }) : 0;
    if (ended === 0) throw notFound("connection");
    return { deleted: true as const, id: connection_id };
  },
});
