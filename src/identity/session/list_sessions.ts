import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "list_sessions",
  title: "List own sessions",
  description: "Where the person is signed in, this session among them.",
  auth: "person",
  role: null,
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        current: z.boolean(),
        user_agent: z.string().nullable(),
        address: z.string().nullable(),
        created_at: z.string(),
        last_used_at: z.string().describe("To the minute."),
        expires_at: z.string(),
      }),
    ),
  }),
  async handler(_input, { em, caller, services }) {
    const sessions = await services.signIn.sessionsOf(em, caller.person);
    return {
      data: sessions.map((row) => ({
        id: row.id,
        current: row.id === caller.person.sessionId,
        user_agent: row.userAgent,
        address: row.address,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.updatedAt.toISOString(),
        expires_at: row.expiresAt.toISOString(),
      })),
    };
  },
});
