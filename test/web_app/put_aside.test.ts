// The subscriber's own choices in the app: a dismissed alert is undone, an archive, reminders, pauses, quiet days and
// sounds. Nothing of it leaves the device. The test moves the page's clock. Needs CHROMIUM=/path/to/chromium.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { observeOutputs } from "../support/app_modules.ts";
import { describeInBrowser, openPhonePageForEach, openSiteAndBrowser } from "../support/in_browser.ts";
import { listAxeFindings } from "../support/page_checks.ts";
import { waitUntil } from "../support/wait.ts";
import { expandAllCards, findAlertCard, joinInApp, readAppStore } from "../support/web_app.ts";

describeInBrowser("alerts and channels that are put aside", () => {
  const its = openSiteAndBrowser();
  let page: Page;
  let pusher: any;
  let written: string[];

  openPhonePageForEach(its, async (phone) => {
    ({ page } = phone);
    await page.clock.install({ time: new Date(2026, 10, 25, 9) });
    await observeOutputs(page);
    pusher = await its.site.world.pusher({ name: "Ferry", requested_perms: ["vibrate", "sound"] });
    await joinInApp(page, its.site.url, { handle: pusher.handle, grants: ["Vibrate"] });
    written = [];
    page.on("request", (request) => {
      if (request.method() !== "GET") written.push(`${request.method()} ${request.url()}`);
    });
  });

  const inbox = () => page.goto(`${its.site.url}/app/#inbox`);
  const now = () => page.getByRole("region", { name: "Now" });
  const send = (title: string, more: object = {}) => its.site.world.alert(pusher.id, { title, send: true, ...more });
  const felt = () => page.evaluate<number>("heard.vibrations.filter(Array.isArray).length");

  // rules#app-undo, rules#app-archive
  test("a dismissed alert comes back with its dot, an archived one is under its own filter", async () => {
    await inbox();
    await send("The lift is broken");
    await findAlertCard(page, "The lift is broken").getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("Alert dismissed.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await now().locator(".dot").waitFor();
    await findAlertCard(page, "The lift is broken").getByRole("button", { name: "Dismiss" }).click();
    await findAlertCard(page, "The lift is broken").getByRole("button", { name: "Archive" }).click();
    await page.getByText("Alert archived.").waitFor();
    // On a wide screen, the offer is inside of the list's pane, also from right to left.
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const dir of ["ltr", "rtl"]) {
      await page.evaluate(`document.documentElement.dir = "${dir}"`);
      const [toast, list] = await Promise.all([".toast", ".list"].map((one) => page.locator(one).boundingBox()));
      expect(toast!.x).toBeGreaterThan(list!.x);
      expect(toast!.x + toast!.width).toBeLessThan(list!.x + list!.width);
    }
    await page.evaluate("document.documentElement.dir = 'ltr'");
    await page.setViewportSize(size);
    await findAlertCard(page, "The lift is broken").waitFor({ state: "detached" });
    // The offer ends by itself, and stays while it has the focus.
    await page.mouse.move(1, 1);
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.clock.fastForward(7_000);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(1);
    await page.getByRole("button", { name: "All", exact: true }).focus();
    await page.clock.fastForward(7_000);
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    // On the narrowest phone, the filters are one line, and the chosen one is in view.
    await send("The ferry is full", { requires_ack: true });
    await page.getByRole("button", { name: "To acknowledge 1" }).waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    await page.getByRole("button", { name: "Archive 1", exact: true }).click();
    const filters = await page
      .locator(".chips .chip")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(new Set(filters.map(({ top }) => top)).size).toBe(1);
    expect(filters.at(-1)!.right).toBeLessThanOrEqual(320);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await findAlertCard(page, "The lift is broken").getByText("Archived").count()).toBe(0);
    await findAlertCard(page, "The lift is broken").getByRole("link").first().click();
    expect(await listAxeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Move to inbox" }).click();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await findAlertCard(page, "The lift is broken").waitFor();
    expect(written).toEqual([]);
  });

  // rules#app-reminders
  test("a postponed alert leaves the inbox's head and rings again at its time", async () => {
    await inbox();
    await send("Pay the toll");
    await waitUntil(async () => (await felt()) === 1);
    await findAlertCard(page, "Pay the toll").getByRole("link").first().click();
    await page.getByRole("button", { name: "Remind me later" }).click();
    await page.getByRole("button", { name: /^In 1 hour/ }).click();
    await page.getByText("Nothing needs your attention.").waitFor();
    await findAlertCard(page, "Pay the toll").getByText("Snoozed").waitFor();
    await page.clock.fastForward(61 * 60_000);
    await now().getByText("Pay the toll").waitFor();
    await waitUntil(async () => (await felt()) === 2);
    expect(written.filter((line) => !line.endsWith("/reports"))).toEqual([]);
  });

  // rules#app-pauses, rules#chosen-sounds, rules#quiet-hours
  test("a channel is paused for some hours, and has the user's vibration; quiet hours have days", async () => {
    await page.goto(`${its.site.url}/app/#channel/${pusher.handle}/settings`);
    await expandAllCards(page);
    const urgent = page.getByRole("group", { name: "Urgent" });
    await urgent.getByLabel("Vibration").selectOption("Long");
    await waitUntil(async () => (await readAppStore(page, "channels"))[0].sounds.urgent?.vibrate === "long");
    expect(await listAxeFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Back" }).click();
    await send("Storm", { priority: "urgent" });
    await page.locator(".chosen .alert", { hasText: "Storm" }).waitFor();
    await waitUntil(async () => (await page.evaluate("heard.vibrations.at(-1)?.join()")) === "900");
    const before = await felt();
    // The keyboard chooses. Escape closes the menu, and the focus is on its button again.
    const menu = page.getByRole("dialog", { name: "Pause" });
    const pause = page.getByRole("button", { name: "Pause", exact: true });
    const hasFocus = (name: string | RegExp) =>
      page.locator(":focus").and(page.getByRole("button", { name })).waitFor();
    await pause.focus();
    await page.keyboard.press("Enter");
    await hasFocus(/^For 1 hour/);
    expect(await listAxeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    await hasFocus("Pause");
    await page.keyboard.press("Enter");
    await hasFocus(/^For 1 hour/);
    // The Tab key stays in the menu, also after a press on its text.
    await menu.getByRole("heading").click();
    await page.keyboard.press("Tab");
    await hasFocus("Close");
    await page.keyboard.press("Tab");
    await hasFocus(/^For 1 hour/);
    await page.keyboard.press("Shift+Tab");
    await hasFocus("Close");
    await page.keyboard.press("Shift+Tab");
    await menu.locator("button:last-of-type:focus").waitFor();
    for (const name of ["Close", /^For 1 hour/, /^For 8 hours/]) {
      await page.keyboard.press("Tab");
      await hasFocus(name);
    }
    await page.keyboard.press("Enter");
    await page.getByText("Paused until").waitFor();
    await menu.waitFor({ state: "hidden" });
    await hasFocus("Pause");
    await page.reload();
    await page.getByText("Paused until").waitFor();
    await send("Storm again", { priority: "urgent" });
    await waitUntil(async () =>
      (await readAppStore(page, "alerts")).some(({ because }) => because?.[0] === "why.paused"),
    );
    expect(await felt()).toBe(0);
    expect(before).toBeGreaterThan(0);
    await page.clock.fastForward(8 * 3_600_000 + 61_000);
    await page.getByText("Paused until").waitFor({ state: "detached" });
    await page.goto(`${its.site.url}/app/#settings`);
    await page.getByRole("switch", { name: "Quiet hours" }).check();
    for (const day of ["Sat", "Sun"]) await page.getByRole("button", { name: day }).click();
    await waitUntil(async () => JSON.stringify(await readAppStore(page, "facts")).includes('"days":[1,2,3,4,5]'));
    expect(await listAxeFindings(page)).toEqual([]);
    expect(written.filter((line) => !line.endsWith("/reports"))).toEqual([]);
  });
});
