// Refusals of the authorization server and /mcp: expired sessions, replayed codes, foreign audiences, reused refresh
// tokens, changed redirect addresses and consents for another client. Each on the service, without a browser.

import { describe, expect, test } from "vitest";
import { HttpVisitor } from "../support/console_site.ts";
import { disconnect } from "../support/member_sessions.ts";
import {
  allowConsent,
  buildAuthorizeRequest,
  CALLBACK,
  OAUTH,
  SERVER_ORIGIN as ORIGIN,
  openWorldWithOwner,
  registerClient,
  sendForm,
} from "../support/oauth_flow.ts";
import { timeInSeconds, type World } from "../support/world.ts";

describe("on a service", () => {
  let world: World;
  let owner: HttpVisitor;

  openWorldWithOwner((...opened) => {
    [world, owner] = opened;
  });

  const exchange = (fields: Record<string, string>) => sendForm(world, `${OAUTH}/token`, fields);

  async function register(): Promise<string> {
    const { status, body } = await registerClient(world);
    expect(status).toBe(201);
    return body.client_id;
  }

  const request = (clientId: string, more: Record<string, string> = {}) =>
    buildAuthorizeRequest(clientId, { scope: "pushers:read alerts:write offline_access", prompt: "consent", ...more });

  /** The consent page that a request leads to. */
  const consentPage = async (path: string, visitor = owner): Promise<string> =>
    (await visitor.get(path)).headers.get("location") ?? "";

  /** Allows a request. Returns what redeems its code, and the browser's next address. */
  async function allow(clientId: string) {
    const { verifier, path } = request(clientId);
    const { next } = await allowConsent(owner, await consentPage(path));
    const code = {
      grant_type: "authorization_code",
      client_id: clientId,
      code: next.searchParams.get("code")!,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      resource: `${ORIGIN}/mcp`,
    };
    return { code, next };
  }

  /** The whole way to tokens. */
  async function connect(clientId: string) {
    const { code, next } = await allow(clientId);
    const { status, body } = await exchange(code);
    expect({ status, body }).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
    return { code, tokens: body as { access_token: string; refresh_token: string; scope: string }, next };
  }

  const refresh = (client_id: string, refresh_token: string) =>
    exchange({ grant_type: "refresh_token", client_id, refresh_token, resource: `${ORIGIN}/mcp` });

  const me = (token: string) => world.mcp("get_me", {}, token);

  test("the way that works: consent, a code with iss and state, tokens for this resource alone", async () => {
    const client = await register();
    const { tokens, next } = await connect(client);
    expect(next.searchParams.get("state")).toBe("a state");
    expect(next.searchParams.get("iss")).toBe(`${ORIGIN}/api/auth`);
    const { body } = await me(tokens.access_token);
    expect(body.credential).toMatchObject({ type: "oauth", name: "Assistant" });
    expect(body.credential.scopes.sort()).toEqual(["account:read", "alerts:write", "pushers:read"]);
    // The token is for /mcp; REST takes keys.
    expect((await world.rest("get_me", {}, tokens.access_token)).status).toBe(401);
    // A scope that was not granted is challenged by name.
    const challenged = await world.mcp("list_webhooks", {}, tokens.access_token);
    expect(challenged.status).toBe(403);
    expect(challenged.headers.get("www-authenticate")).toContain('scope="webhooks:read"');
  });

  // rules#mcp-step-up
  test("a client that can request scopes is challenged with those of the call and the one for publishing", async () => {
    const { tokens } = await connect(await register());
    const pusher = await world.pusher();
    const draft = await world.alert(pusher.id);
    const planned = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
    const both = 'scope="alerts:write alerts:send"';
    for (const [tool, args, scope, said] of [
      ["send_alert", { alert_id: draft.id }, 'scope="alerts:send"', draft.review_url],
      ["update_alert", { alert_id: planned.id, title: "x" }, both, planned.review_url],
      ["create_alert", { title: "Never kept", send: true }, both, "review_url"],
    ] as const) {
      const { status, headers } = await world.mcp(tool, { pusher_id: pusher.id, ...args }, tokens.access_token);
      expect(status).toBe(403);
      const challenge = headers.get("www-authenticate")!;
      expect(challenge).toMatch(/^Bearer error="insufficient_scope", scope=/);
      for (const part of [scope, "resource_metadata=", `error_description="`, said]) expect(challenge).toContain(part);
    }
    const { data } = (await world.rest("list_alerts", { pusher_id: pusher.id })).body;
    expect(data.map(({ title }: any) => title)).not.toContain("Never kept");
  });

  test("a replayed code is refused, and what it once gave ends", async () => {
    const client = await register();
    const { code, tokens } = await connect(client);
    expect((await exchange(code)).body).toMatchObject({ error: "invalid_grant" });
    expect((await refresh(client, tokens.refresh_token)).status).toBeGreaterThanOrEqual(400);
  });

  test("a wrong verifier, another client's code and a missing challenge are refused", async () => {
    const [client, other] = [await register(), await register()];
    for (const change of [{ code_verifier: "x".repeat(43) }, { client_id: other }]) {
      const { code } = await allow(client);
      expect((await exchange({ ...code, ...change })).status).toBeGreaterThanOrEqual(400);
    }
    const bare = request(client, { code_challenge: "", code_challenge_method: "" });
    expect(await consentPage(bare.path)).not.toContain("/console/consent");
  });

  // rules#assistant-tokens
  test("a foreign audience is refused", async () => {
    const client = await register();
    const { path } = request(client, { resource: "https://other.example/mcp" });
    expect(await consentPage(path)).not.toContain("/console/consent");
    const { tokens } = await connect(client);
    const [head, payload, signature] = tokens.access_token.split(".");
    const claims = JSON.parse(Buffer.from(payload!, "base64url").toString());
    expect([claims.aud].flat()).toContain(`${ORIGIN}/mcp`);
    const changed = Buffer.from(JSON.stringify({ ...claims, aud: "https://other.example/mcp" })).toString("base64url");
    for (const forged of [`${head}.${changed}.${signature}`, `${head}.${payload}.${signature!.slice(2)}AA`, "x.y.z"])
      expect((await me(forged)).status).toBe(401);
  });

  test("a reused refresh token is refused and ends the family", async () => {
    const client = await register();
    const { tokens } = await connect(client);
    const next = await refresh(client, tokens.refresh_token);
    expect(next.status).toBe(200);
    expect((await me(next.body.access_token)).status).toBe(200);
    // Past the minute in which a retry is answered.
    await world.sql(
      `update auth."oauthRefreshToken" set "rotatedAt" = now() - interval '1 hour' where "rotatedAt" is not null`,
    );
    expect((await refresh(client, tokens.refresh_token)).status).toBeGreaterThanOrEqual(400);
    expect((await refresh(client, next.body.refresh_token)).status).toBeGreaterThanOrEqual(400);
  });

  // rules#assistant-redirects
  test("a changed redirect address is refused at both ends", async () => {
    const client = await register();
    for (const redirect_uri of [
      "http://127.0.0.1:7777/other",
      "https://evil.example/callback",
      `${CALLBACK}?x=1`,
      "http://127.0.0.1:7777/callback/../x",
    ]) {
      const location = await consentPage(request(client, { redirect_uri }).path);
      expect(location).not.toContain("/console/consent");
      expect(location).not.toContain("evil.example");
    }
    const { code } = await allow(client);
    const redirect_uri = "http://127.0.0.1:7777/other";
    expect((await exchange({ ...code, redirect_uri })).status).toBeGreaterThanOrEqual(400);
  });

  test("a consent for another client, or a changed request, is refused and grants nothing", async () => {
    const [client, other] = [await register(), await register()];
    const page = await consentPage(request(client).path);
    const before = await world.sql("select count(*)::int as n from connection");
    const query = new URL(page, ORIGIN).searchParams;
    query.set("client_id", other);
    const allowWith = (fields: Record<string, string[]>) =>
      allowConsent(owner, page, { oauth_query: [query.toString()], ...fields });
    await expect(allowWith({})).rejects.toThrow(/^consent: 4/);
    query.set("client_id", client);
    query.set("scope", "alerts:send");
    await expect(allowWith({ scope: ["alerts:send"] })).rejects.toThrow(/^consent: 4/);
    expect(await world.sql("select count(*)::int as n from connection")).toEqual(before);
  });

  // rules#assistant-disconnect
  test("disconnecting ends the next call and the refresh, on every process", async () => {
    const client = await register();
    const { tokens } = await connect(client);
    const replica = await world.replica();
    expect((await replica.mcp("get_me", {}, tokens.access_token)).status).toBe(200);
    const [{ id }] = await world.sql("select id from connection where client_id = ?", [client]);
    await disconnect(world, id);
    expect((await me(tokens.access_token)).status).toBe(401);
    expect((await replica.mcp("get_me", {}, tokens.access_token)).status).toBe(401);
    expect((await refresh(client, tokens.refresh_token)).status).toBeGreaterThanOrEqual(400);
    await replica.leave();
  });

  test("an expired session consents to nothing", async () => {
    const client = await register();
    const { path } = request(client);
    const visitor = new HttpVisitor(world);
    for (const [name, value] of owner.cookies) visitor.cookies.set(name, value);
    expect(await consentPage(path, visitor)).toContain("/console/consent");
    await world.sql(`update auth.session set "expiresAt" = now() - interval '1 hour'`);
    expect(await consentPage(path, visitor)).toContain("/console/sign-in");
    expect((await visitor.get(`/console/${world.workspace.id}/`)).headers.get("location")).toContain("sign-in");
  });
});
