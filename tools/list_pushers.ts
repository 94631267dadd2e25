import { z } from "zod";
import { toIsoMicros } from "../src/model/fields/columns.ts";
import { keysetPage } from "../src/operation/page.ts";
import { defineTool } from "../src/operation/tool.ts";
import { listChannels, sight } from "../src/store/queries/channels.ts";
import { ALL_WHEN_ABSENT, before, limit, NO_LIMIT, pageMeta } from "../src/store/shapes/fields.ts";
import { pusherView, showPusher } from "../src/store/shapes/pusher.ts";

export default defineTool({
  name: "list_pushers",
  title: "List channels",
  description:
    "List the alert channels (pushers) seen, newest first, with their unsent backlog. handle finds one and its id.",
  scope: "pushers:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({
    handle: z.string().optional().describe("Only the channel of this handle."),
    limit: limit(ALL_WHEN_ABSENT),
    before: before(),
  }),
  output: z.object({
    data: z.array(pusherView.extend({ drafts: z.int(), scheduled: z.int() })),
    meta: pageMeta.optional(),
  }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const { rows, next_before } = await keysetPage(
      input.limit ?? NO_LIMIT,
      (n) =>
        ctx.sql(listChannels, {
          ...sight(ctx.caller),
          handle: input.handle ?? null,
          before: input.before ?? null,
          limit: n,
        }),
      (row) => row.created_at,
    );
    const data = rows.map((row) => ({
      ...showPusher(row, ctx.services.channelBaseUrl),
      drafts: row.drafts,
      scheduled: row.scheduled,
    }));
    if (input.limit === undefined) return { data };
    return { data, meta: { next_before: next_before && toIsoMicros(next_before) } };
  },
});
