// The app's worker in a real Chromium: an empty wake-up asks the inbox and shows what the person allowed, and always something. Needs
// CHROMIUM=/path/to/chromium.

import { expect, test, vi } from "vitest";
import { joinInApp, kept } from "../support/app.ts";
import { inBrowser, siteAndBrowser } from "../support/in_browser.ts";
import { watched } from "../support/site.ts";
import { WAIT } from "../support/wait.ts";

inBrowser("the worker", () => {
  const its = siteAndBrowser();

  test("shows what was granted when it is woken, and always something", async () => {
    const { context, page } = await watched(its.browser, its.site);
    await context.grantPermissions(["notifications"], { origin: its.site.url });
    const loud = await its.site.world.pusher({ name: "Loud", requested_perms: ["notify"] });
    const calm = await its.site.world.pusher({ name: "Calm", requested_perms: ["notify"] });
    await joinInApp(page, its.site.url, { handle: loud.handle, grants: ["Notify you"] });
    await joinInApp(page, its.site.url, { handle: calm.handle });
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const session = await context.newCDPSession(page);
    const found = Promise.withResolvers<string>();
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${its.site.url}/app`);
      if (own) found.resolve(own.registrationId);
    });
    await session.send("ServiceWorker.enable");
    const registrationId = await found.promise;
    // The app is closed: a page that runs nothing of it stays, to look from.
    await page.goto(`${its.site.url}/app/none`);
    const wake = () =>
      session.send("ServiceWorker.deliverPushMessage", { origin: its.site.url, registrationId, data: "" });
    const lines = () =>
      page.evaluate(async () => {
        const registration = await (globalThis as any).navigator.serviceWorker.getRegistration("/app");
        return (await registration.getNotifications()).map(({ title, body }: any) => [title, body]);
      });

    await its.site.world.alert(calm.id, { title: "In the inbox alone", send: true });
    await wake();
    await vi.waitFor(
      async () => expect(await lines()).toEqual([["Belfry", "Something has changed in your inbox."]]),
      WAIT,
    );
    await its.site.world.alert(loud.id, { title: "The quay floods", body: "At six.", send: true });
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
