// A handset: registers, joins a channel, polls its inbox and reports each new alert as read and acknowledged. Needs
// Node 24 and nothing else.
//   node examples/handset.ts HANDLE [COUNT]      ends after COUNT alerts, or runs until stopped

import { setTimeout as pause } from "node:timers/promises";

const [handle, count] = process.argv.slice(2);
const {
  BELFRY_URL = "http://localhost:8787",
  BELFRY_DEVICE_TOKEN,
  POLL_SECONDS = "5",
  WAIT_SECONDS = "50",
} = process.env;
if (!handle) {
  console.error("usage: node examples/handset.ts HANDLE [COUNT]");
  process.exit(2);
}

let token = BELFRY_DEVICE_TOKEN;

/** One call of the handset API; 304 is an answer like any other. @throws with the service's own sentence. */
async function call(method: string, path: string, body?: object, etag?: string | null): Promise<Response> {
  const response = await fetch(`${BELFRY_URL}/handset/v1${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
      ...(etag && { "if-none-match": etag, prefer: `wait=${WAIT_SECONDS}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok || response.status === 304) return response;
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  throw new Error(`${response.status} ${error.type}: ${error.message}`);
}

// Registering requires no account. The token is shown once: a real handset stores it, since the subscription depends on
// it.
if (!token) {
  const facts = { platform: "cli", app_version: "1.0", locale: "en", timezone: "UTC" };
  token = ((await (await call("POST", "/devices", facts)).json()) as { token: string }).token;
}
await call("PUT", `/subscriptions/${encodeURIComponent(handle)}`, { permissions: ["notify", "sound"] });
console.log(`joined ${handle}`);

const seen = new Set<string>();
let left = count === undefined ? Number.POSITIVE_INFINITY : Number(count);
// The validator represents the seen state. While nothing changed the response is 304, without a body, and it is delayed
// until a change. A response without a delay lacks the header, and is followed by a pause.
let etag: string | null = null;
while (left > 0) {
  const response = await call("GET", "/inbox?view=lean", undefined, etag);
  if (response.status === 304) {
    console.log("unchanged");
    if (!response.headers.has("preference-applied")) await pause(Number(POLL_SECONDS) * 1000);
  } else {
    etag = response.headers.get("etag");
    const { data } = (await response.json()) as { data: { id: string; title: string }[] };
    const fresh = data.filter(({ id }) => !seen.has(id)).reverse();
    for (const { id, title } of fresh.slice(0, left)) {
      console.log(`got ${id}: ${title}`);
      const reports = ["read", "ack"].map((kind) => ({ alert_id: id, kind }));
      await call("POST", "/reports", { reports });
      seen.add(id);
      left--;
    }
  }
}
