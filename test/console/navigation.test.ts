// The console's navigation by role, and what public pages show to signed-in readers. rules#console-navigation,
// rules#session-hint, rules#color-scheme

import { expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { HttpVisitor, OWNER, signInMember, signInOwner } from "../support/console_site.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const base = `/console/${world.workspace.id}/`;

/** The links of a navigation, as "path name", and of the current page as "path name page". */
function linksOf(text: string, label: string): string[] | null {
  const nav = new RegExp(`<nav class="[^"]*"[^>]* aria-label="${label}"><ul>(.*?)</ul>`, "s").exec(text)?.[1];
  if (nav === undefined) return null;
  return [...nav.matchAll(/<a href="([^"]+)"(?: aria-current="(\w+)")?>([^<]+)<\/a>/g)].map(([, path, current, name]) =>
    [path!.replace(base, "/"), name, current].filter(Boolean).join(" "),
  );
}

test("an owner sees five groups, and the pages of the current one", async () => {
  const { text } = await owner.get(`${base}scheduled`);
  expect(linksOf(text, "Workspace")).toEqual([
    "/ Overview",
    "/alerts Alerts true",
    "/channels Channels",
    "/stats Insights",
    "/keys Developers",
    "/members Workspace",
  ]);
  expect(linksOf(text, "Alerts pages")).toEqual(["/alerts Lists page", "/month Calendar", "/files Files"]);
  const service = await owner.get(`${base}service`);
  expect(linksOf(service.text, "Workspace pages")).toEqual([
    "/members Members",
    "/audit Audit log",
    "/service This service page",
    "/settings Settings",
  ]);
  expect(linksOf((await owner.get(`${base}channels`)).text, "Workspace")).toContain("/channels Channels page");
  expect(linksOf((await owner.get(base)).text, "Workspace")?.[0]).toBe("/ Overview page");
});

test("other roles and owners of one of several workspaces see only pages that open", async () => {
  for (const role of ["viewer", "editor", "admin"] as const) {
    const email = `${role}@example.org`;
    const em = world.service.orm.em.fork();
    await addWorkspaceMember(em as never, { workspace: world.workspace.id, email, role });
    const member = await signInMember(world, { ...OWNER, email });
    const groups = linksOf((await member.get(base)).text, "Workspace")!;
    expect(groups.length).toBeGreaterThanOrEqual(5);
    const paths = new Set(groups.map((link) => link.split(" ")[0]!));
    for (const first of [...paths]) {
      const { text } = await member.get(base + first.slice(1));
      const pages = text.match(/<nav class="group-pages".*?<\/nav>/s)?.[0] ?? "";
      for (const [, path] of pages.matchAll(/href="([^"]+)"/g)) paths.add(path!.replace(base, "/"));
    }
    for (const path of paths)
      expect([role, path, (await member.get(base + path.slice(1))).status]).toEqual([role, path, 200]);
    expect(paths).not.toContain("/service");
  }
  await world.foreignKey();
  expect((await owner.get(`${base}audit`)).text).not.toContain(`${base}service`);
});

test("public pages are the same bytes for signed-in readers, without Vary on cookies", async () => {
  const { handle } = await world.pusher();
  const stranger = new HttpVisitor(world);
  for (const path of ["/", "/c", `/c/${handle}`, "/docs"]) {
    const [theirs, ours] = [await stranger.get(path), await owner.get(path)];
    expect(ours.text).toBe(theirs.text);
    expect(ours.text).toContain('data-sign-in><span data-t="page.sign_in">Sign in</span></a>');
    expect(ours.headers.get("vary") ?? "").not.toMatch(/cookie/i);
    expect(ours.headers.get("set-cookie")).toBeNull();
  }
});

describeInBrowser("in a browser", () => {
  const here = openSiteAsOwner();

  // rules#color-scheme
  test("a color scheme that is chosen on one page is on all of them before they are drawn", async () => {
    const { context, page, faults } = await here.visit({ colorScheme: "light" });
    const { handle } = await here.site.world.pusher();
    const select = page.locator("select[data-color-schemes]");
    const COLORS = { light: "rgb(246, 246, 243)", dark: "rgb(18, 20, 25)" };
    const expectColors = async (path: string, scheme: keyof typeof COLORS) => {
      await page.goto(here.site.url + path);
      const color = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect([path, color]).toEqual([path, COLORS[scheme]]);
    };
    // Scripts of the page itself find the color scheme in place, so it was there before the page was drawn.
    await page.addInitScript(() => {
      const { document, MutationObserver, schemes = [] } = globalThis as any;
      (globalThis as any).schemes = schemes;
      new MutationObserver((_: unknown, observer: any) => {
        if (!document.body) return;
        schemes.push(document.documentElement.dataset.colorScheme ?? "system");
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    });
    const account = "/console/account";
    const paths = [account, `/c/${handle}`, "/docs", "/app/#settings"];
    await expectColors(account, "light");
    expect(await select.inputValue()).toBe("");
    await select.selectOption("dark");
    for (const path of paths) {
      await expectColors(path, "dark");
      expect(await page.evaluate("schemes[0]")).toBe("dark");
      expect(await select.inputValue()).toBe("dark");
    }
    expect(await page.locator("meta[name=theme-color][media=all]").getAttribute("content")).toBe("#121419");
    // On paper pages stay light.
    await page.goto(here.site.url + account);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ media: "screen", colorScheme: "dark" });
    await page.goto(`${here.site.url}/app/#settings`);
    await select.selectOption("light");
    for (const path of paths) await expectColors(path, "light");
    await page.goto(`${here.site.url}/docs`);
    await select.selectOption("");
    for (const path of paths) await expectColors(path, "dark");
    expect(faults).toEqual([]);
    await context.close();
    const plain = await here.browser.newContext({ javaScriptEnabled: false, colorScheme: "dark" });
    const unscripted = await plain.newPage();
    await unscripted.goto(`${here.site.url}/c/${handle}`);
    expect(await unscripted.locator("select[data-color-schemes]").isVisible()).toBe(false);
    await plain.close();
  });

  test("the public header links to the console until sign-out, and pages of the console have one width", async () => {
    const { context, page, faults } = await here.visit({ viewport: { width: 1280, height: 800 } });
    const { id } = await here.site.world.pusher();
    const link = page.locator("nav.ways a").last();
    await page.goto(here.site.url);
    expect(await link.textContent()).toBe("Sign in");
    const widths = new Set<string>();
    for (const path of [
      "",
      "drafts",
      "month",
      "channels",
      `channels/${id}/alerts/new`,
      `channels/${id}/delete`,
      "keys",
    ]) {
      await page.goto(here.base + path);
      const boxes = await Promise.all([page.locator("main").boundingBox(), page.locator(".bar").boundingBox()]);
      for (const box of boxes) widths.add(`${box!.x} ${box!.width}`);
    }
    expect([...widths]).toHaveLength(1);
    await page.goto(here.site.url);
    expect(await link.textContent()).toBe("Console");
    await link.click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
    await page.goto(here.site.url);
    expect(await link.textContent()).toBe("Sign in");
    expect(faults).toEqual([]);
    await context.close();
  });
});
