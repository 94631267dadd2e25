// Registration of assistants: permitted clients, their metadata, and limits. The assistants that people use get a token
// by their real registration bodies.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpVisitor } from "../support/console_site.ts";
import { signInOwner } from "../support/console_site.ts";
import { buildAuthorizeRequest, connectAssistant, registerClient, USUAL_CLIENT } from "../support/oauth_flow.ts";
import { World } from "../support/world.ts";

const CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback";
const PUBLIC = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** As these programs register, with the address that they then use. */
const PROGRAMS: { name: string; uses: string; body: Record<string, unknown> }[] = [
  {
    name: "Claude Code",
    uses: "http://localhost:54321/callback",
    body: { ...PUBLIC, client_name: "Claude Code (belfry)", redirect_uris: ["http://localhost:54321/callback"] },
  },
  {
    name: "claude.ai",
    uses: "https://claude.ai/api/mcp/auth_callback",
    body: {
      ...PUBLIC,
      client_name: "Claude",
      client_uri: "https://claude.ai",
      logo_uri: "https://claude.ai/images/logo.png",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
      token_endpoint_auth_method: "client_secret_post",
      scope: "account:read pushers:read",
    },
  },
  {
    name: "ChatGPT",
    uses: "https://chatgpt.com/connector_platform_oauth_redirect",
    body: {
      ...PUBLIC,
      client_name: "ChatGPT",
      redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
      token_endpoint_auth_method: "client_secret_basic",
    },
  },
  {
    name: "Cursor, by its own scheme",
    uses: CURSOR,
    body: {
      ...PUBLIC,
      client_name: "Cursor",
      redirect_uris: [CURSOR, "https://www.cursor.com/agents/mcp/oauth/callback", "http://localhost:8787/callback"],
    },
  },
  {
    name: "Cursor, by its web address",
    uses: "https://www.cursor.com/agents/mcp/oauth/callback",
    body: {
      ...PUBLIC,
      client_name: "Cursor",
      redirect_uris: [CURSOR, "https://www.cursor.com/agents/mcp/oauth/callback"],
    },
  },
  {
    name: "VS Code",
    uses: "http://127.0.0.1:33418/",
    body: {
      client_name: "Visual Studio Code",
      client_uri: "https://code.visualstudio.com",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
      scope: "account:read",
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
  },
  {
    name: "an extension of VS Code",
    uses: "vscode://publisher.extension/oauth/callback",
    body: {
      ...PUBLIC,
      client_name: "Extension",
      redirect_uris: ["vscode://publisher.extension/oauth/callback", "vscode-insiders://publisher.extension/x"],
    },
  },
  {
    name: "Windsurf",
    uses: "windsurf://codeium.windsurf/oauth/callback",
    body: {
      ...PUBLIC,
      client_name: "Windsurf",
      redirect_uris: ["windsurf://codeium.windsurf/oauth/callback", "http://127.0.0.1:44321/callback"],
    },
  },
  {
    name: "Codex",
    uses: "http://127.0.0.1:43210/callback",
    body: { ...PUBLIC, client_name: "Codex", redirect_uris: ["http://127.0.0.1:43210/callback"] },
  },
  {
    name: "Gemini CLI",
    uses: "http://localhost:7777/oauth/callback",
    body: {
      ...PUBLIC,
      client_name: "Gemini CLI MCP Client",
      redirect_uris: ["http://localhost:7777/oauth/callback"],
      scope: "",
    },
  },
  {
    name: "mcp-remote",
    uses: "http://localhost:3334/oauth/callback",
    body: {
      ...PUBLIC,
      client_name: "MCP CLI Proxy",
      client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
      redirect_uris: ["http://localhost:3334/oauth/callback"],
      software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
      software_version: "0.1.31",
    },
  },
  {
    name: "MCP Inspector",
    uses: "http://localhost:6274/oauth/callback",
    body: {
      ...PUBLIC,
      client_name: "MCP Inspector",
      client_uri: "https://github.com/modelcontextprotocol/inspector",
      redirect_uris: ["http://localhost:6274/oauth/callback"],
      scope: "account:read pushers:read",
    },
  },
  {
    name: "a program with a reverse-domain scheme",
    uses: "com.example.app:/oauth/callback",
    body: { ...PUBLIC, client_name: "Example", redirect_uris: ["com.example.app:/oauth/callback"] },
  },
];

describe("on a service", () => {
  let world: World;
  let owner: HttpVisitor;
  beforeAll(async () => {
    world = await World.open({ settings: { OAUTH_REDIRECT_SCHEMES: "myeditor" } });
    owner = await signInOwner(world);
  });
  afterAll(() => world?.close());

  test.each(PROGRAMS)("$name registers, is let in and gets its tokens", async ({ uses, body }) => {
    const registered = await registerClient(world, JSON.stringify(body));
    expect(registered).toMatchObject({
      status: 201,
      body: { redirect_uris: body.redirect_uris, grant_types: ["authorization_code", "refresh_token"] },
    });
    expect(registered.headers.get("cache-control")).toBe("no-store");
    const { tokens, next, consent } = await connectAssistant(world, owner, registered.body, { redirect_uri: uses });
    expect(next.href.startsWith(new URL(uses).href.split("?")[0]!)).toBe(true);
    expect(tokens).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    expect(tokens.body.refresh_token).toEqual(expect.any(String));
    const me = await world.mcp("get_me", {}, tokens.body.access_token);
    expect(me.body.credential).toMatchObject({ type: "oauth", name: body.client_name });
    // The kind of the address, and for a program's own scheme the whole of it.
    expect(consent).toContain(/^https?:/.test(uses) ? new URL(uses).host : uses);
  });

  // rules#assistant-redirects
  test("a scheme that the operator names is one, and only the whole address matches", async () => {
    const address = "myeditor://plugin/callback";
    const { status, body } = await registerClient(world, { redirect_uris: [address] });
    expect(status).toBe(201);
    expect((await connectAssistant(world, owner, body, { redirect_uri: address })).tokens.status).toBe(200);
    for (const other of ["myeditor://plugin/callback/x", "myeditor://plugin", "myeditor://other/callback"])
      await expect(connectAssistant(world, owner, body, { redirect_uri: other })).rejects.toThrow(/422/);
    expect((await registerClient(world, { redirect_uris: ["youreditor://plugin/callback"] })).status).toBe(400);
  });

  test.each([
    "javascript:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "JavaScript:/alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://example.com/x",
    "about:blank",
    "view-source:https://example.com/",
    "filesystem:https://example.com/x",
    "intent://x#Intent;end",
    "ftp://example.com/x",
    "mailto:a@example.com",
    "ws://example.com/x",
    "com.apple.shortcuts:/callback",
    "com.android.settings:/callback",
    "x-apple.systempreferences:/callback",
    "shell.application:/callback",
    "http://example.com/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://localhost.example.com/callback",
    "http://localhost@example.com/callback",
    "https://user:pass@example.com/callback",
    "https://example.com/callback#here",
    "https:example.com/callback",
    "https:///callback",
    "https://exa mple.com/callback",
    "https://example.com\\callback",
    "https://example.com/\u0000",
    "https://exämple.com/callback",
    "cursor:callback",
    "CURSOR",
    "myeditor",
    "youreditor://x/callback",
    "/callback",
    "",
  ])("an answer is never sent to %j", async (address) => {
    for (const redirect_uris of [[address], [...USUAL_CLIENT.redirect_uris, address]]) {
      const { status, body } = await registerClient(world, { redirect_uris });
      expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_redirect_uri" });
      expect(body.error_description).toEqual(expect.any(String));
    }
  });

  const addresses = (count: number, length = 40) =>
    Array.from({ length: count }, (_, i) => `https://example.com/${i}/`.padEnd(length, "x"));
  const BOUNDS: [field: string, fits: unknown, over: unknown[]][] = [
    ["client_name", "😀".repeat(120), ["n".repeat(121), "n".repeat(200_000 / 4), "a\u0000b", "a\nb", "\ud800", 5, {}]],
    [
      "redirect_uris",
      addresses(10, 2048),
      [addresses(11), addresses(1, 2049), addresses(1000), [], "https://example.com/", [5], [null], [[]], {}],
    ],
    ["client_uri", "https://example.com/".padEnd(2048, "x"), ["https://e.com/".padEnd(2049, "x"), "javascript:x", 5]],
    ["grant_types", [], [["client_credentials"], ["implicit"], "authorization_code", [5], [""]]],
    ["response_types", ["code"], [["token"], [], "code", Array(21).fill("code")]],
    ["token_endpoint_auth_method", "none", ["private_key_jwt", "client_secret_jwt", "tls_client_auth", 5]],
    ["application_type", "native", ["desktop", 5]],
  ];
  test.each(BOUNDS)("%s has its limits", async (field, fits, over) => {
    expect((await registerClient(world, { [field]: fits })).status).toBe(201);
    const error = field === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata";
    for (const value of over) {
      const { status, body } = await registerClient(world, { [field]: value });
      expect({ value, status, error: body.error }).toEqual({ value, status: 400, error });
      expect(body.error_description).toContain(field.replace("redirect_uris", "redirect"));
    }
  });

  test("metadata that a server would fetch, show or trust is neither stored nor returned", async () => {
    const more = {
      backchannel_logout_uri: "https://internal.example/logout",
      backchannel_logout_session_required: true,
      post_logout_redirect_uris: ["https://example.com/bye"],
      jwks_uri: "https://internal.example/jwks",
      jwks: { keys: [{ kty: "OKP" }] },
      logo_uri: "https://internal.example/logo",
      tos_uri: "https://internal.example/tos",
      policy_uri: "https://internal.example/policy",
      contacts: ["a@example.com"],
      software_id: "id",
      software_statement: "x.y.z",
      scope: "alerts:send",
      skip_consent: true,
      dpop_bound_access_tokens: true,
      client_id: "mine",
      client_secret: "mine",
      metadata: { x: 1 },
      resources: ["https://example.com/"],
      user_id: "somebody",
    };
    const { status, body } = await registerClient(world, more);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(
      [...Object.keys(USUAL_CLIENT), "application_type", "client_id", "client_id_issued_at"].sort(),
    );
    expect(body.client_id).not.toBe("mine");
    const [row] = await world.sql(`select * from auth."oauthClient" where "clientId" = ?`, [body.client_id]);
    const kept = Object.entries(row).filter(([, value]) => value !== null && value !== false);
    expect(kept.map(([name]) => name).sort()).toEqual(
      (
        "applicationType clientId createdAt grantTypes id name redirectUris responseTypes tokenEndpointAuthMethod " +
        "updatedAt"
      ).split(" "),
    );
    expect(JSON.stringify(row)).not.toContain("internal.example");
  });

  test("a client without a grant is deleted after a day; one with a grant stays", async () => {
    const [unused, fresh, used] = await Promise.all([1, 2, 3].map(async () => (await registerClient(world)).body));
    const { tokens } = await connectAssistant(world, owner, used);
    await world.sql(`update auth."oauthClient" set "createdAt" = now() - interval '25 hours' where "clientId" <> ?`, [
      fresh.client_id,
    ]);
    await world.service.housekeeping.round("oauth_clients");
    const ids = [unused, fresh, used].map(({ client_id }) => client_id);
    const left = await world.sql(`select "clientId" as id from auth."oauthClient" where "clientId" in (?, ?, ?)`, ids);
    expect(left.map(({ id }) => id).sort()).toEqual([fresh.client_id, used.client_id].sort());
    expect((await world.mcp("get_me", {}, tokens.body.access_token)).status).toBe(200);
    expect((await owner.get(buildAuthorizeRequest(unused.client_id).path)).text).toContain(
      "is not registered on this server",
    );
  });

  test("a client that requests a secret gets one, kept as a hash alone", async () => {
    const { body } = await registerClient(world, { token_endpoint_auth_method: undefined });
    expect(body).toMatchObject({ token_endpoint_auth_method: "client_secret_basic", client_secret_expires_at: 0 });
    const [row] = await world.sql(`select "clientSecret" as s from auth."oauthClient" where "clientId" = ?`, [
      body.client_id,
    ]);
    expect(row.s).not.toContain(body.client_secret);
    const { tokens } = await connectAssistant(world, owner, body);
    expect(tokens.status).toBe(200);
    const wrong = await connectAssistant(world, owner, { ...body, client_secret: "wrong" }, { prompt: "consent" });
    expect(wrong.tokens).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(wrong.tokens.headers.get("www-authenticate")).toBe("Basic");
  });
});

describe("how often one address registers", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ settings: { CLIENT_REGISTRATIONS_PER_MINUTE: "3" } });
  });
  afterAll(() => world?.close());

  // rules#assistant-registration
  test("limited for each minute, with its own count; refusals and those from loopback are not counted", async () => {
    const from = async (address: string | null, fields = {}) => (await registerClient(world, fields, address)).status;
    for (let i = 0; i < 5; i += 1) expect(await from("203.0.113.7", { redirect_uris: [] })).toBe(400);
    for (let i = 0; i < 3; i += 1) expect(await from("203.0.113.7")).toBe(201);
    const refused = await registerClient(world, {}, "203.0.113.7");
    expect(refused).toMatchObject({ status: 429, body: { error: "temporarily_unavailable" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit-policy")).toBe('"client-registrations";q=3;w=60');
    expect(await from("203.0.113.8")).toBe(201);
    for (const address of ["127.0.0.1", "::1", null])
      for (let i = 0; i < 5; i += 1) expect(await from(address)).toBe(201);
    const [{ n }] = await world.sql(`select count(*)::int as n from auth."oauthClient"`);
    expect(n).toBe(3 + 1 + 15);
  });

  test("a registration that is not a JSON object is refused", async () => {
    expect((await registerClient(world, "[]")).body.error).toBe("invalid_client_metadata");
    expect((await registerClient(world, "{")).body.error).toBe("invalid_client_metadata");
    expect((await registerClient(world, "")).body.error).toBe("invalid_client_metadata");
  });
});
