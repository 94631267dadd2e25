import { z } from "zod";
import {
  DEVICE_FIELDS,
  extractVersionNumberOrOther,
  OTHER_DEVICE_VALUE,
  reduceToLanguageAndRegion,
} from "../src/model/fields/device.ts";
import { createResponseSchemas, getFieldNames, selectFieldsShownTo } from "../src/model/fields/field_table.ts";
import { toIsoMicros } from "../src/model/fields/sql_statement_types.ts";
import { countsByTextSchema } from "../src/model/fields/value_schemas.ts";
import { LIMITS } from "../src/model/limits.ts";
import { findVisibleChannelId } from "../src/operation/channels/find_channel.ts";
import { defineOperation } from "../src/operation/define_operation.ts";
import { readKeysetPage } from "../src/operation/read_keyset_page.ts";
import { listSubscribersByState, readSubscriberBreakdown } from "../src/store/queries/subscriber_lists_and_counts.ts";
import {
  channelIdParameter,
  pageParameters,
  paginationMetaSchema,
} from "../src/store/response_schemas/shared_parameters_and_pages.ts";

const FACETS = getFieldNames(DEVICE_FIELDS);
const counts = countsByTextSchema();

const output = z.object({
  data: z.array(
    z.object({
      device: z.string().describe("A stable pseudonym. It cannot be used as a credential."),
      ...createResponseSchemas(selectFieldsShownTo(DEVICE_FIELDS, "list")),
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
  meta: paginationMetaSchema,
});

type Subscribers = Omit<z.output<typeof output>, "data"> & {
  data: { app_version: string; locale: string; [field: string]: unknown }[];
};

export default defineOperation({
  name: "list_subscribers",
  title: "List subscribers",
  description:
    "List a channel's subscribers as pseudonyms, newest first, with totals. Subscribers mute or leave on their " +
    "phones; no tool can remove one.",
  scope: "subscribers:read",
  role: "viewer",
  http: { method: "GET", path: "/api/v1/pushers/{id}/subscribers", status: 200 },
  errors: ["invalid_request", "not_found"],
  input: z.strictObject({
    pusher_id: channelIdParameter(),
    status: z.enum(["active", "muted"]).optional().describe("Default: both."),
    ...pageParameters(),
  }),
  returnsText: true,
  output,
  pagedBy: "subscribed_at",
  toAssistants: (whole) => inPlainLabels(whole as Subscribers),
  async handler(input, ctx) {
    const pusherId = await findVisibleChannelId(input, ctx);
    const { rows, meta } = await readKeysetPage(input, "subscribed_at", (page) =>
      ctx.sql(listSubscribersByState[input.status ?? "any"], { pusher_id: pusherId, ...page }),
    );
    return {
      data: rows.map(({ device_id, subscribed_at, ...facts }) => ({
        device: ctx.services.deviceHash(device_id),
        ...facts,
        subscribed_at: toIsoMicros(subscribed_at),
      })),
      breakdown: breakDown(await ctx.sql(readSubscriberBreakdown, { pusher_id: pusherId })),
      meta,
    };
  },
});

/**
 * Devices choose the texts, so the number of different ones is unlimited. The largest groups are listed, and all others
 * are summed.
 */
function largest(counted: ReadonlyMap<string, number>): Record<string, number> {
  const ordered = [...counted].filter(([word]) => word !== OTHER_DEVICE_VALUE).sort(([, a], [, b]) => b - a);
  const rest = ordered.splice(LIMITS.breakdown).reduce((sum, [, n]) => sum + n, counted.get(OTHER_DEVICE_VALUE) ?? 0);
  // The keys come from devices, so the object has a null prototype.
  return Object.assign(
    Object.create(null),
    Object.fromEntries(rest > 0 ? [...ordered, [OTHER_DEVICE_VALUE, rest]] : ordered),
  );
}

/** The same rows and counts for an assistant: of what strangers wrote, only what cannot be read as a sentence. */
function inPlainLabels({ data, breakdown, ...rest }: Subscribers): Subscribers {
  const plain = (counts: Record<string, number>, label: (text: string) => string) => {
    const counted = new Map<string, number>();
    for (const [text, n] of Object.entries(counts)) counted.set(label(text), (counted.get(label(text)) ?? 0) + n);
    return largest(counted);
  };
  return {
    ...rest,
    data: data.map((row) => ({
      ...row,
      app_version: extractVersionNumberOrOther(row.app_version),
      locale: reduceToLanguageAndRegion(row.locale),
    })),
    breakdown: {
      ...breakdown,
      app_version: plain(breakdown.app_version, extractVersionNumberOrOther),
      locale: plain(breakdown.locale, reduceToLanguageAndRegion),
    },
  };
}

type BreakdownRow = Record<(typeof FACETS)[number], string> & { device_count: number; muted_count: number };

/** Sums over the whole subscription set, not the page. */
function breakDown(rows: BreakdownRow[]) {
  const sum = (of: (row: BreakdownRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const facet = (name: (typeof FACETS)[number]) => {
    const counted = new Map<string, number>();
    for (const row of rows) counted.set(row[name], (counted.get(row[name]) ?? 0) + row.device_count);
    return largest(counted);
  };
  return {
    total: sum(({ device_count }) => device_count),
    muted: sum(({ muted_count }) => muted_count),
    platform: facet("platform"),
    app_version: facet("app_version"),
    locale: facet("locale"),
    timezone: facet("timezone"),
  };
}
