// Assistants that name themselves by an address: what is fetched, from where, how often, and what of it is believed.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fetchDocument } from "../../src/effects/webhooks/outbound_connection.ts";
import { parseTargetRules } from "../../src/effects/webhooks/target_check.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { HttpVisitor, signInOwner } from "../support/console_site.ts";
import { createCertificate } from "../support/loopback_receivers.ts";
import { createClientMemory, MCP_CLIENTS } from "../support/mcp_clients.ts";
import {
  allowConsent,
  buildAuthorizeRequest,
  CALLBACK,
  connectAssistant,
  SERVER_ORIGIN,
  sendOAuthRequest,
  USUAL_CLIENT,
} from "../support/oauth_flow.ts";
import { isMissing } from "../support/requirements.ts";
import { World } from "../support/world.ts";

/** Path → the response of the documents' server, and the number of its requests. */
const served = new Map<string, { status?: number; headers?: Record<string, string>; body: string | "hang" }>();
let asked: string[] = [];
let host: string;
let close: () => void;
/** The documents come over TLS, whose certificate openssl makes. */
const NO_CERTIFICATE = isMissing("openssl");

beforeAll(async () => {
  const { key, cert } = createCertificate("localhost");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  const server = createServer({ key, cert }, (incoming, response) => {
    asked.push(incoming.url!);
    const answer = served.get(incoming.url!) ?? { status: 404, body: "{}" };
    if (answer.body === "hang") return;
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `localhost:${(server.address() as AddressInfo).port}`;
  close = () => {
    server.closeAllConnections();
    server.close();
    setDefaultCACertificates(before);
  };
});
afterAll(() => close?.());
afterEach(() => {
  asked = [];
});

const at = (path: string) => `https://${host}${path}`;
/** Puts a description of itself at a path; anything in it may be given otherwise. */
function describeAt(path: string, fields: Record<string, unknown> = {}): string {
  served.set(path, {
    body: JSON.stringify({ client_id: at(path), ...USUAL_CLIENT, client_name: "By address", ...fields }),
  });
  return at(path);
}

describe.skipIf(NO_CERTIFICATE)("on a service", () => {
  let world: World;
  let owner: HttpVisitor;
  beforeAll(async () => {
    world = await World.open({ settings: { CLIENT_METADATA_ALLOW_HOSTS: host } });
    owner = await signInOwner(world);
  });
  afterAll(() => world?.close());

  const older = (seconds: number) =>
    world.sql(`update auth."oauthClient" set "updatedAt" = now() - interval '${seconds} seconds'`);
  /** The text for a visitor from an address of their own. */
  const visit = async (clientId: string, more: Record<string, string> = {}, from = new HttpVisitor(world)) => {
    const { status, text, headers } = await from.get(buildAuthorizeRequest(clientId, more).path);
    return { status, text, to: headers.get("location") };
  };

  // rules#assistant-registration
  test("the way that works: the page by the document, a token, a refresh, and no registration", async () => {
    const before = await world.sql(`select count(*)::int as n from auth."oauthClient"`);
    const client_id = describeAt("/works.json", { jwks_uri: at("/keys"), logo_uri: at("/logo"), unknown: 1 });
    const { tokens, consent } = await connectAssistant(world, owner, { client_id });
    expect(consent).toContain("By address");
    expect(tokens).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } });
    const me = await world.mcp("get_me", {}, tokens.body.access_token);
    expect(me.body.credential).toMatchObject({ type: "oauth", name: "By address" });
    expect(asked).toEqual(["/works.json"]);
    const after = await world.sql(`select count(*)::int as n from auth."oauthClient"`);
    expect(after[0].n).toBe(before[0].n + 1);
    const metadata = await sendOAuthRequest(
      world,
      new Request(`${SERVER_ORIGIN}/.well-known/oauth-authorization-server/api/auth`),
    );
    expect(metadata.body.client_id_metadata_document_supported).toBe(true);
  });

  test("it is fetched once by many at once, kept for a while, and then looked at again", async () => {
    const client_id = describeAt("/kept.json");
    const seen = await callConcurrently(10, () => visit(client_id));
    for (const { to } of seen) expect(to).toContain("/console/sign-in");
    expect(asked).toEqual(["/kept.json"]);
    await older(800);
    await visit(client_id);
    expect(asked).toHaveLength(1);
    // Its later contents count from then on: an address that was removed from it is no longer valid for responses.
    describeAt("/kept.json", { redirect_uris: ["http://127.0.0.1:7777/other"] });
    await older(1000);
    expect((await visit(client_id)).status).toBe(422);
    expect((await visit(client_id, { redirect_uri: "http://127.0.0.1:7777/other" })).to).toContain("sign-in");
    expect(asked).toHaveLength(2);
    // Nor is it believed when it cannot be seen any more.
    served.delete("/kept.json");
    await older(1000);
    expect((await visit(client_id, { redirect_uri: "http://127.0.0.1:7777/other" })).status).toBe(422);
  });

  /** As their makers publish them, but for their addresses; and where each wants its answer. */
  const PUBLISHED: [name: string, answer: string, fields: Record<string, unknown>][] = [
    [
      "ChatGPT",
      "https://chatgpt.com/connector_platform_oauth_redirect",
      {
        redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
        token_endpoint_auth_signing_alg: "RS256",
        jwks_uri: "https://chatgpt.com/oauth/jwks.json",
      },
    ],
    [
      "Goose",
      "http://127.0.0.1:35041/oauth_callback",
      { redirect_uris: ["http://localhost/oauth_callback"], grant_types: ["authorization_code"] },
    ],
    [
      "Claude Code",
      "http://localhost:50176/callback",
      { redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"] },
    ],
  ];
  // rules#assistant-registration
  test.each(PUBLISHED)("%s is let in by what it publishes", async (client_name, redirect_uri, fields) => {
    const client_id = describeAt(`/${client_name.replace(" ", "-")}.json`, { client_name, ...fields });
    const { tokens, next } = await connectAssistant(world, owner, { client_id }, { redirect_uri });
    expect([next.href.split("?")[0], tokens.status]).toEqual([redirect_uri, 200]);
    // Not at another path, nor on another machine.
    for (const other of [`${redirect_uri}2`, redirect_uri.replace(/(localhost|127.0.0.1|chatgpt.com)/, "127.0.0.2")])
      expect((await visit(client_id, { redirect_uri: other })).status).toBe(422);
  });

  const UNUSABLE: [what: string, fields: Record<string, unknown>][] = [
    ["another client_id", { client_id: "https://localhost/other.json" }],
    ["no client_id", { client_id: undefined }],
    ["a secret", { client_secret: "x" }],
    ["a secret's end", { client_secret_expires_at: 0 }],
    ["a shared secret", { token_endpoint_auth_method: "client_secret_post" }],
    ["a list without none", { token_endpoint_auth_method: "x", token_endpoint_auth_methods_supported: ["x"] }],
    ["keys", { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://localhost/keys" }],
    ["a long name", { client_name: "n".repeat(121) }],
    ["a name of two lines", { client_name: "a\nb" }],
    ["no redirect", { redirect_uris: [] }],
    ["too many redirects", { redirect_uris: Array(11).fill(CALLBACK) }],
    ["an unsafe redirect", { redirect_uris: [CALLBACK, "javascript:alert(1)"] }],
    ["an unknown scheme", { redirect_uris: [CALLBACK, "youreditor://x/callback"] }],
    ["another grant", { grant_types: ["client_credentials"] }],
  ];
  test.each(UNUSABLE)("a document with %s is refused", async (what, fields) => {
    const client_id = describeAt(`/unusable-${UNUSABLE.findIndex(([name]) => name === what)}.json`, fields);
    const { status, text, to } = await visit(client_id);
    expect({ status, to }).toEqual({ status: 422, to: null });
    expect(text).toMatch(/metadata (URL was rejected|is not valid)/);
    expect(asked).toHaveLength(1);
    expect(await world.sql(`select 1 from auth."oauthClient" where "clientId" = ?`, [client_id])).toEqual([]);
  });

  const ANSWERS: [what: string, answer: { status?: number; headers?: Record<string, string>; body: string }][] = [
    ["a redirect", { status: 302, headers: { location: "/works.json" }, body: "" }],
    ["an error", { status: 500, body: "{}" }],
    ["a page", { headers: { "content-type": "text/html" }, body: "{}" }],
    ["no JSON", { body: "{" }],
    ["a list", { body: "[]" }],
    ["nothing", { body: "null" }],
    ["bytes that are not text", { body: "\ud800" }],
    ["too much", { body: JSON.stringify({ client_id: "x", x: "x".repeat(17_000) }) }],
  ];
  test.each(ANSWERS)("%s in its place is refused, and no other address is requested", async (what, answer) => {
    const path = `/answer-${ANSWERS.findIndex(([name]) => name === what)}`;
    served.set(path, answer);
    expect((await visit(at(path))).status).toBe(422);
    expect(asked).toEqual([path]);
  });

  test.each([
    () => `http://${host}/works.json`,
    () => `https://${host}`,
    () => `https://${host}/`,
    () => `https://${host}/a/../works.json`,
    () => `https://${host}/works.json#x`,
    () => `https://user@${host}/works.json`,
    () => `HTTPS://${host}/works.json`,
    () => `https://${host}/${"x".repeat(2100)}`,
    () => "https://localhost:1/works.json",
    () => "https://127.0.0.1/works.json",
    () => "https://10.0.0.1/works.json",
    () => "https://[::1]/works.json",
    () => "https://169.254.169.254/latest/meta-data",
    () => "https://metadata.internal/x",
    () => "https://intranet/x",
  ])("an invalid or forbidden address (%#)", async (address) => {
    const { status, to } = await visit(address());
    expect({ status, to }).toEqual({ status: 422, to: null });
    expect(asked).toEqual([]);
  });

  test("one visitor's requests for documents are limited; a known client is not counted", async () => {
    const visitor = new HttpVisitor(world);
    for (let i = 0; i < 20; i += 1) await visit(at(`/nothing-${i}`), {}, visitor);
    expect(asked).toHaveLength(20);
    const refused = await visit(at("/nothing-20"), {}, visitor);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain("Too many");
    expect(asked).toHaveLength(20);
    // Every address of one IPv6 network is one visitor.
    const from = (n: number, i: number) => {
      const asks = new Request(SERVER_ORIGIN + buildAuthorizeRequest(at(`/v6-${n}-${i}`)).path);
      return world.service.app.fetch(asks, `2001:db8:0:${n}::${i + 1}`);
    };
    for (let i = 0; i < 20; i += 1) expect((await from(1, i)).status).toBe(422);
    expect((await from(1, 20)).status).toBe(429);
    expect((await from(2, 0)).status).toBe(422);
    const known = describeAt("/known.json");
    await visit(known);
    expect((await visit(known, {}, visitor)).to).toContain("/console/sign-in");
  });
});

test.skipIf(NO_CERTIFICATE).each(Object.entries(MCP_CLIENTS))(
  "%s uses its document where the metadata offers it",
  async (_, open) => {
    const port = await findFreePort("127.0.0.1");
    const url = `http://127.0.0.1:${port}`;
    const settings = { HOST: "127.0.0.1", PORT: String(port), CLIENT_METADATA_ALLOW_HOSTS: host };
    const world = await World.open({ settings });
    const listening = await listenHttp(world.service.app, { host: "127.0.0.1", port });
    try {
      const owner = await signInOwner(world, url);
      const clientMetadataUrl = describeAt("/client.json");
      const provider = createClientMemory({ clientMetadataUrl });
      const assistant = open(`${url}/mcp`, provider);
      await expect(assistant.connect()).rejects.toThrow();
      const { goTo } = provider.held;
      expect(goTo.searchParams.get("client_id")).toBe(clientMetadataUrl);
      const page = (await owner.get(goTo.pathname + goTo.search)).headers.get("location")!;
      await assistant.finish((await allowConsent(owner, page)).next.searchParams);
      await assistant.close();
      const later = open(`${url}/mcp`, provider);
      await later.connect();
      expect((await later.call("get_me")).structuredContent.credential.name).toBe("By address");
      await later.close();
      expect(await world.sql(`select "clientId" as id from auth."oauthClient"`)).toEqual([{ id: clientMetadataUrl }]);
    } finally {
      await listening.close();
      await world.close();
    }
  },
);

test.skipIf(NO_CERTIFICATE)("a server that never answers is not waited for", async () => {
  served.set("/hang", { body: "hang" });
  const rules = parseTargetRules({ allowHosts: [host] });
  expect(await fetchDocument(at("/hang"), rules, { timeoutMs: 300 })).toEqual({ ok: false, why: "unreachable" });
  expect(await fetchDocument(`http://${host}/hang`, rules)).toEqual({ ok: false, why: "refused" });
  expect(await fetchDocument(at("/hang"), parseTargetRules())).toEqual({ ok: false, why: "refused" });
});

describe.skipIf(NO_CERTIFICATE)("with hosts allowed for webhooks and push services alone", () => {
  let world: World;
  const port = () => host.split(":")[1];
  beforeAll(async () => {
    const hosts = `${host},localhost,127.0.0.1,[::1]`;
    const settings = {
      WEBHOOK_ALLOW_HOSTS: hosts,
      WEB_PUSH: "on",
      WEB_PUSH_CONTACT: "https://ops.example.org/",
      WEB_PUSH_ALLOW_HOSTS: hosts,
    };
    world = await World.open({ settings });
  });
  afterAll(() => world?.close());

  // rules#assistant-registration
  test.each([
    () => at("/private.json"),
    () => `https://127.0.0.1:${port()}/private.json`,
    () => `https://[::1]:${port()}/private.json`,
    () => `https://[::ffff:7f00:1]:${port()}/private.json`,
    () => `https://localhost.:${port()}/private.json`,
    () => `https://no-such-name.belfry-peer.internal:${port()}/private.json`,
  ])("a visitor's document is not fetched, and a private name looks like a missing one (%#)", async (address) => {
    const client_id = address();
    describeAt("/private.json", { client_id });
    const { status, text } = await new HttpVisitor(world).get(buildAuthorizeRequest(client_id).path);
    expect(status).toBe(422);
    expect(text).toContain("its host is not on the public internet");
    expect(asked).toEqual([]);
  });
});

describe.skipIf(NO_CERTIFICATE)("with a host allowed for descriptions alone", () => {
  // rules#assistant-registration rules#push-addresses
  test("neither a webhook nor a push service may be there", async () => {
    const settings = {
      CLIENT_METADATA_ALLOW_HOSTS: host,
      WEB_PUSH: "on",
      WEB_PUSH_CONTACT: "https://ops.example.org/",
    };
    const world = await World.open({ settings });
    try {
      const webhook = await world.rest("create_webhook", { url: at("/hook"), events: ["alert.sent"] });
      expect(webhook.body.error).toMatchObject({ type: "invalid_request", param: "url" });
      const { status, body } = await world.handset("PUT", "/devices/me/push", await world.device(), {
        kind: "web_push",
        endpoint: at("/push"),
      });
      expect({ status, param: body.error.param }).toEqual({ status: 422, param: "endpoint" });
      expect(asked).toEqual([]);
    } finally {
      await world.close();
    }
  });
});
