// A server that is reached by plain http over a network, as at home: people sign in, assistants use keys.

import { expect, test } from "vitest";
import { HttpVisitor, OWNER, signInOwner } from "../support/console_site.ts";
import { openWorld } from "../support/open_world.ts";

const PUBLIC_URL = "http://192.0.2.7:8787";

const world = await openWorld({ settings: { PUBLIC_URL } });

const ask = (path: string, init: RequestInit = {}) =>
  world.service.app.fetch(
    new Request(PUBLIC_URL + path, { ...init, headers: { host: "192.0.2.7:8787", ...init.headers } }),
  );

// rules#mcp-plain-http
test("its owner joins by the link, signs in again, and learns that assistants connect with a key", async () => {
  const owner = await signInOwner(world, PUBLIC_URL);
  const { headers } = await owner.get("/console");
  const { text } = await owner.get(new URL(headers.get("location")!, PUBLIC_URL).pathname);
  expect(text).toContain("This server does not use HTTPS, so assistants connect with a key.");
  const again = new HttpVisitor(world, PUBLIC_URL);
  const { email, password } = OWNER;
  expect((await again.post("/console/sign-in", { email, password })).status).toBe(303);
});

// rules#mcp-plain-http
test("an assistant is served with a key, and without one it is not sent to OAuth", async () => {
  const message = {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  };
  const refused = await ask("/mcp", message);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringMatching(/^Bearer scope="[^"]+"$/),
  ]);
  const authorization = `Bearer ${world.owner}`;
  const served = await ask("/mcp", { ...message, headers: { ...message.headers, authorization } });
  expect([served.status, await served.text()]).toEqual([200, expect.stringContaining("send_alert")]);
  for (const path of ["oauth-protected-resource/mcp", "oauth-authorization-server/api/auth"])
    expect((await ask(`/.well-known/${path}`)).status).toBe(404);
  const client = JSON.stringify({ redirect_uris: ["https://client.example/cb"] });
  const registered = await ask("/api/auth/oauth2/register", {
    method: "POST",
    body: client,
    headers: { "content-type": "application/json" },
  });
  expect(registered.status).toBe(404);
});
