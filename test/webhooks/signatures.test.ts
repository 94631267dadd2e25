// The signature chapter: our header against vectors made with openssl, the TypeScript verifier of examples/webhooks,
// and one written from the scheme that receivers know.

import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { signatureProblem } from "../../examples/webhooks/verify.ts";
import { createWebhookSecret, signPayload } from "../../src/effects/webhooks/payload_signature.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwPd0q8rWmz0E";
const now = 1_700_000_000;
const rawBody = '{"event":"alert.sent","created_at":"2026-11-20T14:25:31.123456Z","data":{"pusher_id":"psh_1"}}';
const v1 = "66bc1e5620199e6fb0058d74e2272ac30d58166b00e6c20b42bd41a3de128803";
const header = `t=${now},v1=${v1}`;
const other = "0".repeat(64);

interface Received {
  header: string | null | undefined;
  rawBody: string | Uint8Array;
  secret: string;
}
const received: Received = { header, rawBody, secret };
const problemOf = (changed: Partial<Received> = {}) => {
  const { header: sent, rawBody: body, secret: key } = { ...received, ...changed };
  return signatureProblem(sent, Buffer.from(body), key);
};

// The verifier reads the clock, which is set to the time of the signature.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: now * 1000 }));
afterEach(() => void vi.useRealTimers());

// printf '<t>.<body>' | openssl dgst -sha256 -hmac "$secret"
test.each([
  [now, rawBody, v1],
  [1, "", "4f24752230b8f8cae78c7cdc6d2efb19068990a1b35b4001e159f3dcdf490eb0"],
  [1_790_000_000, '{"title":"Grüße 🔔"}', "d5978e6b502e2f4cc8f84b6c6e43eb52fe96536f5cc26a638056029d18c8cb35"],
  [1_790_000_000, Buffer.from([0xff, 0xfe, 0, 1]), "a816dba94be548872aa4115199755653ccc2469a2c73299dea338483020563cc"],
])("openssl's vector at %d", (seconds, body, hex) => {
  expect(signPayload(secret, body, seconds)).toBe(`t=${seconds},v1=${hex}`);
  vi.setSystemTime(seconds * 1000);
  expect(problemOf({ header: `t=${seconds},v1=${hex}`, rawBody: body })).toBeNull();
});

test.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])("%d is not a valid time", (seconds) => {
  expect(() => signPayload(secret, rawBody, seconds)).toThrow(RangeError);
});

// rules#event-signature
describe("the verifier accepts", () => {
  test.each([
    ["the header as sent", header],
    ["elements in another order", `v1=${v1},t=${now}`],
    ["unknown elements", `v0=abc,t=${now},v2=${other},v1=${v1},flag,=,x=`],
    ["several v1, the right one last", `t=${now},v1=${other},v1=${v1}`],
    ["several v1, the right one first", `t=${now},v1=${v1},v1=${other}`],
    ["a v1 of another length next to the right one", `t=${now},v1=abcd,v1=${v1}`],
    ["white space around elements", `t=${now}, v1=${v1}`],
    ["capital hex", `t=${now},v1=${v1.toUpperCase()}`],
  ])("%s", (_what, sent) => {
    expect(problemOf({ header: sent })).toBeNull();
  });

  test.each([-300, -299, 0, 299, 300])("a clock that is %d s off", (off) => {
    vi.setSystemTime((now + off) * 1000);
    expect(problemOf()).toBeNull();
  });
});

// rules#event-verifying
describe("the verifier refuses", () => {
  test.each([-100_000, -301, 301, 100_000])("a clock that is %d s off", (off) => {
    vi.setSystemTime((now + off) * 1000);
    expect(problemOf()).toBe("wrong time");
  });

  test.each([
    ["a body with one byte changed", { rawBody: rawBody.replace("sent", "senT") }],
    ["a body parsed and written again", { rawBody: JSON.stringify(JSON.parse(rawBody), null, 1) }],
    ["a body with a line end", { rawBody: `${rawBody}\n` }],
    ["another secret", { secret: createWebhookSecret() }],
    ["the secret without its prefix", { secret: secret.slice(6) }],
    ["a moved timestamp", { header: `t=${now + 1},v1=${v1}` }],
    ["two timestamps", { header: `t=${now},t=${now},v1=${v1}` }],
  ])("%s", (_what, change) => {
    expect(problemOf(change)).toBe("wrong signature");
  });

  test("an empty secret, also for a body that is signed with it", () => {
    for (const key of ["", secret])
      expect(problemOf({ header: signPayload(key, rawBody, now), secret: "" })).toBe("no secret: set WEBHOOK_SECRET");
  });

  test.each([
    undefined,
    null,
    "",
    ",",
    "=",
    "t=,v1=",
    `t=${now}`,
    `v1=${v1}`,
    `v1=${v1},t=soon`,
    `t=${now}.0,v1=${v1}`,
    `t=-${now},v1=${v1}`,
    `t=1e9,v1=${v1}`,
    `t=0x6553f100,v1=${v1}`,
    `t=${"9".repeat(400)},v1=${v1}`,
    `t=${now},v0=${v1}`,
    `t=${now},V1=${v1}`,
    `t=${now},v1=${v1.slice(1)}`,
    `t=${now},v1=${v1}00`,
    `t=${now},v1=${v1.slice(1)}g`,
    `t=${now};v1=${v1}`,
    `t=${now},v1="${v1}"`,
    "\u0000",
  ])("header %j", (malformed) => {
    expect(problemOf({ header: malformed })).toBe("wrong signature");
  });
});

/**
 * A receiver's verifier, from the description of a compatible scheme (https://docs.stripe.com/webhooks, "Verify
 * manually"). It splits at commas, then at the first "=". It compares HMAC-SHA256 of `timestamp.payload` in hex with
 * each v1.
 */
function receive(body: string, sent: string, key: string, seconds: number): boolean {
  const elements = sent.split(",").map((element) => element.split("=") as [string, string]);
  const timestamp = elements.find(([prefix]) => prefix === "t")![1];
  const expected = createHmac("sha256", key).update(`${timestamp}.${body}`, "utf8").digest("hex");
  const signed = elements.some(([prefix, value]) => prefix === "v1" && value === expected);
  return signed && Math.abs(seconds - Number(timestamp)) <= 300;
}

test("a verifier written from the scheme's description accepts what we sign, and nothing else", () => {
  const sent = signPayload(secret, rawBody, now);
  expect(receive(rawBody, sent, secret, now)).toBe(true);
  expect(receive(`${rawBody} `, sent, secret, now)).toBe(false);
  expect(receive(rawBody, sent, `${secret}x`, now)).toBe(false);
  expect(receive(rawBody, sent, secret, now + 301)).toBe(false);
});

test("a new secret is whsec_ and 32 random bytes", () => {
  const secrets = Array.from({ length: 200 }, createWebhookSecret);
  expect(new Set(secrets).size).toBe(200);
  for (const made of secrets) {
    expect(made).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(made.slice(6), "base64url")).toHaveLength(32);
  }
});
