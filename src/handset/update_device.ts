import { z } from "zod";
import { Device } from "../model/entities/handset.ts";
import { unauthorized } from "../model/errors.ts";
import { DEVICE } from "../model/fields/device.ts";
import { changesOf } from "../model/fields/record.ts";
import { defineHandsetOperation, MAX_BODY } from "../operation/tool.ts";
import { deviceView } from "./shapes.ts";

export default defineHandsetOperation({
  name: "update_device",
  title: "Change own device",
  description:
    "Say anew what this handset is: after an update, in another time zone, in another language. Send what has changed; the rest stays.",
  auth: "device",
  writes: "rows",
  http: { method: "PATCH", path: "/handset/v1/devices/me", status: 200, maxBody: MAX_BODY.handset },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject(changesOf(DEVICE)),
  output: deviceView,
  async handler(given, ctx) {
    const device = await ctx.em.findOne(Device, { id: ctx.caller.id });
    if (!device) throw unauthorized();
    return ctx.em.assign(device, given);
  },
});
