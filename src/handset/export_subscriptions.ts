import { z } from "zod";
import { toIsoMicros } from "../model/fields/columns.ts";
import { LIMITS } from "../model/limits.ts";
import { keysetPage } from "../operation/page.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { exportedSubscriptions } from "../store/queries/moving.ts";
import { before, limit, pageMeta } from "../store/shapes/fields.ts";
import { EXPORT_VERSION } from "./shapes.ts";

export default defineHandsetOperation({
  name: "export_subscriptions",
  title: "Export subscriptions",
  description:
    "What this handset joined, to be kept as a file: a lost browser profile is then no lost subscriber. Each page is a body that the import takes. It holds no secret, so private channels need an invite again; to take them along, move the handset by a code.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/devices/me/export", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit("100 when absent."), before: before() }),
  output: z.object({
    version: z.literal(EXPORT_VERSION),
    data: z.array(z.object({ handle: z.string(), muted: z.boolean(), permissions: z.array(z.string()) })),
    meta: pageMeta,
  }),
  async handler({ limit: wanted = LIMITS.page, before = null }, ctx) {
    const { rows, next_before } = await keysetPage(
      wanted,
      (n) => ctx.sql(exportedSubscriptions, { device_id: ctx.caller.id, before, limit: n }),
      (row) => row.subscribed_at,
    );
    return {
      version: EXPORT_VERSION,
      data: rows.map(({ handle, muted, permissions }) => ({ handle, muted, permissions })),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
