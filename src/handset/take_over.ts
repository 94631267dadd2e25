import { z } from "zod";
import { hashToken, looksLikeToken, TRANSFER_PREFIX } from "../identity/auth/tokens.ts";
import { ApiError, unauthorized } from "../model/errors.ts";
import { text } from "../model/fields/accepts.ts";
import { LIMITS } from "../model/limits.ts";
import { announceSubscribers } from "../operation/subscribers.ts";
import { defineHandsetOperation, MAX_BODY } from "../operation/tool.ts";
import { lockChannelsOf, lockDevices, unsubscribeDevices } from "../store/queries/devices.ts";
import { copySubscriptions, takeTransfer } from "../store/queries/moving.ts";
import { refuseTooMany } from "./room.ts";

/** The same for a code of nobody, one that was used or replaced, one that is too old, and the handset's own. */
const noSuchCode = () =>
  new ApiError(
    "not_found",
    `This code moves nothing: it works once, within ${LIMITS.move_minutes} minutes, on another handset. Make a new one where the subscriptions are.`,
  );

export default defineHandsetOperation({
  name: "take_over",
  title: "Take over by a code",
  description:
    "Take over every subscription of the handset that made the code: they move here with their permissions, and the other one is left without any. What this handset joined itself stays as it is. It cannot be undone but by moving back.",
  auth: "device",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices/me/takeover", status: 200, maxBody: MAX_BODY.handset },
  limit: {
    name: "device-takeovers",
    per: "address",
    max: LIMITS.takeovers,
    seconds: LIMITS.window_seconds,
    attempts: true,
  },
  errors: ["invalid_request", "unauthorized", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({ code: text(1, LIMITS.code) }),
  output: z.object({ moved: z.int() }),
  async handler({ code }, ctx) {
    const { id: device_id, address } = ctx.caller;
    await ctx.countAgainstLimit(address);
    if (!looksLikeToken(TRANSFER_PREFIX, code)) throw noSuchCode();
    const [taken] = await ctx.sql(takeTransfer, { code_hash: hashToken(code), device_id });
    if (!taken) throw noSuchCode();
    const { from_device } = taken;
    await ctx.sql(lockChannelsOf, { devices: [from_device] });
    const there = await ctx.sql(lockDevices, { devices: [from_device, device_id] });
    if (!there.some(({ id }) => id === device_id)) throw unauthorized();
    const moved = await ctx.sql(copySubscriptions, { from_device, to_device: device_id });
    const left = await ctx.sql(unsubscribeDevices, { devices: [from_device], channels: null });
    if (moved.length > 0) await refuseTooMany(device_id, ctx);
    // A channel that both had joined has one subscriber less; of the others nothing has changed, so nothing is told.
    await announceSubscribers(left, ctx);
    ctx.handsetsSee([from_device, device_id]);
    return { moved: moved.length };
  },
});
