// Differences between clients that do not matter: spellings of our own resource, names of loopback, stray secrets,
// unknown scopes. Each has a similar case that does matter and is refused.

import { describe, expect, test } from "vitest";
import { canonicalizeOwnResources } from "../../src/identity/auth/canonical_resource_indicator.ts";
import { INITIAL_ASSISTANT_SCOPES } from "../../src/model/scopes.ts";
import type { HttpVisitor } from "../support/console_site.ts";
import {
  allowConsent,
  buildAuthorizeRequest,
  CALLBACK,
  connectAssistant,
  OAUTH,
  openWorldWithOwner,
  registerClient,
  SERVER_ORIGIN,
  sendForm,
  USUAL_CLIENT,
} from "../support/oauth_flow.ts";
import type { World } from "../support/world.ts";

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

describe("on a service", () => {
  let world: World;
  let owner: HttpVisitor;
  openWorldWithOwner((...opened) => {
    [world, owner] = opened;
  });

  const token = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    sendForm(world, `${OAUTH}/token`, fields, headers);

  /** Where an authorization request leads: the consent page, or the status of the answer. */
  async function leadsTo(client: string, more: Record<string, string>): Promise<string | number> {
    const { status, headers } = await owner.get(buildAuthorizeRequest(client, more).path);
    return headers.get("location")?.includes("/console/consent?") ? "consent" : status;
  }

  /** A code of a client, with the form that redeems it. */
  async function codeFor(client_id: string, more: Record<string, string> = {}) {
    const { verifier, path } = buildAuthorizeRequest(client_id, more);
    const { next } = await allowConsent(owner, (await owner.get(path)).headers.get("location")!);
    return {
      grant_type: "authorization_code",
      code: next.searchParams.get("code")!,
      redirect_uri: more.redirect_uri ?? CALLBACK,
      code_verifier: verifier,
    };
  }

  describe("a client that is not registered", () => {
    const FORMS: Record<string, string>[] = [
      { grant_type: "refresh_token", refresh_token: "x" },
      { grant_type: "authorization_code", code: "x", code_verifier: "v".repeat(43), redirect_uri: CALLBACK },
      { grant_type: "client_credentials" },
    ];

    // rules#assistant-unknown
    test("gets that error at the token endpoint, for every grant", async () => {
      for (const fields of FORMS)
        for (const client_id of ["nosuchclient", "https://nosuchclient.example/client.json", "x".repeat(4000)]) {
          const { status, body, headers } = await token({ ...fields, client_id });
          expect({ status, error: body.error }).toEqual({ status: 401, error: "invalid_client" });
          expect(headers.get("cache-control")).toBe("no-store");
          expect(headers.get("www-authenticate")).toBeNull();
          expect(body.error_description).not.toContain(client_id);
        }
    });

    // rules#assistant-unknown
    test("gets a challenge when it came with a header, and the same answer when it revokes", async () => {
      for (const fields of FORMS) {
        const { status, body, headers } = await token(fields, basic("nosuchclient", "secret"));
        expect({ status, error: body.error }).toEqual({ status: 401, error: "invalid_client" });
        expect(headers.get("www-authenticate")).toBe("Basic");
      }
      const revoked = await sendForm(world, `${OAUTH}/revoke`, { client_id: "nosuchclient", token: "x" });
      expect(revoked).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    });

    // rules#assistant-unknown
    test("includes a removed one; a registered one with a wrong token gets the token's error", async () => {
      const { client_id } = (await registerClient(world)).body;
      const fields = { grant_type: "refresh_token", refresh_token: "x", client_id };
      expect(await token(fields)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
      await world.sql(`delete from auth."oauthClient" where "clientId" = ?`, [client_id]);
      expect(await token(fields)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    });
  });

  describe("the resource", () => {
    const OURS = [
      `${SERVER_ORIGIN}/mcp`,
      `${SERVER_ORIGIN}/mcp/`,
      SERVER_ORIGIN,
      `${SERVER_ORIGIN}/`,
      "http://LOCALHOST:8787/mcp",
      "HTTP://LocalHost:8787/mcp/",
      "http://127.0.0.1:8787/mcp",
      "http://[::1]:8787",
      "",
    ];
    const FOREIGN = [
      "https://other.example/mcp",
      "http://localhost:8788/mcp",
      "http://localhost/mcp",
      "https://localhost:8787/mcp",
      "http://localhost.evil.example:8787/mcp",
      "http://127.0.0.2:8787/mcp",
      "http://user@localhost:8787/mcp",
      "http://localhost:8787@evil.example/mcp",
      `${SERVER_ORIGIN}/mcp?x=1`,
      `${SERVER_ORIGIN}/api/v1`,
      `${SERVER_ORIGIN}/MCP`,
      `${SERVER_ORIGIN}/mcp/x`,
    ];

    // rules#assistant-resource
    test.each(OURS)("%j is ours at each step, and the audience is canonical", async (resource) => {
      const { client_id } = (await registerClient(world)).body;
      const fields = await codeFor(client_id, { resource });
      const given = await token({ ...fields, client_id, resource });
      expect(given.status).toBe(200);
      const { refresh_token } = given.body;
      const again = await token({ grant_type: "refresh_token", client_id, refresh_token, resource });
      expect(again.status).toBe(200);
      for (const { body } of [given, again]) {
        expect(claimsOf(body.access_token).aud).toBe(`${SERVER_ORIGIN}/mcp`);
        expect((await world.mcp("get_me", {}, body.access_token)).status).toBe(200);
      }
    });

    // rules#assistant-resource
    test.each(FOREIGN)("%j is foreign at each step", async (resource) => {
      const { client_id } = (await registerClient(world)).body;
      expect(await leadsTo(client_id, { resource })).toBe(422);
      const { body } = await token({ ...(await codeFor(client_id)), client_id, resource });
      expect(body).toMatchObject({ error: "invalid_target" });
      const { refresh_token } = (await connectAssistant(world, owner, { client_id })).tokens.body;
      const again = await token({ grant_type: "refresh_token", client_id, refresh_token, resource });
      expect(again).toMatchObject({ status: 400, body: { error: "invalid_target" } });
      expect((await token({ grant_type: "refresh_token", client_id, refresh_token })).status).toBe(200);
    });

    // rules#assistant-resource
    test("a client that names no resource at any step gets a token that works", async () => {
      const { client_id } = (await registerClient(world)).body;
      const { verifier, path } = buildAuthorizeRequest(client_id);
      const url = new URL(path, SERVER_ORIGIN);
      url.searchParams.delete("resource");
      const page = (await owner.get(url.pathname + url.search)).headers.get("location")!;
      const code = (await allowConsent(owner, page)).next.searchParams.get("code")!;
      const fields = { grant_type: "authorization_code", client_id, code, code_verifier: verifier };
      const { body } = await token({ ...fields, redirect_uri: CALLBACK });
      expect((await world.mcp("get_me", {}, body.access_token)).status).toBe(200);
    });

    // rules#assistant-resource
    test("a service with a name of its own knows only this name", () => {
      const canonical = (resource: string) => {
        const parameters = new URLSearchParams({ resource });
        canonicalizeOwnResources(parameters, "https://alerts.example");
        return parameters.getAll("resource");
      };
      for (const resource of ["https://alerts.example", "https://ALERTS.example:443/mcp/"])
        expect(canonical(resource)).toEqual(["https://alerts.example/mcp"]);
      for (const resource of [
        "http://alerts.example/mcp",
        "https://localhost/mcp",
        "https://alerts.example.evil.example",
      ])
        expect(canonical(resource)).toEqual([resource]);
    });
  });

  describe("redirect addresses on loopback", () => {
    const registered = async (redirect: string): Promise<string> =>
      (await registerClient(world, { redirect_uris: [redirect] })).body.client_id;

    // rules#assistant-redirects
    test.each([
      ["http://localhost:1234/callback", "http://127.0.0.1:5678/callback"],
      ["http://localhost:1234/callback", "http://[::1]:5678/callback"],
      ["http://127.0.0.1/callback", "http://localhost:5678/callback"],
      ["http://[::1]:1/callback", "http://localhost/callback"],
      ["http://LOCALHOST:1/a?b=c", "http://127.0.0.1:2/a?b=c"],
      ["http://127.0.0.1:33418/", "http://localhost:40000/"],
      ["http://127.0.0.1:33418", "http://127.0.0.1:33418/"],
      ["http://127.0.0.1:33418/", "http://127.0.0.1:50001"],
    ])("%s was registered, and %s gets the code", async (first, second) => {
      const client_id = await registered(first);
      const { next, tokens } = await connectAssistant(world, owner, { client_id }, { redirect_uri: second });
      expect(next.href.startsWith(second.split("?")[0]!)).toBe(true);
      expect(tokens.status).toBe(200);
    });

    // rules#assistant-redirects
    test.each([
      "http://localhost:1234/other",
      "http://localhost:1234/callback/",
      "http://127.0.0.1:1234/Callback",
      "http://127.0.0.1:1234/callback?x=1",
      "https://localhost:1234/callback",
      "http://localhost.evil.example:1234/callback",
      "http://127.0.0.1.nip.io/callback",
      "http://0x7f.1/callback",
      "http://127.1/callback",
      "http://2130706433/callback",
      "http://127.0.0.2/callback",
      "http://0.0.0.0/callback",
      "http://[::ffff:127.0.0.1]/callback",
      "http://localhost./callback",
      "http://user@localhost/callback",
      "http://localhost@evil.example/callback",
      "http://localhost:80@evil.example/callback",
      "http://localhost#@evil.example/callback",
      "http://evil.example/callback",
      "http://localhost:x/callback",
      "//localhost/callback",
    ])("http://localhost:1234/callback was registered, and %s gets nothing", async (redirect_uri) => {
      const client_id = await registered("http://localhost:1234/callback");
      expect(await leadsTo(client_id, { redirect_uri })).toBe(422);
    });

    // rules#assistant-redirects
    test("the token endpoint takes the very address that the code was sent to", async () => {
      const client_id = await registered("http://localhost:1234/callback");
      const sent = "http://127.0.0.1:5678/callback";
      for (const redirect_uri of ["http://localhost:5678/callback", "http://127.0.0.1:5679/callback"]) {
        const fields = await codeFor(client_id, { redirect_uri: sent });
        expect((await token({ ...fields, client_id, redirect_uri })).body.error).toBe("invalid_grant");
      }
    });

    // rules#assistant-redirects
    test("another program on the machine that receives the code has no use of it without the verifier", async () => {
      const client_id = await registered("http://localhost:1234/callback");
      const fields = await codeFor(client_id, { redirect_uri: "http://127.0.0.1:9/callback" });
      for (const code_verifier of ["v".repeat(43), ""])
        expect((await token({ ...fields, client_id, code_verifier })).status).toBeGreaterThanOrEqual(400);
    });
  });

  describe("secrets", () => {
    // rules#assistant-tolerance
    test("a secret of a client that has none is ignored, wherever it is", async () => {
      const { client_id } = (await registerClient(world)).body;
      const ways: [Record<string, string>, Record<string, string>][] = [
        [{ client_id, client_secret: "stray" }, {}],
        [{ client_id, client_secret: "" }, {}],
        [{ client_id, client_assertion: "a.b.c", client_assertion_type: "urn:ietf:params:oauth:x" }, {}],
        [{}, basic(client_id, "stray")],
        [{}, basic(client_id, "")],
        [{ client_id, client_secret: "stray" }, basic(client_id, "stray")],
        [{ client_id }, basic("a proxy's user", "and password")],
        [{ client_id }, { authorization: "Bearer of another program" }],
      ];
      for (const [fields, headers] of ways) {
        const given = await token({ ...(await codeFor(client_id)), ...fields }, headers);
        expect({ fields, headers, status: given.status }).toEqual({ fields, headers, status: 200 });
        const { refresh_token } = given.body;
        const again = await token({ grant_type: "refresh_token", refresh_token, ...fields }, headers);
        expect(again.status).toBe(200);
        const revoked = { token: again.body.refresh_token, ...fields };
        expect((await sendForm(world, `${OAUTH}/revoke`, revoked, headers)).status).toBe(200);
        expect((await world.mcp("get_me", {}, again.body.access_token)).status).toBe(401);
      }
    });

    // rules#assistant-tolerance
    test.each(["client_secret_basic", "client_secret_post"])(
      "a client of %s may send its secret either way, and must send the right one",
      async (method) => {
        const { client_id, client_secret } = (await registerClient(world, { token_endpoint_auth_method: method })).body;
        const code = () => codeFor(client_id);
        const right: [Record<string, string>, Record<string, string>][] = [
          [{ client_id, client_secret }, {}],
          [{}, basic(client_id, client_secret)],
          [{ client_id }, basic(client_id, client_secret)],
        ];
        for (const [fields, headers] of right)
          expect((await token({ ...(await code()), ...fields }, headers)).status).toBe(200);
        const wrong: [Record<string, string>, Record<string, string>][] = [
          [{ client_id }, {}],
          [{ client_id, client_secret: "wrong" }, {}],
          [{ client_id, client_secret: "" }, {}],
          [{}, basic(client_id, "wrong")],
          [{}, basic(client_id, "")],
          [{ client_id, client_secret }, basic(client_id, "wrong")],
        ];
        for (const [fields, headers] of wrong)
          expect(await token({ ...(await code()), ...fields }, headers)).toMatchObject({
            status: 401,
            body: { error: "invalid_client" },
          });
        const other = (await registerClient(world, { token_endpoint_auth_method: method })).body;
        const two = await token({ ...(await code()), client_id }, basic(other.client_id, other.client_secret));
        expect(two).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      },
    );
  });

  describe("scopes", () => {
    // rules#assistant-tolerance
    test.each([
      ["pushers:read nope", ["pushers:read"]],
      ["openid email profile", INITIAL_ASSISTANT_SCOPES],
      ["openid profile offline_access", INITIAL_ASSISTANT_SCOPES],
      ["nope", INITIAL_ASSISTANT_SCOPES],
      ["", INITIAL_ASSISTANT_SCOPES],
      ["offline_access", INITIAL_ASSISTANT_SCOPES],
      ["alerts:send pushers:read alerts:send", ["pushers:read", "alerts:send"]],
      ["PUSHERS:READ", INITIAL_ASSISTANT_SCOPES],
    ])("%j is read as its known part, or as the defaults", async (scope, wanted) => {
      const { client_id } = (await registerClient(world)).body;
      const { tokens } = await connectAssistant(world, owner, { client_id }, { scope });
      expect(tokens.body.scope.split(" ").sort()).toEqual(["offline_access", ...wanted].sort());
    });

    // rules#assistant-refresh
    test("a client that names no grants gets a refresh token for exactly the scopes of the 401", async () => {
      const challenge = (await world.mcp("get_me", {}, "nothing")).headers.get("www-authenticate")!;
      const scope = /scope="([^"]+)"/.exec(challenge)![1]!;
      const registered = await registerClient(world, JSON.stringify({ ...USUAL_CLIENT, grant_types: undefined }));
      expect(registered.body.grant_types).toEqual(["authorization_code", "refresh_token"]);
      const { client_id } = registered.body;
      const { tokens } = await connectAssistant(world, owner, { client_id }, { scope });
      const { refresh_token } = tokens.body;
      expect((await token({ grant_type: "refresh_token", client_id, refresh_token })).status).toBe(200);
    });

    // rules#assistant-refresh
    test("one that registers for no refresh tokens gets none, even on request", async () => {
      const { client_id } = (await registerClient(world, { grant_types: ["authorization_code"] })).body;
      const { tokens, consent } = await connectAssistant(
        world,
        owner,
        { client_id },
        { scope: "pushers:read offline_access" },
      );
      expect(tokens.body.refresh_token).toBeUndefined();
      expect(tokens.body.scope).toBe("pushers:read");
      expect(consent).toContain("60 minutes");
    });
  });
});
