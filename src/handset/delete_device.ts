import { z } from "zod";
import { unauthorized } from "../model/errors.ts";
import { announceSubscribers } from "../operation/subscribers.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { lockChannelsOf, lockDevices, removeDevices, unsubscribeDevices } from "../store/queries/devices.ts";

export default defineHandsetOperation({
  name: "delete_device",
  title: "Remove own device",
  description:
    "Leave every channel and forget this handset; its token is good for nothing from then on, and what it reported stays counted. It cannot be undone.",
  auth: "device",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/devices/me", status: 204 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({}),
  output: z.object({}),
  async handler(_, ctx) {
    const devices = [ctx.caller.id];
    await ctx.sql(lockChannelsOf, { devices });
    const [present] = await ctx.sql(lockDevices, { devices });
    if (!present) throw unauthorized();
    const left = await ctx.sql(unsubscribeDevices, { devices, channels: null });
    await ctx.sql(removeDevices, { devices });
    ctx.handsetsSee(devices);
    await announceSubscribers(left, ctx);
    return {};
  },
});
