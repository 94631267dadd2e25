// The inbox of the app, with search and clearing: the past of a newly joined channel, dismissed alerts, search results.
// Needs CHROMIUM=/path/to/chromium.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { truncateLongText } from "../../src/pages/web_app/browser/rules/truncate_long_text.ts";
import { describeInBrowser, openPhonePageForEach, openSiteAndBrowser } from "../support/in_browser.ts";
import { waitUntil } from "../support/wait.ts";
import { findAlertCard, joinInApp, readAppStore } from "../support/web_app.ts";

describeInBrowser("the inbox", () => {
  const its = openSiteAndBrowser();
  let page: Page;
  let reported: string[];

  openPhonePageForEach(its, async (phone) => {
    ({ page } = phone);
    reported = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/reports")) reported.push(request.postData()!);
    });
  });

  const channel = (name: string) => its.site.world.pusher({ name });
  const send = (pusher: any, title: string, more: object = {}) =>
    its.site.world.alert(pusher.id, { title, send: true, ...more });
  const join = (pusher: any) => joinInApp(page, its.site.url, { handle: pusher.handle });
  const inbox = () => page.goto(`${its.site.url}/app/#inbox`);
  const chip = (name: RegExp) => page.getByRole("button", { name });
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();

  // rules#sender-plain-text
  test("an opened alert shows its text once, where it equals its markup", async () => {
    const desk = await channel("Build Desk");
    await join(desk);
    await send(desk, "Same", { html: "<p>Two hosts</p><ul><li>db1</li></ul>", body: "Two hosts\n\n- db1" });
    await send(desk, "Other", { html: "<p>Two hosts</p>", body: "A summary" });
    for (const [title, texts] of [
      ["Same", 0],
      ["Other", 1],
    ] as const) {
      await inbox();
      await findAlertCard(page, title).getByRole("link").first().click();
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      expect(await page.locator("iframe").count()).toBe(1);
      expect([title, await page.locator("article.whole > p.text").count()]).toEqual([title, texts]);
    }
  });

  // rules#app-before-joining
  test("a joining device inherits no past: it is read and confirmed, and the newest are shown", async () => {
    const desk = await channel("Flood Desk");
    for (let n = 1; n <= 30; n++) await send(desk, `Old ${n}.`, { requires_ack: n % 2 === 0 });
    await send(desk, "Boil your water", { requires_ack: true, body: "Until tonight.", expires_at: soon() });
    await join(desk);
    await inbox();
    // One heading for all of them, in place of their days.
    await page.getByRole("region", { name: "Before you subscribed" }).getByText("Old 30.").waitFor();
    expect(await page.getByText("Before you subscribed").count()).toBe(1);
    expect((await readAppStore(page, "alerts")).length).toBe(LIMITS.before_joining);
    expect(await findAlertCard(page, "Old").count()).toBe(LIMITS.before_joining - 1);
    expect(await page.title()).toBe("Inbox · Belfry");
    expect(await chip(/^Unread$/).count()).toBe(1);
    expect(await chip(/^To acknowledge/).count()).toBe(0);
    // Alerts that are marked as still valid are under Now, and need no confirmation.
    const now = page.getByRole("region", { name: "Now" }).locator(".alert");
    expect(await now.count()).toBe(1);
    await now.getByText("Until tonight.").waitFor();
    expect(await page.getByRole("button", { name: "Acknowledge", exact: true }).count()).toBe(0);
    await findAlertCard(page, "Old 30.").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Old 30." }).waitFor();
    expect(await page.getByRole("button", { name: "Acknowledge", exact: true }).count()).toBe(0);
    await page.locator(".whole").getByText("Before you subscribed").waitFor();
    // Later alerts are new, and need a confirmation.
    await inbox();
    await send(desk, "From now on", { requires_ack: true });
    await findAlertCard(page, "From now on").getByRole("button", { name: "Acknowledge" }).click();
    await findAlertCard(page, "From now on").getByText("Acknowledged", { exact: true }).waitFor();
    await waitUntil(async () => reported.length > 0);
    expect(reported.join("")).not.toContain((await readAppStore(page, "alerts")).find((a) => a.title === "Old 30.").id);
    // The answers that come later bring no more of the past.
    expect((await readAppStore(page, "alerts")).length).toBe(LIMITS.before_joining + 1);
  });

  // rules#card-text, rules#app-folds-texts, rules#app-text-links, rules#app-copies-codes
  test("a long text is cut, and shown whole on request; offline the cut is reported", async () => {
    const desk = await channel("Reports");
    await join(desk);
    await inbox();
    const body = `${"Water rises. ".repeat(1300).slice(0, LIMITS.alert_body - 8)}The end.`;
    await send(desk, "Of the night", { body });
    await findAlertCard(page, "Of the night").getByRole("link").first().click();
    const text = page.locator(".whole .text");
    const button = page.getByRole("button", { name: "Show all" });
    await page.getByText(/^Showing the first \d+ of 16,384 characters\.$/).waitFor();
    expect(await text.textContent()).toBe(`${truncateLongText(body.slice(0, LIMITS.card_body))}…`);
    await page.context().setOffline(true);
    await button.click();
    await page.getByText("only the beginning of this text is stored on this device.").waitFor();
    expect(await text.textContent()).toHaveLength(LIMITS.card_body + 1);
    await page.context().setOffline(false);
    await button.click();
    await button.waitFor({ state: "detached" });
    expect(await text.textContent()).toBe(body);
    await page.getByRole("button", { name: "Show less" }).click();
    expect(await text.textContent()).toBe(`${truncateLongText(body)}…`);
    // It is kept: the whole text is there without the service from then on.
    const [row] = await readAppStore(page, "alerts");
    expect([row.body, row.body_length]).toEqual([body, undefined]);
  });

  // rules#app-text-links, rules#app-copies-codes
  test("links of a text lead to their address, in every direction of writing, and its code can be copied", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: its.site.url });
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    const desk = await channel("Bank");
    await join(desk);
    await inbox();
    const body =
      "رمز التحقق: 482913\njavascript:alert(1) https://example.com/a?b=1 <b>x</b> +49 40 1234567 a@b.example";
    await send(desk, "Sign in", { body });
    const button = findAlertCard(page, "Sign in").getByRole("button", { name: "Copy code 482913" });
    await button.click();
    expect(await copied()).toBe("482913");
    await findAlertCard(page, "Sign in").getByRole("link", { name: "Sign in" }).click();
    const links = page.locator(".whole p.text a");
    await links.first().waitFor();
    expect(await links.evaluateAll((all: any[]) => all.map((one) => [one.href, one.target, one.rel, one.dir]))).toEqual(
      [
        ["https://example.com/a?b=1", "_blank", "noopener noreferrer", "ltr"],
        ["tel:+49401234567", "", "", "ltr"],
        ["mailto:a@b.example", "", "", "ltr"],
      ],
    );
    await page.getByRole("button", { name: "Copy text" }).click();
    expect(await copied()).toBe(body);
  });

  // rules#app-marks-tell-nobody
  test("all shown alerts can be marked as read, and no channel gets a report", async () => {
    const desk = await channel("Quay");
    await join(desk);
    await inbox();
    for (const n of [1, 2, 3]) await send(desk, `News ${n}`, { requires_ack: n === 3 });
    await findAlertCard(page, "News 3").waitFor();
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByRole("button", { name: "Mark all as read" }).waitFor({ state: "detached" });
    expect(await page.locator(".list .dot").count()).toBe(0);
    expect(await page.title()).toBe("Inbox · Belfry");
    await chip(/^To acknowledge 1$/).waitFor();
    expect([reported, await readAppStore(page, "reports")]).toEqual([[], []]);
    // A later confirmation includes reading: both are reported.
    await findAlertCard(page, "News 3").getByRole("button", { name: "Acknowledge" }).click();
    await waitUntil(async () => reported.length === 1);
    expect(JSON.parse(reported[0]!).reports.map(({ kind }: any) => kind)).toEqual(["read", "ack"]);
  });

  // rules#app-marks-tell-nobody
  test("an alert is put away, and comes back when the person wants it", async () => {
    const desk = await channel("Ferry");
    await join(desk);
    await inbox();
    await send(desk, "The lift is broken");
    await findAlertCard(page, "The lift is broken").getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("Nothing needs your attention.").waitFor();
    await findAlertCard(page, "The lift is broken").getByText("Dismissed").waitFor();
    await page.reload();
    await findAlertCard(page, "The lift is broken").getByRole("link").first().click();
    await page.getByRole("button", { name: "Move back to Now" }).click();
    await inbox();
    await page.getByRole("region", { name: "Now" }).getByText("The lift is broken").waitFor();
    expect(reported).toEqual([]);
  });

  test("the buttons of an opened alert stay in view, and its question scrolls with the text", async () => {
    const desk = await channel("Riverside Flood Warning Desk");
    await join(desk);
    await send(desk, "Leave the riverside", {
      body: "The water rises.\n".repeat(60),
      priority: "urgent",
      requires_ack: true,
      sound: "siren",
      tts_text: "Leave now",
      actions: [{ type: "reply", label: "Do you need transport?", choices: ["Yes", "No"] }],
    });
    await inbox();
    // The whole name of its channel.
    const name = findAlertCard(page, "Leave the riverside").locator(".name");
    expect(await name.evaluate((one: any) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(0);
    // In a list it has one row of buttons, also on the narrowest phone. The question opens the alert.
    await page.setViewportSize({ width: 320, height: 640 });
    const buttons = findAlertCard(page, "Leave the riverside").locator("footer > *");
    expect(await buttons.allTextContents()).toEqual(["Acknowledge", "Do you need transport?"]);
    const tops = await buttons.evaluateAll((all: any[]) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    // A long word is broken within its button.
    const links = [1, 2, 3].map((n) => ({ label: "Donaudampfschiff".repeat(2) + n, url: `https://e.org/${n}` }));
    await send(desk, "Long words", { actions: links });
    const row = findAlertCard(page, "Long words").locator("footer");
    await row.waitFor();
    expect(await row.evaluate((one: any) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    await findAlertCard(page, "Leave the riverside").getByRole("link", { name: "Do you need transport?" }).click();
    const opened = page.locator(".whole");
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 640 });
      await opened.getByRole("button", { name: "Acknowledge" }).waitFor();
      const [footer, question] = await Promise.all(
        [opened.locator("footer"), opened.locator(".question")].map((one) => one.boundingBox()),
      );
      expect(footer!.y + footer!.height).toBeLessThanOrEqual(640);
      expect(question!.y + question!.height).toBeGreaterThan(footer!.y);
    }
    // The tone is the button's name, and the text to read aloud is next to its button.
    await opened.getByRole("button", { name: "Play Siren" }).waitFor();
    expect(await opened.locator(".playback", { hasText: "Read aloud" }).locator("q").innerText()).toBe("Leave now");
  });

  test("an alert that the browser kept silent is not shown as ringing", async () => {
    const desk = await its.site.world.pusher({ name: "Siren", requested_perms: ["sound"] });
    await joinInApp(page, its.site.url, { handle: desk.handle, grants: ["Play sounds"] });
    // This page was not touched yet.
    await page.clock.install();
    await page.goto(`${its.site.url}/app/?again#inbox`);
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await send(desk, "Leave the quay");
    const strip = page.locator(".ringing", { hasText: "The browser blocked the sound" });
    await strip.getByText("New: Leave the quay").waitFor();
    expect(await strip.getByText("Ringing").count()).toBe(0);
    // It stays in view while the reader scrolls.
    await page.setViewportSize({ width: 390, height: 320 });
    await page.evaluate("scrollTo(0, 1e6)");
    const [scrolled, top] = (await page.evaluate(
      "[scrollY, document.querySelector('.ringing').getBoundingClientRect().top]",
    )) as [number, number];
    expect(scrolled).toBeGreaterThan(100);
    expect(top).toBeGreaterThanOrEqual(0);
    // The note ends by itself, and the alert stays.
    await page.clock.fastForward(31_000);
    await strip.waitFor({ state: "detached" });
    await findAlertCard(page, "Leave the quay").waitFor();
  });

  // rules#app-finds-here
  test("text and a channel find alerts, without a request", async () => {
    const [one, other] = [await channel("Harbour"), await channel("Bakery")];
    await join(one);
    await join(other);
    await inbox();
    await send(one, "The bridge is up", { body: "Until the tide turns." });
    await send(other, "Fresh bread");
    await findAlertCard(page, "Fresh bread").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("tide")) asked.push(request.url());
    });
    await page.getByRole("button", { name: "Search inbox" }).click();
    await page.getByRole("searchbox", { name: "Search inbox" }).fill("TIDE bridge");
    await findAlertCard(page, "Fresh bread").waitFor({ state: "detached" });
    expect(await page.locator(".list .alert").count()).toBe(1);
    await chip(/^Unread 1$/).waitFor();
    await page.getByRole("searchbox", { name: "Search inbox" }).fill("");
    await page.getByLabel("Channel", { exact: true }).selectOption("Bakery");
    await findAlertCard(page, "The bridge is up").waitFor({ state: "detached" });
    expect(await page.locator(".list .alert").count()).toBe(1);
    await page.getByRole("searchbox", { name: "Search inbox" }).fill("bridge");
    await page.getByText("No alerts from Bakery match “bridge”.").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await findAlertCard(page, "The bridge is up").waitFor();
    await page.goto(`${its.site.url}/app/#discover`);
    await page.getByRole("searchbox", { name: "Name or tag" }).fill("zeppelin");
    await page.getByText("No channels match “zeppelin”.").waitFor();
    await page.getByLabel("Category").selectOption("Travel");
    await page.getByText("No channels in “Travel” match “zeppelin”.").waitFor();
    await inbox();
    await findAlertCard(page, "The bridge is up").waitFor();
    // On a wide screen, the list of channels has the selection next to it.
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.goto(`${its.site.url}/app/#channels`);
    await page.locator(".chosen").getByText("Select a channel to see its alerts.").waitFor();
    await inbox();
    // No filter is cut, also on the narrowest phone.
    await page.setViewportSize({ width: 320, height: 700 });
    const cut =
      "[...document.querySelectorAll('.chip')].filter((one) => one.getBoundingClientRect().right > innerWidth)";
    expect(await page.evaluate(`${cut}.length`)).toBe(0);
    expect(asked).toEqual([]);
  });
});
