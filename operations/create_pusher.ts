import { UniqueConstraintViolationException } from "@mikro-orm/core";
import { z } from "zod";
import { createApiAndUiText } from "../src/model/api_and_ui_error_texts.ts";
import { conflict, forbidden, invalidRequest } from "../src/model/api_error.ts";
import { mergeCheckErrors } from "../src/model/domain/alert_validation.ts";
import {
  defaultGradient,
  deriveInitials,
  GEOFENCE_FIELDS,
  type Geofence,
  parseChannelColourOrCurrent,
  RESERVED_HANDLES,
  requireCompleteGeofence,
} from "../src/model/domain/channel_capabilities_and_defaults.ts";
import { newUuid } from "../src/model/domain/type_ids.ts";
import { CHANNEL_FIELDS } from "../src/model/fields/channel.ts";
import { getBlankValues } from "../src/model/fields/field_table.ts";
import { LIMITS } from "../src/model/limits.ts";
import { Channel, ReservedHandle } from "../src/model/tables/channel.ts";
import { lockPictureAgainstDeletion } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import {
  buildChannelSearchText,
  changedChannelSchema,
  channelCreateFields,
  toChannelViewWithNotes,
} from "../src/store/response_schemas/channel_schemas.ts";

const TAKEN = "This handle is already taken. Choose another one.";

const checkHandle = ({ handle = "" }: { handle?: string }): void => {
  if (RESERVED_HANDLES.has(handle))
    throw invalidRequest("handle_reserved", "This handle is reserved. Choose another one.", "handle");
};

const findContentProblem = (sent: { handle?: string } & Geofence, isKnown: (field: string) => boolean) =>
  mergeCheckErrors(
    () => checkHandle(sent),
    () => GEOFENCE_FIELDS.every(isKnown) && requireCompleteGeofence(sent),
  );

export default defineOperation({
  name: "create_pusher",
  title: "Create channel",
  description:
    "Create an alert channel (pusher). Without requested_perms such as notify, alerts only appear in the inbox.",
  scope: "pushers:write",
  role: "editor",
  http: { method: "POST", path: "/api/v1/pushers", status: 201 },
  creates: true,
  version: "updated_at",
  limit: { name: "pusher-creations", per: "creator", max: LIMITS.creations, seconds: LIMITS.window_seconds },
  errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
  input: z.strictObject(channelCreateFields),
  contentProblem: (sent, { wrong }) => findContentProblem(sent, (field) => !wrong.has(field)),
  output: changedChannelSchema,
  async handler(input, ctx) {
    if (ctx.caller.pusherIds !== null)
      throw forbidden(
        "channel_restricted",
        createApiAndUiText(
          "This credential or its member is restricted to certain channels and cannot create channels. Use an " +
            "unrestricted credential.",
          "Your access is restricted to certain channels, so you cannot create channels. Ask an owner of the " +
            "workspace.",
        ),
      );
    const picture = await lockPictureAgainstDeletion(input.image_url, null, ctx);
    const problem = mergeCheckErrors(
      findContentProblem(input, () => true),
      picture.problem,
    );
    if (problem) throw problem;
    const fields = { ...getBlankValues(CHANNEL_FIELDS), ...input };
    const gradient = defaultGradient(input.handle);
    const pusher = ctx.em.create(Channel, {
      id: newUuid(),
      workspace: ctx.caller.workspace.id,
      ...fields,
      image_asset: picture.id,
      search_text: buildChannelSearchText(fields),
      gradient_from: parseChannelColourOrCurrent(input.gradient_from, gradient.from),
      gradient_to: parseChannelColourOrCurrent(input.gradient_to, gradient.to),
      initials: input.initials ?? deriveInitials(input.name),
    });
    // rules#handle-is-unique
    await ctx.em.flush().catch((error) => {
      throw error instanceof UniqueConstraintViolationException ? conflict("handle_taken", TAKEN) : error;
    });
    // Checked after the insert: a channel that was deleted while we waited for its handle has reserved it by now.
    if (await ctx.em.findOne(ReservedHandle, { handle: input.handle })) throw conflict("handle_taken", TAKEN);
    await ctx.countAgainstLimit(ctx.caller.member.id);
    return toChannelViewWithNotes(pusher, ctx.services.channelBaseUrl);
  },
});
