// A push service on loopback, as strict as those of browsers. It accepts a push notification only with the requirements
// of RFC 8030 and RFC 8292, and responds like them. Below /up/ it is one of UnifiedPush, which requires a message. It
// is independent of the code under test.

import { createPublicKey, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { startHttpReceiver } from "./loopback_receivers.ts";

interface ReceivedPush {
  path: string;
  ttl: number;
  urgency: string;
  topic: string;
  /** The message as it came; empty where none may be. */
  message: Buffer;
  /** The signer's key from the push notification, and its claims. */
  key: string;
  claims: { aud: string; exp: number; sub: string };
  /** Milliseconds since 1970. */
  at: number;
}

const BASE64URL = /^[\w-]+$/;

/** The reason for which a push service would refuse a request; null where it accepts it. */
function problemOf(
  method: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  { origin, unified }: { origin: string; unified: boolean },
): string | null {
  if (method !== "POST") return "method";
  if (headers["transfer-encoding"]) return "content";
  if (unified && headers["content-encoding"] !== "aes128gcm") return "content";
  if (!unified && (body.length > 0 || headers["content-encoding"])) return "content";
  if (unified ? body.length < 1 || body.length > 4096 : headers["content-length"] !== "0") return "length";
  if (!/^\d{1,8}$/.test(headers.ttl as string)) return "ttl";
  if (!/^(very-low|low|normal|high)$/.test(headers.urgency as string)) return "urgency";
  if (!/^[\w-]{1,32}$/.test(headers.topic as string)) return "topic";
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
  const [head = "", claims = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || ![head, claims, signature, key].every((part) => BASE64URL.test(part))) return "token";
  const point = Buffer.from(key, "base64url");
  if (point.length !== 65 || point[0] !== 4) return "key";
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const by = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" as const };
  if (!verify("sha256", Buffer.from(`${head}.${claims}`), by, Buffer.from(signature, "base64url"))) return "signature";
  const { typ, alg } = read(head);
  if (typ !== "JWT" || alg !== "ES256") return "algorithm";
  const { aud, exp, sub } = read(claims);
  const left = exp - Date.now() / 1000;
  if (aud !== origin) return "aud";
  if (!Number.isInteger(exp) || left <= 0 || left > 24 * 3600) return "exp";
  if (!/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(sub)) return "sub";
  return null;
}

const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));

/**
 * `answer`: the status for a path once the request itself is in order, at once or later. `refused` names what was
 * wrong with those that were not.
 */
export async function startPushService(answer: (path: string) => number | Promise<number> = () => 201) {
  const received: ReceivedPush[] = [];
  const refused: string[] = [];
  let origin = "";
  const sink = await startHttpReceiver(async (request, response) => {
    const { headers, url = "", method = "" } = request;
    const body = sink.requests.at(-1)!.body;
    const problem = problemOf(method, headers, body, { origin, unified: url.startsWith("/up/") });
    if (problem !== null) {
      refused.push(problem);
      response.writeHead(problem === "ttl" || problem === "content" ? 400 : 401).end();
      return;
    }
    const [, token = "", key = ""] = /t=([^,]+), k=(.*)$/.exec(headers.authorization!)!;
    const claims = read(token.split(".")[1]!);
    const { ttl, urgency, topic } = headers as Record<string, string>;
    received.push({
      path: url,
      ttl: Number(ttl),
      urgency: urgency!,
      topic: topic!,
      message: body,
      key,
      claims,
      at: Date.now(),
    });
    const status = await answer(url);
    response.writeHead(status, { location: `${origin}/message/1` }).end();
  });
  origin = `http://127.0.0.1:${sink.port}`;
  return {
    ...sink,
    origin,
    host: `127.0.0.1:${sink.port}`,
    received,
    refused,
    /** The endpoint of one subscription's push notifications. */
    endpoint: (name: string) => `${origin}/wpush/v2/${name}`,
    /** The number of push notifications that came for it. */
    count: (name: string) => received.filter(({ path }) => path === `/wpush/v2/${name}`).length,
  };
}
