// Opens a channel unless it is there, writes an alert as a draft, and sends it. Needs Node 24 and nothing else.
//   BELFRY_API_KEY=bfk_… node examples/publish.ts HANDLE TITLE

import { randomUUID } from "node:crypto";

const [handle, title] = process.argv.slice(2);
const { BELFRY_URL = "http://localhost:8787", BELFRY_API_KEY: key } = process.env;
if (!handle || !title || !key) {
  console.error("usage: BELFRY_API_KEY=bfk_… node examples/publish.ts HANDLE TITLE");
  process.exit(2);
}

/** One call of the API. @throws with the service's own sentence, which names the way out. */
async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${BELFRY_URL}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { "content-type": "application/json" }),
      // A creating call that is repeated under the same key does nothing twice: keep the key when you try again.
      ...(method === "POST" && { "idempotency-key": randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.ok) return answer as Answer;
  const { error } = answer as { error: { type: string; message: string } };
  throw new Error(`${response.status} ${error.type}: ${error.message}`);
}

interface Made {
  id: string;
}

const found = await call<{ data: Made[] }>("GET", `/pushers?handle=${encodeURIComponent(handle)}`);
let channel = found.data[0];
if (!channel) {
  channel = await call<Made>("POST", "/pushers", {
    handle,
    name: handle,
    category: "community",
    description: "Opened by an example",
    requested_perms: ["notify", "sound"],
  });
  console.log(`opened ${channel.id}`);
}

const alert = await call<Made>("POST", `/pushers/${channel.id}/alerts`, { title, requires_ack: true });
console.log(`drafted ${alert.id}`);

await call("PATCH", `/pushers/${channel.id}/alerts/${alert.id}`, { action: "send" });
console.log(`sent ${alert.id}`);
