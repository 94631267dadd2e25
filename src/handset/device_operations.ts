// Operations for a handset's own device: registering, reading, changing and removing it, and its link to an account.

import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  DEVICE_TOKEN_PREFIX,
  hashToken,
  looksLikeToken,
  mintToken,
  OWNER_LINK_CODE_PREFIX,
} from "../identity/auth/bearer_authentication.ts";
import { ApiError, unauthorized } from "../model/api_error.ts";
import { newUuid } from "../model/domain/type_ids.ts";
import { DEVICE_FIELDS } from "../model/fields/device.ts";
import { createChangeSchemas, createInsertArgumentSchemas } from "../model/fields/field_table.ts";
import { textSchema } from "../model/fields/value_schemas.ts";
import { LIMITS } from "../model/limits.ts";
import { Device } from "../model/tables/devices_and_reports.ts";
import { emitSubscriberCounts } from "../operation/audit_lines.ts";
import { defineHandsetOperation, defineOpenHandsetOperation, MAX_BODY_BYTES } from "../operation/define_operation.ts";
import {
  consumeTestDeviceCode,
  findOwnerOfDevice,
  linkTestDevice,
  lockChannelsOfDevices,
  lockDevices,
  removeSubscriptionsOfDevices,
  removeUnsubscribedDevices,
  unlinkDevice,
} from "../store/queries/device_removal_and_transfer.ts";
import { deviceSchema, ownerSchema } from "./handset_schemas.ts";

export const register_device = defineOpenHandsetOperation({
  name: "register_device",
  title: "Register a handset",
  description: "Register a handset and receive its token, which is shown once. No account or personal data is needed.",
  writes: "rows",
  http: { method: "POST", path: "/handset/v1/devices", status: 201, maxBody: MAX_BODY_BYTES.handset },
  limit: { name: "device-registrations", per: "address", max: LIMITS.registrations, seconds: LIMITS.window_seconds },
  errors: ["invalid_request", "rate_limited"],
  input: z.strictObject(createInsertArgumentSchemas(DEVICE_FIELDS)),
  output: z.object({ id: z.string(), token: z.string() }),
  async handler(facts, ctx) {
    // 63 random bits, so that a sample by device id is uniform.
    const id = (randomBytes(8).readBigUInt64BE() >> 1n).toString();
    const { token, hash } = mintToken(DEVICE_TOKEN_PREFIX);
    await ctx.em.insert(Device, { id, token_hash: hash, ...facts });
    await ctx.countAgainstLimit(ctx.caller.address);
    return { id, token };
  },
});

export const get_device = defineHandsetOperation({
  name: "get_device",
  title: "Get this device",
  description: "The details that this handset sent when it registered or last updated them.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/devices/me", status: 200 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({}),
  output: deviceSchema,
  async handler(_, ctx) {
    const device = await ctx.em.findOne(Device, { id: ctx.caller.id });
    if (!device) throw unauthorized();
    return device;
  },
});

export const update_device = defineHandsetOperation({
  name: "update_device",
  title: "Update this device",
  description:
    "Update this handset's details, for example after an app update or a change of time zone. Omitted fields are " +
    "unchanged.",
  writes: "rows",
  http: { method: "PATCH", path: "/handset/v1/devices/me", status: 200, maxBody: MAX_BODY_BYTES.handset },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject(createChangeSchemas(DEVICE_FIELDS)),
  output: deviceSchema,
  async handler(given, ctx) {
    const device = await ctx.em.findOne(Device, { id: ctx.caller.id });
    if (!device) throw unauthorized();
    return ctx.em.assign(device, given);
  },
});

export const delete_device = defineHandsetOperation({
  name: "delete_device",
  title: "Remove this device",
  description:
    "Leave all channels and delete this handset. Its token becomes invalid, but its reports still count. This cannot " +
    "be undone.",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/devices/me", status: 204 },
  errors: ["invalid_request", "unauthorized"],
  input: z.strictObject({}),
  output: z.object({}),
  async handler(_, ctx) {
    const devices = [ctx.caller.id];
    await ctx.sql(lockChannelsOfDevices, { devices });
    const [present] = await ctx.sql(lockDevices, { devices });
    if (!present) throw unauthorized();
    const left = await ctx.sql(removeSubscriptionsOfDevices, { devices, channels: null });
    await ctx.sql(removeUnsubscribedDevices, { devices });
    ctx.markChanged(devices);
    await emitSubscriberCounts(left, ctx);
    return {};
  },
});

/** One error for codes that are unknown, used, replaced or expired. */
const noSuchCode = () =>
  new ApiError(
    "code_not_found",
    `This code is invalid or has expired; it works only once, within ${LIMITS.own_device_minutes} minutes. Create a ` +
      "new one on your account page in the console.",
  );

export const link_owner = defineHandsetOperation({
  name: "link_owner",
  title: "Link to an account",
  description:
    "Link this handset to a person's account with a code from the console. It then shows test alerts from that " +
    "person's drafts on the channels that it has joined. Ask the user first: the person who created the code decides " +
    "what is shown. Channels and other members cannot see the link.",
  writes: "rows",
  http: { method: "PUT", path: "/handset/v1/devices/me/owner", status: 200, maxBody: MAX_BODY_BYTES.handset },
  limit: {
    name: "device-links",
    per: "address",
    max: LIMITS.takeovers,
    seconds: LIMITS.window_seconds,
    attempts: true,
  },
  errors: ["invalid_request", "unauthorized", "not_found", "rate_limited"],
  input: z.strictObject({ code: textSchema(1, LIMITS.code) }),
  output: ownerSchema,
  async handler({ code }, ctx) {
    const { id: device_id, address } = ctx.caller;
    await ctx.countAgainstLimit(address);
    if (!looksLikeToken(OWNER_LINK_CODE_PREFIX, code)) throw noSuchCode();
    const [taken] = await ctx.sql(consumeTestDeviceCode, { code_hash: hashToken(code) });
    if (!taken) throw noSuchCode();
    const [linked] = await ctx.sql(linkTestDevice, { id: newUuid(), user_id: taken.user_id, device_id });
    if (!linked) throw unauthorized();
    return { name: taken.name };
  },
});

export const get_owner = defineHandsetOperation({
  name: "get_owner",
  title: "Get the linked account",
  description: "The name of the person whose account this handset is linked to, or null.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/devices/me/owner", status: 200 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: ownerSchema,
  async handler(_, ctx) {
    const [owner] = await ctx.sql(findOwnerOfDevice, { device_id: ctx.caller.id });
    return { name: owner?.name ?? null };
  },
});

export const unlink_owner = defineHandsetOperation({
  name: "unlink_owner",
  title: "Unlink from an account",
  description:
    "Unlink this handset from its owner's account, so that it no longer shows test alerts. Repeating the call has no " +
    "effect.",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/devices/me/owner", status: 204 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({}),
  async handler(_, ctx) {
    await ctx.sql(unlinkDevice, { device_id: ctx.caller.id });
    return {};
  },
});
