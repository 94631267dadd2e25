import { z } from "zod";
import { unauthorized } from "../model/errors.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { findDevice } from "../store/queries/devices.ts";
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
    const [device] = await ctx.sql(findDevice, { id: ctx.caller.id });
    if (!device) throw unauthorized();
    return device;
  },
});
