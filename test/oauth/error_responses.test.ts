// Every response of the authorization server. For any input a client gets an error in OAuth's own shape, never a server
// error. Every address of the metadata exists.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALL_SCOPES } from "../../src/model/scopes.ts";
import type { HttpVisitor } from "../support/console_site.ts";
import { signInOwner } from "../support/console_site.ts";
import {
  allowConsent,
  buildAuthorizeRequest,
  CALLBACK,
  connectAssistant,
  OAUTH,
  type OAuthAnswer,
  registerClient,
  SERVER_ORIGIN,
  sendForm,
  sendOAuthRequest,
  USUAL_CLIENT,
} from "../support/oauth_flow.ts";
import { World } from "../support/world.ts";

const part = (value: object | string) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Texts that a parser, a database or a header might stumble over. */
const GARBAGE = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\uffff",
  "\u202eevil",
  "😀",
  "\r\nx-injected: 1",
  "\u001b[31m",
  "",
  " ",
  "\t",
  "'; drop table member; --",
  "%00",
  "%",
  "__proto__",
  "null",
  "{}",
  "[]",
  "-1",
  "1e999",
  "a.b.c",
  "..",
  "https://",
  "https://[",
  "javascript:alert(1)",
  `${part({ alg: "none" })}.${part({ sub: "x" })}.`,
  `${part({ alg: "EdDSA", kid: "nope" })}.${part({ sub: "x" })}.${part("signature")}`,
  `${part({ alg: "HS256" })}.${part({ aud: `${SERVER_ORIGIN}/mcp` })}.${part("signature")}`,
  `${part({ alg: "EdDSA" })}.${part("no json")}.${part("signature")}`,
  `${part("no json")}.${part("no json")}.x`,
  "x".repeat(5000),
];

/** Values other than texts, where JSON permits them. */
const SHAPES = [null, 0, -1, 1e300, true, {}, [], [[]], [null], ["\u0000"], { "\u0000": 1 }, [{}], ["a", 1]];

const REGISTRATION = [
  ...Object.keys(USUAL_CLIENT),
  "client_uri",
  "application_type",
  "scope",
  "jwks",
  "jwks_uri",
  "backchannel_logout_uri",
  "software_statement",
  "metadata",
  "__proto__",
];
const PARAMETERS = {
  [`${OAUTH}/authorize`]: [
    "client_id",
    "response_type",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "prompt",
    "max_age",
    "claims",
    "request",
    "request_uri",
    "dpop_jkt",
    "response_mode",
    "nonce",
    "sig",
    "exp",
    "unknown",
  ],
  [`${OAUTH}/token`]: [
    "grant_type",
    "client_id",
    "client_secret",
    "client_assertion",
    "client_assertion_type",
    "code",
    "code_verifier",
    "redirect_uri",
    "refresh_token",
    "resource",
    "scope",
    "state",
    "unknown",
  ],
  [`${OAUTH}/revoke`]: ["token", "token_type_hint", "client_id", "client_secret", "unknown"],
};

