// Access tokens that are signed with the server's own key and are still invalid here. Each would be valid but for one
// changed claim.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBetterAuth } from "../../src/identity/auth/better_auth.ts";
import { createConsentGrants } from "../../src/identity/auth/consent_grants.ts";
import { signInOwner } from "../support/console_site.ts";
import { connectAssistant, registerClient, SERVER_ORIGIN } from "../support/oauth_flow.ts";
import { World } from "../support/world.ts";

type Claims = Record<string, unknown>;

const hour = 3600;
const NO_GOOD: [what: string, change: (claims: Claims) => Claims][] = [
  ["another audience", (claims) => ({ ...claims, aud: "https://other.example/mcp" })],
  ["the audience of this host's REST", (claims) => ({ ...claims, aud: `${SERVER_ORIGIN}/api/v1` })],
  ["the authorization server as audience", (claims) => ({ ...claims, aud: `${SERVER_ORIGIN}/api/auth` })],
  ["no audience", ({ aud: _, ...claims }) => claims],
  ["another issuer", (claims) => ({ ...claims, iss: "https://other.example" })],
  [
    "a key of its client (DPoP)",
    (claims) => ({ ...claims, cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }),
  ],
  [
    "a certificate of its client",
    (claims) => ({ ...claims, cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" } }),
  ],
  [
    "an end that has come",
    (claims) => ({ ...claims, iat: Number(claims.iat) - 2 * hour, exp: Number(claims.iat) - hour }),
  ],
  ["another person", (claims) => ({ ...claims, sub: "somebody" })],
  ["another client", (claims) => ({ ...claims, azp: "another", client_id: "another" })],
];

describe("on a service", () => {
  let world: World;
  let claims: Claims;
  let sign: (payload: Claims) => Promise<string>;
  beforeAll(async () => {
    world = await World.open();
    const client = (await registerClient(world)).body;
    const { tokens } = await connectAssistant(world, await signInOwner(world), client);
    claims = JSON.parse(Buffer.from(tokens.body.access_token.split(".")[1], "base64url").toString());
    const { orm } = world.service;
    const secret = world.settings.SECRET!;
    const { library } = createBetterAuth({ orm, grants: createConsentGrants(orm), secret, publicUrl: SERVER_ORIGIN });
    sign = async (payload: any) => (await library.api.signJWT({ body: { payload } })).token;
  });
  afterAll(() => world?.close());

  const status = async (token: string) => (await world.mcp("get_me", {}, token)).status;

  test("one that is signed here as the server signs is good", async () => {
    expect(await status(await sign(claims))).toBe(200);
  });

  test.each(NO_GOOD)("%s is refused, though the signature is right", async (_, change) => {
    expect(await status(await sign(change(claims)))).toBe(401);
  });
});
