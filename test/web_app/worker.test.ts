// The app's worker in a real Chromium: an empty wake-up asks the inbox and shows what the person allowed, and always something. Needs
// CHROMIUM=/path/to/chromium.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { joinInApp, kept } from "../support/app.ts";
import { executablePath, launch, Site, watched } from "../support/site.ts";
import { WAIT } from "../support/wait.ts";

if (!executablePath) console.log("web_app/worker: skipped, since CHROMIUM names no browser");

describe.skipIf(!executablePath)("the worker", () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await Site.open();
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test("shows what was granted when it is woken, and always something", async () => {
    const { context, page } = await watched(browser, site);
    await context.grantPermissions(["notifications"], { origin: site.url });
    const loud = await site.world.pusher({ name: "Loud", requested_perms: ["notify"] });
    const calm = await site.world.pusher({ name: "Calm", requested_perms: ["notify"] });
    await joinInApp(page, site.url, { handle: loud.handle, grants: ["Notify you"] });
    await joinInApp(page, site.url, { handle: calm.handle });
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const session = await context.newCDPSession(page);
    const found = Promise.withResolvers<string>();
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${site.url}/app`);
      if (own) found.resolve(own.registrationId);
    });
    await session.send("ServiceWorker.enable");
    const registrationId = await found.promise;
    // The app is closed: a page that runs nothing of it stays, to look from.
    await page.goto(`${site.url}/app/none`);
    const wake = () =>
      session.send("ServiceWorker.deliverPushMessage", { origin: site.url, registrationId, data: "" });
    const lines = () =>
      page.evaluate(async () => {
        const registration = await (globalThis as any).navigator.serviceWorker.getRegistration("/app");
        return (await registration.getNotifications()).map(({ title, body }: any) => [title, body]);
      });

    await site.world.alert(calm.id, { title: "In the inbox alone", send: true });
    await wake();
    await vi.waitFor(
      async () => expect(await lines()).toEqual([["Belfry", "Something has changed in your inbox."]]),
      WAIT,
    );
    await site.world.alert(loud.id, { title: "The quay floods", body: "At six.", send: true });
    await wake();
    await vi.waitFor(
      async () => expect(await lines()).toContainEqual(["The quay floods", "Loud\nAt six."]),
      WAIT,
    );
    expect((await kept(page, "alerts")).map(({ title }) => title).sort()).toEqual([
      "In the inbox alone",
      "The quay floods",
    ]);
    await context.close();
  });
});
