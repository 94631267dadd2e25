import { z } from "zod";
import { visibilityParameters } from "../src/operation/access_checks.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readKeysetPage } from "../src/operation/read_keyset_page.ts";
import { listChannels } from "../src/store/queries/channels.ts";
import { ownerChannelSchema, toOwnerChannelView } from "../src/store/response_schemas/channel_schemas.ts";
import {
  pageParameters,
  paginationMetaSchema,
  UNLIMITED_PAGE_SIZE,
  UNPAGED_LIMIT_DESCRIPTION,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "list_pushers",
  title: "List channels",
  description: "List alert channels (pushers), newest first, with counts of drafts and scheduled alerts.",
  scope: "pushers:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers", status: 200 },
  errors: ["invalid_request"],
  input: z.strictObject({
    handle: z.string().optional().describe("Only this channel."),
    ...pageParameters(UNPAGED_LIMIT_DESCRIPTION),
  }),
  returnsText: true,
  output: z.object({
    data: z.array(ownerChannelSchema.extend({ drafts: z.int(), scheduled: z.int() })),
    meta: paginationMetaSchema.optional(),
  }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const { limit = UNLIMITED_PAGE_SIZE, before } = input;
    const { rows, meta } = await readKeysetPage({ limit, before }, "created_at", (page) =>
      ctx.sql(listChannels, { ...visibilityParameters(ctx.caller), handle: input.handle ?? null, ...page }),
    );
    const data = rows.map((row) => ({
      ...toOwnerChannelView(row, ctx.services.channelBaseUrl),
      drafts: row.drafts,
      scheduled: row.scheduled,
    }));
    return input.limit === undefined ? { data } : { data, meta };
  },
});
