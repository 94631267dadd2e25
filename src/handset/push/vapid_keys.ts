// The identification of the sender of push notifications (VAPID, RFC 8292): a token for a push service, signed with
// this server's key. One token is valid for hours, and several notifications share one signature. The key is created
// when push notifications are first enabled, and stored encrypted, because every browser's subscription depends on it.
// This module does not depend on endpoints.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from "node:crypto";
import { assertDefined } from "../../model/assert.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import { readPushKey, storePushKey } from "../../store/queries/push_endpoints.ts";
import { createEncryption } from "../../store/secret/encryption.ts";

/** Push services accept at most a day. */
const LIFE_S = 12 * 3600;
/** The time for which a token is used. It stays valid for hours more, for any clock of the push service. */
const USE_S = 4 * 3600;
/** Tokens kept. Devices choose origins, so there may be any number of them. */
const KEPT = 1_000;

/** A new private key (P-256), as text. */
function createVapidKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** `contact`: mailto: or https:. `now`: milliseconds since 1970. */
export function createVapid(pem: string, contact: string, now: () => number) {
  const key = createPrivateKey(pem);
  const publicKey = pointOf(key);
  const kept = new Map<string, { value: string; until: number }>();

  function tokenFor(origin: string, seconds: number): string {
    const claims = { aud: origin, exp: seconds + LIFE_S, sub: contact };
    const signed = [{ typ: "JWT", alg: "ES256" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    // The two numbers themselves, as JWT wants them; by default they would be wrapped in DER.
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  return {
    publicKey,
    /** Returns the `Authorization` header for notifications to this origin. */
    authorizationFor(origin: string): string {
      const seconds = Math.floor(now() / 1000);
      const known = kept.get(origin);
      if (known && seconds < known.until) return known.value;
      const value = `vapid t=${tokenFor(origin, seconds)}, k=${publicKey}`;
      kept.delete(origin);
      kept.set(origin, { value, until: seconds + USE_S });
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size > KEPT) kept.delete(oldest);
      return value;
    },
  };
}

export type Vapid = ReturnType<typeof createVapid>;

function pointOf(key: KeyObject): string {
  const { x = "", y = "" } = createPublicKey(key).export({ format: "jwk" }) as JsonWebKey;
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString(
    "base64url",
  );
}

/** Loads or creates the key. If two processes create one at once, both use the first one. */
export async function loadVapidPrivateKey(orm: Orm, secret: string): Promise<string> {
  const kysely = getKysely(orm);
  const seal = createEncryption(secret, "push key");
  const readStoredKey = async () =>
    assertDefined((await runStatement(kysely, readPushKey, {}))[0], "every database has this row").push_key;
  const known = await readStoredKey();
  if (known) return seal.decrypt(known);
  await runStatement(kysely, storePushKey, { push_key: seal.encrypt(createVapidKey()) });
  return seal.decrypt(assertDefined(await readStoredKey(), "the push key was stored above"));
}
