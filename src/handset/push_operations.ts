// Where a push service takes wake-ups for a handset.

import { z } from "zod";
import { parsePushKeys } from "../model/domain/push_keys.ts";
import { PUSH_KINDS, PushEndpoint } from "../model/entities/devices_and_reports.ts";
import { conflict, invalidRequest, unauthorized } from "../model/errors.ts";
import { textSchema } from "../model/fields/value_schemas.ts";
import { LIMITS } from "../model/limits.ts";
import { defineHandsetOperation, MAX_BODY_BYTES } from "../operation/define_operation.ts";
import { putPushEndpoint } from "../store/queries/push_endpoints.ts";

export const get_push = defineHandsetOperation({
  name: "get_push",
  title: "Wake-ups",
  description:
    "Whether this server wakes handsets whose app is closed, the key to subscribe with at a push service (applicationServerKey of Web Push), and by which kind of push service this handset is woken: null for none. The address itself is never shown.",
  writes: "nothing",
  http: { method: "GET", path: "/handset/v1/push", status: 200 },
  errors: ["unauthorized"],
  input: z.strictObject({}),
  output: z.object({
    enabled: z.boolean(),
    public_key: z.string().nullable(),
    kind: z.enum(PUSH_KINDS).nullable(),
  }),
  async handler(_, ctx) {
    const { publicKey } = ctx.services.push;
    const own = await ctx.em.findOne(PushEndpoint, { device: ctx.caller.id }, { fields: ["kind"] });
    return { enabled: publicKey !== null, public_key: publicKey, kind: own?.kind ?? null };
  },
});

const NO_KEYS =
  "A UnifiedPush endpoint requires keys. Send p256dh (a point on P-256) and auth (16 bytes) from the distributor, both in base64url.";

export const put_push_endpoint = defineHandsetOperation({
  name: "put_push_endpoint",
  title: "Be woken",
  description:
    "Be woken at this address of a push service when something new is in the inbox, in place of an earlier one. A wake-up says nothing and may be lost. It comes for channels that are not muted and were granted one of notify, sound, vibrate, tts, full. UnifiedPush needs the keys of its endpoint, since its push services take only what is encrypted for them; those of a browser are taken and not needed.",
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
        "Push notifications are disabled on this server. Poll the inbox, or ask the operator to set WEB_PUSH.",
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
  title: "Be woken no more",
  description: "Forget where this handset is woken. Answers the same when it was nowhere.",
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
