// A person follows a channel with the web app, in a real Chromium against a whole service. Alerts appear without a
// reload and confirmations are counted, through silence, sleep and several tabs. Needs CHROMIUM=/path/to/chromium.

import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, openPhonePageForEach, openSiteAndBrowser } from "../support/in_browser.ts";
import { countHeldPolls } from "../support/long_polls.ts";
import { WAIT, waitFor, waitUntil } from "../support/wait.ts";
import { findAlertCard, joinInApp, readAppStore, readDeviceToken, setHidden } from "../support/web_app.ts";

describeInBrowser("following a channel", () => {
  const its = openSiteAndBrowser();
  let context: BrowserContext;
  let page: Page;
  let pusher: any;

  openPhonePageForEach(its, async (phone) => {
    ({ context, page } = phone);
    pusher = await its.site.world.pusher({ name: "Riverside Flood Desk", requested_perms: ["vibrate", "sound"] });
  });

  const join = (options: object = {}) => joinInApp(page, its.site.url, { handle: pusher.handle, ...options });
  const inbox = () => page.goto(`${its.site.url}/app/#inbox`);
  const send = (title: string, more: object = {}) =>
    its.site.world.mcp("create_alert", { pusher_id: pusher.id, title, send: true, ...more });
  const stats = async (alert: any) =>
    (await its.site.world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.body.id })).body.totals;
  const held = (count: number) => waitFor(async () => expect(await countHeldPolls(its.site.world)).toBe(count));

  // rules#app-grants-nothing
  test("the link shows the requested permissions, grants nothing by itself, and joins with those left on", async () => {
    await page.goto(`${its.site.url}/app/#join=${pusher.handle}`);
    await page.getByRole("heading", { name: "Riverside Flood Desk" }).waitFor();
    const switches = await page.getByRole("switch").all();
    expect(await Promise.all(switches.map((one) => one.isChecked()))).toEqual([true, true]);
    expect(await readAppStore(page, "channels")).toEqual([]);
    for (const one of switches) await one.uncheck();
    await page.getByRole("button", { name: "Subscribe", exact: true }).click();
    await page.getByText("Subscribed", { exact: true }).waitFor();
    const { body } = await its.site.world.handset("GET", `/channels/${pusher.handle}`, await readDeviceToken(page));
    expect(body.subscription).toMatchObject({ muted: false, permissions: [] });
    const { platform, locale } = (
      await its.site.world.sql("select platform, locale from device order by created_at desc limit 1")
    )[0];
    expect([platform, locale]).toEqual(["web", "en-US"]);
  });

  // rules#app-holds-one-poll
  test("it follows by a stream, and uses a long poll without one", async () => {
    const figure = async (name: string) =>
      new RegExp(`^${name} (\\d+)$`, "m").exec((await its.site.world.request("GET", "/metrics")).body)?.[1];
    await join();
    await inbox();
    await held(1);
    await expect.poll(() => figure("belfry_streams"), WAIT).toBe("1");
    const alert = await send("Told");
    await findAlertCard(page, "Told").waitFor();
    await its.site.world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.body.id });
    await expect
      .poll(async () => (await readAppStore(page, "alerts")).map(({ status }) => status), WAIT)
      .toContain("cancelled");
    await context.route("**/inbox/stream**", (route) =>
      route.fulfill({ status: 503, json: { error: { type: "server_error", message: "Busy.", param: null } } }),
    );
    await page.reload();
    await expect.poll(() => figure("belfry_long_polls"), WAIT).toBe("1");
    await send("Held");
    await findAlertCard(page, "Held").waitFor();
    // The stream of the page before ends when its connection does.
    await expect.poll(() => figure("belfry_streams"), WAIT).toBe("0");
  });

  test("an assistant's alert appears without a reload, and rarely later than a second", async () => {
    await join();
    await inbox();
    await held(1);
    const times: number[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const begun = performance.now();
      const shown = findAlertCard(page, `Level ${n} m`).waitFor();
      await send(`Level ${n} m`);
      await shown;
      times.push(Math.round(performance.now() - begun));
      await held(1);
    }
    console.log(`web_app/follow: from the call to the card, ms: ${times.join(" ")}`);
    expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(20_000);
    expect(await page.title()).toBe("(5) Inbox · Belfry");
  });

  test("confirmations are counted for the owner, and opened alerts as read", async () => {
    await join();
    await inbox();
    const alert = await send("Move your cars", { requires_ack: true });
    await findAlertCard(page, "Move your cars").getByRole("button", { name: "Acknowledge" }).click();
    await findAlertCard(page, "Move your cars").getByText("Acknowledged at").waitFor();
    await waitFor(async () => expect(await stats(alert)).toMatchObject({ reads: 1, acks: 1 }));
    const other = await send("Read me");
    await findAlertCard(page, "Read me").getByRole("link").first().click();
    await page.getByRole("heading", { name: "Read me", level: 1 }).waitFor();
    await waitFor(async () => expect(await stats(other)).toMatchObject({ reads: 1, acks: 0 }));
    expect(await readAppStore(page, "reports")).toEqual([]);
  });

  // rules#app-reports-are-chosen
  test("with reports off nothing of it leaves the device", async () => {
    const told: string[] = [];
    page.on("request", (request) => request.url().includes("/reports") && told.push(request.method()));
    await join();
    await page.goto(`${its.site.url}/app/#settings`);
    await page.getByRole("switch", { name: "Report reads" }).uncheck();
    await inbox();
    const alert = await send("Only here", { requires_ack: true });
    await findAlertCard(page, "Only here").getByRole("link").first().click();
    await page.locator(".chosen").getByRole("button", { name: "Acknowledge" }).click();
    await page.getByText("your acknowledgement stays on this device").waitFor();
    expect(await readAppStore(page, "reports")).toEqual([]);
    expect(told.filter((method) => method === "POST")).toEqual([]);
    expect(await stats(alert)).toMatchObject({ reads: 0, acks: 0 });
  });

  test("a private channel opens by its invite, whose code leaves the address; without one it is missing", async () => {
    pusher = await its.site.world.pusher({ name: "Crew only", is_public: false });
    const invite = (await its.site.world.rest("create_invite", { pusher_id: pusher.id })).body;
    await page.goto(`${its.site.url}/app/#join=${pusher.handle}`);
    await page.getByText("Channel not found, or you need an invite.").waitFor();
    await join({ invite: invite.code });
    expect(page.url()).toBe(`${its.site.url}/app/#channel/${pusher.handle}`);
    await inbox();
    await send("For the crew");
    await findAlertCard(page, "For the crew").waitFor();
  });

  // rules#app-grants-at-once, rules#app-channel-page
  test("permissions, mute and leaving are the person's at any time", async () => {
    await join();
    await page.getByRole("link", { name: "Channel settings" }).click();
    const subscription = async () =>
      (await its.site.world.handset("GET", `/channels/${pusher.handle}`, await readDeviceToken(page))).body
        .subscription;
    await page.getByRole("switch", { name: "Play sounds" }).check();
    await waitFor(async () => expect((await subscription()).permissions).toEqual(["sound"]));
    // Pressed before the first answer is there, both count.
    await page.getByRole("switch", { name: "Vibrate" }).check();
    await page.getByRole("switch", { name: "Play sounds" }).uncheck();
    await waitFor(async () => expect((await subscription()).permissions).toEqual(["vibrate"]));
    await page.getByRole("link", { name: "Back" }).click();
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await waitFor(async () => expect((await subscription()).muted).toBe(true));
    await page.getByRole("button", { name: "Unmute" }).waitFor();
    await page.getByRole("link", { name: "Channel settings" }).click();
    await page.getByRole("button", { name: "Unsubscribe", exact: true }).click();
    await page.getByRole("button", { name: "Unsubscribe from Riverside Flood Desk" }).click();
    await page.getByText("You have no subscriptions yet.").waitFor();
    expect(await subscription()).toBeNull();
    expect(await readAppStore(page, "channels")).toEqual([]);
  });

  // rules#app-keeps-reports
  test("without a network it shows what it has, keeps confirmations, and makes up for it afterwards", async () => {
    await join();
    await inbox();
    const alert = await send("Before", { requires_ack: true });
    await findAlertCard(page, "Before").waitFor();
    await held(1);
    await context.setOffline(true);
    await page.getByText("Offline.").waitFor();
    await send("Meanwhile");
    await findAlertCard(page, "Before").getByRole("button", { name: "Acknowledge" }).click();
    await page.getByText("2 reports will be sent when you are online.").waitFor();
    expect(await readAppStore(page, "reports")).toMatchObject([{ kind: "read" }, { kind: "ack" }]);
    expect(await stats(alert)).toMatchObject({ reads: 0, acks: 0 });
    await context.setOffline(false);
    await findAlertCard(page, "Meanwhile").waitFor();
    await waitFor(async () => expect(await stats(alert)).toMatchObject({ reads: 1, acks: 1 }));
    await page.getByText("Offline.").waitFor({ state: "detached" });
  });

  test("it opens without a network, and catches up when there is one", async () => {
    await join();
    await inbox();
    await send("Kept");
    await findAlertCard(page, "Kept").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    await context.setOffline(true);
    await page.reload();
    await findAlertCard(page, "Kept").waitFor();
    await page.getByText("Last updated:").waitFor();
    await send("After");
    await context.setOffline(false);
    await findAlertCard(page, "After").waitFor();
  });

  // rules#app-holds-one-poll
  test("two tabs are one device: one polls, both show new alerts, and the other takes over", async () => {
    await join();
    await inbox();
    await held(1);
    const second = await context.newPage();
    await second.goto(`${its.site.url}/app/#inbox`);
    await send("To both");
    await Promise.all([findAlertCard(page, "To both").waitFor(), findAlertCard(second, "To both").waitFor()]);
    await held(1);
    await findAlertCard(second, "To both").getByRole("link").first().click();
    await findAlertCard(page, "To both").locator(".dot").waitFor({ state: "detached" });
    await page.close();
    await held(1);
    await second.goto(`${its.site.url}/app/#inbox`);
    await send("To the one that is left");
    await findAlertCard(second, "To the one that is left").waitFor();
  });

  test("a page that sleeps has no open poll, and has caught up as soon as it is visible again", async () => {
    await join();
    await inbox();
    await held(1);
    await setHidden(page, true);
    await held(0);
    await send("While it slept");
    await setHidden(page, false);
    await findAlertCard(page, "While it slept").waitFor();
    await held(1);
  });

  test("a visible tab has precedence over a hidden one", async () => {
    await join();
    await inbox();
    await held(1);
    await setHidden(page, true);
    await held(0);
    const second = await context.newPage();
    await second.goto(`${its.site.url}/app/#inbox`);
    await held(1);
  });

  // rules#cancel-reaches-no-further
  test("alerts that the channel withdraws stay here, marked as such", async () => {
    await join();
    await inbox();
    const alert = await send("A false alarm");
    await findAlertCard(page, "A false alarm").waitFor();
    await its.site.world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.body.id });
    await findAlertCard(page, "A false alarm").getByText("Withdrawn").waitFor();
    await findAlertCard(page, "A false alarm").getByRole("link").first().click();
    await page.getByText("Withdrawn by the channel but kept on this device.").waitFor();
  });

  test("an unknown device gets a message, and joins again with its grants", async () => {
    await join({ grants: ["Play sounds"] });
    await inbox();
    await send("Before");
    await findAlertCard(page, "Before").waitFor();
    const old = await readDeviceToken(page);
    await its.site.world.handset("DELETE", "/devices/me", old);
    await page.getByText("This device is no longer registered.").waitFor();
    await findAlertCard(page, "Before").waitFor();
    await page.getByRole("button", { name: "Register again" }).click();
    await page.getByText("This device has rejoined its channels.").waitFor();
    const token = await readDeviceToken(page);
    expect(token).not.toBe(old);
    const { body } = await its.site.world.handset("GET", `/channels/${pusher.handle}`, token);
    expect(body.subscription.permissions).toEqual(["sound"]);
    await send("Again");
    await findAlertCard(page, "Again").waitFor();
  });

  test("a browser that has emptied the store: the app lists what is lost", async () => {
    await join();
    await page.goto("about:blank");
    const other = await context.newPage();
    await other.goto(`${its.site.url}/api/v1/docs`);
    await other.evaluate(
      () =>
        new Promise((resolve) => {
          (globalThis as any).indexedDB.deleteDatabase("belfry").onsuccess = resolve;
        }),
    );
    await other.close();
    await inbox();
    await page.getByText("This browser deleted the app’s data.").waitFor();
  });

  test("a device after a long absence requests pages until it reaches known alerts", async () => {
    await join();
    await inbox();
    await send("Known");
    await findAlertCard(page, "Known").waitFor();
    await page.goto("about:blank");
    for (let n = 1; n <= 60; n++)
      await its.site.world.rest("create_alert", { pusher_id: pusher.id, title: `Missed ${n}`, send: true });
    await inbox();
    await waitUntil(async () => (await readAppStore(page, "alerts")).length === 61);
  });
});
