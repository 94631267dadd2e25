// How a delivery proves where it comes from: the header's making, its reference verifier, and new secrets.
// Pure: must not know endpoints, the network or where secrets are kept.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { LIMITS } from "../../model/limits.ts";

/** rules#event-verifying */
export const SIGNATURE_TOLERANCE_SECONDS = LIMITS.webhook_clock_seconds;

function digest(secret: string, rawBody: string | Uint8Array, timestamp: string): Buffer {
  // What is signed, and under what, says rules#event-signature: the key is the secret
  // string as shown, whsec_ included; the body goes in as the bytes that travel, never parsed and written again.
  return createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest();
}

/**
 * The value of `X-Webhook-Signature`: `t=<unix>,v1=<hex>`, and a second `v1` under the secret before, while that is
 * good. `unixSeconds` is the moment of sending in whole seconds; anything else is a RangeError.
 */
export function signPayload(
  secret: string,
  rawBody: string | Uint8Array,
  unixSeconds: number,
  previous: string | null = null,
): string {
  if (!Number.isSafeInteger(unixSeconds) || unixSeconds < 0) {
    throw new RangeError("unixSeconds must be a whole number of seconds since 1970");
  }
  const secrets = previous === null ? [secret] : [secret, previous];
  const signed = secrets.map((one) => `v1=${digest(one, rawBody, String(unixSeconds)).toString("hex")}`);
  return [`t=${unixSeconds}`, ...signed].join(",");
}

/**
 * The reference verifier. True when one `v1` element fits the body and `t` is within the tolerance, before or after
 * `now`. Whatever is malformed is false; it never throws.
 */
export function verifySignature({
  header,
  rawBody,
  secret,
  now = Math.floor(Date.now() / 1000),
  toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS,
}: {
  /** The header as received; absent is simply not valid. */
  header: string | null | undefined;
  /** The bytes as they came, before anything parses them (rules#event-verifying). */
  rawBody: string | Uint8Array;
  secret: string;
  /** Unix seconds; the machine's clock by default. */
  now?: number;
  toleranceSeconds?: number;
}): boolean {
  if (typeof header !== "string" || typeof secret !== "string" || secret === "") return false;
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) return false;

  const timestamps: string[] = [];
  const candidates: Buffer[] = [];
  for (const element of header.split(",")) {
    const at = element.indexOf("=");
    const name = element.slice(0, Math.max(at, 0)).trim();
    const value = element.slice(at + 1).trim();
    if (name === "t") timestamps.push(value);
    // Other elements may come to the header later; they are not looked at (rules#event-verifying).
    else if (name === "v1" && /^[0-9a-f]{64}$/i.test(value)) candidates.push(Buffer.from(value, "hex"));
  }
  // Two timestamps would let two readers disagree about which of them was signed.
  const timestamp = timestamps[0];
  if (timestamp === undefined || timestamps.length > 1 || !/^\d{1,15}$/.test(timestamp)) return false;
  // Written so that a NaN on either side refuses.
  if (!(Math.abs(now - Number(timestamp)) <= toleranceSeconds)) return false;

  const expected = digest(secret, rawBody, timestamp);
  let matches = false;
  for (const candidate of candidates) {
    // No early exit: the time taken does not tell which element came close.
    if (timingSafeEqual(candidate, expected)) matches = true;
  }
  return matches;
}

/** A new signing secret: `whsec_` and 32 random bytes in base64url (49 characters). Shown once, by the caller. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}
