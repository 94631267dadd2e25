// On a phone the sections of a workspace and the tabs of a channel are wider than the screen. The current one is
// visible from the start, for each of them, without a script and without a jump of the page. Needs a Chromium:
// CHROMIUM=/path/to/chromium.

import { expect, test } from "vitest";
import { HttpVisitor, openWatchedPage, signIn } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";

const OWNER = { name: "Ada Owner", email: "owner@example.org", password: "correct horse battery" };
const PICTURES = process.env.PICTURES;

describeInBrowser("where one is, on a phone", () => {
  const here = openSiteAndBrowser();

  test.each([320, 390])("the current section and tab are in sight at %d pixels", async (width) => {
    const { site, browser } = here;
    if (width === 320) await new HttpVisitor(site.world, site.url).join(await site.link(), OWNER);
    const { id } = await site.world.pusher({ name: "Harbour Watch" });
    const { context, page, faults } = await openWatchedPage(browser, site, {
      viewport: { width, height: 844 },
      javaScriptEnabled: false,
    });
    await page.goto(`${site.url}/console/sign-in`);
    await signIn(page, OWNER);
    await page.waitForURL(/wsp_/);
    const base = page.url();
    const channel = `channels/${id}`;
    for (const [path, nav, name] of [
      ["", "Workspace", "Overview"],
      ["stats", "Workspace", "Insights"],
      ["audit", "Workspace", "Workspace"],
      ["keys", "Workspace", "Developers"],
      ["assistants", "Developers pages", "Assistants"],
      [channel, "Channel", "Alerts"],
      [`${channel}/invites`, "Channel", "Invites"],
      [`${channel}/edit`, "Channel", "Settings"],
    ] as const) {
      await page.goto(base + path);
      // The sections are behind a button with the current one's name.
      const current =
        nav === "Workspace"
          ? page.locator("button.section")
          : page.getByRole("navigation", { name: nav, exact: true }).locator("[aria-current]");
      expect((await current.textContent())?.replace("Section: ", "")).toBe(name);
      const box = (await current.boundingBox())!;
      const seen = box.x >= 0 && box.x + box.width <= width;
      expect({ path, seen, x: Math.round(box.x) }).toMatchObject({ path, seen: true });
      // The page itself is at its beginning.
      const brand = (await page.locator("a.brand").boundingBox())!;
      expect([brand.x >= 0, brand.y >= 0]).toEqual([true, true]);
      if (PICTURES)
        await page.screenshot({ path: `${PICTURES}/where-${width}-${path.replaceAll("/", "_") || "overview"}.png` });
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
