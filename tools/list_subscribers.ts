import { z } from "zod";
import { countsByText } from "../src/model/fields/accepts.ts";
import { toIsoMicros } from "../src/model/fields/columns.ts";
import { DEVICE } from "../src/model/fields/device.ts";
import { answersOf, namesOf, shownTo } from "../src/model/fields/record.ts";
import { visiblePusherId } from "../src/operation/channels/find_pusher.ts";
import { keysetPage } from "../src/operation/page.ts";
import { defineTool } from "../src/operation/tool.ts";
import { listSubscribers, subscriberMix } from "../src/store/queries/subscribers.ts";
import { before, DEFAULT_LIMIT, limit, pageMeta, pathId } from "../src/store/shapes/fields.ts";

const FACETS = namesOf(DEVICE);
const counts = countsByText();

export default defineTool({
  name: "list_subscribers",
  title: "List subscribers",
  description:
    "List the subscribers of a channel (pusher), newest first, as pseudonyms with their platform, version, locale and time zone, and a breakdown over all of them. Never a name, an address or what a device did.",
  scope: "subscribers:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/subscribers", status: 200 },
  hints: { readOnly: true, destructive: false, idempotent: true },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: pathId("Channel id, psh_…"),
    status: z.enum(["active", "muted"]).optional(),
    limit: limit(),
    before: before(),
  }),
  output: z.object({
    data: z.array(
      z.object({
        device: z.string().describe("Stable pseudonym, useless to replay."),
        ...answersOf(shownTo(DEVICE, "list")),
        muted: z.boolean(),
        subscribed_at: z.string(),
      }),
    ),
    breakdown: z.object({
      total: z.int(),
      muted: z.int(),
      platform: counts,
      app_version: counts,
      locale: counts,
      timezone: counts,
    }),
    meta: pageMeta,
  }),
  pagedBy: "subscribed_at",
  async handler(input, ctx) {
    const pusherId = await visiblePusherId(input, ctx);
    const { rows, next_before } = await keysetPage(
      input.limit ?? DEFAULT_LIMIT,
      (n) =>
        ctx.sql(listSubscribers[input.status ?? "any"], {
          pusher_id: pusherId,
          before: input.before ?? null,
          limit: n,
        }),
      (row) => row.subscribed_at,
    );
    return {
      data: rows.map(({ device_id, subscribed_at, ...facts }) => ({
        device: ctx.services.deviceHash(device_id),
        ...facts,
        subscribed_at: toIsoMicros(subscribed_at),
      })),
      breakdown: breakDown(await ctx.sql(subscriberMix, { pusher_id: pusherId })),
      meta: { next_before: next_before && toIsoMicros(next_before) },
    };
  },
});

type Mix = Record<(typeof FACETS)[number], string> & { n: number; muted: number };

/** Sums over the whole subscription set, not the page. */
function breakDown(mix: Mix[]) {
  const sum = (of: (row: Mix) => number) => mix.reduce((total, row) => total + of(row), 0);
  const facet = (name: (typeof FACETS)[number]) => {
    // The keys are what strangers sent, so there is no prototype that one of them could mean.
    const counted: Record<string, number> = Object.create(null);
    for (const row of mix) counted[row[name]] = (counted[row[name]] ?? 0) + row.n;
    return counted;
  };
  return {
    total: sum(({ n }) => n),
    muted: sum(({ muted }) => muted),
    platform: facet("platform"),
    app_version: facet("app_version"),
    locale: facet("locale"),
    timezone: facet("timezone"),
  };
}
