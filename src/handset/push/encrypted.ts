// A message for one handset that holds nothing, encrypted as UnifiedPush asks of every message (RFC 8291, RFC 8188): between the push
// service and the handset all are alike. Must not know rows, addresses or HTTP.

import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { type PushKeys, readPushKeys } from "../../model/domain/push_keys.ts";

const RECORD_BYTES = 4096;
/** After the last byte of the last record; here the only one. */
const LAST = Buffer.from([2]);

const derived = (key: Uint8Array, salt: Uint8Array, info: Buffer, length: number) =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

/** Null: what was stored is no pair of keys. */
export function emptyMessage(keys: PushKeys): Buffer | null {
  const handset = readPushKeys(keys);
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
