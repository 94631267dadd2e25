// Signatures of deliveries: the header and new secrets. It is pure: it does not depend on endpoints, the network or the
// storage of secrets. The verifiers for receivers are in examples/webhooks.

import { createHmac, randomBytes } from "node:crypto";

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

/** A new signing secret: `whsec_` and 32 random bytes in base64url (49 characters). Shown once, by the caller. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}
