// The pseudonym of a device: "HMAC-SHA256 of the raw device id under a server secret, truncated to 10 hex characters.
// It is stable across pages and useless to replay."

import { createHmac } from "node:crypto";

export function createDevicePseudonymizer(secret: string): (deviceId: string) => string {
  return (deviceId) => createHmac("sha256", secret).update(deviceId).digest("hex").slice(0, 10);
}
