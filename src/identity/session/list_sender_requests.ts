import { z } from "zod";
import { SENDER_OUTCOMES } from "../../model/entities/sender_log.ts";
import { LIMITS } from "../../model/limits.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listSenderRequests } from "../../store/queries/sender_log.ts";
import { revocableKey } from "../operator/left_by_key.ts";

export default defineSessionOperation({
  name: "list_sender_requests",
  title: "List requests of a sender",
  description: `What became of the last ${LIMITS.sender_requests} requests that a key made in another program's words, the newest first. A key that the caller may not revoke is none.`,
  auth: "member",
  role: "admin",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ key_id: z.string() }),
  output: z.object({
    data: z.array(
      z.object({
        at: z.string(),
        program: z.string().nullable(),
        outcome: z.enum(SENDER_OUTCOMES),
        said: z.string(),
        alert_id: z.string().nullable(),
        pusher_id: z.string().nullable(),
        alerts: z.int(),
        notes: z.array(z.string()),
      }),
    ),
  }),
  async handler({ key_id }, ctx) {
    const { id } = await revocableKey(ctx.em, ctx.caller, key_id);
    const [found] = await ctx.sql(listSenderRequests, { key_id: id });
    return { data: found?.requests ?? [] };
  },
});
