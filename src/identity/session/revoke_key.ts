import { z } from "zod";
import { parseId } from "../../model/domain/ids.ts";
import { manages, standingOf } from "../../model/domain/standing.ts";
import { ApiKey } from "../../model/entities/api_key.ts";
import { notFound } from "../../model/errors.ts";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { defineSessionOperation } from "../../operation/tool.ts";

export default defineSessionOperation({
  name: "revoke_key",
  title: "Revoke a key",
  description: "Revoke a key from its next call on, for good. A key that the caller does not see is none.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ key_id: z.string() }),
  output: z.object({ id: z.string(), revoked_at: z.string() }),
  async handler({ key_id }, { em, caller, now }) {
    const id = parseId("key", key_id);
    const within = { workspace: caller.workspace.id };
    const key =
      id && (await em.findOne(ApiKey, { id, revoked_at: null, member: within }, { populate: ["member"] }));
    if (!key) throw notFound("key");
    const { id: memberId, role, pusher_ids = null } = key.member.$;
    if (memberId !== caller.member.id && !manages(standingOf(caller), { role, pusher_ids }))
      throw notFound("key");
    key.revoked_at = toIsoMicros(now());
    return { id: key_id, revoked_at: key.revoked_at };
  },
});
