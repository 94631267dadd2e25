// Push notifications in a browser: from a send to the notification on the screen, with the app's own worker. The
// vendor's push service is the distant network. The browser's subscription is one on loopback, whose messages are
// passed to the worker as a browser does. Needs CHROMIUM=/path/to/chromium; without one it is skipped with a message.

import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConsoleSite, launchBrowser, type SharedBrowser } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { countPushes } from "../support/push_handsets.ts";
import { startPushService } from "../support/push_service.ts";
import { recordNotifications, type ShownNotification } from "../support/shown_notifications.ts";
import { WAIT, waitUntil } from "../support/wait.ts";
import { joinInApp } from "../support/web_app.ts";

describeInBrowser("in a browser", () => {
  let service: Awaited<ReturnType<typeof startPushService>>;
  let site: ConsoleSite;
  let browser: SharedBrowser;
  let context: BrowserContext;
  let page: Page;
  let devtools: CDPSession;
  let pusher: { id: string; handle: string };
  let shown: ShownNotification[];
  /** The browser's id of the app's worker. */
  let registrationId = "";
  const path = "/wpush/v2/browser";
  const deliver = () =>
    devtools.send("ServiceWorker.deliverPushMessage", { origin: site.url, registrationId, data: "" });

  beforeAll(async () => {
    service = await startPushService(async (asked) => {
      if (asked === path) await deliver();
      return 201;
    });
    site = await ConsoleSite.open({
      settings: { WEB_PUSH: "on", WEB_PUSH_CONTACT: "mailto:ops@example.org", WEB_PUSH_ALLOW_HOSTS: service.host },
    });
    browser = await launchBrowser({ whole: true });
    context = await browser.newContext();
    context.setDefaultTimeout(WAIT.timeout);
    await context.grantPermissions(["notifications"], { origin: site.url });
    page = await context.newPage();
    await page.addInitScript((endpoint) => {
      const web: any = globalThis;
      const subscription = {
        endpoint,
        unsubscribe: async () => {
          web.localStorage.removeItem("subscribed");
          return true;
        },
      };
      web.PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }: any) => {
        if (!userVisibleOnly) throw new web.DOMException("silent", "NotAllowedError");
        web.localStorage.setItem("subscribed", applicationServerKey);
        return subscription;
      };
      web.PushManager.prototype.getSubscription = async () =>
        web.localStorage.getItem("subscribed") ? subscription : null;
    }, service.origin + path);
    devtools = await context.newCDPSession(page);
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      for (const one of registrations)
        if (one.scopeURL.startsWith(`${site.url}/app`)) registrationId = one.registrationId;
    });
    await devtools.send("ServiceWorker.enable");
    shown = await recordNotifications(devtools);
    pusher = await site.world.pusher({ name: "Flood desk", requested_perms: ["notify", "sound"] });
    await joinInApp(page, site.url, { handle: pusher.handle });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    service?.close();
  });

  const leaveApp = async () => {
    await page.goto(`${site.url}/healthz`);
  };

  // rules#push-wakes
  test("the person enables it, at the channel or in the settings, and the service gets the endpoint", async () => {
    await page.goto(`${site.url}/app/#channel/${pusher.handle}`);
    const allow = page.getByRole("button", { name: "Allow notifications" });
    await allow.click();
    await allow.waitFor({ state: "detached" });
    await waitUntil(() => shown.length > 0);
    expect(shown.splice(0)).toMatchObject([{ title: "Flood desk: notifications work" }]);
    await page.goto(`${site.url}/app/#settings`);
    const wake = page.getByRole("switch", { name: "Push notifications" });
    const endpoints = (count: number) =>
      waitUntil(async () => (await site.world.sql("select 1 from push_endpoint")).length === count);
    await wake.uncheck();
    await endpoints(0);
    await wake.check();
    await endpoints(1);
    await wake.uncheck();
    await endpoints(0);
    // The channel's switch is off with it, although the channel may notify, and turns it on.
    await page.goto(`${site.url}/app/#channel/${pusher.handle}/settings`);
    await page.getByRole("switch", { name: "Send notifications" }).check();
    await endpoints(1);
    await page.goto(`${site.url}/app/#settings`);
    expect(await page.evaluate(() => (globalThis as any).localStorage.getItem("subscribed"))).toHaveLength(87);
    await page.reload();
    expect(await wake.isChecked()).toBe(true);
  });

  test("a send while the app is closed is shown by its title, as the person allowed it", async () => {
    await leaveApp();
    await waitUntil(() => registrationId !== "");
    await devtools.send("ServiceWorker.stopAllWorkers");
    await site.world.alert(pusher.id, { title: "The quay floods at six", send: true });
    await waitUntil(async () => (await countPushes(site.world, "accepted")) === 1);
    await waitUntil(() => shown.length > 0);
    expect(shown.splice(0)).toMatchObject([{ title: "The quay floods at six" }]);
    expect(service.refused).toEqual([]);
  });

  test("without access to the inbox, a plain notification is shown", async () => {
    await leaveApp();
    await context.route("**/handset/v1/inbox*", (route) => route.abort());
    await devtools.send("ServiceWorker.stopAllWorkers");
    await deliver();
    await waitUntil(() => shown.length > 0);
    expect(shown).toMatchObject([{ title: "Belfry" }]);
    await context.unroute("**/handset/v1/inbox*");
  });

  test("after disabling it, neither the service nor the browser has the subscription", async () => {
    await page.goto(`${site.url}/app/#settings`);
    await page.getByRole("switch", { name: "Push notifications" }).uncheck();
    await waitUntil(async () => (await site.world.sql("select 1 from push_endpoint")).length === 0);
    await waitUntil(
      async () => (await page.evaluate(() => (globalThis as any).localStorage.getItem("subscribed"))) === null,
    );
  });
});
