// Operations for the push endpoint of a handset.

import { z } from "zod";
import { conflict, invalidRequest, unauthorized } from "../model/api_error.ts";
import { parsePushKeys } from "../model/domain/push_keys.ts";
import { textSchema } from "../model/fields/value_schemas.ts";
import { LIMITS } from "../model/limits.ts";
import { PUSH_KINDS, PushEndpoint } from "../model/tables/devices_and_reports.ts";
import { defineHandsetOperation, MAX_BODY_BYTES } from "../operation/define_operation.ts";
import { putPushEndpoint } from "../store/queries/push_endpoints.ts";

export const get_push = defineHandsetOperation({
  name: "get_push",
  title: "Get push settings",
  description:
    "Return whether this server sends push notifications, and the key for subscribing with a push service (Web " +
    "Push's applicationServerKey). Also return the kind of this handset's push endpoint, or null if it has none. " +
    "The endpoint itself is never returned.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/push", status: 200 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({ enabled: z.boolean(), public_key: z.string().nullable(), kind: z.enum(PUSH_KINDS).nullable() }),
  async handler(_, ctx) {
    const { publicKey } = ctx.services.push;
    const own = await ctx.em.findOne(PushEndpoint, { device: ctx.caller.id }, { fields: ["kind"] });
    return { enabled: publicKey !== null, public_key: publicKey, kind: own?.kind ?? null };
  },
});

const NO_KEYS =
  "A UnifiedPush endpoint requires keys. Send p256dh (a point on P-256) and auth (16 bytes) from the distributor, " +
  "both encoded in base64url.";

export const put_push_endpoint = defineHandsetOperation({
  name: "put_push_endpoint",
  title: "Set the push endpoint",
  description:
    "Set the push endpoint of this handset, replacing any earlier one. A push notification has no " +
    "content: it only signals that the inbox has something new, and it may be lost. It is sent for " +
    "channels that are not muted and have at least one of the permissions notify, sound, vibrate, " +
    "tts, full. UnifiedPush requires the keys of the endpoint for encryption; a browser's keys are " +
    "accepted but not needed.",
  writes: "rows",
  http: { method: "PUT", path: "/handset/v1/devices/me/push", status: 204, maxBody: MAX_BODY_BYTES.handset },
  errors: ["invalid_request", "unauthorized", "conflict"],
  input: z.strictObject({
    endpoint: textSchema(1, LIMITS.url).meta({ format: "uri" }),
    kind: z.enum(PUSH_KINDS),
    keys: z.strictObject({ p256dh: textSchema(1, 200), auth: textSchema(1, 200) }).optional(),
  }),
  output: z.object({}),
  async check({ endpoint, kind, keys }, { push }) {
    if (push.publicKey === null)
      throw conflict(
        "push_disabled",
        "Push notifications are disabled on this server. Poll the inbox, or ask the operator to enable WEB_PUSH.",
      );
    const reason = await push.checkEndpoint(endpoint);
    if (reason !== null) throw invalidRequest("url_not_allowed", reason, "endpoint");
    if (kind === "unified_push" && !(keys && parsePushKeys(keys)))
      throw invalidRequest("invalid_format", NO_KEYS, "keys");
  },
  async handler({ endpoint, kind, keys }, ctx) {
    const needed = kind === "unified_push" ? (keys ?? null) : null;
    const sealed = ctx.services.push.encryptEndpoint(endpoint, needed);
    const [row] = await ctx.sql(putPushEndpoint, { device_id: ctx.caller.id, kind, endpoint: sealed });
    if (!row) throw unauthorized();
    return {};
  },
});

export const delete_push_endpoint = defineHandsetOperation({
  name: "delete_push_endpoint",
  title: "Remove the push endpoint",
  description: "Delete the push endpoint of this handset. Repeating the call has no effect.",
  writes: "rows",
  http: { method: "DELETE", path: "/handset/v1/devices/me/push", status: 204 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({}),
  async handler(_, ctx) {
    await ctx.em.nativeDelete(PushEndpoint, { device: ctx.caller.id });
    return {};
  },
});
