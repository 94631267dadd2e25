import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";
import { findLeftByKey, leftByKey, revocableKey } from "../operator/left_by_key.ts";

export type LeftByKey = z.output<typeof leftByKey>;

export default defineSessionOperation({
  name: "get_left_by_key",
  title: "See what goes on without a key",
  description:
    "What a key made and what goes on when it is revoked: webhook endpoints, and alerts that it scheduled.",
  auth: "member",
  role: "admin",
  writes: "nothing",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ key_id: z.string() }),
  output: leftByKey.extend({ name: z.string() }),
  async handler({ key_id }, { em, caller, now }) {
    const { name } = await revocableKey(em, caller, key_id);
    return { name, ...(await findLeftByKey(em, caller.workspace.id, key_id, now())) };
  },
});
