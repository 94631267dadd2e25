import { z } from "zod";
import { findChannel } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readKeysetPage } from "../src/operation/read_keyset_page.ts";
import { listInvites } from "../src/store/queries/channels.ts";
import { inviteSchema, toInviteView } from "../src/store/response_schemas/invite_schemas.ts";
import {
  channelIdParameter,
  pageParameters,
  paginationMetaSchema,
  UNLIMITED_PAGE_SIZE,
  UNPAGED_LIMIT_DESCRIPTION,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

export default defineOperation({
  name: "list_invites",
  title: "List invites",
  description: "List a channel's invites, newest first, with their codes.",
  scope: "invites:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/invites", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({ pusher_id: channelIdParameter(), ...pageParameters(UNPAGED_LIMIT_DESCRIPTION) }),
  returnsText: true,
  output: z.object({ data: z.array(inviteSchema), meta: paginationMetaSchema.optional() }),
  pagedBy: "created_at",
  async handler(input, ctx) {
    const pusher = await findChannel(input, ctx);
    const { limit = UNLIMITED_PAGE_SIZE, before } = input;
    const { rows, meta } = await readKeysetPage({ limit, before }, "created_at", (page) =>
      ctx.sql(listInvites, { pusher_id: pusher.id, ...page }),
    );
    const data = rows.map((row) => toInviteView(row, pusher, ctx.services.channelBaseUrl));
    return input.limit === undefined ? { data } : { data, meta };
  },
});
