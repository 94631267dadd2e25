// An assistant sends a question to its owner's phones and continues. Two apps in a real Chromium reply, and a waiting
// call over MCP gets the reply. A reply can be changed, is marked, and is queued while offline.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { findAlertCard, joinInApp, readAppStore } from "../support/web_app.ts";

describeInBrowser("replies", () => {
  const its = openSiteAndBrowser();

  async function assistant() {
    const client = new Client({ name: "test", version: "1" });
    const headers = { authorization: `Bearer ${its.site.world.owner}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${its.site.url}/mcp`), { requestInit: { headers } }),
    );
    const call = async (name: string, args: Record<string, unknown>): Promise<any> => {
      const result = await client.callTool({ name, arguments: args });
      expect([name, result.isError ?? false]).toEqual([name, false]);
      return result.structuredContent;
    };
    return { call, close: () => client.close() };
  }

  /** A choice of the opened alert. */
  const answer = (page: Page, choice: string) =>
    page.locator(".whole").getByRole("button", { name: choice, exact: true });

  const open = (page: Page, title: string, question: string) =>
    findAlertCard(page, title).getByRole("link", { name: question }).click();

  test("sent over MCP, replied to in two apps, reported to the call that waits", async () => {
    const phones = await Promise.all([1, 2].map(() => openWatchedPage(its.browser, its.site)));
    const pusher = await its.site.world.pusher();
    const pages = phones.map(({ page }) => page);
    for (const page of pages) await joinInApp(page, its.site.url, { handle: pusher.handle });
    for (const page of pages) await page.goto(`${its.site.url}/app/#`);
    const { call, close } = await assistant();
    const question = { type: "reply", label: "Open the gate?", choices: ["Yes", "No", "Ask again"] };
    const { id } = await call("create_alert", {
      ...{ pusher_id: pusher.handle, title: "A van waits", actions: [question], send: true },
    });
    const at = { pusher_id: pusher.handle, alert_id: id };
    const [one, two] = pages as [Page, Page];
    for (const page of pages) await open(page, "A van waits", "Open the gate?");

    let seen: string | undefined;
    const seconds: number[] = [];
    const tapped = async (page: Page, choice: string) => {
      const waiting = call("wait_for_replies", seen === undefined ? at : { ...at, seen });
      const since = performance.now();
      await answer(page, choice).click();
      const told = await waiting;
      seconds.push((performance.now() - since) / 1000);
      seen = told.seen;
      await answer(page, choice).and(page.locator("[aria-pressed=true]")).waitFor();
      return told.replies.map(({ count }: { count: number }) => count);
    };
    expect(await tapped(one, "Yes")).toEqual([1, 0, 0]);
    expect(await tapped(two, "No")).toEqual([1, 1, 0]);
    // A person changes their mind, and counts once.
    expect(await tapped(two, "Yes")).toEqual([2, 0, 0]);
    console.log(`replies: from tap to answer ${seconds.map((each) => `${each.toFixed(2)} s`).join(", ")}`);
    expect(await two.locator(".whole [aria-pressed=true]").allTextContents()).toEqual(["Yes"]);
    // The list shows the answer.
    await two.goto(`${its.site.url}/app/#`);
    await findAlertCard(two, "A van waits").getByRole("link", { name: "Yes", exact: true }).waitFor();

    // Without a network it is queued, and sent when there is one.
    await phones[0]!.context.setOffline(true);
    await answer(one, "Ask again").click();
    await expect.poll(() => readAppStore(one, "reports")).toMatchObject([{ kind: "reply", choice: "Ask again" }]);
    const late = call("wait_for_replies", { ...at, seen });
    await phones[0]!.context.setOffline(false);
    expect((await late).replies.map(({ count }: { count: number }) => count)).toEqual([1, 0, 1]);

    // Nothing can be answered once it is withdrawn.
    await call("cancel_alert", at);
    await two.goto(`${its.site.url}/app/#alert/${id}`);
    await two.getByText("Withdrawn by the channel").waitFor();
    expect(await two.getByRole("button", { name: "No", exact: true }).isDisabled()).toBe(true);
    await close();
    for (const { context } of phones) await context.close();
  });

  test("with reports off your answer stays on this device, and the person is told so", async () => {
    const { context, page } = await openWatchedPage(its.browser, its.site);
    const pusher = await its.site.world.pusher();
    await joinInApp(page, its.site.url, { handle: pusher.handle });
    await page.goto(`${its.site.url}/app/#settings`);
    await page.getByRole("switch", { name: /Report reads/ }).uncheck();
    const alert = await its.site.world.alert(pusher.id, {
      ...{ title: "Quiet", actions: [{ type: "reply", label: "Come?", choices: ["Yes"] }], send: true },
    });
    await page.goto(`${its.site.url}/app/#`);
    await open(page, "Quiet", "Come?");
    await page.getByText("your answer stays on this device").waitFor();
    await answer(page, "Yes").click();
    await answer(page, "Yes").and(page.locator("[aria-pressed=true]")).waitFor();
    expect(await readAppStore(page, "reports")).toEqual([]);
    expect((await readAppStore(page, "alerts")).find(({ id }) => id === alert.id)).toMatchObject({ reply: "Yes" });
    await context.close();
  });
});
