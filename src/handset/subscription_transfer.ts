// The transfer of subscriptions to another handset: public ones as a file, or all by a single-use code.

import { z } from "zod";
import { hashToken, looksLikeToken, mintToken, TRANSFER_CODE_PREFIX } from "../identity/auth/bearer_authentication.ts";
import { ApiError, unauthorized } from "../model/api_error.ts";
import { toIsoMicros } from "../model/fields/sql_statement_types.ts";
import { textSchema } from "../model/fields/value_schemas.ts";
import { LIMITS } from "../model/limits.ts";
import { emitSubscriberCounts } from "../operation/audit_lines.ts";
import { defineHandsetOperation, MAX_BODY_BYTES } from "../operation/define_operation.ts";
import { readKeysetPage } from "../operation/read_keyset_page.ts";
import {
  claimDeviceTransferCode,
  copySubscriptions,
  joinChannels,
  listExportedSubscriptions,
  lockChannelsOfDevices,
  lockDevices,
  lockJoinableChannels,
  removeSubscriptionsOfDevices,
  storeTransferCode,
} from "../store/queries/device_removal_and_transfer.ts";
import { pageParameters, paginationMetaSchema } from "../store/response_schemas/shared_parameters_and_pages.ts";
import { EXPORT_VERSION, grantedPermissionsSchema } from "./handset_schemas.ts";
import { assertJoinedChannelsWithinLimit, BULK_JOIN_LIMITS, countAgainstJoinLimit } from "./join_limits.ts";

export const export_subscriptions = defineHandsetOperation({
  name: "export_subscriptions",
  title: "Export subscriptions",
  description:
    "This handset's subscriptions, for a backup file. Each page is a valid request body for the import. The export " +
    "contains no secrets, so private channels need a new invite. A transfer code also moves private channels.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/devices/me/export", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject(pageParameters(`Default: ${LIMITS.page}.`)),
  output: z.object({
    version: z.literal(EXPORT_VERSION),
    data: z.array(z.object({ handle: z.string(), muted: z.boolean(), permissions: z.array(z.string()) })),
    meta: paginationMetaSchema,
  }),
  async handler({ limit = LIMITS.page, before }, ctx) {
    const { rows, meta } = await readKeysetPage({ limit, before }, "subscribed_at", (page) =>
      ctx.sql(listExportedSubscriptions, { device_id: ctx.caller.id, ...page }),
    );
    return {
      version: EXPORT_VERSION,
      data: rows.map(({ handle, muted, permissions }) => ({ handle, muted, permissions })),
      meta,
    };
  },
});

/** A page of an export has a few more rows if several have the same timestamp. */
const MAX = LIMITS.import;

export const import_subscriptions = defineHandsetOperation({
  name: "import_subscriptions",
  title: "Import subscriptions",
  description:
    "Join the public channels in an exported page. Existing subscriptions are unchanged. Missing channels, and " +
    "private ones that the handset has not joined, are skipped and listed. Idempotent.",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices/me/import", status: 200 },
  limit: BULK_JOIN_LIMITS,
  errors: ["invalid_request", "unauthorized", "conflict", "rate_limited"],
  input: z.strictObject({
    version: z.literal(EXPORT_VERSION),
    data: z
      .array(
        z.strictObject({
          handle: textSchema(1, 64),
          muted: z.boolean().optional(),
          permissions: grantedPermissionsSchema.optional(),
        }),
      )
      .max(MAX, `must contain at most ${MAX} subscriptions; send the rest in another request`),
    meta: z
      .strictObject({ next_before: z.string().nullable() })
      .optional()
      .describe("Part of the export; ignored here."),
  }),
  output: z.object({ joined: z.int(), present: z.int(), skipped: z.array(z.string()) }),
  async handler({ data }, ctx) {
    const device_id = ctx.caller.id;
    const wanted = new Map(data.map((one) => [one.handle, one]));
    const open = await ctx.sql(lockJoinableChannels, { device_id, handles: [...wanted.keys()] });
    const rows = open.map(({ id, handle }) => ({ id, ...wanted.get(handle) }));
    const joined = await ctx.sql(joinChannels, {
      device_id,
      pusher_ids: rows.map(({ id }) => id),
      muted: rows.map(({ muted = false }) => muted),
      permissions: rows.map(({ permissions: granted = [] }) => granted.join(",")),
    });
    if (joined.length > 0) {
      await assertJoinedChannelsWithinLimit(device_id, ctx);
      await emitSubscriberCounts(joined, ctx);
      await countAgainstJoinLimit(ctx);
    }
    for (const { handle } of open) wanted.delete(handle);
    return { joined: joined.length, present: open.length - joined.length, skipped: [...wanted.keys()] };
  },
});

