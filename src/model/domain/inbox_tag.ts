// The validator of an inbox on the wire. Opaque: what it stands for (how often which channels changed) is nobody's
// business, and a handset could read from it what is planned for later.

import { createHmac } from "node:crypto";

/** `state` is all that the answer depends on; equal states give equal tags, under one server secret. */
export function createInboxTag(secret: string): (state: string) => string {
  return (state) =>
    `"${createHmac("sha256", secret).update(`inbox ${state}`).digest("base64url").slice(0, 22)}"`;
}
