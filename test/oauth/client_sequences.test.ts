// The sequences of real assistants, as far as their sources or public reports show them: metadata look-up,
// registration, requested scopes, and refresh. Each runs through a first start, two starts at once, concurrent
// refreshes with a restart between, and a loss of either side's memory.

import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { HttpVisitor } from "../support/console_site.ts";
import {
  allowConsent,
  OAUTH,
  type OAuthAnswer,
  openWorldWithOwner,
  SERVER_ORIGIN,
  sendForm,
  sendOAuthRequest,
} from "../support/oauth_flow.ts";
import type { World } from "../support/world.ts";

type Fields = Record<string, string>;

/** The documents that a program has read, and the scopes that the 401 names. */
interface Known {
  challenged: string;
  server: any;
  resource: any;
}

interface Program {
  name: string;
  /** Paths at which it looks for the resource's metadata, until one answers; none: it reads no such document. */
  resourceAt: readonly string[];
  /** The same for the authorization server's, after the issuer is known. */
  serverAt: readonly string[];
  registers: Record<string, unknown>;
  /** The redirect address, and the one at its next start. */
  redirects: readonly [first: string, next: string];
  asks(known: Known): Fields;
  /** The parameters that it sends with a code, in addition to the code, the verifier and the redirect address. */
  redeems?(known: Known): Fields;
  refreshes?(known: Known): Fields;
  /** The scopes that the person ticks; all requested ones where it is absent. */
  ticked?: readonly string[];
  /** It sends no redirect address with a code. */
  withoutRedirect?: true;
}

const PRM = "/.well-known/oauth-protected-resource";
const AS = "/.well-known/oauth-authorization-server";
/** With path insertion, as RFC 8414 defines it for an issuer with a path. */
const INSERTED = `${AS}/api/auth`;
const PUBLIC = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
const resource = ({ resource: { resource } }: Known) => ({ resource });

