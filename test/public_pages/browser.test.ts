// Public pages in Chromium. They are accessible (axe at three widths, dark and light; keyboard; no script). They are
// private: no request to another server, no position in any request, and hostile texts do not run. A camera can read
// the QR code. Needs a Chromium: CHROMIUM=/path/to/chromium. Without one it is skipped with a message.

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { openWatchedPage } from "../support/console_site.ts";
import { joinChannel, registerHandset, suspend } from "../support/handsets.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { checkAccessibility, measurePageBytes } from "../support/page_checks.ts";
import { scanQrPicture } from "../support/public_pages.ts";
import { WAIT } from "../support/wait.ts";
import { timeInSeconds } from "../support/world.ts";

const scannedOn = async (page: Page) => scanQrPicture(await page.locator("svg.qr").screenshot());

describeInBrowser("public pages in a browser", () => {
  const its = openSiteAndBrowser();
  let full: any;
  let secret: any;
  let invite: any;

  beforeAll(async () => {
    const { world } = its.site;
    full = await world.pusher({
      handle: "harbour-watch",
      name: "Harbour Watch with a name that is as long as a name may well be here",
      description: "Tides, closures and what the night brings along the quays of the lower town",
      long: "One line.\n\nAnother, with averyveryverylongwordthatneverendsandmustnotmakethepagewiderthanitis.",
      site: "https://harbour.example/",
      city: "Lisbon",
      lat: 38.7071,
      lon: -9.1355,
      radius_km: 5,
      requested_perms: ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"],
      alert_types: ["tides", "closures"],
      tags: ["sea", "quay", "averyveryverylongtagwithoutanyspaceinit"],
      image_url: "https://pictures.example/face.png",
      gradient_from: "#fff8d0",
      gradient_to: "#ffffff",
    });
    for (const [priority, more] of [
      ["normal", { expires_at: timeInSeconds(600) }],
      ["important", { source_url: "https://harbour.example/more", lat: 38, lon: -9, radius_km: 0.5 }],
      ["urgent", { image_url: "https://pictures.example/alert.png", requires_ack: true }],
      ["urgent", { actions: [{ type: "open_url", label: "Map", url: "https://harbour.example/map" }] }],
    ] as const)
      await world.alert(full.id, {
        title: `A ${priority} one`,
        body: "What is to be said.",
        priority,
        send: true,
        ...more,
      });
    await world.sql("update alert set expires_at = now() - interval '1 minute' where title = 'A normal one'");
    secret = await world.pusher({ handle: "board-room", name: "Board room", is_public: false });
    invite = (await world.rest("create_invite", { pusher_id: secret.id })).body;
    await world.pusher({
      handle: "porto-trams",
      name: "Porto trams",
      category: "travel",
      lat: 41.15,
      lon: -8.61,
      radius_km: 8,
    });
    await world.pusher({
      handle: "all-of-it",
      name: "All of it",
      category: "cities",
      lat: 39.5,
      lon: -8,
      radius_km: 400,
    });
    await world.pusher({ handle: "no-place", name: "No place" });
  });

  const pages = () => [
    "/",
    "/c",
    "/c?q=nothing-like-it",
    "/c/harbour-watch",
    new URL(invite.url).pathname + new URL(invite.url).search,
    "/c/not-there",
    "/docs",
    "/docs/reference/operations",
    "/docs?q=webhook+secret",
  ];

  // rules#page-policy
  test(
    "every page is accessible at three widths, light and dark; no page sends requests to another server or weighs " +
      "200 kB",
    async () => {
      const { context, page, faults } = await openWatchedPage(its.browser, its.site);
      for (const path of pages()) {
        await page.goto(its.site.url + path);
        const bytes = await measurePageBytes(page);
        expect([path, bytes > 20_000 && bytes < 200_000]).toEqual([path, true]);
        // All disclosures are also opened and checked; only the pictures of others stay closed.
        await checkAccessibility(page, path, ".elsewhere");
      }
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  // rules#channel-page
  test("without script everything is there: the page, the way in, the search", async () => {
    const context = await its.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${its.site.url}/c`);
    expect(await page.getByRole("button", { name: "Near me" }).isVisible()).toBe(false);
    await page.getByLabel("Name or tag").fill("QUAY");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: full.name }).click();
    expect(new URL(page.url()).pathname).toBe("/c/harbour-watch");
    const subscribe = page.getByRole("link", { name: "Subscribe" });
    expect(await subscribe.getAttribute("href")).toBe("/app/#join=harbour-watch");
    expect(await page.getByRole("article").count()).toBe(4);
    await page.getByText("Join without the web app").click();
    expect(await page.getByText("curl -s -X PUT").isVisible()).toBe(true);
    await context.close();
  });

  test("the keyboard does everything", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    await page.goto(`${its.site.url}/c`);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("trams");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=trams/);
    await page.getByRole("link", { name: "Porto trams" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/porto-trams/);
    const reached: unknown[] = [];
    for (let n = 0; n < 30; n++) {
      await page.keyboard.press("Tab");
      reached.push(await focused());
    }
    for (const words of ["Subscribe", "Copy link", "Join without the web app", "Atom"])
      expect(reached).toContain(words);
    // In the docs, the section in view is marked.
    await page.goto(`${its.site.url}/docs/start/subscribe`);
    const section = page.locator(".toc [aria-current]");
    await section.filter({ hasText: "In a browser" }).waitFor();
    await page.locator(".toc").getByRole("link", { name: "With a feed reader" }).press("Enter");
    await section.filter({ hasText: "With a feed reader" }).waitFor();
    await context.close();
  });

  // rules#page-policy
  // rules#public-inbox
  test("an open page shows new alerts by itself, keeps opened parts, and reports a deleted channel", async () => {
    const { world } = its.site;
    const channel = await world.pusher({ handle: "news-desk", name: "News desk" });
    const { context, page, faults } = await openWatchedPage(its.browser, its.site);
    await page.goto(`${its.site.url}/c/news-desk`);
    await page.getByText("Join without the web app").click();
    expect(await page.getByText("New alerts from this channel will appear here.").isVisible()).toBe(true);
    await world.alert(channel.id, { title: "While it is open", send: true });
    // Simulates a return to the page, which does not wait for the next poll.
    const comesBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await expect
      .poll(async () => {
        await comesBack();
        return page.getByRole("article").count();
      }, WAIT)
      .toBe(1);
    expect(await page.getByRole("heading", { name: "While it is open" }).isVisible()).toBe(true);
    expect(await page.getByText("curl -s -X PUT").isVisible()).toBe(true);
    expect(await page.locator("time[data-clock]").count()).toBe(0);
    await suspend(world, "news-desk");
    await expect
      .poll(async () => {
        await comesBack().catch(() => {});
        return page.getByRole("heading", { level: 1 }).textContent();
      }, WAIT)
      .toBe("You need an invite");
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a picture of another server is requested when the reader opens it, and not before", async () => {
    const context = await its.browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    await context.route("https://pictures.example/**", async (route) => {
      asked.push(`${route.request().url()} ${route.request().headers().referer ?? "no referer"}`);
      await route.abort();
    });
    await page.goto(`${its.site.url}/c/harbour-watch`);
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))");
    expect(asked).toEqual([]);
    await page.locator("article summary").click();
    await expect.poll(() => asked).toEqual(["https://pictures.example/alert.png no referer"]);
    await context.close();
  });

  test("hostile texts of every field do not run", async () => {
    const hostile = `"'><img src=x onerror="window.hit=1"><script>window.hit=1</script>`;
    const { world } = its.site;
    const channel = await world.pusher({
      name: hostile.slice(0, 80),
      description: hostile,
      long: hostile,
      city: hostile.slice(0, 80),
      site: `https://evil.example/'"><script>window.hit=1</script>`,
      tags: [hostile.slice(0, 40)],
      alert_types: [hostile.slice(0, 40)],
      initials: `'">`,
      lat: 0,
      lon: 0,
      radius_km: 9,
    });
    await world.alert(channel.id, {
      title: hostile,
      body: hostile,
      actions: [{ type: "open_url", label: hostile.slice(0, 40), url: `https://evil.example/"onclick="window.hit=1` }],
      send: true,
    });
    const { context, page, faults } = await openWatchedPage(its.browser, its.site, {
      geolocation: { latitude: 0, longitude: 0 },
      permissions: ["geolocation"],
    });
    for (const path of [`/c/${channel.handle}`, "/c"]) {
      await page.goto(its.site.url + path);
      if (path === "/c") {
        await page.getByRole("button", { name: "Near me" }).click();
        await page.getByText("You are in its area").first().waitFor();
      }
      expect(await page.getByText(`"'><img src=x`).count()).toBeGreaterThan(0);
      expect(await page.locator("main img[src=x], main script").count()).toBe(0);
      expect(await page.evaluate("window.hit")).toBeUndefined();
    }
    expect(faults).toEqual([]);
    await context.close();
    await world.rest("update_pusher", { pusher_id: channel.id, is_public: false });
  });

  // rules#near-me
  test("distances are computed here: the smallest area around one first, with no position in requests", async () => {
    const [latitude, longitude] = [38.712345, -9.154321];
    const { context, page, faults } = await openWatchedPage(its.browser, its.site, {
      geolocation: { latitude, longitude },
      permissions: ["geolocation"],
    });
    const sent: string[] = [];
    page.on("request", (request) => {
      sent.push([request.method(), request.url(), JSON.stringify(request.headers()), request.postData()].join(" "));
    });
    const listFacts = async () =>
      Promise.all((await page.locator(".entry .meta").all()).map((line) => line.locator(".line").allInnerTexts()));
    await page.goto(`${its.site.url}/c`);
    await page.getByRole("button", { name: "Near me" }).click();
    await page.getByText("You are in the area of 2").waitFor();
    expect(await listFacts()).toEqual([
      ["You are in its area", "Community", "Lisbon"],
      ["You are in its area", "Cities"],
      [expect.stringMatching(/^16\d mi from its area$/), "Travel"],
    ]);
    await page.getByLabel("Category").selectOption("travel");
    await page.getByRole("button", { name: "Near me" }).click();
    await page.getByText("You are not in any channel’s area").waitFor();
    expect(await page.locator(".entry").count()).toBe(1);
    expect(await page.locator(".entry a").getAttribute("href")).toBe("/c/porto-trams");
    expect(sent.filter((line) => line.includes("/c/near.json"))).toHaveLength(2);
    for (const digits of ["38.7", "9.15", "712345", "154321"])
      expect(sent.filter((line) => line.includes(digits))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a visitor who declines the position sees a message", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    // The browser's result when the person declined; the prompt itself is not part of a page.
    await page.addInitScript(
      "navigator.geolocation.getCurrentPosition = (_, refused) => refused({ code: 1, message: '' })",
    );
    await page.goto(`${its.site.url}/c`);
    await page.getByRole("button", { name: "Near me" }).click();
    await page.getByText("Your location is not available").waitFor();
    expect(await page.getByRole("button", { name: "Near me" }).isEnabled()).toBe(true);
    expect(await page.locator(".entry").count()).toBe(4);
    await context.close();
  });

  // rules#invite-page
  test("a camera reads the QR code, a button copies its link, and who follows an invite's comes in", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { context, page } = await openWatchedPage(its.browser, its.site, {
        viewport: { width: 1280, height: 800 },
        colorScheme,
      });
      await page.goto(`${its.site.url}/c/harbour-watch`);
      expect(await scannedOn(page)).toBe(full.url);
      await page.goto(invite.url);
      const read = await scannedOn(page);
      expect(read).toBe(invite.url);
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: its.site.url });
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByText("Copied.").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(invite.url);
      await page.goto(read);
      const href = await page.getByRole("link", { name: "Subscribe" }).getAttribute("href");
      const asked = new URLSearchParams(new URL(href!, its.site.url).hash.slice(1));
      const { token } = await registerHandset(its.site.world);
      expect((await joinChannel(its.site.world, token, asked.get("join")!, asked.get("invite")!)).status).toBe(200);
      await context.close();
    }
  });
});
