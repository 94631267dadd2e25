// Where nobody can wake a device whose app is closed, the app says so where it matters, with the way out. Needs
// CHROMIUM=/path/to/chromium.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, siteAndBrowser } from "../support/in_browser.ts";
import { card, joinInApp } from "../support/web_app.ts";

const SILENT = "This device receives no notifications while the app is closed.";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

/** A browser that has no Web Push, as Safari's tabs on an iPhone have none. */
const withoutPush = (page: Page) => page.addInitScript(() => Reflect.deleteProperty(globalThis, "PushManager"));

// rules#app-says-silence
describeInBrowser("a closed app that hears nothing", () => {
  const its = siteAndBrowser({}, { whole: true });
  const off = siteAndBrowser({ settings: { WEB_PUSH: "off" } }, { whole: true });

  /** Joins a new channel that may notify; looks at the channel's view, then at the settings. */
  async function says(page: Page, { site } = its, url = site.url): Promise<string[]> {
    const pusher = await site.world.pusher({ name: "Flood desk", requested_perms: ["notify", "loc"] });
    await joinInApp(page, url, { handle: pusher.handle, grants: ["Send notifications"] });
    const note = page.locator(".chosen .note", { hasText: SILENT });
    await note.waitFor();
    const beside = (await note.innerText()).replace(SILENT, "").trim();
    await page.goto(`${url}/app/#settings`);
    const settings = page.locator("section", { hasText: "Push notifications" });
    await settings.first().waitFor();
    return [beside, await settings.first().innerText()];
  }

  test("by plain http, where the app works all the same", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    const url = its.site.url.replace("127.0.0.1", "alerts.test");
    const pusher = await its.site.world.pusher({ name: "Quay", requested_perms: ["notify"] });
    const [beside, settings] = await says(page, its, url);
    expect(beside).toMatch(/require https.*ask the operator of this server/);
    expect(settings).toContain(beside);
    await joinInApp(page, url, { handle: pusher.handle });
    await page.goto(`${url}/app/#inbox`);
    await its.site.world.alert(pusher.id, { title: "Over plain http", send: true });
    await card(page, "Over plain http").waitFor();
    await context.close();
  });

  test("where the server wakes nobody", async () => {
    const { context, page } = await openWatchedPage(off.browser, off.site);
    const [beside, settings] = await says(page, off);
    expect(beside).toMatch(/This server does not send push notifications.*WEB_PUSH/);
    expect(settings).toContain(beside);
    await context.close();
  });

  test("in a browser that cannot be woken, and on an iPhone before the app is on the home screen", async () => {
    const plain = await openWatchedPage(its.browser, its.site);
    await withoutPush(plain.page);
    expect((await says(plain.page))[0]).toMatch(/This browser does not support push notifications.*another browser/);
    await plain.context.close();
    const iphone = await openWatchedPage(its.browser, its.site, { userAgent: IPHONE, hasTouch: true });
    await withoutPush(iphone.page);
    // Before joining as well.
    const pusher = await its.site.world.pusher({ requested_perms: ["notify"] });
    await iphone.page.goto(`${its.site.url}/app/#join=${pusher.handle}`);
    await iphone.page.getByRole("switch", { name: "Send notifications" }).check();
    await iphone.page.getByText("choose “Add to Home Screen”").waitFor();
    expect((await says(iphone.page))[0]).toMatch(/Add to Home Screen.*open the app from there/);
    await iphone.context.close();
  });

  test("where it is only switched off, with the button that switches it on; and nothing where nothing is granted", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    await context.grantPermissions(["notifications"], { origin: its.site.url });
    expect(await says(page)).toEqual([
      "Notify me while the app is closed",
      expect.stringContaining("Notify me while the app is closed"),
    ]);
    const pusher = await its.site.world.pusher({ requested_perms: ["notify"] });
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    expect(await page.getByText(SILENT).count()).toBe(0);
    await context.close();
  });
});
