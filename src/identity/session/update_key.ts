import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";
import { revocableKey } from "../operator/left_by_key.ts";

export default defineSessionOperation({
  name: "update_key",
  title: "Change a key",
  description:
    "Say whether a person decides before the key publishes, from its next call on. A key that the caller may not revoke is none.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ key_id: z.string(), asks_first: z.boolean() }),
  output: z.object({ id: z.string() }),
  async handler({ key_id, asks_first }, { em, caller, tellChanged }) {
    const key = await revocableKey(em, caller, key_id);
    if (key.asks_first !== asks_first) tellChanged(["asks_first"]);
    key.asks_first = asks_first;
    return { id: key_id };
  },
});
