// The output settings in the app itself: tones to test, quiet hours, and true statements about the device.

import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { observeOutputs } from "../support/app_modules.ts";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { expandAllCards } from "../support/web_app.ts";

describeInBrowser("the settings of the senses", () => {
  const its = openSiteAndBrowser();
  let context: BrowserContext;
  let page: Page;
  let faults: string[];
  afterEach(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });

  /** Opens the settings on a device; `prepare` removes capabilities. */
  const open = async (options: BrowserContextOptions = {}, prepare: () => void = () => {}) => {
    ({ context, page, faults } = await openWatchedPage(its.browser, its.site, { locale: "en", ...options }));
    await observeOutputs(page);
    await page.addInitScript(prepare);
    await page.goto(`${its.site.url}/app#settings`);
    await page.getByRole("heading", { level: 1, name: /Settings|Einstellungen/ }).waitFor();
    await expandAllCards(page);
  };
  const peak = () => page.evaluate(() => (globalThis as any).heard.peak() as number);
  const truth = (name: string) =>
    page.locator(".truths div", { has: page.getByText(name, { exact: true }) }).locator("dd");

  test("each tone is played by a press, named while it plays, and ended by another press", async () => {
    await open();
    for (const name of ["Default", "Chime", "Ping", "Bell", "Knock", "Alarm", "Siren"])
      expect(await page.getByRole("button", { name: `Play ${name}` }).count()).toBe(1);
    const siren = page.getByRole("button", { name: "Play Siren" });
    await siren.click();
    await expect.poll(peak).toBeGreaterThan(0.05);
    await page.getByText("Playing Siren").waitFor();
    expect(await siren.getAttribute("aria-pressed")).toBe("true");
    await siren.click();
    await expect.poll(peak).toBe(0);
    await page.getByText("Playing Siren").waitFor({ state: "detached" });
    await expect.poll(() => truth("Play sounds").textContent()).toContain("Sounds are available.");
  });

  test("vibrations are felt", async () => {
    await open();
    await page.getByRole("button", { name: "Vibrate: Double" }).click();
    await page.getByRole("button", { name: "Vibrate: Short" }).click();
    expect(await page.evaluate(() => (globalThis as any).heard.vibrations)).toEqual([[140, 110, 140], [80]]);
  });

  test("a sentence is read by the voice that is there, as loud as the device is set", async () => {
    await open({}, () => {
      (globalThis as any).heard.voices = [{ name: "Daniel", lang: "en-GB", localService: true }];
    });
    await expect.poll(() => truth("Read aloud").textContent()).toContain("A voice for English is installed.");
    await page.getByLabel("Volume on this device").fill("40");
    // The page reports it once the setting is stored.
    await page.getByText("40%", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Test reading aloud" }).click();
    await expect
      .poll(() => page.evaluate(() => (globalThis as any).heard.spoken))
      .toEqual([{ text: "This is how alerts sound when read aloud.", lang: "en", voice: "Daniel", volume: 0.4 }]);
  });

  test("a device without capabilities shows that, line by line", async () => {
    await open({}, () => {
      const here = globalThis as any;
      delete here.Navigator.prototype.vibrate;
      delete here.AudioContext;
      delete here.Navigator.prototype.geolocation;
      Object.defineProperty(here.Notification, "permission", { value: "denied" });
    });
    await expect.poll(() => truth("Read aloud").textContent()).toContain("No voice is installed for English.");
    expect(await truth("Send notifications").textContent()).toContain("Blocked in the browser.");
    expect(await truth("Play sounds").textContent()).toContain("This browser does not support sounds.");
    expect(await truth("Vibrate").textContent()).toContain("This browser does not support vibration.");
    expect(await truth("Use your location").textContent()).toContain("This browser does not support location.");
    expect(await page.getByRole("button", { name: /^Vibrate/ }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Ask for permission" }).count()).toBe(0);
    await page.getByRole("button", { name: "Test reading aloud" }).click();
    await page.getByRole("status").getByText("No voice is installed for English.").waitFor();
  });

  // rules#quiet-hours
  test("quiet hours are kept, and two equal times are not", async () => {
    await open();
    await page.getByRole("switch", { name: "Quiet hours" }).check();
    await page.getByLabel("From", { exact: true }).fill("21:30");
    await expect.poll(() => truth("Ring during quiet hours for urgent alerts").textContent()).toContain("21:30");
    await page.getByLabel("To", { exact: true }).fill("21:30");
    await page.getByRole("alert").getByText("Choose two different times.").waitFor();
    await page.reload();
    expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe("21:30");
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe("07:00");
  });

  test("in German, as the browser requests it", async () => {
    await open({ locale: "de-AT" });
    await page.getByRole("button", { name: "Glocke abspielen" }).click();
    await page.getByText("Glocke wird abgespielt").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    await expect.poll(() => truth("Vorlesen").textContent()).toContain("Für Deutsch ist keine Stimme installiert.");
  });
});
