// An urgent alert that the app shows again until it is acknowledged. It stays within its limits, and never repeats
// where its person does not want it. The test moves the page's clock. repeat_rules.test.ts has each case of
// rules#repeats.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { observeOutputs } from "../support/app_modules.ts";
import { describeInBrowser, openPhonePageForEach, openSiteAndBrowser } from "../support/in_browser.ts";
import { countHeldPolls } from "../support/long_polls.ts";
import { listAxeFindings } from "../support/page_checks.ts";
import { waitFor } from "../support/wait.ts";
import { findAlertCard, joinInApp, readAppStore } from "../support/web_app.ts";

/** The folder for pictures of the pages, for a reader who needs them. */
const PICTURES = process.env.PICTURES;
const EVERY = LIMITS.alert_repeat_minutes;
const SWITCH = "Repeat urgent alerts";

describeInBrowser("an urgent alert that waits to be confirmed", () => {
  const its = openSiteAndBrowser();
  let page: Page;
  let pusher: any;

  openPhonePageForEach(its, async (phone) => {
    ({ page } = phone);
    await page.clock.install();
    await observeOutputs(page);
    pusher = await its.site.world.pusher({
      name: "Riverside Flood Desk",
      requested_perms: ["notify", "sound", "vibrate", "quiet"],
    });
  });

  const subscribe = async () => {
    await joinInApp(page, its.site.url, { handle: pusher.handle, grants: ["Vibrate", "Play sounds"] });
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await waitFor(async () => expect(await countHeldPolls(its.site.world)).toBe(1));
  };
  const urgent = { priority: "urgent", requires_ack: true, repeat_until_acked: true };
  const send = async (title: string, more: object = urgent) => {
    await its.site.world.alert(pusher.id, { title, send: true, ...more });
    await findAlertCard(page, title).first().waitFor();
  };
  const felt = () => page.evaluate<number>(() => (globalThis as any).heard.vibrations.filter(Array.isArray).length);
  const rings = (count: number) => waitFor(async () => expect(await felt()).toBe(count));
  const pass = (minutes: number) => page.clock.fastForward(minutes * 60_000);
  let marks = 0;
  /** An alert after all due ones have been played, so that nothing else was. */
  const noMore = async (count: number) => {
    await send(`Mark ${++marks}`, { priority: "important" });
    await rings(count + 1);
  };
  const times = async () =>
    (await readAppStore(page, "alerts")).find(({ title }) => title === "The quay floods")?.repeated ?? 0;

  test("rings again three times, twenty minutes apart, and then stays silent", async () => {
    await subscribe();
    await send("The quay floods");
    await rings(1);
    await pass(EVERY - 2);
    await noMore(1);
    await pass(3);
    await rings(3);
    for (let n = 2; n <= LIMITS.alert_repeats; n++) {
      await pass(EVERY);
      await rings(n + 2);
      expect(await times()).toBe(n);
    }
    await pass(EVERY);
    await pass(6 * 60);
    await noMore(LIMITS.alert_repeats + 2);
  });

  test("stops once its person has confirmed it", async () => {
    await subscribe();
    await send("The quay floods");
    await rings(1);
    await page.getByRole("button", { name: "Acknowledge", exact: true }).first().click();
    await waitFor(async () =>
      expect(
        (await readAppStore(page, "alerts")).filter(({ acked_at }) => acked_at !== null && acked_at !== undefined),
      ).toHaveLength(1),
    );
    await pass(EVERY + 1);
    await noMore(1);
  });

  test("is switched off for a channel by its person, and on again", async () => {
    await subscribe();
    await send("The quay floods");
    await rings(1);
    const switched = async (on: boolean) => {
      await page.goto(`${its.site.url}/app/#channel/${pusher.handle}/settings`);
      await page.getByRole("switch", { name: SWITCH }).setChecked(on);
      await waitFor(async () => expect(((await readAppStore(page, "channels"))[0]?.once ?? false) === !on).toBe(true));
    };
    await switched(false);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await listAxeFindings(page)).toEqual([]);
      if (PICTURES)
        await page.screenshot({ path: `${PICTURES}/repeats-switch-390-${colorScheme}.png`, fullPage: true });
    }
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await pass(EVERY + 1);
    await noMore(1);
    await switched(true);
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await pass(EVERY);
    await rings(3);
  });

  test("quiet hours keep it silent", async () => {
    await subscribe();
    await send("The quay floods");
    await rings(1);
    // From ten minutes after it until half an hour later.
    const clock = (minutes: number) =>
      page.evaluate<string>(`new Date(Date.now() + ${minutes} * 60000).toTimeString().slice(0, 5)`);
    const [from, to] = [await clock(10), await clock(EVERY + 10)];
    await page.goto(`${its.site.url}/app/#settings`);
    await page.getByRole("switch", { name: "Quiet hours" }).check();
    for (const [id, at] of [
      ["quiet-from", from],
      ["quiet-to", to],
    ] as const) {
      await page.locator(`#${id}`).fill(at);
      await page.locator(`#${id}`).dispatchEvent("change");
    }
    await waitFor(async () =>
      expect(JSON.stringify(await readAppStore(page, "facts"))).toContain(`"from":"${from}","to":"${to}"`),
    );
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await pass(EVERY + 1);
    await waitFor(async () => expect(await times()).toBe(1));
    // They are over by then.
    await pass(EVERY);
    await rings(2);
  });
});
