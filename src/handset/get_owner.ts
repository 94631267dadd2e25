import { z } from "zod";
import { defineHandsetOperation } from "../operation/tool.ts";
import { ownerOfDevice } from "../store/queries/own_devices.ts";
import { ownerView } from "./shapes.ts";

export default defineHandsetOperation({
  name: "get_owner",
  title: "Whose own it is",
  description: "The name of the person whose own device this handset is; null where it is nobody's.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/devices/me/owner", status: 200 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: ownerView,
  async handler(_, ctx) {
    const [owner] = await ctx.sql(ownerOfDevice, { device_id: ctx.caller.id });
    return { name: owner?.name ?? null };
  },
});
