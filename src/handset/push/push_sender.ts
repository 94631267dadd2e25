// The sender of one push notification: a POST to a push service (RFC 8030), without a body or with an empty encrypted
// message, as UnifiedPush requires (RFC 8291, RFC 8188). Connections to a push service are reused. This module does not
// depend on rows or other notifications. It does not retry or follow redirects.

import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import type { Pool } from "undici";
import { createOriginPool } from "../../effects/webhooks/outbound_connection.ts";
import type { TargetRules } from "../../effects/webhooks/target_check.ts";
import { type PushKeys, parsePushKeys } from "../../model/domain/push_keys.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Vapid } from "./vapid_keys.ts";

const RECORD_BYTES = 4096;
/** After the last byte of the last record; here the only one. */
const LAST = Buffer.from([2]);

const derived = (key: Uint8Array, salt: Uint8Array, info: Buffer, length: number) =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

/** Null if the stored keys are not valid. */
function encryptEmptyMessage(keys: PushKeys): Buffer | null {
  const handset = parsePushKeys(keys);
  if (!handset) return null;
  const own = createECDH("prime256v1");
  const ownPoint = own.generateKeys();
  const salt = randomBytes(16);
  const shared = own.computeSecret(handset.point);
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), handset.point, ownPoint]);
  const key = derived(shared, handset.secret, about, 32);
  const cipher = createCipheriv(
    "aes-128-gcm",
    derived(key, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16),
    derived(key, salt, Buffer.from("Content-Encoding: nonce\0"), 12),
  );
  const sealed = [cipher.update(LAST), cipher.final(), cipher.getAuthTag()];
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(ownPoint.length, 4);
  return Buffer.concat([salt, head, ownPoint, ...sealed]);
}

const TIMEOUT_MS = LIMITS.push_seconds * 1000;
/** The number of bytes read of a response, so that its connection can be reused. */
const MAX_REPLY_BYTES = 4 * 1024;
/** The time that a push service keeps a notification for an offline handset. Later, its app polls by itself. */
const TTL_S = 24 * 3600;
const KEPT = 64;

/** `high` is handed out at once; `normal` when the handset is awake anyway. */
export type PushUrgency = "normal" | "high";

/**
 * The outcome: accepted, unknown endpoint, another response, or no response, which indicates a problem of the push
 * service.
 */
export type PushOutcome = "accepted" | "gone" | "failed" | "unanswered";

/** `connections`: to one origin at once. */
export function createPushSender({
  rules,
  vapid,
  connections,
  refused,
}: {
  rules: TargetRules;
  vapid: Pick<Vapid, "authorizationFor">;
  connections: number;
  /** Receives the status of a response that refuses the sender, 401 or 403. Must not throw. */
  refused(status: number): void;
}) {
  /** Keyed by origin, the least recently used first. */
  const pools = new Map<string, { pool: Promise<Pool>; using: number }>();
  const underWay = new Set<AbortController>();

  function use(origin: string) {
    const kept = pools.get(origin) ?? {
      pool: createOriginPool(origin, rules, { connections, timeoutMs: TIMEOUT_MS }),
      using: 0,
    };
    pools.delete(origin);
    pools.set(origin, kept);
    kept.using++;
    return kept;
  }

  function closeUnused(): void {
    for (const [origin, { pool, using }] of pools) {
      if (pools.size <= KEPT) return;
      if (using > 0) continue;
      pools.delete(origin);
      void pool.then((unused) => unused.destroy());
    }
  }

  return {
    /** Sends a notification; with `keys`, its body is an empty encrypted message. Never throws. */
    async send(endpoint: URL, urgency: PushUrgency, keys: PushKeys | null = null): Promise<PushOutcome> {
      const kept = use(endpoint.origin);
      const end = new AbortController();
      underWay.add(end);
      const timer = setTimeout(() => end.abort(), TIMEOUT_MS);
      try {
        const message = keys && encryptEmptyMessage(keys);
        const { statusCode, body } = await (await kept.pool).request({
          method: "POST",
          path: endpoint.pathname + endpoint.search,
          headers: {
            authorization: vapid.authorizationFor(endpoint.origin),
            ttl: String(TTL_S),
            urgency,
            // The next notification replaces one that still waits for the handset, because they are equal.
            topic: "inbox",
            "user-agent": "Belfry-Push/1",
            ...(message && { "content-encoding": "aes128gcm", "content-type": "application/octet-stream" }),
          },
          body: message,
          signal: end.signal,
        });
        body.on("error", () => {});
        await body.dump({ limit: MAX_REPLY_BYTES, signal: end.signal }).catch(() => {});
        if (statusCode === 401 || statusCode === 403) refused(statusCode);
        return outcomeOf(statusCode);
      } catch {
        return "unanswered";
      } finally {
        clearTimeout(timer);
        underWay.delete(end);
        kept.using--;
        closeUnused();
      }
    },
    async close(): Promise<void> {
      for (const end of underWay) end.abort();
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(async ({ pool }) => (await pool).destroy()));
    },
  };
}

function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 404 || status === 410) return "gone";
  // 429 is about our server, not the endpoint.
  return status === 429 || status >= 500 ? "unanswered" : "failed";
}
