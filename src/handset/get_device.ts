import { z } from "zod";
import { Device } from "../model/entities/handset.ts";
import { unauthorized } from "../model/errors.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { deviceView } from "./shapes.ts";

export default defineHandsetOperation({
  name: "get_device",
  title: "Own device",
  description: "What this handset said of itself when it registered, or since.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/devices/me", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({}),
  output: deviceView,
  async handler(_, ctx) {
    const device = await ctx.em.findOne(Device, { id: ctx.caller.id });
    if (!device) throw unauthorized();
    return device;
  },
});
