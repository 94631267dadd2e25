import { z } from "zod";
import { text } from "../model/fields/accepts.ts";
import { toIsoMicros } from "../model/fields/columns.ts";
import { CATEGORIES } from "../model/fields/pusher.ts";
import { LIMITS } from "../model/limits.ts";
import { keysetPage } from "../operation/page.ts";
import { defineHandsetOperation } from "../operation/tool.ts";
import { directoryPage } from "../store/queries/directory.ts";
import { before, DEFAULT_LIMIT, limit, pageMeta } from "../store/shapes/fields.ts";
import { cardView, showCard } from "./shapes.ts";

export default defineHandsetOperation({
  name: "list_channels",
  title: "Directory",
  description: "Search the public active channels; q is searched literally in names and tags together.",
  auth: "device",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/channels", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({
    q: text(1, LIMITS.search).optional(),
    category: z.enum(CATEGORIES).optional(),
    limit: limit(),
    before: before(),
  }),
  output: z.object({ data: z.array(cardView), meta: pageMeta }),
  async handler({ q, category, limit: wanted, before }, ctx) {
    const filter = {
      device_id: ctx.caller.id,
      find: q ?? null,
      category: category ?? null,
      before: before ?? null,
    };
    const { rows, next_before } = await keysetPage(
      wanted ?? DEFAULT_LIMIT,
      (n) => directoryPage(ctx.sql, { ...filter, limit: n }),
      (row) => row.created_at,
    );
    return {
      data: rows.map((row) => showCard(row, ctx.services.publicBase)),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});
