// Passkeys (rules#passkeys): created and used by a real browser with a virtual device. They are refused when any part
// of a response is wrong: another origin, no user verification, another session, a changed signature.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import {
  ConsoleSite,
  HttpVisitor,
  joinByOneTimeLink,
  launchBrowser,
  openWatchedPage,
  type SharedBrowser,
  signIn,
  signInOwner,
} from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { openWorld } from "../support/open_world.ts";
import { Authenticator } from "../support/passkey_authenticator.ts";
import { computeTotp } from "../support/totp_codes.ts";
import { World } from "../support/world.ts";

const PASSWORD = "correct horse battery";
const URL_OF_IT = "https://belfry.example";
const NEW = "/console/account/passkeys/new";

const world = await openWorld({ settings: { PUBLIC_URL: URL_OF_IT } });

describe("a passkey's answer", () => {
  let people = 0;

  async function person() {
    const email = `key${++people}@example.org`;
    const em = world.service.orm.em.fork();
    const { id } = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "editor" });
    const visitor = new HttpVisitor(world, URL_OF_IT);
    const link = await world.service.people.newLink(parseIdOrNull("mem", id)!);
    await visitor.join(link, { name: "Person", email, password: PASSWORD });
    return { email, visitor, id };
  }
  const begin = async (visitor: HttpVisitor, present = PASSWORD) =>
    JSON.parse((await visitor.post("/console/account/passkeys/begin", { present }, { from: NEW })).text);
  const add = (visitor: HttpVisitor, answer: unknown, name = "Laptop") =>
    visitor.post("/console/account/passkeys", { name, answer: JSON.stringify(answer) }, { from: NEW });
  const ask = async (visitor: HttpVisitor) =>
    JSON.parse((await visitor.post("/console/sign-in/passkey/begin", {}, { from: "/console/sign-in" })).text).options;
  const use = (visitor: HttpVisitor, answer: unknown) =>
    visitor.post("/console/sign-in/passkey", { answer: JSON.stringify(answer) }, { from: "/console/sign-in" });
  const isIn = async (visitor: HttpVisitor) => (await visitor.get("/console/account")).status === 200;

  test("adds it by the password, signs in without one, and removes it", async () => {
    const { visitor, id } = await person();
    expect(await begin(visitor, "not this one")).toMatchObject({ field: "present" });
    const device = new Authenticator(URL_OF_IT);
    expect((await add(visitor, device.create((await begin(visitor)).options))).status).toBe(303);
    expect((await visitor.get("/console/account")).text).toContain("Laptop");

    const other = new HttpVisitor(world, URL_OF_IT);
    const options = await ask(other);
    expect(options).toMatchObject({ userVerification: "required", rpId: "belfry.example" });
    expect(options.allowCredentials ?? []).toEqual([]);
    const answer = device.get(options);
    expect((await use(other, answer)).status).toBe(303);
    expect(await isIn(other)).toBe(true);
    // The same answer is good once.
    const third = new HttpVisitor(world, URL_OF_IT);
    for (const [name, value] of other.cookies) if (/passkey|visitor/.test(name)) third.cookies.set(name, value);
    expect((await use(third, answer)).status).toBe(401);
    const [row] = await world.sql(`select * from auth.passkey order by "createdAt" desc limit 1`);
    expect(row.lastUsedAt).not.toBeNull();

    const removal = `/console/account/passkeys/${row.id}/remove`;
    const stranger = await person();
    expect((await stranger.visitor.post(removal, {}, { from: "/console/account" })).status).toBe(404);
    expect((await visitor.post(removal, {})).status).toBe(303);
    const late = new HttpVisitor(world, URL_OF_IT);
    expect((await use(late, device.get(await ask(late)))).status).toBe(401);
    const { body } = await world.rest("list_audit_events", { actor: id });
    expect(body.data.map((line: any) => line.operation)).toEqual([
      "remove_passkey",
      "sign_in_passkey",
      "add_passkey",
      "begin_passkey",
      "claim_account",
    ]);
  });

  test("proves nothing when anything about it is wrong", async () => {
    const { visitor } = await person();
    const wrong: [what: string, spoil: (device: Authenticator) => void][] = [
      ["another site's page asked", (device) => (device.origin = "https://belfry.example.net")],
      ["another site's passkey", (device) => (device.rpId = "example.net")],
      ["without user verification", (device) => (device.verifies = false)],
    ];
    for (const [what, spoil] of wrong) {
      const device = new Authenticator(URL_OF_IT);
      spoil(device);
      const made = device.create((await begin(visitor)).options);
      expect({ what, status: (await add(visitor, made)).status }).toEqual({ what, status: 422 });

      const good = new Authenticator(URL_OF_IT);
      const { visitor: owner } = await person();
      expect((await add(owner, good.create((await begin(owner)).options))).status).toBe(303);
      spoil(good);
      const browser = new HttpVisitor(world, URL_OF_IT);
      const shown = good.get(await ask(browser));
      expect({ what, status: (await use(browser, shown)).status }).toEqual({ what, status: 401 });
      expect(await isIn(browser)).toBe(false);
    }
    // Another session's challenge, none at all, and the same one twice.
    const device = new Authenticator(URL_OF_IT);
    const other = await person();
    const theirs = device.create((await begin(other.visitor)).options);
    expect((await add(visitor, theirs)).status).toBe(422);
    expect((await add(other.visitor, theirs)).status).toBe(303);
    expect((await add(other.visitor, theirs)).status).toBe(422);
    const browser = new HttpVisitor(world, URL_OF_IT);
    const shown = device.get(await ask(browser));
    shown.response.signature = Buffer.from("no signature").toString("base64url");
    expect((await use(browser, shown)).status).toBe(401);
  });

  test("an invalid response is refused before any look-up", async () => {
    const { visitor } = await person();
    const device = new Authenticator(URL_OF_IT);
    const made = device.create((await begin(visitor)).options);
    const nonsense = [
      null,
      "",
      [],
      { ...made, id: { $ne: 1 } },
      { ...made, id: "x".repeat(5000) },
      { ...made, response: {} },
      { ...made, response: { ...made.response, attestationObject: "AAAA" } },
      { ...made, response: { ...made.response, clientDataJSON: "e30" } },
    ];
    for (const answer of nonsense) {
      expect((await add(visitor, answer)).status).toBe(422);
      expect((await use(new HttpVisitor(world, URL_OF_IT), answer)).status).toBe(401);
    }
    // A passkey's file name is never its name, and a name is required.
    expect((await add(visitor, made, " ")).status).toBe(422);
  });

  test("an IP address offers none and explains it", async () => {
    const figures = "http://127.0.0.1:8787";
    const plain = await World.open({ settings: { PUBLIC_URL: figures } });
    try {
      const visitor = await signInOwner(plain, figures);
      expect((await visitor.get("/console/account")).text).toContain("Passkeys require HTTPS and a host name");
      expect((await new HttpVisitor(plain, figures).get("/console/sign-in")).text).not.toContain("with a passkey");
      const begun = await visitor.post("/console/account/passkeys/begin", { present: PASSWORD }, { from: NEW });
      expect(JSON.parse(begun.text).said).toContain("https");
    } finally {
      await plain.close();
    }
  });
});

