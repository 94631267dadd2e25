import { z } from "zod";
import { defineHandsetOperation } from "../operation/tool.ts";
import { deletePushEndpoint } from "../store/queries/push.ts";

export default defineHandsetOperation({
  name: "delete_push_endpoint",
  title: "Be woken no more",
  description: "Forget where this handset is woken. Answers the same when it was nowhere.",
  auth: "device",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/devices/me/push", status: 204 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({}),
  async handler(_, ctx) {
    await ctx.sql(deletePushEndpoint, { device_id: ctx.caller.id });
    return {};
  },
});
