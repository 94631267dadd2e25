// Copy buttons in a real browser: what lands on the clipboard, what is said of it, and pages without a script.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { executablePath, join, launch, Site, watched } from "../support/site.ts";

const OWNER = { name: "Ada Owner", email: "owner@example.org", password: "correct horse battery" };

describe.skipIf(!executablePath)("copying a text", () => {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    [browser, site] = await Promise.all([launch(), Site.open()]);
  });
  afterAll(() => Promise.all([browser?.close(), site?.close()]));

  test("a button copies the whole text and says so; without a script there is none, and no less text", async () => {
    const { page, context, faults } = await watched(browser, site);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.url });
    await join(page, await site.link(), OWNER);
    await page.waitForURL(/\/console\/wsp_\w+\/$/);
    const home = page.url();
    const button = page.getByRole("button", { name: "Copy the command" }).first();
    const text = await page.locator("pre[data-copy='the command']").first().textContent();
    await button.click();
    await expect.poll(() => button.textContent()).toBe("Copied");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
    await page.getByText("Copied the command.").waitFor({ state: "attached" });

    // What the browser does not give to scripts is asked for in the older way, as on plain http from another machine.
    await page.evaluate("navigator.clipboard.writeText('something else')");
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.locator("h1").click();
    await button.press("Enter");
    await expect.poll(() => button.textContent()).toBe("Copied");
    await page.reload();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);

    const cookies = await context.cookies();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    await plain.addCookies(cookies);
    const without = await plain.newPage();
    await without.goto(home);
    expect(await without.locator("pre[data-copy='the command']").first().textContent()).toBe(text);
    expect(await without.getByRole("button", { name: /Copy/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