const PROGRAMS: Program[] = [
  {
    // anthropics/claude-code issues 89321 (a registered port is used again), 74250 and 85236 (each session
    // refreshes from its own copy, three of them within 8 seconds), 89862 (a refresh names no scope).
    name: "Claude Code",
    resourceAt: [`${PRM}/mcp`],
    serverAt: [INSERTED],
    registers: { ...PUBLIC, client_name: "Claude Code (belfry)", redirect_uris: ["http://localhost:3118/callback"] },
    redirects: ["http://localhost:3118/callback", "http://localhost:54321/callback"],
    asks: (known) => ({ scope: known.challenged, state: "s", ...resource(known) }),
    redeems: resource,
    refreshes: resource,
  },
  {
    // geelen/mcp-remote, src/lib: node-oauth-client-provider.ts, authorization-server-metadata.ts (the
    // document at the origin). Pull request 351: five instances wake up with one expired token.
    name: "mcp-remote",
    resourceAt: [`${PRM}/mcp`],
    serverAt: [AS],
    registers: {
      ...PUBLIC,
      client_name: "MCP CLI Proxy",
      client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
      redirect_uris: ["http://localhost:3334/oauth/callback"],
      software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
      software_version: "0.1.38",
    },
    redirects: ["http://localhost:3334/oauth/callback", "http://127.0.0.1:3335/oauth/callback"],
    asks: (known) => ({ scope: known.challenged, state: "s", ...resource(known) }),
    redeems: resource,
    refreshes: resource,
  },
  {
    // The same file: its scopes where it has read no metadata, and its option that leaves the resource out.
    name: "mcp-remote, with its own scopes and without a resource",
    resourceAt: [],
    serverAt: [AS],
    registers: {
      ...PUBLIC,
      client_name: "MCP CLI Proxy",
      redirect_uris: ["http://localhost:3334/oauth/callback"],
      scope: "openid email profile",
    },
    redirects: ["http://localhost:3334/oauth/callback", "http://localhost:3336/oauth/callback"],
    asks: () => ({ scope: "openid email profile", state: "s" }),
  },
  {
    // microsoft/vscode, src/vs/base/common/oauth.ts: the body, the order of documents, the port 33418 unless
    // it is taken. Issue 250960: it keeps a registration that the server lost.
    name: "VS Code",
    resourceAt: [`${PRM}/mcp`, PRM],
    serverAt: [INSERTED, "/.well-known/openid-configuration/api/auth", "/api/auth/.well-known/openid-configuration"],
    registers: {
      ...PUBLIC,
      client_name: "Visual Studio Code",
      client_uri: "https://code.visualstudio.com",
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
      application_type: "native",
    },
    redirects: ["http://127.0.0.1:33418/", "http://127.0.0.1:51004/"],
    asks: (known) => ({ scope: known.resource.scopes_supported.join(" "), state: "s", ...resource(known) }),
    redeems: resource,
    refreshes: (known) => ({ scope: known.resource.scopes_supported.join(" "), ...resource(known) }),
  },
  {
    // erp-mafia/accounted pull request 2225: three addresses in one registration. punkpeye/mcp-remote issue 36: it
    // keeps using a registration that the server lost.
    name: "Cursor",
    resourceAt: [`${PRM}/mcp`],
    serverAt: [INSERTED],
    registers: {
      ...PUBLIC,
      client_name: "Cursor",
      redirect_uris: [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
    },
    redirects: ["cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost:8788/callback"],
    asks: (known) => ({ scope: known.challenged, ...resource(known) }),
    redeems: resource,
    refreshes: resource,
  },
  {
    // danielealbano/android-remote-control-mcp pull request 166 (one address for each connector),
    // stormkit-io/stormkit-io issue 363 (discovery), comet-ml/opik pull request 8286 (calls at once, each
    // with a refresh), teng-lin/notebooklm-py issue 1986 (a refresh token must come by default).
    name: "ChatGPT",
    resourceAt: [`${PRM}/mcp`, PRM],
    serverAt: [INSERTED],
    registers: {
      ...PUBLIC,
      client_name: "ChatGPT",
      redirect_uris: [
        "https://chatgpt.com/connector/oauth/abc123",
        "https://chatgpt.com/connector_platform_oauth_redirect",
      ],
    },
    redirects: ["https://chatgpt.com/connector/oauth/abc123", "https://chatgpt.com/connector_platform_oauth_redirect"],
    asks: (known) => ({ scope: known.resource.scopes_supported.join(" "), state: "s", ...resource(known) }),
    redeems: resource,
    refreshes: () => ({}),
  },
  {
    // anthropics/claude-ai-mcp issues 42 and 840: it does not request offline_access, and has a secret.
    name: "claude.ai",
    resourceAt: [`${PRM}/mcp`],
    serverAt: [INSERTED],
    registers: {
      ...PUBLIC,
      client_name: "Claude",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
      token_endpoint_auth_method: "client_secret_post",
    },
    redirects: ["https://claude.ai/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback"],
    asks: (known) => ({ scope: known.challenged, state: "s", ...resource(known) }),
    redeems: resource,
    refreshes: resource,
  },
  {
    // google-gemini/gemini-cli, packages/core/src/mcp: oauth-utils.ts (documents, the resource with the path as it was
    // typed) and oauth-provider.ts (every scope of the server, also at a refresh).
    name: "Gemini CLI",
    resourceAt: [`${PRM}/mcp`, PRM],
    serverAt: [INSERTED, "/.well-known/openid-configuration/api/auth"],
    registers: {
      ...PUBLIC,
      client_name: "Gemini CLI MCP Client",
      redirect_uris: ["http://localhost:7777/oauth/callback"],
      scope: "",
    },
    redirects: ["http://localhost:7777/oauth/callback", "http://localhost:7777/oauth/callback"],
    asks: (known) => ({
      scope: known.server.scopes_supported.join(" "),
      state: "s",
      resource: `${SERVER_ORIGIN}/mcp/`,
    }),
    redeems: () => ({ resource: `${SERVER_ORIGIN}/mcp/` }),
    refreshes: (known) => ({ scope: known.server.scopes_supported.join(" "), resource: `${SERVER_ORIGIN}/mcp/` }),
    ticked: ["pushers:read", "alerts:write"],
  },
  {
    // MoonshotAI/kimi-code pull request 2620: one registration, and a free port by chance at each start.
    name: "Kimi Code",
    resourceAt: [`${PRM}/mcp`],
    serverAt: [INSERTED],
    registers: { ...PUBLIC, client_name: "Kimi Code", redirect_uris: ["http://127.0.0.1:40123/callback"] },
    redirects: ["http://127.0.0.1:40123/callback", "http://127.0.0.1:61999/callback"],
    asks: (known) => ({ scope: known.challenged, state: "s", ...resource(known) }),
    redeems: resource,
    refreshes: resource,
  },
  {
    // modelcontextprotocol/typescript-sdk 1.8.0, src/client/auth.ts: the document at the origin, no scope, resource or
    // state, and no redirect address with a code. The secret is in the form for any registered method.
    name: "a program on the SDK of 2025-03-26",
    resourceAt: [],
    serverAt: [AS],
    registers: { client_name: "Old program", redirect_uris: ["http://localhost:8090/callback"] },
    redirects: ["http://localhost:8090/callback", "http://localhost:8091/callback"],
    asks: () => ({}),
    withoutRedirect: true,
  },
];

interface Client {
  client_id: string;
  client_secret?: string;
}

describe.each(PROGRAMS)("$name", (program) => {
  let world: World;
  let owner: HttpVisitor;
  let known: Known;
  openWorldWithOwner((...opened) => {
    [world, owner] = opened;
  });

  /** The first document that is there, in the program's own order. */
  async function first(paths: readonly string[]): Promise<any> {
    for (const path of paths) {
      const headers = { accept: "application/json", "mcp-protocol-version": "2025-06-18" };
      const { status, body } = await sendOAuthRequest(world, new Request(SERVER_ORIGIN + path, { headers }));
      if (status === 200) return body;
      expect({ path, status }).toEqual({ path, status: 404 });
    }
    return null;
  }

  async function discover(): Promise<Known> {
    const refused = await world.mcp("get_me", {}, "nothing");
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get("www-authenticate")!;
    expect(challenge).toContain(`resource_metadata="${SERVER_ORIGIN}${PRM}/mcp"`);
    const resource = await first(program.resourceAt);
    if (resource) expect(resource.authorization_servers).toEqual([`${SERVER_ORIGIN}/api/auth`]);
    const server = await first(program.serverAt);
    expect(server.token_endpoint).toBe(`${SERVER_ORIGIN}${OAUTH}/token`);
    return { challenged: /scope="([^"]+)"/.exec(challenge)![1]!, server, resource };
  }

  async function register(): Promise<Client> {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify(program.registers);
    const answer = await sendOAuthRequest(world, new Request(known.server.registration_endpoint, { ...init, body }));
    expect(answer.status).toBe(201);
    return answer.body;
  }

  const ticked: Record<string, string[]> = program.ticked ? { scope: [...program.ticked] } : {};
  const identity = ({ client_id, client_secret }: Client) => ({ client_id, ...(client_secret && { client_secret }) });

  /** Opens the consent page, as a person's browser does. */
  async function begin(client: Client, redirect: string) {
    const verifier = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      redirect_uri: redirect,
      ...program.asks(known),
    });
    const { pathname } = new URL(known.server.authorization_endpoint);
    const { headers, status } = await owner.get(`${pathname}?${query}`);
    return { client, redirect, verifier, status, page: headers.get("location") ?? "" };
  }

  /** The person allows it, and the program redeems its code. */
  async function finish({ client, redirect, verifier, page }: Awaited<ReturnType<typeof begin>>): Promise<OAuthAnswer> {
    const next =
      page.startsWith("/console/") || page.startsWith(SERVER_ORIGIN)
        ? (await allowConsent(owner, page, ticked)).next
        : new URL(page);
    expect(next.href.startsWith(redirect)).toBe(true);
    return sendForm(world, `${OAUTH}/token`, {
      grant_type: "authorization_code",
      code: next.searchParams.get("code")!,
      code_verifier: verifier,
      ...(program.withoutRedirect ? {} : { redirect_uri: redirect }),
      ...identity(client),
      ...program.redeems?.(known),
    });
  }

  const connect = async (client: Client, redirect = program.redirects[0]) => finish(await begin(client, redirect));

  const refresh = (client: Client, refresh_token: string, at = world) =>
    sendForm(at, `${OAUTH}/token`, {
      grant_type: "refresh_token",
      refresh_token,
      ...identity(client),
      ...program.refreshes?.(known),
    });

  const works = async (answer: OAuthAnswer): Promise<string> => {
    expect(answer).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    expect((await world.mcp("get_me", {}, answer.body.access_token)).status).toBe(200);
    return answer.body.refresh_token;
  };

  test("finds the server, registers, connects and stays connected", async () => {
    known = await discover();
    const client = await register();
    let token = await works(await connect(client));
    for (let hour = 0; hour < 3; hour += 1) token = await works(await refresh(client, token));
  });

  test("two starts at once with one registration, on other ports, both connect", async () => {
    const client = await register();
    const [one, two] = [await begin(client, program.redirects[0]), await begin(client, program.redirects[1])];
    const tokens = [await works(await finish(two)), await works(await finish(one))];
    for (const token of tokens) await works(await refresh(client, token));
  });

  test("refreshes at once, and after a restart, stay connected for good", async () => {
    const client = await register();
    const token = await works(await connect(client));
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(client, token)));
    const restarted = await world.replica();
    answers.push(await refresh(client, token, restarted));
    const next = [];
    for (const answer of answers) next.push(await works(answer));
    // An hour later, each from its own copy.
    await world.sql(`update auth."oauthRefreshToken" set "rotatedAt" = "rotatedAt" - interval '1 hour'`);
    for (const each of next) await works(await refresh(client, each, restarted));
    await restarted.leave();
  });

  test("a registration that the server lost is made again", async () => {
    const client = await register();
    const token = await works(await connect(client));
    await world.sql(`delete from auth."oauthClient" where "clientId" = ?`, [client.client_id]);
    expect(await refresh(client, token)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect((await begin(client, program.redirects[0])).status).toBe(422);
    await works(await connect(await register()));
  });

  test("a program that lost its tokens or registration gets new ones, and ends nothing else", async () => {
    const client = await register();
    const token = await works(await connect(client));
    await works(await connect(client));
    await works(await connect(await register()));
    await works(await refresh(client, token));
  });
});