describe("on a service", () => {
  let world: World;
  let owner: HttpVisitor;
  let client: { client_id: string };
  let tokens: { access_token: string; refresh_token: string };
  beforeAll(async () => {
    world = await World.open();
    owner = await signInOwner(world);
    client = (await registerClient(world)).body;
    tokens = (await connectAssistant(world, owner, client)).tokens.body;
  });
  afterAll(() => world?.close());

  /** An answer that a client of OAuth understands (RFC 6749 §5.2): never a fault, never silence. */
  function inShape(told: OAuthAnswer, sent: unknown): void {
    const seen = { sent, status: told.status, body: told.body };
    if (told.status < 300) return;
    expect(seen).toMatchObject({
      status: expect.toSatisfy((status: number) => status >= 400 && status < 500, "a refusal"),
      body: {
        error: expect.stringMatching(/^[a-z_]+$/),
        error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
      },
    });
    expect(told.headers.get("content-type")).toMatch(/^application\/json/);
    expect(told.headers.get("cache-control")).toBe("no-store");
  }

  test.each(REGISTRATION)("register: %s", async (field) => {
    for (const value of [...GARBAGE, ...SHAPES]) {
      inShape(await registerClient(world, { [field]: value }), value);
      if (field === "redirect_uris") inShape(await registerClient(world, { [field]: [value] }), [value]);
    }
  });

  // rules#oauth-errors
  test("register: bodies", async () => {
    for (const body of [
      "",
      "null",
      "[]",
      "0",
      '"x"',
      "{",
      "\u0000",
      '{"redirect_uris":["\\ud800"]}',
      "x".repeat(1000),
    ]) {
      const told = await registerClient(world, body);
      inShape(told, body);
      expect(told.status).toBe(400);
    }
  });

  /** One that would be answered well but for the parameter that is about to be spoilt. */
  const wellFormed = (path: string): Record<string, string>[] =>
    path.endsWith("/token")
      ? [
          {
            grant_type: "authorization_code",
            client_id: client.client_id,
            code: "a code",
            code_verifier: "v".repeat(43),
            redirect_uri: CALLBACK,
          },
          { grant_type: "refresh_token", client_id: client.client_id, refresh_token: "a token" },
        ]
      : [
          { client_id: client.client_id, token: "a token" },
          { client_id: client.client_id, token: "a token", token_type_hint: "access_token" },
          { client_id: client.client_id, token: "a token", token_type_hint: "refresh_token" },
        ];

  const FORMS = Object.entries(PARAMETERS)
    .filter(([path]) => !path.endsWith("/authorize"))
    .flatMap(([path, names]) => names.map((name) => ({ path, name })));
  test.each(FORMS)("$path: $name", async ({ path, name }) => {
    const all = wellFormed(path);
    const having = all.filter((fields) => Object.hasOwn(fields, name));
    // A parameter that no form has is added to one of them in turn.
    for (const [i, value] of GARBAGE.entries())
      for (const fields of having.length > 0 ? having : [all[i % all.length]])
        inShape(await sendForm(world, path, { ...fields, [name]: value }), value);
    // Twice, or in bytes that are not text.
    const fields = new URLSearchParams(wellFormed(path)[0]).toString();
    for (const more of [`&${name}=a&${name}=b`, `&${name}=%ff`, `&${name}[]=a`, `&${name}[a]=b`, `&%00${name}=a`])
      inShape(await sendForm(world, path, fields + more), more);
  });

  test.each([`${OAUTH}/token`, `${OAUTH}/revoke`])("%s: headers and bodies", async (path) => {
    const [fields] = wellFormed(path);
    for (const authorization of [
      "Basic",
      "Basic ",
      "Basic %",
      `Basic ${btoa("a\u0000b:c")}`,
      `Basic ${btoa("a:\u0000")}`,
      `Basic ${btoa("%00:%00")}`,
      `Basic ${btoa("nobody:secret")}`,
      `Basic ${btoa(client.client_id)}`,
      "Bearer x",
      "DPoP x",
      "x",
    ])
      inShape(await sendForm(world, path, fields!, { authorization }), authorization);
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
      inShape(await sendForm(world, path, JSON.stringify(fields), { "content-type": type }), type);
    for (const body of ["", "&&&", "=", "\u0000", "%", "a".repeat(60_000)])
      inShape(await sendForm(world, path, body), body);
  });

  test.each(PARAMETERS[`${OAUTH}/authorize`]!)("authorize: %s", async (name) => {
    for (const [i, value] of [...GARBAGE, undefined].entries()) {
      const { path } = buildAuthorizeRequest(client.client_id);
      const url = new URL(path, SERVER_ORIGIN);
      if (value === undefined) url.search += `&${name}=%ff&${name}=%00`;
      else url.searchParams.set(name, value);
      // In turn signed in and not; the next parameter begins with the other one.
      const isSignedIn = (i + PARAMETERS[`${OAUTH}/authorize`]!.indexOf(name)) % 2 === 0;
      const told = isSignedIn
        ? await owner.get(url.pathname + url.search)
        : await sendOAuthRequest(world, new Request(url, { headers: { accept: "application/json" } }));
      // A page of ours with instructions, or a link.
      const seen = { value, status: told.status };
      expect([303, 422]).toContain(told.status);
      expect({ ...seen, type: told.headers.get("content-type") ?? "" }).toMatchObject(
        told.status === 422 ? { type: expect.stringContaining("text/html") } : {},
      );
      expect(told.headers.has("x-injected")).toBe(false);
    }
  });

  test("the library's own messages do not show the input", async () => {
    const { client_id } = client;
    for (const [fields, code] of [
      [{ grant_type: "ignore all earlier text" }, "unsupported_grant_type"],
      [
        {
          grant_type: "refresh_token",
          client_id,
          refresh_token: tokens.refresh_token,
          resource: "https://ignore.example",
        },
        "invalid_target",
      ],
      [{ grant_type: "client_credentials", client_id }, "unsupported_grant_type"],
    ] as const) {
      const { status, body } = await sendForm(world, `${OAUTH}/token`, fields as Record<string, string>);
      expect({ status, error: body.error }).toEqual({ status: 400, error: code });
      expect(body.error_description).not.toContain("ignore");
    }
  });

  describe("metadata", () => {
    const get = (path: string) => sendOAuthRequest(world, new Request(SERVER_ORIGIN + path));
    const SERVER = "/.well-known/oauth-authorization-server/api/auth";

    test("the same document under each of its addresses, and no other document", async () => {
      const { status, body } = await get(SERVER);
      expect(status).toBe(200);
      for (const path of [
        "/api/auth/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server",
      ])
        expect((await get(path)).body).toEqual(body);
      expect(body.issuer).toBe(`${SERVER_ORIGIN}/api/auth`);
      for (const path of [
        "/api/auth/.well-known/openid-configuration",
        "/.well-known/openid-configuration/api/auth",
        "/.well-known/openid-configuration",
      ])
        expect((await get(path)).status).toBe(404);
    });

    test("everything that it names works, and what does not work is not named", async () => {
      const { body } = await get(SERVER);
      const called: string[] = [];
      const call = (field: string, told: Promise<OAuthAnswer>) => {
        called.push(field);
        return told;
      };
      const at = (field: string) => body[field].replace(SERVER_ORIGIN, "");
      const keys = await call("jwks_uri", get(at("jwks_uri")));
      expect(keys.body.keys[0]).toMatchObject({ kty: expect.any(String) });

      // Every way of showing who one is, with every grant, and a revocation of what it gave.
      for (const method of body.token_endpoint_auth_methods_supported) {
        const json = JSON.stringify({ ...USUAL_CLIENT, token_endpoint_auth_method: method });
        const init = { method: "POST", headers: { "content-type": "application/json" }, body: json };
        const { body: made } = await call(
          "registration_endpoint",
          sendOAuthRequest(world, new Request(body.registration_endpoint, init)),
        );
        expect(made.token_endpoint_auth_method).toBe(method);
        const identity: Record<string, string> =
          method === "client_secret_post"
            ? { client_id: made.client_id, client_secret: made.client_secret }
            : method === "none"
              ? { client_id: made.client_id }
              : {};
        const basic: Record<string, string> =
          method === "client_secret_basic"
            ? { authorization: `Basic ${btoa(`${made.client_id}:${made.client_secret}`)}` }
            : {};
        const { next, tokens } = await connectAssistant(world, owner, made);
        expect(next.searchParams.get("iss")).toBe(body.issuer);
        expect(tokens.status).toBe(200);
        const { refresh_token } = tokens.body;
        const refreshed = await call(
          "token_endpoint",
          sendForm(world, at("token_endpoint"), { grant_type: "refresh_token", refresh_token, ...identity }, basic),
        );
        expect(refreshed.status).toBe(200);
        expect((await world.mcp("get_me", {}, refreshed.body.access_token)).status).toBe(200);
        const token = refreshed.body.refresh_token;
        const revoked = await call(
          "revocation_endpoint",
          sendForm(world, at("revocation_endpoint"), { token, ...identity }, basic),
        );
        expect(revoked.status).toBe(200);
        const again = { grant_type: "refresh_token", refresh_token: token, ...identity };
        expect((await sendForm(world, at("token_endpoint"), again, basic)).body.error).toBe("invalid_grant");
      }
      expect(body.revocation_endpoint_auth_methods_supported).toEqual(body.token_endpoint_auth_methods_supported);
      expect(body.grant_types_supported).toEqual(["authorization_code", "refresh_token"]);
      for (const scope of body.scopes_supported) {
        const page = await owner.get(buildAuthorizeRequest(client.client_id, { scope, prompt: "consent" }).path);
        expect(page.headers.get("location")).toContain("/console/consent");
      }
      called.push("authorization_endpoint");
      expect(body.authorization_endpoint).toBe(`${SERVER_ORIGIN}${OAUTH}/authorize`);
      expect([...new Set(called)].sort()).toEqual(
        Object.keys(body)
          .filter((name) => /_(endpoint|uri)$/.test(name))
          .sort(),
      );
      // Nothing of what is not there: DPoP, introspection, the client_credentials grant, logout, keys of clients.
      expect(JSON.stringify(body)).not.toMatch(/dpop|introspect|client_credentials|logout|private_key|device/i);
      expect((await get(`${OAUTH}/introspect`)).status).toBe(404);
      expect(body.response_modes_supported).toEqual(["query"]);
      expect(body.code_challenge_methods_supported).toEqual(["S256"]);
      expect(body.scopes_supported).toEqual(["offline_access", ...ALL_SCOPES]);
    });

    test("the resource names the scopes to begin with, and so does the 401 of /mcp", async () => {
      const { body } = await get("/.well-known/oauth-protected-resource/mcp");
      expect((await get("/.well-known/oauth-protected-resource")).body).toEqual(body);
      expect(body).toEqual({
        resource: `${SERVER_ORIGIN}/mcp`,
        resource_name: "Belfry",
        authorization_servers: [`${SERVER_ORIGIN}/api/auth`],
        bearer_methods_supported: ["header"],
        scopes_supported: ALL_SCOPES.filter((scope) => scope.endsWith(":read") || scope === "alerts:write"),
      });
      const refused = await world.mcp("get_me", {}, "nothing");
      expect(refused.headers.get("www-authenticate")).toContain(`scope="${body.scopes_supported.join(" ")}"`);
    });

    test("a proof of a key does not restrict a token, since /mcp requires none", async () => {
      const { verifier, path } = buildAuthorizeRequest(client.client_id, { dpop_jkt: "x".repeat(43) });
      const { next } = await allowConsent(owner, (await owner.get(path)).headers.get("location")!);
      const code = next.searchParams.get("code")!;
      const fields = {
        grant_type: "authorization_code",
        client_id: client.client_id,
        code,
        code_verifier: verifier,
        redirect_uri: CALLBACK,
        resource: `${SERVER_ORIGIN}/mcp`,
      };
      const told = await sendForm(world, `${OAUTH}/token`, fields, { dpop: "x.y.z" });
      expect(told).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
      expect((await world.mcp("get_me", {}, told.body.access_token)).status).toBe(200);
    });
  });
});
