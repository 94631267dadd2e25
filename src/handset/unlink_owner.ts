import { z } from "zod";
import { defineHandsetOperation } from "../operation/tool.ts";
import { unlinkDevice } from "../store/queries/own_devices.ts";

export default defineHandsetOperation({
  name: "unlink_owner",
  title: "Unlink from an account",
  description: "Be nobody's own device. No test is shown any more. Answers the same when it was nobody's.",
  auth: "device",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/devices/me/owner", status: 204 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({}),
  async handler(_, ctx) {
    await ctx.sql(unlinkDevice, { device_id: ctx.caller.id });
    return {};
  },
});
