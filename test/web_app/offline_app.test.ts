// The app while it is offline and after a newer version took over: no part is empty, and no view fails. In a real
// Chromium against a whole service.

import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, openPhonePageForEach, openSiteAndBrowser } from "../support/in_browser.ts";
import { findAlertCard, joinInApp } from "../support/web_app.ts";

describeInBrowser("the stored data of the app", () => {
  const its = openSiteAndBrowser();
  let context: BrowserContext;
  let page: Page;
  let pusher: any;
  openPhonePageForEach(its, async (phone) => {
    ({ context, page } = phone);
    pusher = await its.site.world.pusher({
      name: "Riverside",
      requested_perms: ["notify", "sound"],
      tags: ["river"],
      site: "https://river.example",
    });
  });

  const send = (title: string, more: object = {}) => its.site.world.alert(pusher.id, { title, send: true, ...more });
  const tides = { layout: "html", html: "<h2>Tides</h2><p>High at six.</p>" };
  const inFrame = () => page.frameLocator(".chosen iframe").getByRole("heading", { name: "Tides" });
  const frames = /\/static\/app\/[\w-]+\/frame\.html$/;

  // rules#app-offline
  test("markup that is opened for the first time without a network is shown whole", async () => {
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    await page.goto(`${its.site.url}/app/#inbox`);
    await send("High water", tides);
    await findAlertCard(page, "High water").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    // The frame that only fetches its page is removed once it has it.
    await page.locator("iframe").waitFor({ state: "detached" });
    await context.setOffline(true);
    await page.reload();
    await findAlertCard(page, "High water").getByRole("link").first().click();
    await inFrame().waitFor();
    expect(await page.getByText("The page could not be loaded.").count()).toBe(0);
  });

  test("where the browser has lost the frame's page, the view says so, and it comes with the network", async () => {
    await context.route(frames, (route) => route.abort());
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    await page.goto(`${its.site.url}/app/#inbox`);
    await send("High water", tides);
    await findAlertCard(page, "High water").getByRole("link").first().click();
    await page.getByText("The page could not be loaded. Go online and try again.").waitFor();
    await context.unroute(frames);
    await page.getByRole("button", { name: "Try again" }).click();
    await inFrame().waitFor();
    await page.getByText("The page could not be loaded.").waitFor({ state: "detached" });
  });

  test("rows that an older version kept, without the fields that came since, break no view", async () => {
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    await page.goto(`${its.site.url}/app/#inbox`);
    const { id } = await send("From before", { requires_ack: true });
    await findAlertCard(page, "From before").waitFor();
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const asked = (globalThis as any).indexedDB.open("belfry");
          asked.onsuccess = () => {
            const work = asked.result.transaction(["alerts", "channels"], "readwrite");
            /** Leaves of each row what it cannot do without. */
            const strip = (name: string, stays: string[]) => {
              const rows = work.objectStore(name).getAll();
              rows.onsuccess = () => {
                for (const row of rows.result)
                  work
                    .objectStore(name)
                    .put(Object.fromEntries(Object.entries(row).filter(([field]) => stays.includes(field))));
              };
            };
            strip("alerts", ["id", "handle", "title", "sent_at", "requires_ack"]);
            strip("channels", ["handle", "subscription"]);
            work.oncomplete = () => {
              asked.result.close();
              resolve();
            };
          };
        }),
    );
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    // Without a network, so that no newer row takes the place of an old one.
    await context.setOffline(true);
    await page.reload();
    await findAlertCard(page, "From before").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "From before" }).waitFor();
    await page.locator(".chosen").getByRole("button", { name: "Acknowledge" }).click();
    await page.locator(".chosen").getByText("Acknowledged at").waitFor();
    for (const [view, shown] of [
      ["#inbox", "From before"],
      [`#alert/${id}`, "From before"],
      [`#channel/${pusher.handle}`, `@${pusher.handle}`],
      ["#channels", `@${pusher.handle}`],
      ["#settings", "Settings"],
    ] as const) {
      await page.goto(`${its.site.url}/app/${view}`);
      await page.getByText(shown).locator("visible=true").first().waitFor();
    }
  });
});
