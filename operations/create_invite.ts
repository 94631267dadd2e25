import { randomBytes } from "node:crypto";
import { z } from "zod";
import { createApiAndUiText } from "../src/model/api_and_ui_error_texts.ts";
import { invalidRequest } from "../src/model/api_error.ts";
import { catchApiError } from "../src/model/domain/alert_validation.ts";
import { newUuid } from "../src/model/domain/type_ids.ts";
import { CHANNEL_INVITE_FIELDS } from "../src/model/fields/channel.ts";
import { createInsertArgumentSchemas, getBlankValues } from "../src/model/fields/field_table.ts";
import { getNowIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { ChannelInvite } from "../src/model/tables/channel.ts";
import { findChannel } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { inviteSchema, toInviteView } from "../src/store/response_schemas/invite_schemas.ts";
import { channelIdParameter } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

/** 192 random bits: never derived from the handle, and beyond guessing. */
const newCode = () => randomBytes(24).toString("base64url");

function checkInviteExpiry({ expires_at = null }: { expires_at?: string | null }, now: string): void {
  if (expires_at !== null && expires_at <= now)
    throw invalidRequest(
      "time_in_past",
      createApiAndUiText(
        "expires_at must be in the future. Omit it to create an invite that never expires.",
        "The expiry must be in the future. To create an invite that never expires, choose “No expiry”.",
      ),
      "expires_at",
    );
}

export default defineOperation({
  name: "create_invite",
  title: "Create invite",
  description: "Create a link for joining a private channel. Without max_uses or expires_at, it works until revoked.",
  scope: "invites:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers/{id}/invites", status: 201 },
  creates: true,
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ pusher_id: channelIdParameter(), ...createInsertArgumentSchemas(CHANNEL_INVITE_FIELDS) }),
  contentProblem: (sent, clock) => catchApiError(() => checkInviteExpiry(sent, getNowIsoMicros(clock))),
  output: inviteSchema,
  async handler(input, ctx) {
    const pusher = await findChannel(input, ctx);
    const { pusher_id: _, ...given } = input;
    const fields = { ...getBlankValues(CHANNEL_INVITE_FIELDS), ...given };
    checkInviteExpiry(fields, getNowIsoMicros(ctx));
    const invite = ctx.em.create(ChannelInvite, { id: newUuid(), pusher: pusher.id, code: newCode(), ...fields });
    await ctx.em.flush();
    return toInviteView(invite, pusher, ctx.services.channelBaseUrl);
  },
});
