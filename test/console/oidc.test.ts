// Signing in with an OpenID Connect provider, the certified oidc-provider. Falsified answers fail one check at a time.
// An e-mail address alone opens no account (rules#oidc-sign-in).

import { generateKeyPair, type JWTPayload, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { HttpVisitor, OWNER } from "../support/console_site.ts";
import { allowConsent, buildAuthorizeRequest, registerClient } from "../support/oauth_flow.ts";
import { type Falsify, type OidcIssuer, type OidcPerson, startOidcIssuer } from "../support/oidc_issuer.ts";
import { computeTotp } from "../support/totp_codes.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const PASSWORD = "correct horse battery";
const SITE = "http://localhost:8787";

let issuer: OidcIssuer;
let world: World;
let people = 0;
const log: string[] = [];
beforeAll(async () => {
  issuer = await startOidcIssuer([SITE]);
  world = await World.open({
    logTo: { write: (line) => void log.push(line) },
    settings: {
      ...issuer.settings,
      LOG_LEVEL: "warn",
      OIDC_SCOPES: "openid profile email groups",
      OIDC_MEMBER_CLAIM: "groups",
      OIDC_MEMBERS: "harbour=editor, watch=viewer",
    },
  });
});
afterEach(() => Object.assign(issuer.state, { falsify: null, down: false }));
afterAll(async () => {
  await world?.close();
  await issuer?.close();
});

const newPerson = (more: Partial<OidcPerson> = {}): OidcPerson => {
  const n = ++people;
  return { sub: `sub-${n}`, email: `person${n}@example.org`, email_verified: true, name: `Person ${n}`, ...more };
};

/** Adds a member by address, who has not joined. */
async function invite(email: string, role = "editor", on = world) {
  const em = on.service.orm.em.fork();
  const { id } = await addWorkspaceMember(em, { workspace: on.workspace.id, email, role });
  return parseIdOrNull("mem", id)!;
}

/** Signs in at the provider, and returns the page that answers the browser. */
async function enter(person: OidcPerson | null, visitor = new HttpVisitor(world)) {
  const back = await issuer.visit(visitor, person);
  const page = await visitor.get(back);
  return { visitor, page, back };
}

const isIn = async (visitor: HttpVisitor) => (await visitor.get("/console/account")).status === 200;
const accountsOf = (email: string) => world.sql('select id from auth."user" where email = ?', [email]);
const auditOf = async (action: string) =>
  world.sql("select status, transport from audit_event where operation = ?", [action]);

/** A member who joined with a password. */
async function passwordMember(on = world) {
  const email = `known${++people}@example.org`;
  const visitor = new HttpVisitor(on);
  const link = await on.service.people.newLink(await invite(email, "editor", on));
  await visitor.join(link, { name: "Known", email, password: PASSWORD });
  return { email, visitor };
}

describe("a person of the provider", () => {
  test("a person who was invited by the verified address joins, and signs in again by iss and sub", async () => {
    const person = newPerson();
    await invite(person.email!, "viewer");
    const { visitor, page } = await enter(person);
    expect([page.status, page.headers.get("location")]).toEqual([303, "/console"]);
    expect(await isIn(visitor)).toBe(true);
    const [member] = await world.sql("select role, name from member where email = ?", [person.email]);
    expect(member).toEqual({ role: "viewer", name: person.name });

    const moved = { ...person, email: "moved@example.org", email_verified: false };
    const again = await enter(moved);
    expect(await isIn(again.visitor)).toBe(true);
    expect((await again.visitor.get("/console/account")).text).toContain(person.email);
    expect(await accountsOf("moved@example.org")).toEqual([]);
  });

  test("becomes a member by the claim, with the first role that matches, and keeps a later role", async () => {
    const person = newPerson({ groups: ["other", "watch", "harbour"] });
    expect(await isIn((await enter(person)).visitor)).toBe(true);
    const role = async () => (await world.sql("select role from member where email = ?", [person.email]))[0].role;
    expect(await role()).toBe("editor");
    await world.sql("update member set role = 'admin' where email = ? returning id", [person.email]);
    await enter(person);
    expect(await role()).toBe("admin");
  });

  test.each([
    ["a text", "harbour", true],
    ["Keycloak's object of roles", { roles: ["harbour"] }, true],
    ["a value that only begins alike", ["harbour-master"], false],
    ["another type", [7, null, { harbour: true }], false],
  ])("with %s as the claim", async (_name, groups, joins) => {
    const person = newPerson({ groups });
    expect(await isIn((await enter(person)).visitor)).toBe(joins);
    expect(await accountsOf(person.email!)).toHaveLength(joins ? 1 : 0);
  });

  test.each([
    ["a person without an invitation", {}, "Ask an owner to add your e-mail address"],
    ["without an e-mail address", { email: undefined }, "did not share your e-mail address"],
    [
      "with an unverified address",
      { email_verified: false, groups: ["harbour"] },
      "has not verified your e-mail address",
    ],
    ["with the first owner's placeholder", { email: "owner@localhost" }, "did not share your e-mail address"],
    ["with an address that no row can keep", { email: "a\u0000@example.org" }, "did not share your e-mail address"],
  ])("%s is refused with the reason", async (_name, more, message) => {
    const { visitor, page } = await enter(newPerson(more));
    expect(page.status).toBe(403);
    expect(page.text).toContain(message);
    expect(await isIn(visitor)).toBe(false);
  });

  test("cancelling returns to the sign-in form", async () => {
    const { page } = await enter(null);
    expect([page.status, page.text.includes("Keyhouse did not sign you in")]).toEqual([401, true]);
  });
});

describe("an answer that is falsified", () => {
  const resigned =
    (change: (claims: JWTPayload) => JWTPayload): Falsify =>
    async (tokens, claims) => ({ ...tokens, id_token: await issuer.sign(change(claims)) });
  const past = () => Math.floor(Date.now() / 1000) - 1000;

  // The unchanged one signs in: without it, every row below would be refused for another reason.
  test("signs in while it is not", async () => {
    const person = newPerson({ groups: ["harbour"] });
    issuer.state.falsify = resigned((claims) => claims);
    expect(await isIn((await enter(person)).visitor)).toBe(true);
  });

  test.each<[string, string, Falsify]>([
    ["with another nonce", "ID token: wrong nonce", resigned((claims) => ({ ...claims, nonce: "x".repeat(32) }))],
    [
      "without a nonce",
      "ID token: ERR_JWT_CLAIM_VALIDATION_FAILED nonce",
      resigned(({ nonce: _, ...claims }) => claims),
    ],
    [
      "of another issuer",
      "ID token: ERR_JWT_CLAIM_VALIDATION_FAILED iss",
      resigned((claims) => ({ ...claims, iss: "https://issuer.example" })),
    ],
    [
      "for another audience",
      "ID token: ERR_JWT_CLAIM_VALIDATION_FAILED aud",
      resigned((claims) => ({ ...claims, aud: "another" })),
    ],
    [
      "for two audiences",
      "ID token: issued to another client",
      resigned((claims) => ({ ...claims, aud: ["belfry", "another"] })),
    ],
    [
      "issued to another client",
      "ID token: issued to another client",
      resigned((claims) => ({ ...claims, azp: "another" })),
    ],
    ["that expired", "ID token: ERR_JWT_EXPIRED exp", resigned((claims) => ({ ...claims, exp: past() }))],
    ["without an expiry", "ID token: ERR_JWT_CLAIM_VALIDATION_FAILED exp", resigned(({ exp: _, ...claims }) => claims)],
    ["of long ago", "ID token: ERR_JWT_EXPIRED iat", resigned((claims) => ({ ...claims, iat: past() }))],
    ["without a subject", "ID token: ERR_JWT_CLAIM_VALIDATION_FAILED sub", resigned(({ sub: _, ...claims }) => claims)],
    [
      "of another subject than userinfo",
      "userinfo: the sub differs from the ID token's",
      resigned((claims) => ({ ...claims, sub: "another" })),
    ],
    [
      "without an ID token",
      "token endpoint returned 200 without an ID token",
      ({ access_token }) => ({ access_token }),
    ],
    [
      "without a signature",
      "ID token: ERR_JOSE_ALG_NOT_ALLOWED",
      (tokens, claims) => ({ ...tokens, id_token: new UnsecuredJWT(claims).encode() }),
    ],
    [
      "signed by another key",
      "ID token: ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
      async (tokens, claims) => {
        const { privateKey } = await generateKeyPair("ES256");
        return { ...tokens, id_token: await issuer.sign(claims, { key: privateKey }) };
      },
    ],
    [
      "signed with the client's secret",
      "ID token: ERR_JOSE_ALG_NOT_ALLOWED",
      async (tokens, claims) => {
        const key = new TextEncoder().encode(issuer.clientSecret.padEnd(32, "0"));
        return { ...tokens, id_token: await issuer.sign(claims, { key, alg: "HS256" }) };
      },
    ],
  ])("%s opens nothing: %s", async (_name, detail, falsify) => {
    issuer.state.falsify = falsify;
    log.length = 0;
    const person = newPerson({ groups: ["harbour"] });
    const { visitor, page } = await enter(person);
    expect(page.status).toBe(401);
    expect(page.text).toMatch(/response from Keyhouse is not valid|Keyhouse rejected this server/);
    expect(log.map((line) => JSON.parse(line).detail).filter(Boolean)).toEqual([detail]);
    expect(await isIn(visitor)).toBe(false);
    expect(await accountsOf(person.email!)).toEqual([]);
  });

  test.each([
    ["another issuer", (url: URL) => url.searchParams.set("iss", "https://issuer.example")],
    ["no issuer", (url: URL) => url.searchParams.delete("iss")],
    ["another code", (url: URL) => url.searchParams.set("code", "x".repeat(43))],
    ["another state", (url: URL) => url.searchParams.set("state", "x".repeat(32))],
    ["no state", (url: URL) => url.searchParams.delete("state")],
  ])("with %s in the address opens nothing", async (_name, change) => {
    const visitor = new HttpVisitor(world);
    const url = new URL(await issuer.visit(visitor, newPerson({ groups: ["harbour"] })), SITE);
    change(url);
    expect((await visitor.get(url.pathname + url.search)).status).toBe(401);
    expect(await isIn(visitor)).toBe(false);
  });

  test("opens nothing a second time, and nothing in another browser", async () => {
    const person = newPerson({ groups: ["harbour"] });
    const visitor = new HttpVisitor(world);
    const back = await issuer.visit(visitor, person);
    const stranger = new HttpVisitor(world);
    expect((await stranger.get(back)).status).toBe(401);
    expect(await isIn(stranger)).toBe(false);
    const { visitor: own, back: used } = await enter(person);
    expect(await isIn(own)).toBe(true);
    own.cookies.delete("better-auth.session_token");
    const repeated = await own.get(used);
    expect([repeated.status, repeated.text.includes("expired or was already used")]).toEqual([401, true]);
    expect(await isIn(own)).toBe(false);
  });

  test("needs a provider that responds, and works once it does", async () => {
    issuer.state.down = true;
    const away = await World.open({ settings: issuer.settings });
    try {
      const visitor = new HttpVisitor(away);
      const page = await visitor.get("/console/sign-in/oidc");
      expect([page.status, page.headers.get("retry-after")]).toEqual([503, "60"]);
      expect(page.text).toContain("Keyhouse is not responding");
      issuer.state.down = false;
      expect((await visitor.get("/console/sign-in/oidc")).headers.get("location")).toContain(issuer.issuer);
    } finally {
      await away.close();
    }
  });
});

// rules#oidc-accounts
describe("an account with the same address", () => {
  test("is not opened before its person connected it, with the password", async () => {
    const { email, visitor } = await passwordMember();
    const person = newPerson({ email });
    const before = await enter(person);
    expect(before.page.status).toBe(403);
    expect(before.page.text).toContain("already has an account here");
    expect(await isIn(before.visitor)).toBe(false);
    await waitUntil(async () => (await auditOf("sign_in_oidc")).some(({ status }) => status === "failed"));

    const wrong = await visitor.post("/console/account/oidc", { present: "wrong" });
    expect([wrong.status, wrong.headers.get("location")]).toEqual([422, null]);
    const begun = await visitor.post("/console/account/oidc", { present: PASSWORD });
    issuer.state.person = person;
    const back = await issuer.follow(visitor, /url=([^"]+)"/.exec(begun.text)![1]!);
    expect((await visitor.get(back)).headers.get("location")).toBe("/console/account");
    expect((await visitor.get("/console/account")).text).toContain("connected");
    const after = await enter(person);
    expect(await isIn(after.visitor)).toBe(true);
    expect((await after.visitor.get("/console/account")).text).toContain(email);

    expect((await visitor.post("/console/account/oidc/off", { present: PASSWORD })).status).toBe(303);
    expect(await isIn((await enter(person)).visitor)).toBe(false);
  });

  test("cannot be connected to another person's identity, nor by another session than began it", async () => {
    const taken = newPerson({ groups: ["harbour"] });
    await enter(taken);
    const { visitor } = await passwordMember();
    const begin = async () => {
      const begun = await visitor.post("/console/account/oidc", { present: PASSWORD });
      return issuer.follow(visitor, /url=([^"]+)"/.exec(begun.text)![1]!);
    };
    issuer.state.person = taken;
    const refused = await visitor.get(await begin());
    expect([refused.status, refused.text.includes("connected to a different account")]).toEqual([403, true]);
    issuer.state.person = newPerson();
    const back = await begin();
    visitor.cookies.delete("better-auth.session_token");
    expect((await visitor.get(back)).status).toBe(401);
    expect(await isIn((await enter(issuer.state.person)).visitor)).toBe(false);
  });

  test("needs its two-factor code after the provider", async () => {
    const person = newPerson({ groups: ["harbour"] });
    const { visitor } = await enter(person);
    const FACTOR = "/console/account/second-factor";
    const begun = await visitor.post(FACTOR, { present: "" });
    const uri = /name="uri"\s+value="([^"]+)"/.exec(begun.text)![1]!.replaceAll("&amp;", "&");
    await visitor.post(`${FACTOR}/confirm`, { uri, code: await computeTotp(uri) }, { from: FACTOR });

    const next = await enter(person);
    expect(next.page.headers.get("location")).toContain("/console/sign-in/code");
    expect(await isIn(next.visitor)).toBe(false);
    const code = await computeTotp(uri, 1);
    expect((await next.visitor.post("/console/sign-in/code", { code }, { from: "/console/sign-in" })).status).toBe(303);
    expect(await isIn(next.visitor)).toBe(true);
  });

  test("without a password confirms changes only soon after it signed in", async () => {
    const person = newPerson({ groups: ["harbour"] });
    const { visitor } = await enter(person);
    const off = () => visitor.post("/console/account/oidc/off", { present: "" });
    const only = await off();
    expect([only.status, only.text.includes("your only sign-in method")]).toEqual([409, true]);
    await world.sql(
      `update auth.session set "createdAt" = now() - interval '11 minutes' from auth."user" u
       where u.id = "userId" and u.email = ? returning session.id`,
      [person.email],
    );
    const late = await off();
    expect([late.status, late.text.includes("sign in again")]).toEqual([422, true]);
  });

  test("of a trusted provider opens by the address, and an unproved one loses what its maker left in it", async () => {
    const trusting = await World.open({ settings: { ...issuer.settings, OIDC_TRUST_EMAIL: "true" } });
    try {
      const { email, visitor } = await passwordMember(trusting);
      await trusting.sql('update auth."user" set "emailVerified" = false where email = ? returning id', [email]);
      const person = newPerson({ email, email_verified: undefined });
      const own = new HttpVisitor(trusting);
      expect((await own.get(await issuer.visit(own, person))).status).toBe(303);
      expect(await isIn(own)).toBe(true);
      expect(await isIn(visitor)).toBe(false);
      const maker = await new HttpVisitor(trusting).post("/console/sign-in", { email, password: PASSWORD });
      expect(maker.status).toBe(401);

      const proved = await passwordMember(trusting);
      await trusting.sql('update auth."user" set "emailVerified" = true where email = ? returning id', [proved.email]);
      const second = new HttpVisitor(trusting);
      await second.get(await issuer.visit(second, newPerson({ email: proved.email })));
      expect(await isIn(second)).toBe(true);
      expect(await isIn(proved.visitor)).toBe(true);
    } finally {
      await trusting.close();
    }
  });

  test("is disconnected by a new password, since another person may have connected it", async () => {
    const person = newPerson({ groups: ["harbour"] });
    await enter(person);
    const [{ id }] = await world.sql("select id from member where email = ?", [person.email]);
    const visitor = new HttpVisitor(world);
    const link = await world.service.people.newLink(id);
    const joined = await visitor.join(link, { name: "", email: person.email!, password: PASSWORD });
    expect([joined.status, await isIn(visitor)]).toEqual([303, true]);
    expect((await enter(person)).page.text).toContain("already has an account here");
  });
});

test("an assistant's request continues after the provider", async () => {
  const person = newPerson({ groups: ["harbour"] });
  const { body } = await registerClient(world);
  const visitor = new HttpVisitor(world);
  const asked = await visitor.get(buildAuthorizeRequest(body.client_id).path);
  const { search } = new URL(asked.headers.get("location")!, SITE);
  const page = await visitor.get(await issuer.visit(visitor, person, `/console/sign-in/oidc${search}`));
  const consent = page.headers.get("location") ?? "";
  expect(consent).toContain("/console/consent?");
  const { next } = await allowConsent(visitor, consent);
  expect(next.searchParams.get("code")).toBeTruthy();
});

test("a text that was written when the session ended returns after the provider", async () => {
  const person = newPerson({ groups: ["harbour"] });
  const { visitor } = await enter(person);
  const path = "/console/account/name";
  const token = await visitor.token("/console/account");
  visitor.cookies.delete("better-auth.session_token");
  const ended = await visitor.post(path, { name: "A name that was typed" }, { token });
  const kept = /name="kept_form" value="([^"]+)"/.exec(ended.text)![1]!;
  const begun = await visitor.post(
    "/console/sign-in/oidc",
    { kept_form: kept, next: "/console/account" },
    { from: "/console/sign-in" },
  );
  issuer.state.person = person;
  const back = await issuer.follow(visitor, /url=([^"]+)"/.exec(begun.text)![1]!);
  const again = await visitor.get(back);
  expect(again.text).toContain("You are signed in again");
  const sealed = /name="kept_form" value="([^"]+)"/.exec(again.text)![1]!;
  expect((await visitor.post(path, { kept_form: sealed }, { token: null })).text).toContain("A name that was typed");
});

// rules#oidc-only
describe("without passwords", () => {
  let only: World;
  beforeAll(async () => {
    only = await World.open({ settings: { ...issuer.settings, OIDC_ONLY: "true" } });
  });
  afterAll(() => only?.close());

  test("a password opens nothing, has no form, and cannot be reset", async () => {
    const { email } = await passwordMember(only);
    const visitor = new HttpVisitor(only);
    const page = await visitor.get("/console/sign-in");
    expect(page.text).toContain("Sign in with Keyhouse");
    expect(page.text).not.toContain('type="password"');
    for (const [path, fields] of [
      ["/console/sign-in", { email, password: PASSWORD }],
      ["/console/forgot", { email }],
    ] as const) {
      const answer = await visitor.post(path, fields, { from: "/console/sign-in" });
      expect([path, answer.status, answer.text.includes("Passwords are turned off")]).toEqual([path, 403, true]);
    }
    expect(await isIn(visitor)).toBe(false);
  });

  test("an owner's link leads to the provider, and the operator's link still lets in", async () => {
    const owner = new HttpVisitor(only);
    await owner.join(await only.service.people.newLink(await invite("boss@example.org", "owner", only)), {
      ...OWNER,
      email: "boss@example.org",
    });
    expect(await isIn(owner)).toBe(true);
    const invited = newPerson();
    const members = `/console/${only.workspace.id}/members`;
    const added = await owner.post(members, { email: invited.email!, role: "viewer", sees: "all" });
    const link = /http:\/\/[^\s"<]+\/console\/welcome#[\w-]+/.exec(added.text)![0];
    const visitor = new HttpVisitor(only);
    const page = await visitor.open(link);
    expect(page.text).toContain("Sign in with Keyhouse");
    expect((await visitor.join(link, { name: "x", email: "", password: PASSWORD })).status).toBe(403);
    await visitor.get(await issuer.visit(visitor, invited));
    expect(await isIn(visitor)).toBe(true);
  });
});
