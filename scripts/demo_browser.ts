// The demo's person: a real browser that opens the channel's page, subscribes in the app, and plays the alert. Without
// a browser on this machine the demo runs without them.

import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";

/** The usual paths of browsers of this family. CHROMIUM names the one to use. */
const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** For each step of a person, in milliseconds: a busy machine can take a minute for one. */
export const DEMO_TIMEOUT_MS = 120_000;

/** Null when none can be started here. @param shown in a window of its own that one can watch */
export async function openBrowser(shown = false): Promise<Browser | null> {
  const named = process.env.CHROMIUM;
  const executablePath = (named ? [named] : PLACES).find((place) => existsSync(place));
  if (!executablePath) return null;
  // A development dependency: without it the demo cannot open a browser.
  const driver = await import("playwright-core").catch(() => null);
  if (!driver) return null;
  const root = process.getuid?.() === 0;
  const args = root ? ["--no-sandbox"] : [];
  // There, and not to be started: without a screen to show a window on, for example.
  return driver.chromium.launch({ executablePath, headless: !shown, args, timeout: DEMO_TIMEOUT_MS }).catch(() => null);
}

/** In the page: records when the first sound is played. */
const LISTEN = `
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...given) {
    if (this.context.state === "running") globalThis.rangAt ??= Date.now();
    return start.apply(this, given);
  };`;

/**
 * In the page: turns a switch off, and returns true if one was on. The app moves a switch when it finds that this
 * device lacks the permission.
 */
const TURN_OFF_SWITCH = `{
  const on = document.querySelector("[role=switch]:checked:enabled");
  on?.click();
  on !== null;
}`;

/** Subscribes to the channel that the app shows, with all of its permissions off. */
export async function subscribeSilently(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /^Subscribe/ })
    .first()
    .waitFor();
  while (await page.evaluate(TURN_OFF_SWITCH));
  await page.getByRole("button", { name: "Subscribe", exact: true }).click();
  await page.getByText("Subscribed", { exact: true }).first().waitFor();
}

export class DemoPerson {
  readonly #browser: Browser;
  readonly #page: Page;

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.#page = page;
  }

  /** Null when no browser can be started here. @param shown in a window of its own that one can watch */
  static async find(shown: boolean): Promise<DemoPerson | null> {
    const browser = await openBrowser(shown);
    if (!browser) return null;
    const context = await browser.newContext({ locale: "en", viewport: { width: 390, height: 844 } });
    context.setDefaultTimeout(DEMO_TIMEOUT_MS);
    await context.addInitScript({ content: LISTEN });
    return new DemoPerson(browser, await context.newPage());
  }

  /** Opens the app from the channel's page, subscribes silently, and then lets the channel play sounds. */
  async subscribe(channelPage: string): Promise<void> {
    await this.#page.goto(channelPage);
    await this.#page.getByRole("link", { name: "Subscribe" }).click();
    await subscribeSilently(this.#page);
    await this.#page.getByRole("link", { name: "Channel settings" }).click();
    await this.#page.getByRole("switch", { name: "Play sounds" }).check();
    await this.#page.goBack();
  }

  /** Waits until the app shows the alert and rings; when that was, in milliseconds since 1970. */
  async hears(title: string): Promise<number> {
    await this.#page.getByText(title).filter({ visible: true }).first().waitFor();
    const rang = await this.#page.waitForFunction("globalThis.rangAt");
    return (await rang.jsonValue()) as number;
  }

  async leave(channel: string): Promise<void> {
    await this.#page.getByRole("link", { name: "Channel settings" }).click();
    await this.#page.getByRole("button", { name: "Unsubscribe", exact: true }).click();
    await this.#page.getByRole("button", { name: `Unsubscribe from ${channel}` }).click();
    await this.#page.getByText(`You unsubscribed from ${channel}.`).waitFor();
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}
