import { z } from "zod";
import { newUuid, parseId, showId } from "../../model/domain/ids.ts";
import { ConnectionGrant } from "../../model/entities/connection.ts";
import { Pusher } from "../../model/entities/pusher.ts";
import { notFound } from "../../model/errors.ts";
import { need } from "../../model/need.ts";
import { ALL_SCOPES, IMPLICIT_SCOPE } from "../../model/scopes.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { connect, forgetEarlierConsents } from "../../store/queries/connections.ts";

export default defineSessionOperation({
  name: "grant_connection",
  title: "Let an assistant in",
  description:
    "Write down what the person granted an assistant, once the authorization server made a code of it. Should this not happen, the code is worth nothing and the assistant asks again.",
  auth: "member",
  role: "viewer",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    grant_id: z.uuid().describe("The grant that the code carries."),
    client_id: z.string(),
    pusher_id: z.string().nullable().describe("The one channel that the assistant sees; null: the member's."),
    scopes: z.array(z.enum(ALL_SCOPES)),
    asks_first: z.boolean().default(true).describe("The person decides before it publishes."),
  }),
  output: z.object({ id: z.string() }),
  async handler({ grant_id, client_id, pusher_id, scopes, asks_first }, { em, sql, caller }) {
    const pusher = pusher_id === null ? null : parseId("psh", pusher_id);
    if (pusher_id !== null && !(pusher && (await em.findOne(Pusher, { id: pusher }))))
      throw notFound("channel");
    const [connection] = await sql(connect, {
      id: newUuid(),
      user_id: caller.person.id,
      client_id,
      member_id: caller.member.id,
      pusher_id: pusher,
      scopes: [...new Set([IMPLICIT_SCOPE, ...scopes])],
      asks_first,
    });
    const connection_id = need(connection, "what is written comes back").id;
    await em.insert(ConnectionGrant, { id: grant_id, connection: connection_id });
    await sql(forgetEarlierConsents, { connection_id, last_grant_id: grant_id });
    return { id: showId("con", connection_id) };
  },
});
