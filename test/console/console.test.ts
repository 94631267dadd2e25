// People in a browser: from the first start's link to keys, members and sessions, on both databases. Needs a Chromium:
// CHROMIUM=/path/to/chromium. Without one it is skipped with a message.

import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ConsoleSite,
  joinByOneTimeLink,
  launchBrowser,
  openWatchedPage,
  type SharedBrowser,
  signIn,
} from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { PNG } from "../support/sample_files.ts";

const OWNER = { name: "Ada Owner", email: "owner@example.org", password: "correct horse battery" };
const EDITOR = { name: "Ed Editor", email: "ed@example.org", password: "staple of the battery" };

let browser: SharedBrowser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describeInBrowser("a person in the console", () => {
  let site: ConsoleSite;
  /** Violations by pages, over all browsers of this site. */
  const all: string[][] = [];
  const visitor = async () => {
    const watching = await openWatchedPage(browser, site);
    all.push(watching.faults);
    return watching;
  };

  beforeAll(async () => {
    site = await ConsoleSite.open();
  });
  afterAll(() => site?.close());

  test("follows the first link, signs out and in, adds a member, makes a key, ends sessions", async () => {
    const { world } = site;
    const made = world.service.made;
    // An embedded database was started for the first time; on PostgreSQL the operator makes the link.
    const link = made?.console ?? (await site.link());
    const { page } = await visitor();

    await joinByOneTimeLink(page, link, OWNER);
    await page.waitForURL(/\/console\/wsp_\w+\/$/);
    const home = page.url();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(made ? "My workspace" : "Test workspace");
    expect(await page.locator("main").textContent()).toContain(
      `claude mcp add --transport http belfry ${site.url}/mcp`,
    );

    // The link was used up.
    const { page: late } = await visitor();
    await late.goto(link);
    await late.getByRole("heading", { name: "This link has already been used" }).waitFor();
    // Its secret is in no address that a server or a proxy saw, nor in the browser's line any more.
    expect(late.url()).toBe(`${site.url}/console/welcome/open`);
    await late.context().close();

    await page.getByRole("button", { name: "Sign out" }).click();
    expect(await page.getByRole("status").textContent()).toBe("You are signed out.");
    expect((await page.goto(home))!.url()).toContain("/console/sign-in");
    await signIn(page, { ...OWNER, password: "not the password" });
    const wrong = await page.getByRole("alert").textContent();
    await signIn(page, { email: "nobody@example.org", password: "not the password" });
    expect(await page.getByRole("alert").textContent()).toBe(wrong);
    await signIn(page, OWNER);
    // Back where the visit was going.
    expect(page.url()).toBe(home);

    // A key over the page, used over REST.
    await page.getByRole("link", { name: "Developers" }).click();
    await page.locator("summary", { hasText: "New key" }).click();
    await page.getByLabel("Name").fill("opening channels");
    await page.locator("label:has([name=preset][value=own])").click();
    for (const scope of ["pushers:read", "pushers:write", "alerts:write"])
      await page.locator(`[id="scope-${scope}"]`).check();
    await page.getByRole("button", { name: "Create key" }).click();
    const key = (await page.locator("pre").first().textContent())!;
    expect(key).toMatch(/^bfk_/);
    expect(page.url()).not.toContain("bfk_");
    const first = await world.pusher({ name: "Harbour" }, key);
    const second = await world.pusher({ name: "Lighthouse" }, key);
    await page.getByRole("link", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole("row").filter({ hasText: "opening channels" });
    await expect
      .poll(async () => {
        await page.reload();
        return row.textContent();
      })
      .toContain("just now");

    // A member of one channel only.
    await page.getByRole("link", { name: "Workspace", exact: true }).click();
    await page.getByLabel("E-mail address").fill(EDITOR.email);
    await page.getByLabel("Role").selectOption("editor");
    expect(await page.getByLabel(first.handle).isVisible()).toBe(false);
    await page.getByLabel("Only these:").check();
    await page.getByLabel(first.handle).check();
    await page.getByRole("button", { name: "Add and show link" }).click();
    const handedOut = (await page.locator("pre").textContent())!;
    const { page: other } = await visitor();
    await joinByOneTimeLink(other, handedOut, EDITOR);
    await other.waitForURL(/\/console\/wsp_\w+\/$/);
    const seen = await other.locator("main").textContent();
    expect(seen).toContain("Harbour");
    expect(seen).not.toContain("Lighthouse");
    expect(await other.getByRole("link", { name: "Members" }).count()).toBe(0);
    for (const path of ["members", "keys"]) expect((await other.goto(home + path))!.status()).toBe(403);

    await page.goto(home);
    expect(await page.locator("main").textContent()).toContain(second.handle);

    // A picture uploaded on the page, attached to an alert by its id.
    await page.goto(`${home}files`);
    const png = { name: "quay.png", mimeType: "image/png", buffer: PNG };
    await page.getByLabel("File", { exact: true }).setInputFiles({ ...png, buffer: Buffer.from("no picture") });
    await page.getByRole("button", { name: "Upload" }).click();
    expect(await page.getByRole("alert").textContent()).toMatch(/picture/);
    await page.getByLabel("File", { exact: true }).setInputFiles(png);
    await page.getByRole("button", { name: "Upload" }).click();
    expect(await page.getByRole("status").first().textContent()).toContain("uploaded");
    const file = page.getByRole("row").filter({ hasText: "quay.png" });
    const assetId = await file.locator("pre").textContent();
    const attach = { pusher_id: first.id, title: "See the quay", layout: "image", image_asset_id: assetId };
    const alert = await world.rest("create_alert", attach, key);
    expect(alert.body).toMatchObject({ status: "draft", image_asset_id: assetId });
    await page.reload();
    expect(await file.textContent()).toContain("In use");
    expect(await file.getByRole("link", { name: /^Delete/ }).count()).toBe(0);

    // Revoked: the next call is refused.
    await page.goto(`${home}keys`);
    await page.locator("summary", { hasText: "Actions for opening channels" }).click();
    await page.getByRole("link", { name: "Revoke opening channels" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Revoke the key opening channels?");
    expect((await world.rest("list_pushers", {}, key)).status).toBe(200);
    await page.getByRole("button", { name: "Revoke key" }).click();
    expect(await page.getByRole("status").textContent()).toContain("revoked");
    expect((await world.rest("list_pushers", {}, key)).status).toBe(401);

    // A second browser of the owner is ended from the first.
    const { page: elsewhere } = await visitor();
    await elsewhere.goto(`${site.url}/console`);
    await signIn(elsewhere, OWNER);
    await elsewhere.waitForURL(home);
    await page.goto(`${site.url}/console/account`);
    expect(await page.locator("tbody tr").first().textContent()).toContain("this computer");
    const others = page.locator("tbody tr").filter({ hasNotText: "this session" });
    expect(await others.count()).toBe(1);
    await others.getByRole("link", { name: /^End/ }).click();
    await page.getByRole("button", { name: "End the session" }).click();
    expect((await elsewhere.goto(home))!.url()).toContain("/console/sign-in");

    // An expired session is invalid.
    await world.sql(`update auth.session set "expiresAt" = now() - interval '1 hour'`);
    expect((await page.goto(home))!.url()).toContain("/console/sign-in");
    expect(all.flat()).toEqual([]);
  });

  test("signs in by keyboard alone", async () => {
    const { page } = await visitor();
    await page.goto(`${site.url}/console/sign-in`);
    // The first field has the focus; before it come the link to the content and the brand.
    expect(await page.evaluate("document.activeElement.id")).toBe("email");
    await page.keyboard.type(OWNER.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(OWNER.password);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/wsp_\w+\/$/);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    expect(all.flat()).toEqual([]);
  });

  test("a refused form names every wrong field, and the first has the focus", async () => {
    const { page } = await visitor();
    await page.goto(`${site.url}/console/sign-in`);
    await signIn(page, OWNER);
    await page.waitForURL(/wsp_/);
    await page.goto(`${page.url()}keys`);
    const name = page.getByLabel("Name");
    await page.locator("summary", { hasText: "New key" }).click();
    await page.locator("label:has([name=preset][value=own])").click();
    await page.getByRole("button", { name: "Create key" }).click();
    const links = page.getByRole("alert").getByRole("link");
    expect(await links.allTextContents()).toEqual(["The key's name is missing.", "Select at least one permission."]);
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("name");
    expect(await name.getAttribute("aria-describedby")).toBe("name-hint name-wrong");
    await links.last().click();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.name")).toBe("scope");
    // One field is fixed: the other one is the first now.
    await name.fill("mended");
    await page.getByRole("button", { name: "Create key" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("scope");
    expect(await name.inputValue()).toBe("mended");
    expect(all.flat()).toEqual([]);
  });
});
