import { z } from "zod";
import { toIsoMicros } from "../../model/fields/columns.ts";
import { defineSessionOperation } from "../../operation/tool.ts";
import { listOwnDevices } from "../../store/queries/own_devices.ts";

export default defineSessionOperation({
  name: "list_own_devices",
  title: "List own devices",
  description: "The handsets that the person linked to the own account. Nobody else is shown them.",
  auth: "person",
  role: null,
  writes: "nothing",
  errors: ["invalid_request", "forbidden"],
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({ id: z.string(), platform: z.string(), app_version: z.string(), linked_at: z.string() }),
    ),
  }),
  async handler(_, { sql, caller: { person } }) {
    const rows = await sql(listOwnDevices, { user_id: person.id });
    return {
      data: rows.map(({ created_at, ...device }) => ({ ...device, linked_at: toIsoMicros(created_at) })),
    };
  },
});
