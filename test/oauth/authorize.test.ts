// This server never sends a visitor to an unknown address. Tests an authorization request that cannot be answered. The
// visitor is not signed in, is signed in, or has granted the assistant access before.

import { describe, expect, test } from "vitest";
import { HttpVisitor } from "../support/console_site.ts";
import {
  buildAuthorizeRequest,
  connectAssistant,
  openWorldWithOwner,
  registerClient,
  SERVER_ORIGIN,
} from "../support/oauth_flow.ts";
import type { World } from "../support/world.ts";

const EVIL = "https://evil.example/landing";
/** Addresses that already contain the parameters of a response. */
const ADDRESSES = [
  EVIL,
  `${EVIL}?code=1`,
  `${EVIL}?code=1&state=x&iss=y`,
  "cursor://evil/landing",
  "http://localhost:1/x",
];

/** Every change of a request that the library answers by a redirect to the assistant. */
const CHANGES: [what: string, changed: Record<string, string>, error: string | null][] = [
  ["prompt=none", { prompt: "none" }, null],
  ["prompt=none with others", { prompt: "none login" }, "invalid_request"],
  ["an invalid prompt", { prompt: "nope" }, "invalid_request"],
  ["another response type", { response_type: "token" }, "unsupported_response_type"],
  ["an id token", { response_type: "id_token token" }, "unsupported_response_type"],
  ["a fragment", { response_type: "token", response_mode: "fragment" }, "unsupported_response_type"],
  ["no response type", { response_type: "" }, "unsupported_response_type"],
  ["no challenge", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
  ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
  ["half a challenge", { code_challenge_method: "" }, "invalid_request"],
  ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ["an invalid resource", { resource: "nope" }, "invalid_request"],
  ["an invalid age", { max_age: "-1" }, "invalid_request"],
];
/** Ignored parameters, with any value. */
const IGNORED: Record<string, string> = {
  request: "x",
  request_uri: "https://evil.example/request",
  claims: "{",
  dpop_jkt: "x",
  response_mode: "form_post",
  id_token_hint: "x",
  nonce: "x",
};

describe("on a service", () => {
  let world: World;
  let owner: HttpVisitor;
  openWorldWithOwner((...opened) => {
    [world, owner] = opened;
  });

  const registered = async (address: string): Promise<string> =>
    (await registerClient(world, { redirect_uris: [address] })).body.client_id;

  test.each(CHANGES)("%s: a page of ours, for every visitor without a grant for the assistant", async (_, changed) => {
    for (const address of ADDRESSES) {
      const client = await registered(address);
      for (const visitor of [new HttpVisitor(world), owner]) {
        if (changed.prompt === "none" && visitor === owner) continue;
        const { path } = buildAuthorizeRequest(client, { redirect_uri: address, ...changed });
        for (const headers of [{}, { accept: "application/json" }, { "sec-fetch-mode": "cors" }]) {
          const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
          const answer = await world.service.app.fetch(
            new Request(SERVER_ORIGIN + path, { headers: { cookie, ...headers } }),
          );
          const text = await answer.text();
          expect({ address, status: answer.status, text }).toMatchObject({
            status: 422,
            text: expect.stringContaining('<a class="button" href="/console">'),
          });
          expect(answer.headers.get("location")).toBeNull();
          expect(answer.headers.get("refresh")).toBeNull();
          expect(text).not.toMatch(/evil|http-equiv|localhost:1/);
        }
      }
    }
  });

  test("prompt=none for one who is signed in, and has not let it in", async () => {
    for (const address of ADDRESSES) {
      const { path } = buildAuthorizeRequest(await registered(address), { redirect_uri: address, prompt: "none" });
      const answer = await owner.get(path);
      expect({ status: answer.status, to: answer.headers.get("location") }).toEqual({ status: 422, to: null });
      expect(answer.text).toContain("without your consent");
    }
  });

  test("a visitor with a grant for the assistant is redirected, with the error; one without is not", async () => {
    const client = (await registerClient(world, { redirect_uris: [EVIL] })).body;
    await connectAssistant(world, owner, client, { redirect_uri: EVIL });
    for (const [what, changed, error] of CHANGES) {
      const { path } = buildAuthorizeRequest(client.client_id, { redirect_uri: EVIL, ...changed });
      const { headers, status } = await owner.get(path);
      const to = URL.parse(headers.get("location") ?? "");
      if (error === null) {
        expect(to?.searchParams.get("code")).toEqual(expect.any(String));
      } else {
        const given = to?.searchParams.get("error") ?? new URLSearchParams(to?.hash.slice(1)).get("error");
        // Errors that cannot be returned to an assistant even so are shown to the person.
        if (status === 303) expect({ what, given }).toEqual({ what, given: error });
        else expect({ what, status }).toEqual({ what, status: 422 });
      }
      const stranger = await new HttpVisitor(world).get(path);
      expect(stranger.headers.get("location")).toBeNull();
    }
    const { path } = buildAuthorizeRequest(client.client_id, {
      redirect_uri: EVIL,
      response_type: "code",
      resource: "https://other.example",
    });
    const back = new URL((await owner.get(path)).headers.get("location")!);
    expect(back.href.startsWith(EVIL)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "invalid_target",
      state: "a state",
      iss: `${SERVER_ORIGIN}/api/auth`,
    });
  });

  test("an unknown assistant, and an address that was not registered: a page shows instructions", async () => {
    const unknown = await new HttpVisitor(world).get(buildAuthorizeRequest("nobody").path);
    expect(unknown.status).toBe(422);
    expect(unknown.text).toContain("is not registered on this server");
    const other = buildAuthorizeRequest(await registered(EVIL), { redirect_uri: "https://other.example/" });
    const answer = await owner.get(other.path);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("did not register");
    expect(answer.text).not.toContain("other.example");
  });

  test.each(["file:///etc/x", "blob:https://evil.example/x", "about:blank", "javascript:alert(1)", "data:text/html,x"])(
    "an assistant that was stored with %s before there were rules leads no visitor there",
    async (address) => {
      const client = await registered(EVIL);
      await world.sql(`update auth."oauthClient" set "redirectUris" = ?::jsonb where "clientId" = ?`, [
        JSON.stringify([address]),
        client,
      ]);
      const { status, text, headers } = await owner.get(buildAuthorizeRequest(client, { redirect_uri: address }).path);
      const page = headers.get("location");
      const seen = page ? await owner.get(page.replace(SERVER_ORIGIN, "")) : { status, text };
      expect(page === null || page.includes("/console/consent")).toBe(true);
      expect(seen.status).toBe(422);
      expect(seen.text).not.toContain(address);
    },
  );

  test("unsupported parameters are ignored, and sent nowhere", async () => {
    const client = await registered(EVIL);
    const { path } = buildAuthorizeRequest(client, { redirect_uri: EVIL, ...IGNORED });
    const to = (await owner.get(path)).headers.get("location")!;
    expect(to).toContain("/console/consent?");
    for (const name of Object.keys(IGNORED)) expect(new URL(to, SERVER_ORIGIN).searchParams.has(name)).toBe(false);
  });

  test("a refresh token unless the client registered for none, requested or not", async () => {
    for (const [grant_types, wants] of [
      [["authorization_code", "refresh_token"], true],
      [["authorization_code"], false],
      [["refresh_token", "authorization_code"], true],
      [undefined, true],
    ] as const) {
      const client = (await registerClient(world, { grant_types })).body;
      const { tokens } = await connectAssistant(world, owner, client, { scope: "pushers:read" });
      expect(tokens.body.refresh_token !== undefined).toBe(wants);
      expect(tokens.body.scope.split(" ")).toContain("pushers:read");
    }
  });
});
