// The page of the API in a real browser, at three widths, dark and light, view by view. It fits, is accessible (axe,
// keyboard alone), sends no request to another server, and is complete without its script. Needs CHROMIUM; skipped
// without one.

import type { BrowserContextOptions } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { listAxeFindings } from "../support/page_checks.ts";

/** The maximum size of the page in transfer, with all of its requests. */
const HEAVIEST = 150_000;
const FIRST_LINES = { curl: /^curl /, JavaScript: /^import /, Python: /^import /, Go: /^package main/ };
/** The key's field, and the operation that is tried. */
const TRIED = "#try, #get_me";
const PICTURES = process.env.PICTURES;

describeInBrowser("the page of the API", () => {
  const its = openSiteAndBrowser({ name: "localhost" });

  async function open(options: BrowserContextOptions = {}) {
    const context = await its.browser.newContext({ viewport: { width: 1280, height: 844 }, ...options });
    const page = await context.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${its.site.url}/api/v1/docs`);
    return { context, page, asked, complaints };
  }

  test.each([320, 1280])("at %d px, light and dark", async (width) => {
    const viewport = { width, height: 844 };
    const { context, page, asked, complaints } = await open({ viewport, reducedMotion: "reduce" });
    const fits = async () =>
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(page.viewportSize()!.width);
    /** Checks `part` of the page alone where the rest is as it was at the look before. */
    const look = async (name: string, part?: string) => {
      // No style of 390 pixels shows or colours anything otherwise than 320.
      for (const each of width === 320 ? [390, 320] : [width]) {
        await page.setViewportSize({ width: each, height: 844 });
        await fits();
      }
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        // Only colours can differ at 1280: the elements are those of 320.
        const found = await listAxeFindings(page, colorScheme, width === 320 ? part : null);
        expect([name, colorScheme, found]).toEqual([name, colorScheme, []]);
        if (PICTURES) await page.screenshot({ path: `${PICTURES}/docs_${name}-${width}-${colorScheme}.png` });
      }
    };
    expect(await page.title()).toBe("Belfry API");
    for (const [group, name] of [
      ["Pushers", "Channels"],
      ["Handset", "Devices"],
    ])
      expect(await page.locator(`#tag-${group} > h2`).textContent()).toBe(name);
    await look("whole");
    // axe needs its time for all operations, so the looks that follow see two.
    await page.evaluate(
      "for (const other of document.querySelectorAll('article:not(#create_alert, #get_me)')) other.remove()",
    );

    // The search: results under headings above something; and misses.
    const menu = page.locator(".contents > summary");
    if (width < 960) await menu.click();
    const filter = page.getByRole("searchbox", { name: "Find an operation" });
    await filter.fill("invite");
    expect(await page.locator(".contents li:visible").count()).toBe(4);
    expect(await page.locator(".contents .group:visible").allTextContents()).toEqual(["Invites", "Objects"]);
    await look("search", ".contents");
    await filter.fill("no such words");
    expect(await page.locator(".contents .group:visible").count()).toBe(0);
    await page.getByText("No matching operations.").waitFor();
    await look("nothing_found", ".contents");
    await filter.fill("create alert");
    await page.locator('.contents a[href="#create_alert"]').click();
    expect(new URL(page.url()).hash).toBe("#create_alert");

    // An operation: all that it folds, and its samples in each language.
    await page.evaluate("for (const more of create_alert.querySelectorAll('details')) more.open = true");
    await look("unfolded", "#create_alert .about");
    const sample = page.locator("#create_alert pre[data-pane]:visible").first();
    for (const [language, begins] of Object.entries(FIRST_LINES)) {
      const button = page.locator(`#create_alert [data-set="${language}"]`).first();
      await button.click();
      expect(await button.getAttribute("aria-pressed")).toBe("true");
      expect(await sample.textContent()).toMatch(begins);
      await look(`sample_${language}`, "#create_alert .samples");
    }

    // A call: refused for want of a key, then answered.
    const trial = page.locator("#get_me details.try");
    await trial.locator("summary").click();
    await look("try_open", TRIED);
    await trial.getByRole("button", { name: "Send GET" }).click();
    await page.getByText("This call needs a key.").waitFor();
    await look("try_refused", TRIED);
    await page.getByLabel("Key or device token").fill(await its.site.world.key());
    await trial.getByRole("button", { name: "Send GET" }).click();
    await trial.getByText("200", { exact: true }).waitFor();
    await look("try_answered", TRIED);

    const way = page.getByRole("navigation", { name: "Belfry" }).getByRole("link", { name: "Console" });
    expect(await way.getAttribute("href")).toBe("/console");
    expect(complaints).toEqual([]);
    expect(asked.filter((line) => !line.startsWith(`GET ${its.site.url}/`))).toEqual([]);
    await context.close();
  });

  test("is light in transfer, with all of its requests", async () => {
    const { context, page, asked } = await open();
    await page.waitForLoadState("networkidle");
    const files = new Set(asked.map((line) => line.replace(/^GET http:\/\/[^/]+|\?v=[\w-]+$/g, "")));
    expect([...files].sort()).toEqual([
      "/api/v1/docs",
      "/static/docs_page.css",
      "/static/icon.svg",
      "/static/styles.css",
    ]);
    const bytes = await page.evaluate<number>(
      `["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    console.log(`docs_page: ${Math.round(bytes / 1000)} kB on the way`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(HEAVIEST);
    await context.close();
  });

  // rules#color-scheme
  test("has the reader's color scheme, also after a reload", async () => {
    const { context, page, complaints } = await open({ colorScheme: "light" });
    const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme");
    expect(await scheme()).toBe("light");
    await page.getByLabel("Colour scheme").selectOption("dark");
    expect(await scheme()).toBe("dark");
    await page.reload();
    expect([await scheme(), await page.getByLabel("Colour scheme").inputValue()]).toEqual(["dark", "dark"]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("is complete without its script, and offers nothing that would need it", async () => {
    const { context, page } = await open({ javaScriptEnabled: false });
    const article = page.locator("#create_alert");
    for (const begins of Object.values(FIRST_LINES))
      expect(await article.locator("pre:visible", { hasText: begins }).count()).toBeGreaterThan(0);
    expect(await article.getByText("pusher_id").first().isVisible()).toBe(true);
    // The sample of an object is a part of an operation's example.
    const channel = page.locator("#object-Pusher");
    expect(JSON.parse((await channel.locator(".samples pre").textContent())!)).toMatchObject({
      handle: "tejo-ferries",
      status: "active",
    });
    await page.locator('.contents a[href="#create_invite"]').click();
    expect(new URL(page.url()).hash).toBe("#create_invite");
    for (const needing of ["#filter", "#try", "#create_alert .try", "[data-set]", "#scheme-choice"])
      expect([needing, await page.locator(needing).first().isVisible()]).toEqual([needing, false]);
    await page.getByRole("link", { name: "Console" }).click();
    expect(new URL(page.url()).pathname).toMatch(/^\/console/);
    await context.close();
  });

  test("a call is found, tried and answered with the keyboard alone", async () => {
    const { context, page } = await open();
    const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    const reach = async (selector: string) => {
      for (let tabs = 0; tabs < 400; tabs++) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`nothing led to ${selector}`);
    };
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await reach("#filter");
    await page.keyboard.type("get_pusher");
    await reach('.contents a[href="#get_pusher"]');
    await page.keyboard.press("Enter");
    await reach('#get_pusher [data-set="Go"]');
    await page.keyboard.press("Space");
    expect(await page.locator("#get_pusher pre:visible").first().textContent()).toMatch(FIRST_LINES.Go);
    await reach("#get_pusher .try > summary");
    await page.keyboard.press("Enter");
    await page.locator("#get_pusher .try input").waitFor();
    await reach("#get_pusher .try input");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    // The missing value has the focus, first in the path and then in the key's field.
    const { id } = await its.site.world.pusher({ name: "Found by keyboard" });
    await page.getByText("Enter a value for id in the path.").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(`/api/v1/pushers/${id}`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await focused("#key");
    await page.keyboard.type(await its.site.world.key());
    // Enter leads back to the call that waits for the key.
    await page.keyboard.press("Enter");
    await focused("#get_pusher .try button");
    expect(await page.locator("#get_pusher .try .said").textContent()).not.toMatch(/Sending|200/);
    await page.keyboard.press("Enter");
    await page.locator("#get_pusher .try pre", { hasText: "Found by keyboard" }).waitFor();
    // It can be sent once more from where one is.
    expect(await page.evaluate("document.activeElement.matches('#get_pusher .try button')")).toBe(true);
    await context.close();
  });

  // rules#api-page-key
  test("the key is only in its field, and removed with its responses when the page is left", async () => {
    const { context, page, asked } = await open();
    const { world, url } = its.site;
    const trial = page.locator("#get_me details.try");
    await trial.locator("summary").click();
    const key = await world.key();
    await page.locator("#key").fill(key);
    // The keyboard does not miss a button of a page that still scrolls.
    await trial.getByRole("button", { name: "Send GET" }).press("Enter");
    await trial.locator("pre").waitFor();
    expect(JSON.parse((await trial.locator("pre").textContent())!).workspace.id).toBe(world.workspace.id);
    const create = page.locator("#create_pusher details.try");
    await create.locator("summary").click();
    await create.getByRole("button", { name: "Send POST" }).press("Enter");
    await create.getByText(/^201/).waitFor();
    const calls = asked.filter((line) => !/\/static\//.test(line)).map((line) => line.replace(url, ""));
    expect(calls).toEqual(["GET /api/v1/docs", "GET /api/v1/me", "POST /api/v1/pushers"]);

    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(kept + (await context.cookies()).join()).not.toContain(key);
    await page.goto(`${url}/`);
    await page.goBack();
    expect(await page.locator("#key").inputValue()).toBe("");
    expect(await page.locator(".try pre").count()).toBe(0);
    await context.close();
  });
});