describeInBrowser("in a browser", () => {
  let site: ConsoleSite;
  let browser: SharedBrowser;
  beforeAll(async () => {
    site = await ConsoleSite.open({ name: "localhost" });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test("a passkey is made, signs in past the second step, and without it the password and a code do", async () => {
    const { context, page, faults } = await openWatchedPage(browser, site);
    const device = await context.newCDPSession(page);
    await device.send("WebAuthn.enable");
    await device.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const owner = { name: "Owner", email: "owner@example.org", password: PASSWORD };
    await joinByOneTimeLink(page, await site.link(), owner);
    await page.goto(`${site.url}/console/account`);
    await page.getByRole("link", { name: "Turn on" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    const uri = await page.locator("input[name=uri]").inputValue();
    await page.getByLabel("6-digit code").fill(await computeTotp(uri));
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("link", { name: "I have saved them" }).click();

    await page.getByRole("link", { name: "Add a passkey" }).click();
    await page.getByLabel("Name").fill("This laptop");
    await page.getByLabel("Your password").fill("not this one");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("The current password is incorrect.").waitFor();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("The passkey was added.").waitFor();
    expect(await page.getByText("This laptop").count()).toBeGreaterThan(0);

    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Overview" }).or(page.locator("nav.sections")).first().waitFor();

    await page.getByRole("button", { name: "Sign out" }).first().click();
    await signIn(page, owner);
    await page.getByLabel("6-digit code").fill(await computeTotp(uri));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator("nav.sections").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
