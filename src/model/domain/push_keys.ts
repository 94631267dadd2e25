// The keys with which a handset reads what a push service hands it (RFC 8291): whether they are such keys at all. Pure.

import { createPublicKey } from "node:crypto";

export interface PushKeys {
  /** An uncompressed point on P-256, base64url. */
  p256dh: string;
  /** Sixteen bytes, base64url. */
  auth: string;
}

const BASE64URL = /^[\w-]+={0,2}$/;
const bytesOf = (text: string) => (BASE64URL.test(text) ? Buffer.from(text, "base64url") : Buffer.alloc(0));

/** Returns the keys as bytes, or null if one is not valid. */
export function parsePushKeys({ p256dh, auth }: PushKeys): { point: Buffer; secret: Buffer } | null {
  const [point, secret] = [bytesOf(p256dh), bytesOf(auth)];
  if (point.length !== 65 || point[0] !== 4 || secret.length !== 16) return null;
  const [x = "", y = ""] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  try {
    createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    return { point, secret };
  } catch {
    return null;
  }
}
