// The console on small screens: menus stay on a phone's screen, tabs show that they continue, and actions are one row.
// On paper an alert, statistics and an invite are readable. page_accessibility.test.ts measures the bars of each page.
// Needs a Chromium.

import { beforeAll, expect, test } from "vitest";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { listAxeFindings } from "../support/page_checks.ts";
import { createSampleWorkspace } from "../support/sample_workspace.ts";

describeInBrowser("where there is little room", () => {
  const here = openSiteAsOwner();
  let ids: Record<string, string>;
  beforeAll(async () => {
    ({ ids } = await createSampleWorkspace(here.site, here.owner));
    await here.site.world.sql(
      "update workspace set name = 'A workspace with a name that is longer than a phone is wide'",
    );
    await here.owner.post(
      "/console/account/workspaces",
      { workspace: "Another workspace of the same person" },
      { from: "/console/account" },
    );
    // Its result is shown once, on the next page.
    await here.owner.get("/console/account");
  });

  const at = (path: string) => here.base + path.replace(/:(\w+)/g, (_, name: string) => ids[name]!);
  const PHONE = { viewport: { width: 390, height: 844 } };

  test("tabs show on which side they go on", async () => {
    const { context, page } = await here.visit(PHONE);
    await page.goto(at("channels/:pusher"));
    const sections = page.getByRole("navigation", { name: "Channel" }).locator("ul");
    /** The widths of the ends that fade, left and right. */
    const faded = () =>
      sections.evaluate((list: any) => {
        const style = (globalThis as any).getComputedStyle(list);
        return ["--start", "--end"].map((name) => Number.parseFloat(style.getPropertyValue(name)) > 0);
      });
    const scroll = (to: number) =>
      sections.evaluate((list: any, left) => list.scrollTo({ left, behavior: "instant" }), to);
    // The fading follows the place of the list with the next picture that the browser draws.
    for (const [left, ends] of [
      [0, [false, true]],
      [80, [true, true]],
      [10_000, [true, false]],
    ] as const) {
      await scroll(left);
      await expect.poll(faded).toEqual(ends);
    }
    await context.close();
  });

  test.each([320, 390])("menus stay on a screen of %d pixels", async (width) => {
    const { context, page, faults } = await here.visit({ viewport: { width, height: 700 } });
    await page.goto(at(""));
    const inside = async (menu: string) => {
      const box = (await page.locator(menu).boundingBox())!;
      const fits = box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= 700;
      expect({ menu, ...box, fits }).toMatchObject({ fits: true });
    };
    await page.locator("main details.menu summary").first().click();
    await inside("main details.menu ul");
    await page.locator("main details.menu summary").first().click();
    await page.getByRole("button", { name: "Section: Overview" }).click();
    await inside("#sections");
    expect(await page.locator("#sections [aria-current]").textContent()).toBe("Overview");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Workspace and account" }).click();
    await inside("#who-where");
    await page.locator("#who-where summary").click();
    await inside("#who-where ul");
    expect(await listAxeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.locator("#who-where").isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a button that adds a row of fields has its text inside of it", async () => {
    const { context, page } = await here.visit(PHONE);
    await page.goto(at("channels/:pusher/alerts/:alert/edit"));
    await page.getByText("Link buttons").click();
    const room = await page
      .getByText("Add button")
      .first()
      .evaluate((button: any) => {
        const range = button.ownerDocument.createRange();
        range.selectNodeContents(button);
        const [text, box] = [range.getBoundingClientRect(), button.getBoundingClientRect()];
        return [text.left - box.left, box.right - text.right];
      });
    expect(Math.min(...room)).toBeGreaterThan(12);
    await context.close();
  });

  test.each([
    ["channels/:pusher/alerts/:alert", "Night train to Porto"],
    ["channels/:pusher/stats", "Alerts sent"],
    ["channels/:pusher/invites/:invite", "Poster at platform 4"],
  ])("%s on paper has its content without the controls", async (path, words) => {
    const { context, page } = await here.visit({ viewport: { width: 794, height: 1123 }, colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    await page.goto(at(path));
    expect(await page.locator("main").innerText()).toContain(words);
    const pressed = page
      .locator("header.top, nav, button, main :is(input, select, textarea), .foot, a.button")
      .filter({ visible: true });
    expect(await pressed.allInnerTexts()).toEqual([]);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    await context.close();
  });

  test("a page of the console comes compressed, but not where another site opened it", async () => {
    const { owner, site } = here;
    const cookie = [...owner.cookies].map((pair) => pair.join("=")).join("; ");
    const asked = async (headers: Record<string, string>) => {
      const answer = await site.world.service.app.fetch(
        new Request(at("stats"), { headers: { cookie, "accept-encoding": "gzip, br", ...headers } }),
      );
      return [answer.headers.get("content-encoding"), (await answer.arrayBuffer()).byteLength] as const;
    };
    const [zipped, small] = await asked({ "sec-fetch-site": "same-origin" });
    expect(zipped).toBe("gzip");
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "accept-encoding": "br" },
    ]) {
      const [plain, large] = await asked(headers as never);
      expect([headers, plain, large > 2 * small]).toEqual([headers, null, true]);
    }
  });
});
