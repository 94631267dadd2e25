import { z } from "zod";
import { notFound } from "../../model/errors.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { unlinkOwnDevice } from "../../store/queries/own_devices.ts";
import { deletedView } from "../../store/shapes/fields.ts";

export default defineSessionOperation({
  name: "unlink_own_device",
  title: "Unlink an own device",
  description:
    "Forget that a handset is the person's own: it is shown no test any more. Another person's is none.",
  auth: "person",
  role: null,
  writes: "rows",
  errors: ["invalid_request", "forbidden", "not_found"],
  input: z.strictObject({ device_id: z.string() }),
  output: deletedView,
  async handler({ device_id: id }, ctx) {
    const [gone] = z.guid().safeParse(id).success
      ? await ctx.sql(unlinkOwnDevice, { user_id: ctx.caller.person.id, id })
      : [];
    if (!gone) throw notFound("device");
    ctx.handsetsSee([gone.device_id]);
    return { deleted: true as const, id };
  },
});
