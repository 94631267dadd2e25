import { z } from "zod";
import { PushEndpoint } from "../model/entities/handset.ts";
import { defineHandsetOperation } from "../operation/tool.ts";

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
    await ctx.em.nativeDelete(PushEndpoint, { device: ctx.caller.id });
    return {};
  },
});
