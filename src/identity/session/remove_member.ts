import { z } from "zod";
import { defineSessionOperation } from "../../operation/tool.ts";
import { deletedView } from "../../store/shapes/fields.ts";
import { endConnections } from "../auth/grants.ts";
import { keepAnOwner, managed, takeTurn } from "../operator/turn.ts";

export default defineSessionOperation({
  name: "remove_member",
  title: "Remove a member",
  description:
    "Remove a member with its keys and webhook endpoints, and with its assistants the tokens that they hold. Channels and alerts stay.",
  auth: "member",
  role: "admin",
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  input: z.strictObject({ member_id: z.string() }),
  output: deletedView,
  async handler({ member_id }, ctx) {
    const row = await managed(ctx, await takeTurn(ctx), member_id);
    await keepAnOwner(ctx, row);
    await endConnections(ctx.em, { member: row.id });
    ctx.em.remove(row);
    return { deleted: true as const, id: member_id };
  },
});
