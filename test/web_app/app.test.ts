// The web app in a real Chromium. Needs CHROMIUM=/path/to/chromium; without one it says so and is skipped.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { executablePath, launch, Site, watched } from "../support/site.ts";

if (!executablePath) console.log("web_app: skipped, since CHROMIUM names no browser");

describe.skipIf(!executablePath)("the app", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await Site.open();
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test("its page runs its modules under its policy, and asks nobody else", async () => {
    const { page, faults } = await watched(browser, site);
    await page.goto(`${site.url}/app`, { waitUntil: "networkidle" });
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Your alerts");
    expect(await page.getByText("No account").count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
