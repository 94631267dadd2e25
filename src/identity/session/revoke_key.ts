import { z } from "zod";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { actorOf } from "../../operation/audit.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { endWebhooks, findLeftByKey, leftByKey, revocableKey } from "../operator/left_by_key.ts";

export default defineSessionOperation({
  name: "revoke_key",
  title: "Revoke a key",
  description:
    "Revoke a key from its next call on, for good, and, if asked for, the webhooks that it made. The answer says what goes on. A key that the caller does not see is none.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ key_id: z.string(), end_webhooks: z.boolean().default(false) }),
  output: leftByKey.extend({ id: z.string(), revoked_at: z.string(), ended_webhooks: z.int() }),
  async handler({ key_id, end_webhooks }, { em, caller, services, afterCommit, now }) {
    const key = await revocableKey(em, caller, key_id);
    key.revoked_at = toIsoMicros(now());
    const left = await findLeftByKey(em, caller.workspace.id, key_id, now());
    const at = { id: key_id, revoked_at: key.revoked_at };
    if (!end_webhooks) return { ...at, ...left, ended_webhooks: 0 };
    const ended = await endWebhooks(em, left.webhooks, actorOf(caller, "console"));
    afterCommit(() => ended.forEach(services.webhooks.forget));
    return { ...at, ...left, webhooks: [], ended_webhooks: ended.length };
  },
});
