// If a device cannot receive push notifications while its app is closed, the app explains it where it matters, with a
// solution. Needs CHROMIUM=/path/to/chromium.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { waitUntil } from "../support/wait.ts";
import { findAlertCard, joinInApp } from "../support/web_app.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 " +
  "Mobile/15E148 Safari/604.1";

/** A browser that has no Web Push, as Safari's tabs on an iPhone have none. */
const withoutPush = (page: Page) => page.addInitScript(() => Reflect.deleteProperty(globalThis, "PushManager"));

// rules#app-says-silence
describeInBrowser("a closed app without push notifications", () => {
  const its = openSiteAndBrowser({}, { whole: true });
  const off = openSiteAndBrowser({ settings: { WEB_PUSH: "off" } }, { whole: true });

  /** Joins a new channel that may notify; looks at the channel's view, then at the settings. */
  async function says(page: Page, { site } = its, url = site.url, grants: string[] = []): Promise<string[]> {
    const pusher = await site.world.pusher({ name: "Flood desk", requested_perms: ["notify", "loc"] });
    await joinInApp(page, url, { handle: pusher.handle, grants });
    const note = page.locator(".chosen .note", { hasText: "Alerts appear only while the app is open." });
    await note.waitFor();
    expect(await note.locator("svg.drawing").count()).toBe(1);
    expect(await page.locator(".chosen .note.good").count()).toBe(0);
    const beside = await note.locator("p").first().innerText();
    await page.goto(`${url}/app/#settings`);
    const settings = page.locator(".chosen section.card", { hasText: "Push notifications" });
    await settings.waitFor();
    return [beside, await settings.innerText()];
  }

  test("by plain http, where the app works all the same", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    const url = its.site.url.replace("127.0.0.1", "alerts.test");
    const pusher = await its.site.world.pusher({ name: "Quay", requested_perms: ["notify"] });
    const [beside, settings] = await says(page, its, url);
    expect(beside).toMatch(/require HTTPS.*ask this server’s operator/);
    expect(settings).toContain(beside);
    await joinInApp(page, url, { handle: pusher.handle });
    await page.goto(`${url}/app/#inbox`);
    await its.site.world.alert(pusher.id, { title: "Over plain http", send: true });
    await findAlertCard(page, "Over plain http").waitFor();
    await context.close();
  });

  test("on a server without push notifications", async () => {
    const { context, page } = await openWatchedPage(off.browser, off.site);
    const [beside, settings] = await says(page, off);
    expect(beside).toMatch(/This server does not send push notifications.*ask its operator to turn them on/);
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
    // Also before joining.
    const pusher = await its.site.world.pusher({ requested_perms: ["notify"] });
    await iphone.page.goto(`${its.site.url}/app/#join=${pusher.handle}`);
    await iphone.page.getByText("Install app").click();
    await iphone.page.getByText("Choose “Add to Home Screen”").waitFor();
    expect(await iphone.page.getByRole("button", { name: /^Subscribe/ }).allTextContents()).toEqual(["Subscribe"]);
    await iphone.page.getByText("Not available on this device").click();
    const blocked = iphone.page.getByRole("switch", { name: "Send notifications" });
    expect([await blocked.isChecked(), await blocked.isEnabled()]).toEqual([false, false]);
    const row = iphone.page.locator(".switchrow", { has: blocked });
    // It has the sentence of the note above the button.
    expect(await row.innerText()).toContain("Install the app to get notifications.");
    expect((await says(iphone.page))[0]).toMatch(/^Install the app/);
    await iphone.page.locator(".chosen .note").getByText("Install app").click();
    expect(await iphone.page.locator(".chosen .note").getByRole("listitem").allTextContents()).toEqual([
      "Tap Share.",
      "Choose “Add to Home Screen”.",
      "Open the app from the home screen, and subscribe there.",
    ]);
    await iphone.context.close();
  });

  test("where it is only turned off, with the button that turns it on", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    // The user closes the browser's question without an answer.
    await page.addInitScript(() => {
      const { Notification } = globalThis as any;
      Object.defineProperty(Notification, "permission", { get: () => "default" });
      Notification.requestPermission = async () => "default";
    });
    expect(await says(page, its, its.site.url, ["Send notifications"])).toEqual([
      "Push notifications are off.",
      expect.stringContaining("Push notifications"),
    ]);
    // The switch of the permission has the same state, although the channel may notify.
    await page.goBack();
    await page.getByRole("link", { name: "Channel settings" }).click();
    const notify = page.getByRole("switch", { name: "Send notifications" });
    await notify.waitFor();
    expect([await notify.isChecked(), await notify.isEnabled()]).toEqual([false, true]);
    await context.close();
  });

  test("where nothing was allowed: on the channel and once in the inbox; muted, nothing of it", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    const pusher = await its.site.world.pusher({ name: "Quay", requested_perms: ["notify"] });
    const calm = await its.site.world.pusher({ name: "Calm" });
    await joinInApp(page, its.site.url, { handle: calm.handle });
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    await page.locator(".chosen .note", { hasText: "This channel can’t alert you yet." }).waitFor();
    await its.site.world.alert(pusher.id, { title: "High water", send: true });
    await its.site.world.alert(calm.id, { title: "Low water", send: true });
    await page.goto(`${its.site.url}/app/#inbox`);
    await findAlertCard(page, "High water").waitFor();
    await page.locator(".list .note", { hasText: "Quay can’t alert you yet." }).waitFor();
    expect(await page.getByText("can’t alert you yet").count()).toBe(1);
    // Each of several channels is a link to its reason.
    const more = await its.site.world.pusher({ name: "Harbour", requested_perms: ["sound"] });
    await joinInApp(page, its.site.url, { handle: more.handle });
    await page.goto(`${its.site.url}/app/#inbox`);
    const links = page.locator(".list .note", { hasText: "2 channels can’t alert you yet." }).locator("a");
    await waitUntil(async () => (await links.allTextContents()).toSorted().join() === "Harbour,Quay");
    for (let left = 2; left > 0; left--) {
      await page.goto(`${its.site.url}/app/#inbox`);
      if (left > 1) await page.locator(".list .note summary").click();
      await page.locator(".list .note").getByRole("link").first().click();
      await page.locator(".chosen").getByText("This channel can’t alert you yet.").waitFor();
      await page.getByRole("button", { name: "Mute", exact: true }).click();
      await page.locator(".chosen").getByText("This channel can’t alert you yet.").waitFor({ state: "detached" });
    }
    await page.goto(`${its.site.url}/app/#inbox`);
    await page.locator(".list .note", { hasText: "can’t alert you" }).waitFor({ state: "detached" });
    await context.close();
  });
});
