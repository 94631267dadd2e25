// Copy buttons in a real browser: the clipboard, the message, and pages without a script.

import { expect, test } from "vitest";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";

describeInBrowser("copying a text", () => {
  const its = openSiteAsOwner();

  test("a button copies the whole text and confirms it; without a script the text is complete without it", async () => {
    const { page, context, faults } = await its.visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: its.site.url });
    await page.goto(its.base);
    const button = page.getByRole("button", { name: "Copy the address" }).first();
    const text = await page.locator("pre[data-copy='the address']").first().textContent();
    await button.click();
    await expect.poll(() => button.textContent()).toBe("Copied");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
    await page.getByText("Copied the address.").waitFor({ state: "attached" });

    // Without the clipboard API, the older command is used, as on plain http from another machine.
    await page.evaluate("navigator.clipboard.writeText('something else')");
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.locator("h1").click();
    await button.press("Enter");
    await expect.poll(() => button.textContent()).toBe("Copied");
    await page.reload();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);

    await page.goto(its.site.url);
    await page.getByRole("button", { name: "Copy the address" }).click();
    await page.getByText("Copied the address.").waitFor({ state: "attached" });
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${its.site.url}/mcp`);

    const { page: without } = await its.visit({ javaScriptEnabled: false });
    await without.goto(its.base);
    expect(await without.locator("pre[data-copy='the address']").first().textContent()).toBe(text);
    expect(await without.getByRole("button", { name: /Copy/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
