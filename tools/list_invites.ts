import { z } from "zod";
import { toIsoMicros } from "../src/model/fields/columns.ts";
import { findPusher } from "../src/operation/channels/find_pusher.ts";
import { keysetPage } from "../src/operation/page.ts";
import { defineTool } from "../src/operation/tool.ts";
import { listInvites } from "../src/store/queries/channels.ts";
import { ALL_WHEN_ABSENT, before, limit, NO_LIMIT, pageMeta, pathId } from "../src/store/shapes/fields.ts";
import { inviteView, showInvite } from "../src/store/shapes/invite.ts";

export default defineTool({
  name: "list_invites",
  title: "List invites",
  description: "List the invites of a channel, newest first, codes and revoked ones included.",
  scope: "invites:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/invites", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…, or its handle"),
    limit: limit(ALL_WHEN_ABSENT),
    before: before(),
  }),
  output: z.object({ data: z.array(inviteView), meta: pageMeta.optional() }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const pusher = await findPusher(input, ctx);
    const { rows, next_before } = await keysetPage(
      input.limit ?? NO_LIMIT,
      (n) => ctx.sql(listInvites, { pusher_id: pusher.id, before: input.before ?? null, limit: n }),
      (row) => row.created_at,
    );
    const data = rows.map((row) => showInvite(row, pusher, ctx.services.channelBaseUrl));
    if (input.limit === undefined) return { data };
    return { data, meta: { next_before: next_before && toIsoMicros(next_before) } };
  },
});
