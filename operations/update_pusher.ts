import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { createApiAndUiText } from "../src/model/api_and_ui_error_texts.ts";
import { ApiError, conflict, forbidden, invalidRequest } from "../src/model/api_error.ts";
import { catchApiError, mergeCheckErrors } from "../src/model/domain/alert_validation.ts";
import {
  GEOFENCE_FIELDS,
  parseChannelColourOrCurrent,
  requireCompleteGeofence,
} from "../src/model/domain/channel_capabilities_and_defaults.ts";
import { isRoleAtLeast } from "../src/model/domain/member_access_rules.ts";
import { CHANNEL_FIELDS } from "../src/model/fields/channel.ts";
import { createChangeSchemas, getFieldNames } from "../src/model/fields/field_table.ts";
import { getNowIsoMicros, toIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import {
  formatRetentionPreview,
  getRetentionPreview,
  loadLockedChannel,
  lockPictureAgainstDeletion,
} from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { countUnsentAlertsOfChannels } from "../src/store/queries/channels.ts";
import {
  buildChannelSearchText,
  changedChannelSchema,
  toChannelViewWithNotes,
} from "../src/store/response_schemas/channel_schemas.ts";
import { channelIdParameter, expectedVersion } from "../src/store/response_schemas/shared_parameters_and_pages.ts";

const changedMessage = (version: string) =>
  createApiAndUiText(
    "The channel has changed and is no longer the version that you expected. Read it with get_pusher, then retry " +
      `with its current updated_at (or ETag over REST): ${version}.`,
    "The channel has changed since you opened it. Review it again before you save.",
  );

/** The fields that a line of the audit log may name. */
const EDITED = [...getFieldNames(CHANNEL_FIELDS), "status"];

export default defineOperation({
  name: "update_pusher",
  title: "Change channel",
  description:
    "Change, pause or resume a channel. Omitted fields are unchanged. Paused channels cannot send, but scheduled " +
    "alerts still appear.",
  scope: "pushers:write",
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}", status: 200 },
  errors: ["invalid_request", "forbidden", "not_found", "conflict"],
  version: "updated_at",
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    handle: z.string().optional().describe("The handle. It cannot be changed."),
    ...createChangeSchemas(CHANNEL_FIELDS),
    status: z.enum(["active", "paused"]).optional().describe("A paused channel cannot send alerts."),
    expected_updated_at: expectedVersion(),
  }),
  // The stored values of the other fields are not read here.
  contentProblem: (sent) =>
    GEOFENCE_FIELDS.every((field) => Object.hasOwn(sent, field))
      ? catchApiError(() => requireCompleteGeofence(sent))
      : null,
  returnsText: true,
  output: changedChannelSchema.extend({
    note: z.string().optional().describe("Describes the effect of pausing or of retention_days."),
  }),
  async handler(input, ctx) {
    const { pusher } = await loadLockedChannel(input, ctx);
    const { pusher_id: _, expected_updated_at, handle, status, gradient_from, gradient_to, ...patch } = input;
    const version = toIsoMicros(pusher.updated_at);
    if ((expected_updated_at ?? version) !== version || !ctx.conditions.match(version))
      throw conflict("version_conflict", changedMessage(version));
    if (status !== undefined && pusher.status === "suspended")
      throw new ApiError(
        "channel_suspended",
        "The channel is suspended. Ask the service operator to change its status.",
      );
    if (patch.retention_days !== undefined && !isRoleAtLeast(ctx.caller.member.role, "admin"))
      throw forbidden("role_too_low", "Only owners and admins can change how long alerts are kept. Ask one of them.");
    const picture = await lockPictureAgainstDeletion(patch.image_url, pusher.image_url ?? null, ctx);
    const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const { lat, lon, radius_km } = pusher;
    const problem = mergeCheckErrors(
      () => checkHandleUnchanged(handle, pusher.handle),
      picture.problem,
      () => requireCompleteGeofence({ lat, lon, radius_km, ...changes }),
    );
    if (problem) throw problem;
    const before = JSON.stringify(pusher);
    ctx.em.assign(pusher, {
      ...changes,
      gradient_from: parseChannelColourOrCurrent(gradient_from, pusher.gradient_from),
      gradient_to: parseChannelColourOrCurrent(gradient_to, pusher.gradient_to),
      ...(status === undefined ? {} : { status }),
      ...(picture.id === undefined ? {} : { image_asset: picture.id }),
    });
    pusher.search_text = buildChannelSearchText(pusher);
    const after = JSON.stringify(pusher);
    const [was, is] = [JSON.parse(before), JSON.parse(after)];
    const changed = EDITED.filter((name) => !isDeepStrictEqual(was[name], is[name]));
    ctx.audit({ changed });
    if (after !== before) pusher.updated_at = getNowIsoMicros(ctx);
    await ctx.em.flush();
    const view = toChannelViewWithNotes(pusher, ctx.services.channelBaseUrl);
    const notes: string[] = [];
    if (status === "paused") {
      const [backlog] = await ctx.sql(countUnsentAlertsOfChannels, { pusher_ids: [pusher.id] });
      notes.push(pauseNote(backlog?.scheduled ?? 0));
    }
    if (patch.retention_days !== undefined)
      notes.push(formatRetentionPreview(await getRetentionPreview(pusher.id, ctx)));
    return notes.length === 0 ? view : { ...view, note: notes.join(" ") };
  },
});

function checkHandleUnchanged(sent: string | undefined, stored: string): void {
  if (sent === undefined || sent === stored) return;
  throw invalidRequest(
    "immutable_field",
    createApiAndUiText(
      "A handle cannot be changed. Omit it, or create a new channel.",
      "A handle cannot be changed. To use a different handle, create a new channel.",
    ),
    "handle",
  );
}

/** rules#pausing-withdraws-nothing */
function pauseNote(scheduled: number): string {
  return scheduled === 0
    ? "You cannot send alerts until the channel is active again. No alerts are scheduled."
    : "You cannot send alerts until the channel is active again. Alerts that will still be published as scheduled: " +
        `${scheduled}. Cancel all of them with move_alerts, or one with cancel_alert.`;
}
