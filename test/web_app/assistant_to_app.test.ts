// From an assistant's call to a person. An MCP client sends in one place. The app in another plays a sound, vibrates,
// notifies and shows it, in a Chromium that keeps pages silent until they are touched. The device decides about its
// position, on the device.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { observeOutputs, waitForRing } from "../support/app_modules.ts";
import { describeInBrowser, openPhonePageForEach, openSiteAndBrowser } from "../support/in_browser.ts";
import { countHeldPolls } from "../support/long_polls.ts";
import { WAIT, waitFor } from "../support/wait.ts";
import { findAlertCard, joinInApp } from "../support/web_app.ts";

describeInBrowser("from an assistant to an ear", () => {
  const its = openSiteAndBrowser({}, { whole: true });
  let context: BrowserContext;
  let page: Page;
  let pusher: any;
  let assistant: Client;

  openPhonePageForEach(its, async (phone) => {
    const { site } = its;
    ({ context, page } = phone);
    await observeOutputs(page);
    pusher = await site.world.pusher({
      name: "Riverside Flood Desk",
      requested_perms: ["notify", "sound", "vibrate", "loc"],
    });
    assistant = new Client({ name: "assistant", version: "1" }, { versionNegotiation: { mode: "auto" } } as any);
    const headers = { authorization: `Bearer ${site.world.owner}` };
    await assistant.connect(
      new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`), { requestInit: { headers } }),
    );
  });
  afterEach(async () => {
    await assistant.close();
  });

  const send = async (title: string, more: object = {}) => {
    const answer: any = await assistant.callTool({
      name: "create_alert",
      arguments: { pusher_id: pusher.id, title, send: true, ...more },
    });
    expect(answer.isError ?? false).toBe(false);
  };
  const held = () => waitFor(async () => expect(await countHeldPolls(its.site.world)).toBe(1));
  const peak = (of = page) => of.evaluate(() => (globalThis as any).heard.peak() as number);
  const rung = (of = page): Promise<string[]> => of.evaluate(() => (globalThis as any).heard.strips);
  const vibrations = (): Promise<number[][]> =>
    page.evaluate(() => (globalThis as any).heard.vibrations.filter(Array.isArray));
  const lines = (): Promise<string[]> =>
    page.evaluate(async () => {
      const registration = await (globalThis as any).navigator.serviceWorker.getRegistration("/app");
      return (await registration.getNotifications()).map(({ title }: any) => title);
    });
  const subscribe = async (...grants: string[]) => {
    await joinInApp(page, its.site.url, { handle: pusher.handle, grants });
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await held();
  };

  test("an alert that is sent over MCP is shown, played, felt and notified", async () => {
    await context.grantPermissions(["notifications"], { origin: its.site.url });
    await subscribe("Send notifications", "Play sounds", "Vibrate");
    expect(await peak()).toBe(0);
    const times = new Map<string, number[]>();
    const stop = page.getByRole("button", { name: "Stop sound" });
    let pressed = 0;
    for (const n of [1, 2, 3, 4, 5]) {
      const title = `Level ${n} m`;
      const begun = performance.now();
      const within = async (what: string, work: Promise<unknown>) => {
        await work;
        times.set(what, [...(times.get(what) ?? []), Math.round(performance.now() - begun)]);
      };
      const waits = { polling: 20, timeout: WAIT.timeout };
      await Promise.all([
        send(title, { sound: "bell", vibrate: "double", priority: "important" }),
        within(
          "banner",
          page.waitForFunction((strip) => (globalThis as any).heard.strips.includes(strip), `Ringing: ${title}`, waits),
        ),
        within("card", findAlertCard(page, title).waitFor()),
        within(
          "sound",
          page.waitForFunction(() => (globalThis as any).heard.ever() > 0.02, null, waits),
        ).then(async () => {
          // The bell of a busy machine may be over by itself before.
          pressed += await stop.click({ timeout: 3_000 }).then(
            () => 1,
            () => 0,
          );
        }),
        within(
          "vibration",
          page.waitForFunction(
            (count) => (globalThis as any).heard.vibrations.filter(Array.isArray).length === count,
            n,
            waits,
          ),
        ),
        within(
          "notification",
          page.waitForFunction((title) => (globalThis as any).heard.notified.includes(title), title, waits),
        ),
      ]);
      await waitFor(async () => expect(await peak()).toBe(0));
      await page.evaluate(() => (globalThis as any).heard.forget());
      await held();
      expect(await lines()).toContain(title);
    }
    console.log(`web_app/sound: from the call on, ms: ${JSON.stringify([...times])}`);
    expect(pressed).toBeGreaterThan(0);
    expect(await vibrations()).toEqual(Array.from({ length: 5 }, () => [140, 110, 140]));
  });

  // rules#circle-on-device
  test("an alert's circle rings devices inside of it and no others, and no request contains the position", async () => {
    await context.grantPermissions(["geolocation"], { origin: its.site.url });
    await context.setGeolocation({ latitude: 51.50123, longitude: -0.10456, accuracy: 20 });
    const said: string[] = [];
    context.on("request", (request) =>
      said.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`),
    );
    // The browser of the tests finds its position on the first request of a page.
    await page.goto(`${its.site.url}/app/`);
    await page.evaluate(
      () => new Promise((done) => (globalThis as any).navigator.geolocation.getCurrentPosition(done, done)),
    );
    await subscribe("Play sounds", "Use your location");
    await send("Far away", { lat: 48.2, lon: 16.37, radius_km: 3 });
    await findAlertCard(page, "Far away").waitFor();
    await findAlertCard(page, "Far away").getByRole("link").first().click();
    await page.getByText("Why it was silent").click();
    await page.getByText("You were outside the alert’s area.").waitFor();
    expect(await page.evaluate(() => (globalThis as any).heard.ever())).toBe(0);
    expect(await rung()).toEqual([]);
    await send("Close by", { lat: 51.5, lon: -0.1, radius_km: 3 });
    await waitForRing(page, "Close by");
    expect(said.length).toBeGreaterThan(5);
    expect(said.filter((line) => /51\.50|0\.104/.test(line))).toEqual([]);
  });

  test("two tabs of a device ring once", async () => {
    await subscribe("Play sounds", "Vibrate");
    const second = await context.newPage();
    await observeOutputs(second);
    await second.goto(`${its.site.url}/app/#inbox`);
    await second.getByRole("heading", { level: 1, name: "Inbox" }).click();
    await held();
    await send("Once");
    await Promise.all([findAlertCard(page, "Once").waitFor(), findAlertCard(second, "Once").waitFor()]);
    const felt = (of: Page): Promise<number> =>
      of.evaluate(() => (globalThis as any).heard.vibrations.filter(Array.isArray).length);
    const both = async () => (await felt(page)) + (await felt(second));
    await waitFor(async () => expect(await both()).toBe(1));
    await waitFor(async () => expect([...(await rung()), ...(await rung(second))]).toEqual(["Ringing: Once"]));
    await send("Twice");
    await Promise.all([findAlertCard(page, "Twice").waitFor(), findAlertCard(second, "Twice").waitFor()]);
    await waitFor(async () => expect(await both()).toBe(2));
  });
});
