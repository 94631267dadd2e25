// An owner's whole day in a real browser, as one story: a channel, its invite on a phone, an assistant's draft reviewed on a small
// screen, sent, taken back and repeated, what devices reported, a webhook that broke and is mended, and the log that tells it all.

import { buffer } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registered, join as subscribe } from "../support/handsets.ts";
import { inBrowser, siteAndBrowser } from "../support/in_browser.ts";
import { httpSink } from "../support/sinks.ts";
import { OWNER, signedInAs, signIn, watched } from "../support/site.ts";
import { WAIT } from "../support/wait.ts";

const ADA = { ...OWNER, name: "Ada Owner" };
const TITLE = "Night train to Porto leaves 25 minutes late";
const PAGE =
  '<h1>Track 4, at 22:35</h1><p onclick="steal()">Board from the front.</p><script>document.title = 1</script>';
/** Failures in a row that disable an endpoint (docs/rules.md#webhook-disabled). */
const DISABLES = 20;

inBrowser("an owner's day", () => {
  const here = siteAndBrowser({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });
  const faults: string[][] = [];
  let receiver: Awaited<ReturnType<typeof httpSink>>;
  let answers = 500;

  beforeAll(async () => {
    receiver = await httpSink((_request, response) => {
      response.statusCode = answers;
      response.end();
    });
    const { site } = here;
    await signedInAs(site.world, ADA, site.url);
  });
  afterAll(() => receiver?.close());

  async function screen(options = {}): Promise<Page> {
    const watching = await watched(here.browser, here.site, { timezoneId: "Europe/Lisbon", ...options });
    faults.push(watching.faults);
    return watching.page;
  }

  const main = (page: Page) => page.locator("main");
  const says = (page: Page, words: string) =>
    page.getByRole("status").filter({ hasText: words }).first().waitFor();
  const press = (page: Page, name: string) => page.getByRole("button", { name }).click();
  const follow = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first().click();

  /** The channel's page of that name, by its tabs. */
  const tab = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Channel" }).getByRole("link", { name }).click();

  const section = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Workspace" }).getByRole("link", { name }).click();

  const reloadedUntil = (page: Page, words: RegExp) =>
    expect
      .poll(async () => {
        await page.reload();
        return main(page).textContent();
      }, WAIT)
      .toMatch(words);

  /** What the picture that is downloaded says to a camera. */
  async function downloadedCode(page: Page): Promise<string> {
    const coming = page.waitForEvent("download");
    await follow(page, "PNG");
    const { data, info } = await sharp(await buffer(await (await coming).createReadStream()))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    return decodeQR({ width, height, data: new Uint8ClampedArray(data) });
  }

  test("from the first channel to the log of the day", async () => {
    const { site } = here;
    const { world } = site;
    const page = await screen();

    // Signs in, and opens a private channel.
    await page.goto(`${site.url}/console`);
    await signIn(page, ADA);
    await page.getByRole("heading", { name: "Your first alert" }).waitFor();
    await follow(page, "New channel");
    await page.getByLabel("Name", { exact: true }).fill("Night Trains");
    await page.getByLabel("Handle", { exact: true }).fill("night-trains");
    await page.getByLabel("One line about it").fill("Delays and tracks of the trains that leave after nine");
    await page.locator("label:has([name=is_public][value=false])").click();
    await press(page, "Open the channel");
    await says(page, "The channel is open.");
    await page.getByRole("heading", { name: "Night Trains", level: 1 }).waitFor();
    const channel = page.url();

    // Its invite, which a phone reads from the picture.
    await tab(page, "Invites");
    await page.getByLabel("Note", { exact: true }).fill("Poster at platform 4");
    await press(page, "Make the invite");
    await says(page, "The invite works now.");
    const address = await downloadedCode(page);
    expect(await page.locator("pre").first().textContent()).toBe(address);
    const code = new URL(address).searchParams.get("invite")!;
    const phone = await registered(world);
    expect((await subscribe(world, phone.token, "night-trains", code)).status).toBe(200);
    await page.reload();
    expect(await page.locator("dl.facts").textContent()).toContain("Joined by it1");

    // A key for an assistant, which may write and not send.
    await section(page, "Keys");
    await page.getByLabel("Name", { exact: true }).fill("Timetable robot");
    await page.locator("label:has([name=preset][value=own])").click();
    for (const scope of ["pushers:read", "alerts:read", "alerts:write"])
      await page.locator(`[id="scope-${scope}"]`).check();
    await press(page, "Make the key");
    const key = (await page.locator("pre").first().textContent())!;
    const robot = new Client({ name: "robot", version: "1" });
    const headers = { authorization: `Bearer ${key}` };
    await robot.connect(
      new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`), { requestInit: { headers } }) as never,
    );
    const pusher_id = channel.split("/").at(-1)!;
    const written: any = await robot.callTool({
      name: "create_alert",
      arguments: {
        pusher_id,
        title: TITLE,
        body: "It waits for the ferry from Barreiro.",
        layout: "html",
        html: PAGE,
        requires_ack: true,
        review_note: "The control room told me at 21:50.",
      },
    });
    await robot.close();
    const { review_url } = written.structuredContent;

    // Reviewed on a phone's screen.
    const small = await screen({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      storageState: await page.context().storageState(),
    });
    await small.goto(review_url);
    expect(await small.locator(".phone h3").textContent()).toBe(TITLE);
    for (const words of ["Timetable robot", "over MCP", "The control room told me at 21:50."])
      expect(await main(small).textContent()).toContain(words);
    const blocked = small.getByRole("region", { name: "What phones will not get" });
    for (const taken of ["<script>", "onclick"]) expect(await blocked.textContent()).toContain(taken);
    await small.frameLocator("iframe.paper").getByRole("heading", { name: "Track 4, at 22:35" }).waitFor();
    expect(await small.evaluate("document.documentElement.scrollWidth")).toBe(390);

    // Planned, sent before its time, and seen by the phone.
    const inbox = async () =>
      (await world.handset("GET", "/inbox", phone.token)).body.data.map(({ title }: any) => title);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await small.locator("#send_at").fill(`${tomorrow}T18:40`);
    await press(small, "Schedule it");
    await says(small, "The alert is scheduled.");
    const planned = small.locator(".lede time");
    expect(await planned.textContent()).toContain("18:40");
    expect(await planned.getAttribute("title")).toMatch(/UTC$/);
    expect(await inbox()).toEqual([]);
    await press(small, "Send now to 1");
    await says(small, "The alert was sent.");
    expect(await inbox()).toEqual([TITLE]);
    const report = async (id: string, kind: "read" | "ack") =>
      expect(
        (await world.handset("POST", "/reports", phone.token, { reports: [{ alert_id: id, kind }] })).status,
      ).toBe(200);
    await report(written.structuredContent.id, "read");

    // Taken back, and repeated.
    await press(small, "Cancel the alert");
    await says(small, "The alert was cancelled.");
    await press(small, "Make a draft of it");
    await says(small, "This is the copy: a draft that nobody has seen.");
    expect(small.url()).not.toBe(review_url);
    expect(await small.locator(".phone h3").textContent()).toBe(TITLE);
    await press(small, "Send to 1");
    await says(small, "The alert was sent.");
    const again = small.url().split("/").at(-1)!;
    await report(again, "read");
    await report(again, "ack");
    await reloadedUntil(small, /Reads reported1.*Acks reported1/s);

    // One is out (the other was taken back), two reads and one acknowledgement were reported: the plots say so, and no more.
    await page.goto(channel);
    await tab(page, "Statistics");
    const totals = ["alerts_sent", "reads", "acks"].map((series) =>
      page.locator(`#plot-${series} .total`).textContent(),
    );
    expect(await Promise.all(totals)).toEqual(["1", "2", "1"]);
    expect(await main(page).textContent()).not.toMatch(/deliver|\brate\b/i);

    // A webhook whose receiver fails until the endpoint is disabled.
    await section(page, "Webhooks");
    await page.getByLabel("Address", { exact: true }).fill(`http://127.0.0.1:${receiver.port}/trains`);
    for (const event of ["An alert was sent", "Somebody joined a channel"])
      await page.getByLabel(event).check();
    await press(page, "Add the endpoint");
    await follow(page, "I have copied it");
    const hook = page.url();
    await page.goto(`${channel}/alerts/new`);
    await page.getByLabel("Title").fill("Track 4 is closed until midnight");
    await press(page, "Send to 1");
    await says(page, "The alert was sent.");
    await expect.poll(() => receiver.requests.length, WAIT).toBe(1);
    // Somebody joins every minute: faster ones are told together, and count as one failure (docs/rules.md#strangers-disable-nothing).
    for (let failed = 1; failed < DISABLES; failed++) {
      await world.sql("update channel_state set told_at = told_at - interval '1 minute'");
      await world.sql(
        "update webhook_endpoint set subscriber_failure_at = subscriber_failure_at - interval '1 minute'",
      );
      const { token } = await registered(world);
      await subscribe(world, token, "night-trains", code);
      const failures = async () => (await world.sql("select failure_count from webhook_endpoint"))[0];
      await expect.poll(failures, WAIT).toEqual({ failure_count: failed + 1 });
    }
    await page.goto(hook);
    await reloadedUntil(page, /Disabled since.*It answered 500/s);
    expect(receiver.requests).toHaveLength(DISABLES);

    // The receiver is mended; the endpoint is tried, enabled and given what it missed.
    answers = 204;
    await press(page, "Send a test event");
    await reloadedUntil(page, /webhook\.test.*taken/s);
    await press(page, "Enable it again");
    await says(page, "The webhook is enabled.");
    expect(await main(page).textContent()).not.toContain("Disabled since");
    await page.getByRole("button", { name: /^Deliver again alert\.sent/ }).click();
    await reloadedUntil(page, /by hand, once more.*taken/s);
    expect(receiver.requests.at(-1)!.body.toString()).toBe(receiver.requests[0]!.body.toString());
    expect(receiver.requests[0]!.body.toString()).toContain("Track 4 is closed until midnight");

    // The log tells every act, with who did it.
    await section(page, "Audit log");
    const lines = await page
      .locator("tbody tr")
      .evaluateAll((rows: any[]) =>
        rows.map(({ cells: [done, by] }) => `${done.textContent}: ${by.textContent}`.replace(/\s+/g, " ")),
      );
    const byAda = (act: string) => `${act}: Ada Owner person, Console`;
    expect(lines.toReversed()).toEqual([
      byAda("Make an account by a link"),
      byAda("Sign in"),
      byAda("Create channel now active"),
      byAda("Create invite"),
      byAda("Make a key"),
      "Compose alert now draft: Timetable robot key, MCP",
      byAda("Schedule alert now scheduled changed send_at"),
      byAda("Send alert now sent"),
      byAda("Cancel alert now cancelled"),
      byAda("Duplicate alert now draft"),
      byAda("Send alert now sent"),
      byAda("Register webhook"),
      byAda("Compose alert now sent"),
      byAda("Test webhook"),
      byAda("Enable webhook"),
      byAda("Redeliver event"),
    ]);
    expect(faults.flat()).toEqual([]);
  });
});
