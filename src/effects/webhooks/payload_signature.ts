// Signatures of deliveries: the header, its reference verifier, and new secrets. It is pure: it does not depend on
// endpoints, the network or the storage of secrets.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { LIMITS } from "../../model/limits.ts";

/** rules#event-verifying */
export const SIGNATURE_TOLERANCE_SECONDS = LIMITS.webhook_clock_seconds;

function digest(secret: string, rawBody: string | Uint8Array, timestamp: string): Buffer {
  // rules#event-signature defines the input and the key. The key is the shown secret, including whsec_; the body is
  // used as sent, never parsed and serialised again.
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
 * The reference verifier. True if one `v1` element matches the body and `t` is within the tolerance around `now`.
 * Malformed input is false; it never throws.
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
    // Other elements may be added to the header later; they are ignored (rules#event-verifying).
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
    // No early exit, so the time does not reveal which element matched.
    if (timingSafeEqual(candidate, expected)) matches = true;
  }
  return matches;
}

/** A new signing secret: `whsec_` and 32 random bytes in base64url (49 characters). Shown once, by the caller. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}
