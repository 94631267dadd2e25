// The app's page in a real Chromium: its weight, its policy, its accessibility, and its handling of hostile texts.
// Needs CHROMIUM=/path/to/chromium; without one it is skipped with a message.

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOSTILE_MARKUP } from "../cases/sanitizer_markup.ts";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { checkAccessibility } from "../support/page_checks.ts";
import { findAlertCard, joinInApp } from "../support/web_app.ts";

describeInBrowser("the app", () => {
  const its = openSiteAndBrowser();

  test("its page and its scripts weigh little, and it sends no request to another server", async () => {
    const { context, page, faults } = await openWatchedPage(its.browser, its.site);
    const weights: { path: string; type: string; bytes: number }[] = [];
    const asked: Promise<void>[] = [];
    page.on("requestfinished", (request) => {
      const weigh = async () => {
        const { responseBodySize } = await request.sizes();
        weights.push({ path: new URL(request.url()).pathname, type: request.resourceType(), bytes: responseBodySize });
      };
      if (request.serviceWorker() === null) asked.push(weigh());
    });
    await page.goto(`${its.site.url}/app`, { waitUntil: "networkidle" });
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await Promise.all(asked);
    const sum = (rows: typeof weights) => rows.reduce((bytes, row) => bytes + row.bytes, 0);
    const scripts = weights.filter(({ type }) => type === "script");
    console.log(`web_app/app: ${scripts.length} scripts of ${sum(scripts)} bytes, ${sum(weights)} in all`);
    // The app, and the texts of one language.
    expect(scripts.map(({ path }) => path.replace(/.*\//, "")).sort()).toEqual(["color_scheme.js", "en.js", "main.js"]);
    expect(sum(scripts)).toBeLessThan(100_000);
    expect(sum(weights)).toBeLessThan(120_000);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("before any script it describes itself, and has links", async () => {
    const context = await its.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${its.site.url}/app`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Your alerts");
    expect(await page.getByRole("link", { name: "The channel directory" }).getAttribute("href")).toBe("/c");
    await context.close();
  });

  test("an address that changes just when it is drawn first is followed", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    await page.addInitScript(() => {
      const { document, history, MutationObserver } = globalThis as any;
      const drawn = new MutationObserver(() => {
        if (document.querySelector("#app h1")?.textContent !== "Inbox") return;
        drawn.disconnect();
        history.replaceState(null, "", "#settings");
      });
      drawn.observe(document, { childList: true, subtree: true });
    });
    await page.goto(`${its.site.url}/app`);
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await context.close();
  });

  test("its policy names no other host, and scripts come from here alone", async () => {
    const answer = await fetch(`${its.site.url}/app/`);
    const policy = answer.headers.get("content-security-policy")!;
    const directives = new Map(
      policy.split("; ").map((line) => [line.split(" ")[0]!, line.split(" ").slice(1)] as const),
    );
    expect(policy).not.toMatch(/\*|unsafe|:\/\//);
    expect(directives.get("default-src")).toEqual(["'none'"]);
    for (const name of ["script-src", "connect-src", "style-src", "worker-src", "frame-src", "manifest-src"])
      expect([name, directives.get(name)]).toEqual([name, ["'self'"]]);
    expect(answer.headers.get("permissions-policy")).toContain("geolocation=(self)");
    const other = await fetch(`${its.site.url}/console/sign-in`);
    expect(other.headers.get("permissions-policy")).toContain("geolocation=()");
  });

  test("only what is listed is served, kept for good under its hash, and compressed", async () => {
    const page = await (await fetch(`${its.site.url}/app`)).text();
    const main = /src="(\/static\/app\/[\w-]+\/main\.js)"/.exec(page)![1]!;
    const answer = await fetch(its.site.url + main, { headers: { "accept-encoding": "gzip" } });
    expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(answer.headers.get("cache-control")).toContain("immutable");
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    for (const path of [
      main.replace("main.js", "../serve.ts"),
      main.replace("main.js", "%2e%2e/serve.ts"),
      main.replace("main.js", "nowhere.ts"),
      "/static/app/else/main.js",
      "/static/app/",
    ])
      expect([path, (await fetch(its.site.url + path)).status]).toEqual([path, 404]);
    const worker = await fetch(`${its.site.url}/sw.js`);
    expect(worker.headers.get("cache-control")).toBe("no-cache");
    expect(await worker.text()).toContain(main);
    const manifest = (await (await fetch(`${its.site.url}/manifest.webmanifest`)).json()) as any;
    for (const { src, type } of manifest.icons)
      expect((await fetch(its.site.url + src)).headers.get("content-type")).toContain(type);
  });

  describe("with alerts of every layout", () => {
    let context: BrowserContext;
    let page: Page;
    let faults: string[];
    let pusher: any;
    const ids: Record<string, string> = {};
    /** Paths of requests to another site. */
    const fetched: string[] = [];

    beforeAll(async () => {
      ({ context, page, faults } = await openWatchedPage(its.browser, its.site));
      await context.route("https://pictures.example/**", (route) => {
        fetched.push(new URL(route.request().url()).pathname);
        return route.fulfill({
          contentType: "image/svg+xml",
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>',
        });
      });
      pusher = await its.site.world.pusher({
        name: "Harbour Night Watch",
        description: "Bridges and tides",
        long: "Two lines\nof what it is.",
        requested_perms: ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"],
        tags: ["harbour"],
        site: "https://harbour.example",
        lat: 51.5,
        lon: -0.1,
        radius_km: 3,
      });
      await joinInApp(page, its.site.url, { handle: pusher.handle });
      const send = async (name: string, fields: object) => {
        ids[name] = (await its.site.world.alert(pusher.id, { title: `A ${name}`, send: true, ...fields })).id;
      };
      await send("text", {
        body: "The bridge is closed.",
        requires_ack: true,
        actions: [{ type: "open_url", label: "Timetable", url: "https://harbour.example/times" }],
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        lat: 51.5,
        lon: -0.1,
        radius_km: 2,
        sound: "bell",
        vibrate: "sos",
        tts_text: "The bridge is closed",
        tts_lang: "en",
        source_url: "https://harbour.example/more",
      });
      await send("urgent", { priority: "urgent", body: "Now." });
      await send("image", { layout: "image", image_url: "https://pictures.example/quay.png" });
      await send("html", {
        layout: "html",
        html:
          "<h2 style='color:#a0522d'>Tides</h2><p>High at six.</p><img src='https://pictures.example/x.png' " +
          "alt='Chart'>",
      });
      await send("document", {
        layout: "document",
        html:
          "<!doctype html><html><head><style>h1{color:rgb(200, 150, " +
          "0)}</style><script>parent.ran=true;document.title='ran'</script></head><body><h1>Document</h1><p " +
          "onclick='alert(1)'>Whole</p></body></html>",
      });
      await page.goto(`${its.site.url}/app/#inbox`);
      await findAlertCard(page, "A document").waitFor();
    });
    afterAll(() => context?.close());

    const open = async (name: string) => {
      await page.goto(`${its.site.url}/app/#alert/${ids[name]}`);
      await page.getByRole("heading", { level: 1, name: `A ${name}` }).waitFor();
    };

    // rules#app-asks-nobody-else
    test("a picture of another site is fetched on the person's request, and not before", async () => {
      const before = faults.length;
      await open("image");
      const show = page.locator(".chosen").getByRole("button", { name: "Show picture" });
      await page.getByText("The picture loads from pictures.example").waitFor();
      expect(faults.slice(before)).toEqual([]);
      await show.click();
      await page.locator(".chosen img.picture").waitFor();
      const whole = page.getByRole("link", { name: "Picture: A image" });
      expect(await whole.getAttribute("href")).toBe("https://pictures.example/quay.png");
      await expect.poll(() => fetched).toEqual(["/quay.png"]);
      faults.splice(before);
    });

    // rules#app-markup-frame
    test("markup keeps its styles in a frame of no origin, and its scripts do not run", async () => {
      await open("document");
      const frame = page.frameLocator(".chosen iframe");
      const heading = frame.getByRole("heading", { name: "Document" });
      await heading.waitFor();
      expect(await heading.evaluate((node) => (globalThis as any).getComputedStyle(node).color)).toBe(
        "rgb(200, 150, 0)",
      );
      // The frame is hidden until it has content.
      await page.locator('.chosen iframe[style*="visible"]').waitFor();
      const inner = page.frames().find((one) => one !== page.mainFrame())!;
      expect(await inner.evaluate("self.origin")).toBe("null");
      expect(await inner.title()).toBe("Alert");
      await open("html");
      expect(
        await page
          .frameLocator(".chosen iframe")
          .getByRole("heading", { name: "Tides" })
          .evaluate((node) => (globalThis as any).getComputedStyle(node).color),
      ).toBe("rgb(160, 82, 45)");
      expect(await page.evaluate("globalThis.ran")).toBeUndefined();
      expect(fetched).toEqual(["/quay.png"]);
      await page.getByRole("button", { name: "Show pictures" }).click();
      await expect.poll(() => fetched).toEqual(["/quay.png", "/x.png"]);
      // A browser reports the scripts and requests that the frame's policy blocked.
      const told = /violates the following Content Security Policy|asked https:\/\/pictures\.example\/x\.png/;
      expect(faults.splice(0).filter((fault) => !told.test(fault))).toEqual([]);
    });

    const views = ["#inbox", "alert", "#channels", "channel", "gear", "#discover", "#settings", "join"] as const;
    test("it is accessible, at three widths, light and dark", async () => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      const another = await its.site.world.pusher({ name: "Not yet followed", requested_perms: ["notify", "quiet"] });
      for (const view of views) {
        const hash =
          view === "alert"
            ? `#alert/${ids.text}`
            : view === "channel" || view === "gear"
              ? `#channel/${pusher.handle}${view === "gear" ? "/settings" : ""}`
              : view === "join"
                ? `#join=${another.handle}`
                : view;
        await page.goto(`${its.site.url}/app/${hash}`);
        if (view === "join")
          await page
            .getByRole("button", { name: /^Subscribe/ })
            .first()
            .waitFor();
        if (view === "#discover") await page.locator(".list .row").first().waitFor();
        await checkAccessibility(page, view);
        // Side by side, list and details scroll separately.
        expect([view, await page.evaluate("document.documentElement.scrollHeight - innerHeight")]).toEqual([view, 0]);
      }
    });

    test("a missing alert leads to the inbox, and the settings list their sections", async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${its.site.url}/app/#alert/alr_0000000000000000`);
      await page.getByRole("heading", { level: 1, name: "Alert not found" }).waitFor();
      // The inbox is open next to it.
      const inbox = page.locator(".chosen").getByRole("link", { name: "Go to inbox" });
      await findAlertCard(page, "A text").waitFor();
      expect(await inbox.count()).toBe(0);
      await page.setViewportSize({ width: 390, height: 844 });
      await inbox.click();
      await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${its.site.url}/app/#settings`);
      await page.getByRole("link", { name: "This device", exact: true }).click();
      await expect.poll(() => page.evaluate("document.querySelector('.chosen').scrollTop > 0")).toBe(true);
      expect(await findAlertCard(page, "A text").count()).toBe(0);
    });

    test("the keyboard alone opens an alert, confirms it and comes back", async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${its.site.url}/app/#inbox`);
      // The app moves the focus to the title of a view, after it has drawn the view.
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Inbox");
      await findAlertCard(page, "A text").getByRole("link", { name: "A text" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "A text" }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("A text");
      const seen = page.locator(".chosen").getByRole("button", { name: "Acknowledge" });
      for (let i = 0; i < 40 && !(await seen.evaluate((node) => node === node.ownerDocument.activeElement)); i++)
        await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.locator(".chosen").getByText("Acknowledged at").waitFor();
      await page.getByRole("link", { name: "Back" }).focus();
      await page.keyboard.press("Enter");
      await findAlertCard(page, "A text").waitFor();
    });

    test("another language is one setting", async () => {
      await page.goto(`${its.site.url}/app/#settings`);
      await page.getByLabel("Language").selectOption("de");
      await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
      expect(await page.evaluate("document.documentElement.lang")).toBe("de");
      await page.getByLabel("Sprache").selectOption("");
      await page.getByRole("heading", { name: "Settings" }).waitFor();
    });
  });

  // rules#app-markup-frame
  test("hostile markup is shown without running, also from a service that sanitises nothing", async () => {
    const context = await its.browser.newContext();
    const page = await context.newPage();
    const hits: string[] = [];
    await context.exposeFunction("hit", (what: string) => void hits.push(what));
    await context.addInitScript(() => {
      const web: any = globalThis;
      for (const name of ["alert", "prompt", "confirm", "print", "fired"]) web[name] = () => web.hit(name);
    });
    await context.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => route.abort());
    const poke = () => {
      const web: any = globalThis;
      for (const node of [...web.document.querySelectorAll("*")].slice(0, 60))
        for (const type of ["mouseover", "focus", "error", "load", "toggle", "submit", "animationend", "begin"])
          node.dispatchEvent(new web.Event(type, { bubbles: true, cancelable: true }));
    };

    // In the app itself: text and markup of an alert.
    const pusher = await its.site.world.pusher();
    await its.site.world.alert(pusher.id, { send: true });
    const { body } = await its.site.world.handset("GET", "/inbox", await its.site.world.device(pusher.handle));
    expect(body.data).toHaveLength(1);
    const row = {
      ...body.data[0],
      id: `alr_${"0".repeat(26)}`,
      title: "Hostile <img src=x onerror=alert(1)>",
      body: HOSTILE_MARKUP.map(({ html }) => html)
        .join("\n")
        .slice(0, 4000),
      layout: "html",
      html: HOSTILE_MARKUP[0]!.html,
      actions: [{ type: "open_url", label: "<b>x</b>", url: "javascript:alert(1)" }],
      source_url: "javascript:alert(1)",
    };
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    await context.route("**/handset/v1/inbox**", (route) =>
      route.fulfill({ json: { data: [row], meta: { next_before: null } }, headers: { etag: '"x"' } }),
    );
    await page.goto(`${its.site.url}/app/?again#inbox`);
    await findAlertCard(page, "Hostile <img").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Hostile <img" }).waitFor();
    await page.evaluate(poke);
    expect(await page.locator(".chosen a[href^='javascript']").count()).toBe(0);
    const place = await page.locator(".chosen iframe").getAttribute("src");

    // Some of every family, each in a frame as the app makes it: what the sanitiser leaves of all is tried with the
    // sanitiser.
    const families = Map.groupBy(HOSTILE_MARKUP, ({ name }) => name.replace(/ \d+$/, ""));
    const markups = [...families.values()].flatMap((family) => family.slice(0, 2).map(({ html }) => html));
    const shown = await page.evaluate(showAll, { place: place!, markups });
    for (const frame of page.frames()) if (frame !== page.mainFrame()) await within(frame.evaluate(poke));
    // Some leave nothing to be shown.
    expect(shown).toBeGreaterThan(markups.length * 0.8);
    expect(hits).toEqual([]);
    // The trap itself works.
    await page.evaluate("alert()");
    await expect.poll(() => hits).toEqual(["alert"]);
    await context.close();
  });
});

/** A frame that navigated elsewhere sends no message and is not awaited. */
const within = (work: Promise<unknown>) =>
  Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 2000))]);

/**
 * Shows each markup in a frame of its own, by turns as a fragment and as a whole page. Returns the number of frames
 * that reported their height. Runs in the page.
 */
function showAll(input: { place: string; markups: string[] }): Promise<number> {
  const web: any = globalThis;
  for (const old of web.document.querySelectorAll("iframe")) old.remove();
  return new Promise((resolve) => {
    const frames = input.markups.map(() => {
      const frame = web.document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts allow-popups allow-popups-to-escape-sandbox");
      frame.src = input.place;
      return frame;
    });
    const counted = new Set<unknown>();
    const done = () => resolve(counted.size);
    web.setTimeout(done, 12_000);
    web.addEventListener("message", ({ source, data }: any) => {
      const at = frames.findIndex((frame: any) => frame.contentWindow === source);
      if (at < 0) return;
      if (data.ready) source.postMessage({ markup: input.markups[at], whole: at % 2 === 1 }, "*");
      if (typeof data.height === "number") counted.add(source);
      if (counted.size === frames.length) web.setTimeout(done, 300);
    });
    web.document.body.append(...frames);
  });
}
