import { z } from "zod";
import { toIsoMicros } from "../model/fields/columns.ts";
import { keysetPage } from "../operation/page.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { subscribedChannels } from "../store/queries/handset.ts";
import { before, DEFAULT_LIMIT, limit, pageMeta } from "../store/shapes/fields.ts";
import { cardView, showCard } from "./shapes.ts";

export default defineHandsetOperation({
  name: "list_subscriptions",
  title: "Own channels",
  description:
    "The cards of the channels that this handset joined, private and paused ones included, the newest first.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/subscriptions", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({ limit: limit(), before: before() }),
  output: z.object({ data: z.array(cardView), meta: pageMeta }),
  async handler({ limit: wanted = DEFAULT_LIMIT, before = null }, ctx) {
    const { rows, next_before } = await keysetPage(
      wanted,
      (n) => ctx.sql(subscribedChannels, { device_id: ctx.caller.id, before, limit: n }),
      (row) => row.subscribed_at,
    );
    return {
      data: rows.map((row) => showCard(row, ctx.services.publicBase)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
