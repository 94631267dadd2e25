// The app's worker in a real Chromium: an empty push notification queries the inbox and shows the permitted
// notification, and always something. Needs CHROMIUM=/path/to/chromium.

import type { BrowserContext, Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { recordNotifications } from "../support/shown_notifications.ts";
import { waitFor } from "../support/wait.ts";
import { joinInApp, readAppStore } from "../support/web_app.ts";

describeInBrowser("the worker", () => {
  const its = openSiteAndBrowser({}, { whole: true });

  /**
   * A browser whose app is closed: a page that runs nothing of it stays, to look from. `wake` is what a push service
   * does.
   */
  async function closed(context: BrowserContext, page: Page) {
    // It is ready before it is activated, and until then a push notification is lost.
    await page.evaluate(async () => {
      const { active } = await (globalThis as any).navigator.serviceWorker.ready;
      while (active.state !== "activated")
        await new Promise((resolve) => active.addEventListener("statechange", resolve, { once: true }));
    });
    const session = await context.newCDPSession(page);
    const found = Promise.withResolvers<string>();
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${its.site.url}/app`);
      if (own) found.resolve(own.registrationId);
    });
    await session.send("ServiceWorker.enable");
    const shown = await recordNotifications(session);
    const registrationId = await found.promise;
    await page.goto(`${its.site.url}/app/none`);
    const push = { origin: its.site.url, registrationId, data: "" };
    return {
      /** Wakes the worker until this is shown: the browser's tools lose a push notification at times. */
      wakes: (title: string, body: unknown = expect.any(String)) =>
        waitFor(async () => {
          await session.send("ServiceWorker.deliverPushMessage", push);
          await vi.waitFor(() => expect(shown).toContainEqual({ title, body }), { timeout: 10_000 });
        }),
      /** The browser reports that the network is back. */
      sync: () =>
        session.send("ServiceWorker.dispatchSyncEvent", {
          ...{ origin: its.site.url, registrationId, tag: "belfry-reports", lastChance: false },
        }),
      lines: () =>
        page.evaluate(async () => {
          const registration = await (globalThis as any).navigator.serviceWorker.getRegistration("/app");
          return (await registration.getNotifications()).map(({ title }: any) => title);
        }),
      /** Presses a button of the line with this title, as the system's list of notifications does. */
      press: (title: string, action: string) =>
        context.serviceWorkers()[0]!.evaluate(
          async ([of, pressed]) => {
            const worker = globalThis as any;
            const shown = await worker.registration.getNotifications();
            const notification = shown.find((one: any) => one.title === of);
            const offered = notification.actions.map(({ action, title }: any) => [action, title]);
            worker.dispatchEvent(new worker.NotificationEvent("notificationclick", { notification, action: pressed }));
            return offered;
          },
          [title, action] as const,
        ),
    };
  }

  const statsOf = async (pusher: { id: string }, alert: { id: string }) =>
    (await its.site.world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.id })).body.totals;

  test("a notification's own button confirms while the app is closed, and the owner counts it", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    await context.grantPermissions(["notifications"], { origin: its.site.url });
    const pusher = await its.site.world.pusher({ name: "Loud", requested_perms: ["notify"] });
    await joinInApp(page, its.site.url, { handle: pusher.handle, grants: ["Send notifications"] });
    const { wakes, lines, press } = await closed(context, page);

    const first = await its.site.world.alert(pusher.id, { title: "Move up", requires_ack: true, send: true });
    await wakes("Move up");
    expect(await press("Move up", "ack")).toEqual([["ack", "Acknowledge"]]);
    await waitFor(async () => expect(await statsOf(pusher, first)).toMatchObject({ reads: 1, acks: 1 }));
    expect(await lines()).toEqual([]);

    // Without a network it is stored, and sent when the app is open again.
    const second = await its.site.world.alert(pusher.id, { title: "Again", requires_ack: true, send: true });
    await wakes("Again");
    await context.setOffline(true);
    await press("Again", "ack");
    await waitFor(async () => expect(await readAppStore(page, "reports")).toHaveLength(2));
    await context.setOffline(false);
    await page.goto(`${its.site.url}/app/#inbox`);
    await waitFor(async () => expect(await statsOf(pusher, second)).toMatchObject({ reads: 1, acks: 1 }));
    await page.locator(".list .alert", { hasText: "Again" }).getByText("Acknowledged at").waitFor();
    await context.close();
  });

  // rules#app-answers-notifications
  test("a question is answered from its notification, and offline once the network is back, counted once", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    await context.grantPermissions(["notifications"], { origin: its.site.url });
    const pusher = await its.site.world.pusher({ name: "Gate", requested_perms: ["notify"] });
    await joinInApp(page, its.site.url, { handle: pusher.handle, grants: ["Send notifications"] });
    const { wakes, lines, press, sync } = await closed(context, page);
    const choices = ["Open", "Keep shut", "Call me"];
    const ask = async (title: string, more: object = {}) => {
      const actions = [{ type: "reply", label: "What now?", choices }];
      const alert = await its.site.world.alert(pusher.id, { title, actions, send: true, ...more });
      await wakes(title);
      return alert;
    };
    const counts = async (alert: { id: string }) =>
      (await its.site.world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.id })).body.replies.map(
        ({ count }: { count: number }) => count,
      );

    const first = await ask("A van waits");
    expect(await press("A van waits", "reply:1")).toEqual([
      ["reply:0", "Open"],
      ["reply:1", "Keep shut"],
    ]);
    await waitFor(async () => expect(await counts(first)).toEqual([0, 1, 0]));
    const stored = (await readAppStore(page, "alerts")).find(({ id }) => id === first.id);
    expect([stored.reply, stored.read_at === null]).toEqual(["Keep shut", false]);

    // The app is closed and the network away: the worker sends it when the browser reports the network.
    const second = await ask("Another van", { requires_ack: true });
    await context.setOffline(true);
    expect(await press("Another van", "reply:0")).toEqual([
      ["ack", "Acknowledge"],
      ["reply:0", "Open"],
    ]);
    await waitFor(async () =>
      expect(await readAppStore(page, "reports")).toMatchObject([
        { alert_id: second.id, kind: "reply", choice: "Open" },
      ]),
    );
    await context.setOffline(false);
    // Both at once send the queue once, and a repeated report counts once.
    await waitFor(async () => {
      await sync();
      expect(await counts(second)).toEqual([1, 0, 0]);
    });
    await waitFor(async () => expect(await readAppStore(page, "reports")).toEqual([]));
    await sync();
    expect(await counts(second)).toEqual([1, 0, 0]);

    // A late answer is not stored.
    const third = await ask("Too late");
    await page.evaluate(async (id) => {
      const web: any = globalThis;
      const opened = web.indexedDB.open("belfry");
      await new Promise((resolve) => {
        opened.onsuccess = resolve;
      });
      const store = opened.result.transaction("alerts", "readwrite").objectStore("alerts");
      const row: any = await new Promise((resolve) => {
        const read = store.get(id);
        read.onsuccess = () => resolve(read.result);
      });
      await new Promise((resolve) => {
        store.put({ ...row, expires_at: "2026-01-01T00:00:00.000000Z" }).onsuccess = resolve;
      });
      opened.result.close();
    }, third.id);
    await press("Too late", "reply:0");
    await waitFor(async () => expect(await lines()).not.toContain("Too late"));
    expect((await readAppStore(page, "alerts")).find(({ id }) => id === third.id).reply).toBeUndefined();
    expect(await counts(third)).toEqual([0, 0, 0]);
    await context.close();
  });

  test("shows what was granted when it is woken, and always something", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    await context.grantPermissions(["notifications"], { origin: its.site.url });
    const loud = await its.site.world.pusher({ name: "Loud", requested_perms: ["notify"] });
    const calm = await its.site.world.pusher({ name: "Calm", requested_perms: ["notify"] });
    await joinInApp(page, its.site.url, { handle: loud.handle, grants: ["Send notifications"] });
    await joinInApp(page, its.site.url, { handle: calm.handle });
    const { wakes } = await closed(context, page);

    await its.site.world.alert(calm.id, { title: "In the inbox alone", send: true });
    await wakes("Belfry", "Your inbox has changed.");
    await its.site.world.alert(loud.id, { title: "The quay floods", body: "At six.", send: true });
    await wakes("The quay floods", "Loud\nAt six.");
    expect((await readAppStore(page, "alerts")).map(({ title }) => title).sort()).toEqual([
      "In the inbox alone",
      "The quay floods",
    ]);
    await context.close();
  });
});
