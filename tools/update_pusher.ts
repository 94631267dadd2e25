import { z } from "zod";
import { pickColour } from "../src/model/domain/avatar.ts";
import { checkGeofence } from "../src/model/domain/geofence.ts";
import { ApiError, invalidRequest } from "../src/model/errors.ts";
import { nowMicros } from "../src/model/fields/columns.ts";
import { PUSHER } from "../src/model/fields/pusher.ts";
import { changesOf } from "../src/model/fields/record.ts";
import { lockPusher } from "../src/operation/channels/find_pusher.ts";
import { pictureHeld } from "../src/operation/channels/picture.ts";
import { defineTool } from "../src/operation/tool.ts";
import { channelBacklogs } from "../src/store/queries/channels.ts";
import { pathId } from "../src/store/shapes/fields.ts";
import { changedPusherView, searchText, showChangedPusher } from "../src/store/shapes/pusher.ts";

export default defineTool({
  name: "update_pusher",
  title: "Change channel",
  description:
    "Change fields of an alert channel (pusher), or pause and resume it. Absent fields stay; null clears. Pausing refuses new sends and withdraws nothing: scheduled alerts still appear.",
  scope: "pushers:write",
  role: "editor",
  http: { method: "PATCH", path: "/api/v1/pushers/{id}", status: 200 },
  hints: { readOnly: false, destructive: false, idempotent: true },
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…"),
    handle: z.string().optional().describe("Only the present one; a handle never changes."),
    ...changesOf(PUSHER),
    status: z.enum(["active", "paused"]).optional(),
  }),
  output: changedPusherView.extend({ note: z.string().optional().describe("What pausing leaves to come.") }),
  async handler(input, ctx) {
    const { pusher } = await lockPusher(input, ctx);
    const { pusher_id: _, handle, status, gradient_from, gradient_to, ...patch } = input;
    if (status !== undefined && pusher.status === "suspended")
      throw new ApiError(
        "forbidden",
        "The channel is suspended; only the service's staff can change its status.",
      );
    if (handle !== undefined && handle !== pusher.handle)
      throw invalidRequest("A handle is permanent; leave it out, or open another channel.", "handle");
    const image_asset = await pictureHeld(patch.image_url, pusher.image_url ?? null, ctx);
    const before = JSON.stringify(pusher);
    ctx.em.assign(pusher, {
      ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
      gradient_from: pickColour(gradient_from, pusher.gradient_from),
      gradient_to: pickColour(gradient_to, pusher.gradient_to),
      ...(status === undefined ? {} : { status }),
      ...(image_asset === undefined ? {} : { image_asset }),
    });
    pusher.search = searchText(pusher);
    checkGeofence(pusher);
    if (JSON.stringify(pusher) !== before) pusher.updated_at = nowMicros(ctx);
    await ctx.em.flush();
    const view = showChangedPusher(pusher, ctx.services.publicBase);
    if (status !== "paused") return view;
    const [backlog] = await ctx.sql(channelBacklogs, { pusher_ids: [pusher.id] });
    return { ...view, note: pauseNote(backlog?.scheduled ?? 0) };
  },
});

/** docs/rules.md#pausing-withdraws-nothing */
function pauseNote(scheduled: number): string {
  return scheduled === 0
    ? "Sends are refused until the channel is active again. Nothing is scheduled."
    : `Sends are refused until the channel is active again. Scheduled alerts that still appear: ${scheduled}; cancel each with cancel_alert to stop it.`;
}
