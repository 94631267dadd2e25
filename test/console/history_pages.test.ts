// History and statistics in Chromium: plots are visible without a script, and pages update themselves only while they
// are visible. Needs CHROMIUM=/path/to/chromium; skipped without one.

import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { parseUuid, registerHandset, joinChannel as subscribe } from "../support/handsets.ts";
import { describeInBrowser, openSiteAsOwner } from "../support/in_browser.ts";
import { checkAccessibility } from "../support/page_checks.ts";
import { WAIT } from "../support/wait.ts";
import { timeInSeconds } from "../support/world.ts";

describeInBrowser("sent alerts, in a browser", () => {
  const its = openSiteAsOwner();
  let channel: string;
  let alertPath: string;
  let report: (kind: "read" | "ack", by?: { token: string }) => Promise<unknown>;
  let reportAnother: () => Promise<unknown>;

  beforeAll(async () => {
    const { world } = its.site;
    const pusher = await world.pusher();
    const [device, another] = [await registerHandset(world), await registerHandset(world)];
    for (const { token } of [device, another]) await subscribe(world, token, pusher.handle);
    const sent = await world.alert(pusher.id, { send: true });
    report = (kind, { token } = device) =>
      world.handset("POST", "/reports", token, { reports: [{ alert_id: sent.id, kind }] });
    await report("read");
    reportAnother = () => report("read", another);
    await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
    // As large as numbers get here.
    await world.sql(
      `insert into channel_day (pusher_id, day, published, reads, acks)
       select ?, current_date - n, 1000 + n, 12345678 / n, 999999 / n from generate_series(1, 370) n`,
      [parseUuid(pusher.id)],
    );
    channel = `channels/${pusher.id}`;
    alertPath = `${channel}/alerts/${sent.id}`;
  });

  // rules#console-figures
  test("without script plots, tables, filters and ranges are there", async () => {
    const { context, page, faults } = await its.visit({ javaScriptEnabled: false });
    await page.goto(its.base + channel);
    await page.getByRole("link", { name: "Scheduled" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.getByRole("link", { name: "Statistics", exact: true }).last().click();
    await page.getByText("Other days").click();
    await page.getByLabel("From (UTC)").fill("2026-01-01");
    await page.getByLabel("To (inclusive)").fill("2026-01-09");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    expect(new URL(page.url()).search).toBe("?from=2026-01-01&to=2026-01-09");
    await page.getByRole("link", { name: "90 days" }).click();
    const plot = page.getByRole("img", { name: "Alerts sent" });
    // The page is read while it still comes.
    await expect.poll(() => plot.locator("rect").count()).toBe(90);
    const box = (await plot.boundingBox())!;
    const room = (await page.locator("#plot-alerts_sent").boundingBox())!;
    // The numbers of the lines are to the left of the bars, which end with the text of the card.
    expect(box.x - room.x).toBeGreaterThanOrEqual(39);
    expect(Math.abs(room.x + room.width - box.x - box.width)).toBeLessThan(1);
    await page.getByText("View as table").click();
    expect(await page.getByRole("table", { name: "By UTC day" }).getByRole("row").count()).toBe(91);
    expect(faults).toEqual([]);
    await context.close();
  });

  // rules#console-figures
  test("values are shown by pointer and by keyboard, also where no bar is, and a chart is saved as PNG", async () => {
    const { context, page, faults } = await its.visit({ colorScheme: "light" });
    await page.goto(`${its.base}${channel}/stats?from=2024-01-01&to=2024-01-10`);
    await page.getByText("No data for these days").waitFor();
    expect(await page.locator(".values").count()).toBe(0);
    await page.goto(`${its.base}${channel}/stats?days=7`);
    const figure = page.locator("#plot-alerts_sent");
    const line = figure.locator(".value-line");
    const box = (await figure.locator("svg[role=img]").boundingBox())!;
    const how = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
    const words = (date: Date, count: string) => `${date.toLocaleDateString("en-GB", how)}: ${count} alerts`;
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000);
    await page.mouse.move(box.x + (box.width * 5.5) / 7, box.y + 25);
    expect(await line.textContent()).toBe(words(day(1), "1,001"));
    await page.mouse.move(box.x + (box.width * 0.5) / 7, box.y + 25);
    expect(await line.textContent()).toBe(words(day(6), "1,006"));
    await page.mouse.move(0, 0);
    // Without a pointer, it is the value of the slider, which begins at the last day.
    expect(await line.textContent()).toContain(words(day(0), "").split(":")[0]!);

    const slider = page.getByRole("slider", { name: "Alerts sent: values" });
    // It belongs to no form around it, which Enter would submit.
    expect(await slider.getAttribute("form")).toBe("");
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    expect(await slider.getAttribute("aria-valuetext")).toBe(words(day(1), "1,001"));
    expect(await line.textContent()).toBe(words(day(1), "1,001"));
    await page.keyboard.press("Home");
    expect(await line.textContent()).toBe(words(day(6), "1,006"));
    await page.keyboard.press("Home");
    expect(await figure.locator(".pointed").getAttribute("x")).toBe("0%");
    await checkAccessibility(page, "chart with a selected value");

    const revoked = await page.evaluateHandle(() => {
      const urls: string[] = [];
      const revoke = URL.revokeObjectURL.bind(URL);
      URL.revokeObjectURL = (url) => {
        urls.push(url);
        revoke(url);
      };
      return urls;
    });
    const coming = page.waitForEvent("download");
    await figure.getByRole("button", { name: "Download PNG of Alerts sent" }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toBe("belfry_plot-alerts_sent.png");
    const image = sharp(await readFile(await file.path()));
    const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(info.width).toBe(Math.round(((await figure.boundingBox())!.width + 32) * 2));
    // It has the background of the card, the colour of bars, and neither a mark nor transparent pixels.
    const colours = new Map<string, number>();
    for (let i = 0; i < data.length; i += 3) {
      const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
    }
    const share = (colour: string) => (colours.get(colour) ?? 0) / (info.width * info.height);
    expect(share("255,255,255")).toBeGreaterThan(0.4);
    expect(share("125,137,221")).toBeGreaterThan(0.1);
    // The day that is not over yet is stronger.
    expect(share("61,79,199")).toBeGreaterThan(0);
    // The heading in the upper part is text.
    const upper = [...data.subarray(0, info.width * 3 * 60)].filter((value) => value < 100).length;
    expect(upper).toBeGreaterThan(100);
    // Safari cancels a download whose address is revoked at once.
    expect(await revoked.jsonValue()).toEqual([]);
    await page.evaluate('HTMLImageElement.prototype.decode = () => Promise.reject(new Error("not decoded"))');
    await figure.getByRole("button", { name: "Download PNG of Alerts sent" }).click();
    await figure.getByText("Your browser could not create the picture.").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  // rules#webhook-live
  test("the result of a delivery appears within seconds, without a reload", async () => {
    const { world } = its.site;
    const endpoint = newUuid();
    await world.sql(
      `insert into webhook_endpoint (id, workspace_id, member_id, url, events, secret)
       select ?, workspace_id, id, 'https://example.org/', '{alert.sent}', '' from member limit 1`,
      [endpoint],
    );
    await world.sql(
      `insert into webhook_delivery (id, endpoint_id, event, body)
       values (gen_random_uuid(), ?, 'alert.sent', '{"event":"alert.sent","data":{"title":"<b>Quay</b>"}}')`,
      [endpoint],
    );
    const { context, page, faults } = await its.visit();
    await page.clock.install({ time: Date.now() });
    await page.clock.pauseAt(Date.now() + 1_000);
    await page.goto(`${its.base}webhooks/${formatId("whk", endpoint)}`);
    const row = page.getByRole("row", { name: "alert.sent" });
    await row.getByText("pending").first().waitFor();
    await world.sql("update webhook_delivery set ok = true, status = 204, duration_ms = 12 where endpoint_id = ?", [
      endpoint,
    ]);
    await page.clock.runFor(2_500);
    await row.getByText("delivered").waitFor(WAIT);
    await row.getByRole("link", { name: "alert.sent" }).click();
    await page.getByRole("heading", { name: "Delivery of alert.sent" }).waitFor();
    expect(await page.locator("pre").textContent()).toContain('"title": "<b>Quay</b>"');
    expect(faults).toEqual([]);
    await context.close();
  });

  test("reads and acks arrive while the page is visible, not otherwise, and never during use", async () => {
    const { context, page, faults } = await its.visit();
    // Time stops but for the test's own steps.
    await page.clock.install({ time: Date.now() });
    await page.clock.pauseAt(Date.now() + 60_000);
    const asked: string[] = [];
    page.on("request", (request) => {
      const address = request.url();
      if (address.includes("/timeline")) asked.push(address);
    });
    await page.goto(its.base + alertPath);
    const total = (name: string) => page.locator(".figures > div", { hasText: name }).locator("dd");
    const acks = total("Reported acks");
    expect(await acks.textContent()).toBe("0");
    await report("ack");
    await page.clock.runFor(9_000);
    expect(asked).toEqual([]);
    await page.clock.runFor(1_500);
    await expect.poll(() => acks.textContent(), WAIT).toBe("1");

    // A person is reading the table: it is not replaced until they are done, and then it is still open.
    const reads = total("Reported reads");
    const turned = async () => {
      const answered = page.waitForResponse(/timeline/);
      await page.clock.runFor(11_000);
      await (await answered).finished();
    };
    await page.getByText("View as table").click();
    await reportAnother();
    await turned();
    await turned();
    expect(await reads.textContent()).toBe("1");
    await page.evaluate("document.activeElement.blur()");
    await turned();
    await expect.poll(() => reads.textContent(), WAIT).toBe("2");
    expect(await page.locator("#timeline-numbers").getAttribute("open")).not.toBeNull();

    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
         document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await hide(true);
    const before = asked.length;
    await page.clock.runFor(120_000);
    expect(asked.length).toBe(before);
    const again = page.waitForResponse(/timeline/);
    await hide(false);
    await page.clock.runFor(10_000);
    await again;
    expect(faults).toEqual([]);
    await context.close();
  });
});
