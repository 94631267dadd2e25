// Data that must be readable again is encrypted at rest under the server secret (AES-256-GCM), each use under a key of
// its own.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

export interface Encryption {
  encrypt(plain: string): Buffer;
  /** @throws when the box was tampered with or sealed under another secret. */
  decrypt(box: Uint8Array): string;
}

const NONCE = 12;
const TAG = 16;

/** Purposes of encrypted data in the database; `belfry secret rotate` covers each. */
export type EncryptionPurpose = "webhook secrets" | "idempotency" | "push endpoints" | "push key";

/** Purposes of encrypted data in pages and clients: a new secret invalidates it. */
type Handed = "kept forms" | "asked reviews";

/** `purpose` separates the keys: a box sealed for one purpose does not open for another. */
export function createEncryption(secret: string, purpose: EncryptionPurpose | Handed): Encryption {
  const key = Buffer.from(hkdfSync("sha256", secret, "belfry", purpose, 32));
  return {
    encrypt(plain) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    decrypt(box) {
      const bytes = Buffer.from(box);
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString("utf8");
    },
  };
}
