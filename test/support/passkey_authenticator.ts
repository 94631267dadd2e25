// A software passkey authenticator: makes keys and signs as a device would (WebAuthn level 2, ES256, no attestation),
// also wrongly on request of a test.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** The little of CBOR (RFC 8949) that an attestation needs: small numbers, bytes, texts and maps. */
function cbor(value: number | string | Buffer | Map<unknown, unknown>): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...value].flatMap(([key, entry]) => [cbor(key as never), cbor(entry as never)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

export class Authenticator {
  readonly id = randomBytes(32);
  readonly #key: KeyObject;
  readonly #point: { x: Buffer; y: Buffer };
  #counter = 0;
  origin: string;
  rpId: string;
  /** Set if its owner confirmed with a finger or a PIN. */
  verifies = true;

  constructor(origin: string) {
    this.origin = origin;
    this.rpId = new URL(origin).hostname;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" });
    this.#key = privateKey;
    this.#point = { x: Buffer.from(x!, "base64url"), y: Buffer.from(y!, "base64url") };
  }

  #data(more: Buffer, attested: number): Buffer {
    const flags = 1 | (this.verifies ? 4 : 0) | attested;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(++this.#counter);
    return Buffer.concat([sha256(this.rpId), Buffer.from([flags]), counter, more]);
  }

  #client(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  #answer(response: Record<string, unknown>) {
    const id = this.id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  /** As `navigator.credentials.create` answers, in JSON. */
  create({ challenge }: { challenge: string }) {
    const key = cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, this.#point.x],
        [-3, this.#point.y],
      ]),
    );
    const length = Buffer.from([0, this.id.length]);
    const authData = this.#data(Buffer.concat([Buffer.alloc(16), length, this.id, key]), 64);
    const attestation = new Map<unknown, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return this.#answer({
      clientDataJSON: this.#client("webauthn.create", challenge).toString("base64url"),
      attestationObject: cbor(attestation).toString("base64url"),
      transports: ["internal"],
    });
  }

  /** As `navigator.credentials.get` answers, in JSON. */
  get({ challenge }: { challenge: string }) {
    const client = this.#client("webauthn.get", challenge);
    const authData = this.#data(Buffer.alloc(0), 0);
    const signature = sign("sha256", Buffer.concat([authData, sha256(client)]), this.#key);
    return this.#answer({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: signature.toString("base64url"),
    });
  }
}
