import { z } from "zod";
import { formatId, formatIdOrNull } from "../src/model/domain/type_ids.ts";
import { getNowIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { ALL_SCOPES, isScope, SCOPES } from "../src/model/scopes.ts";
import { ROLES } from "../src/model/tables/member.ts";
import { defineOperation } from "../src/operation/define_operation.ts";

const ASKS_FIRST =
  "A person must approve before anything is published. Compose a draft and give the person its review_url, or call " +
  "send_alert, which returns the same URL. wait_for_review returns the decision. cancel_alert works as usual.";

export default defineOperation({
  name: "get_me",
  title: "Who am I",
  description:
    "Show the workspace, member, credential, scopes and server time. Keys, members and uploads are managed " +
    "in the console.",
  scope: "account:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/me", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({}),
  returnsText: true,
  output: z.object({
    now: z.string().describe("Server time in UTC."),
    workspace: z.object({ id: z.string(), name: z.string() }),
    member: z.object({ id: z.string(), role: z.enum(ROLES), pusher_ids: z.array(z.string()).nullable() }),
    credential: z.object({
      type: z.enum(["key", "oauth", "session"]),
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.string()),
      lacking: z
        .array(z.object({ scope: z.string(), allows: z.string() }))
        .describe(
          "Scopes that the credential does not have. For a key, tools that require any of them are not listed.",
        ),
      pusher_id: z.string().nullable(),
      expires_at: z.string().nullable(),
      asks_first: z.string().nullable().describe("How to publish if a person must approve first; otherwise null."),
    }),
  }),
  async handler(_input, ctx) {
    const { workspace, member, credential } = ctx.caller;
    return {
      now: getNowIsoMicros(ctx),
      workspace: { id: formatId("wsp", workspace.id), name: workspace.name },
      member: {
        id: formatId("mem", member.id),
        role: member.role,
        pusher_ids: member.pusherIds?.map((id) => formatId("psh", id)) ?? null,
      },
      credential: {
        type: credential.type,
        id: credential.id,
        name: credential.name,
        scopes: credential.scopes.filter(isScope),
        lacking: ALL_SCOPES.filter((scope) => !credential.scopes.includes(scope)).map((scope) => ({
          scope,
          allows: SCOPES[scope],
        })),
        pusher_id: formatIdOrNull("psh", credential.pusherId),
        expires_at: credential.expiresAt,
        asks_first: credential.asksFirst ? ASKS_FIRST : null,
      },
    };
  },
});
