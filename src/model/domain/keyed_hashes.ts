// Values on the wire that hide an internal value, keyed with the server secret. One is a device's pseudonym:
// "HMAC-SHA256 of the raw device id under a server secret, truncated to 10 hex characters. It is stable across pages
// and useless to replay." The other is the inbox validator, which must be opaque: the number of changes per channel
// would reveal scheduled alerts.

import { createHmac } from "node:crypto";

export function createDeviceHasher(secret: string): (deviceId: string) => string {
  return (deviceId) => createHmac("sha256", secret).update(deviceId).digest("hex").slice(0, 10);
}

/** `state` is all that the response depends on; equal states give equal tags, under one server secret. */
export function createInboxEtagger(secret: string): (state: string) => string {
  return (state) => `"${createHmac("sha256", secret).update(`inbox ${state}`).digest("base64url").slice(0, 22)}"`;
}
