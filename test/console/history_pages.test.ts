// History and statistics in Chromium: plots are visible without a script, and pages update themselves only while they
// are visible. Needs CHROMIUM=/path/to/chromium; skipped without one.

import { beforeAll, expect, test } from "vitest";
import { parseUuid, registerHandset, joinChannel as subscribe } from "../support/handsets.ts";
import { describeInBrowser, siteAndOwner } from "../support/in_browser.ts";
import { WAIT } from "../support/wait.ts";
import { timeInSeconds } from "../support/world.ts";

describeInBrowser("sent alerts, in a browser", () => {
  const its = siteAndOwner();
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
    // The numbers of the lines are to the right of the bars.
    expect(room.x + room.width - box.x - box.width).toBeGreaterThanOrEqual(52);
    await page.getByText("The same numbers as a table").click();
    expect(await page.getByRole("table", { name: "By UTC day" }).getByRole("row").count()).toBe(91);
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
    const acks = page.locator("#timeline-acks .total");
    expect(await acks.count()).toBe(0);
    await report("ack");
    await page.clock.runFor(9_000);
    expect(asked).toEqual([]);
    await page.clock.runFor(1_500);
    await acks.waitFor(WAIT);
    expect(await acks.textContent()).toBe("1");

    // A person is reading the table: it is not replaced until they are done, and then it is still open.
    const reads = page.locator("#timeline-reads .total");
    const turned = async () => {
      const answered = page.waitForResponse(/timeline/);
      await page.clock.runFor(11_000);
      await (await answered).finished();
    };
    await page.getByText("The same numbers as a table").click();
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