export const create_transfer = defineHandsetOperation({
  name: "create_transfer",
  title: "Create a transfer code",
  description:
    "Create a code that lets another handset take over all of this one's subscriptions, including private ones. The " +
    `code works once, within ${LIMITS.move_minutes} minutes, for any handset that has it. It is shown only once, and ` +
    "a new code replaces it. The address, as a link or QR code, opens the web app with the code.",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices/me/transfer", status: 201, maxBody: MAX_BODY_BYTES.handset },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({}),
  output: z.object({ code: z.string(), url: z.string(), expires_at: z.string() }),
  async handler(_, ctx) {
    const { token: code, hash: code_hash } = mintToken(TRANSFER_CODE_PREFIX);
    const [row] = await ctx.sql(storeTransferCode, {
      device_id: ctx.caller.id,
      code_hash,
      seconds: LIMITS.move_minutes * 60,
    });
    if (!row) throw unauthorized();
    // Behind the "#", which no browser sends: no server or log on the way sees it.
    const url = `${ctx.services.publicUrl}/app/#move=${code}`;
    return { code, url, expires_at: toIsoMicros(row.expires_at) };
  },
});

/** One error for codes that are unknown, used, replaced, expired, or of the same handset. */
const noSuchCode = () =>
  new ApiError(
    "code_not_found",
    `This transfer code is invalid or has expired. It works only once, within ${LIMITS.move_minutes} minutes and ` +
      "on another device. Create a new one on the old device.",
  );

export const take_over = defineHandsetOperation({
  name: "take_over",
  title: "Take over subscriptions",
  description:
    "Take over all subscriptions from the handset that created the code. The subscriptions move here with their " +
    "permissions, and the other handset keeps none. This handset's existing subscriptions are unchanged. To undo " +
    "this, move them back.",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices/me/takeover", status: 200, maxBody: MAX_BODY_BYTES.handset },
  limit: {
    name: "device-takeovers",
    per: "address",
    max: LIMITS.takeovers,
    seconds: LIMITS.window_seconds,
    attempts: true,
  },
  errors: ["invalid_request", "unauthorized", "not_found", "conflict", "rate_limited"],
  input: z.strictObject({ code: textSchema(1, LIMITS.code) }),
  output: z.object({ moved: z.int() }),
  async handler({ code }, ctx) {
    const { id: device_id, address } = ctx.caller;
    await ctx.countAgainstLimit(address);
    if (!looksLikeToken(TRANSFER_CODE_PREFIX, code)) throw noSuchCode();
    const [taken] = await ctx.sql(claimDeviceTransferCode, { code_hash: hashToken(code), device_id });
    if (!taken) throw noSuchCode();
    const { from_device } = taken;
    await ctx.sql(lockChannelsOfDevices, { devices: [from_device] });
    const there = await ctx.sql(lockDevices, { devices: [from_device, device_id] });
    if (!there.some(({ id }) => id === device_id)) throw unauthorized();
    const moved = await ctx.sql(copySubscriptions, { from_device, to_device: device_id });
    const left = await ctx.sql(removeSubscriptionsOfDevices, { devices: [from_device], channels: null });
    if (moved.length > 0) await assertJoinedChannelsWithinLimit(device_id, ctx);
    // Only channels that both handsets had joined have fewer subscribers; the others cause no event.
    await emitSubscriberCounts(left, ctx);
    ctx.markChanged([from_device, device_id]);
    return { moved: moved.length };
  },
});
