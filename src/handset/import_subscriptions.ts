import { z } from "zod";
import { text } from "../model/fields/accepts.ts";
import { LIMITS } from "../model/limits.ts";
import { announceSubscribers } from "../operation/subscribers.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { joinChannels, lockOpenChannels } from "../store/queries/moving.ts";
import { countJoin, JOINS_OF_ALL, refuseTooMany } from "./room.ts";
import { EXPORT_VERSION, permissions } from "./shapes.ts";

/** A page of an export has a few more than asked for where several share an instant. */
const MAX = LIMITS.import;

export default defineHandsetOperation({
  name: "import_subscriptions",
  title: "Import subscriptions",
  description:
    "Join the public channels of an exported page. What is joined already stays as it is. Those that are not there, or private and not joined, are skipped and named: they need an invite. Idempotent.",
  auth: "device",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices/me/import", status: 200 },
  limit: JOINS_OF_ALL,
  errors: ["invalid_request", "unauthorized", "conflict", "rate_limited"],
  input: z.strictObject({
    version: z.literal(EXPORT_VERSION),
    data: z
      .array(
        z.strictObject({
          handle: text(1, 64),
          muted: z.boolean().optional(),
          permissions: permissions.optional(),
        }),
      )
      .max(MAX, `must hold at most ${MAX} subscriptions; send the others in another request`),
    meta: z
      .strictObject({ next_before: z.string().nullable() })
      .optional()
      .describe("As exported; not looked at."),
  }),
  output: z.object({ joined: z.int(), present: z.int(), skipped: z.array(z.string()) }),
  async handler({ data }, ctx) {
    const device_id = ctx.caller.id;
    const wanted = new Map(data.map((one) => [one.handle, one]));
    const open = await ctx.sql(lockOpenChannels, { device_id, handles: [...wanted.keys()] });
    const rows = open.map(({ id, handle }) => ({ id, ...wanted.get(handle) }));
    const joined = await ctx.sql(joinChannels, {
      device_id,
      pusher_ids: rows.map(({ id }) => id),
      muted: rows.map(({ muted = false }) => muted),
      permissions: rows.map(({ permissions: granted = [] }) => granted.join(",")),
    });
    if (joined.length > 0) {
      await refuseTooMany(device_id, ctx);
      await announceSubscribers(joined, ctx);
      await countJoin(ctx);
    }
    for (const { handle } of open) wanted.delete(handle);
    return { joined: joined.length, present: open.length - joined.length, skipped: [...wanted.keys()] };
  },
});
