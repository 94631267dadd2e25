// One press makes a channel audible, or the app shows why it is silent. The browser's answer and its push service are
// replaced, as they are not ours. Needs CHROMIUM=/path/to/chromium.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observeOutputs } from "../support/app_modules.ts";
import { ConsoleSite, launchBrowser, openWatchedPage, type SharedBrowser } from "../support/console_site.ts";
import { describeInBrowser } from "../support/in_browser.ts";
import { startPushService } from "../support/push_service.ts";
import { waitUntil } from "../support/wait.ts";
import { findAlertCard, readAppStore } from "../support/web_app.ts";

const SUBSCRIBE = "Subscribe and allow notifications";

// rules#app-subscribes-audibly
describeInBrowser("subscribing", () => {
  const its = {} as { site: ConsoleSite; browser: SharedBrowser };
  let service: Awaited<ReturnType<typeof startPushService>>;
  let pusher: { id: string; handle: string };
  let page: Page;
  let close: () => Promise<void>;

  beforeAll(async () => {
    service = await startPushService(async () => 201);
    its.site = await ConsoleSite.open({
      settings: { WEB_PUSH: "on", WEB_PUSH_CONTACT: "mailto:ops@example.org", WEB_PUSH_ALLOW_HOSTS: service.host },
    });
    its.browser = await launchBrowser({ whole: true });
    pusher = await its.site.world.pusher({ name: "Flood Desk", requested_perms: ["notify", "sound", "loc"] });
  });
  afterAll(async () => {
    await its.browser?.close();
    await its.site?.close();
    service?.close();
  });

  /**
   * A new browser. `answer` is its user's answer to the question about notifications. `push` is `ok`, `hangs`, or the
   * name of the error of its push service, which issues `endpoint`.
   */
  async function open(answer: string, push: string, endpoint = `${service.origin}/wpush/v2/browser`): Promise<void> {
    await close?.();
    const { context, page: opened } = await openWatchedPage(its.browser, its.site, {
      viewport: { width: 390, height: 844 },
    });
    [page, close] = [opened, () => context.close()];
    await context.grantPermissions(["notifications", "geolocation"], { origin: its.site.url });
    await observeOutputs(page);
    await page.addInitScript(
      ([given, service, endpoint]) => {
        const web: any = globalThis;
        Object.assign(web, { questions: 0, pushService: service, decided: "default" });
        Object.defineProperty(web.Notification, "permission", { get: () => web.decided });
        web.Notification.requestPermission = async () => {
          web.questions++;
          web.decided = given;
          return given;
        };
        const subscription = { endpoint, unsubscribe: async () => true };
        web.PushManager.prototype.subscribe = () => {
          if (web.pushService === "hangs") return new Promise(() => {});
          if (web.pushService !== "ok") throw new web.DOMException("refused", web.pushService);
          web.subscribed = true;
          return Promise.resolve(subscription);
        };
        web.PushManager.prototype.getSubscription = async () => (web.subscribed ? subscription : null);
      },
      [answer, push, endpoint] as const,
    );
    await page.goto(`${its.site.url}/app/#join=${pusher.handle}`);
    await page.getByRole("button", { name: SUBSCRIBE }).waitFor();
  }

  const permissions = async () => (await readAppStore(page, "channels"))[0]?.subscription.permissions.toSorted();

  test("one press grants every requested permission, with one question of the browser, and shows a test", async () => {
    await open("granted", "ok");
    await page.getByRole("button", { name: SUBSCRIBE }).click();
    const note = page.locator(".chosen .note");
    await note.getByText("A test notification was sent.").waitFor();
    expect(await note.innerText()).toMatch(/^Notifications are on\.\s+A test notification was sent\. If you/);
    expect(await permissions()).toEqual(["loc", "notify", "sound"]);
    expect(await page.evaluate("[questions, heard.notified]")).toEqual([1, ["Flood Desk: notifications work"]]);
    await waitUntil(async () => (await its.site.world.sql("select 1 from push_endpoint")).length === 1);
    expect(await page.locator(".chosen .note.warn").count()).toBe(0);
    await waitUntil(async () => ((await page.evaluate("heard.ever()")) as number) > 0.02);
    await note.getByRole("button", { name: "Close" }).click();
    await note.waitFor({ state: "detached" });
  });

  test("a channel of the directory has a button, which grants nothing about the position", async () => {
    await open("granted", "ok");
    await page.goto(`${its.site.url}/app/#discover`);
    await page.locator(".row", { hasText: "Flood Desk" }).getByRole("button", { name: "Subscribe" }).click();
    await page.locator(".chosen").getByText("Notifications are on.").waitFor();
    expect(await permissions()).toEqual(["notify", "sound"]);
  });

  test("a permission is turned off below the button, by keyboard alone", async () => {
    await open("granted", "ok");
    // The button unlocks sounds, so no other touch is requested.
    const sounds = page.locator(".switchrow", { hasText: "Play sounds" });
    expect(await sounds.innerText()).toBe("Play sounds");
    await page.getByRole("switch", { name: "Play sounds" }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: SUBSCRIBE }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("A test notification was sent.").waitFor();
    expect(await permissions()).toEqual(["loc", "notify"]);
  });

  test("without notifications, nothing is granted", async () => {
    await open("granted", "ok");
    await page.getByRole("button", { name: "Subscribe without notifications" }).click();
    await page.locator(".chosen .note", { hasText: "This channel can’t alert you yet." }).waitFor();
    expect(await permissions()).toEqual([]);
  });

  test("a user who declines is subscribed, and channel and inbox show that it is silent", async () => {
    await open("denied", "ok");
    await page.getByRole("button", { name: SUBSCRIBE }).click();
    await page.getByText("Notifications are blocked.").waitFor();
    expect([await permissions(), await page.evaluate("heard.notified")]).toEqual([["loc", "notify", "sound"], []]);
    await its.site.world.alert(pusher.id, { title: "High water", send: true });
    await page.goto(`${its.site.url}/app/#inbox`);
    await findAlertCard(page, "High water").waitFor();
    await page.locator(".list .note", { hasText: "Flood Desk can’t alert you yet." }).getByRole("link").click();
    const note = page.locator(".chosen .note", { hasText: "Alerts sound only while the app is open." });
    await note.getByText("Allow notifications", { exact: true }).click();
    expect(await note.getByRole("listitem").allTextContents()).toEqual([
      "Select the icon next to the page’s address.",
      "Open the permissions or site settings, and allow notifications.",
      "Return to this page. It checks again automatically.",
    ]);
    expect(await note.getByRole("button").count()).toBe(0);
    await page.getByRole("link", { name: "Channel settings" }).click();
    const blocked = page.getByRole("switch", { name: "Send notifications" });
    expect([await blocked.isChecked(), await blocked.isEnabled()]).toEqual([false, false]);
    await page.locator(".switchrow .hint", { hasText: "Blocked in the browser." }).waitFor();
    await page.getByRole("link", { name: "Back" }).click();
    // The user then allows them in the browser's settings, and returns.
    await page.evaluate("decided = 'granted'; dispatchEvent(new Event('focus'))");
    await page.locator(".chosen .note.good", { hasText: "Notifications are on." }).waitFor();
    expect(await note.count()).toBe(0);
  });

  // rules#app-says-silence
  test("a registration that hangs or fails is shown with its reason, and succeeds with the next try", async () => {
    await open("granted", "hangs");
    await page.getByRole("button", { name: SUBSCRIBE }).click();
    await page.getByText("Turning notifications on…").waitFor();
    await page.getByText("A firewall or VPN may block notifications.").waitFor();
    for (const [service, reason] of [
      ["AbortError", "Check your connection and try again."],
      ["NotAllowedError", "a private window"],
    ] as const) {
      await open("granted", service);
      await page.getByRole("button", { name: SUBSCRIBE }).click();
      const note = page.locator(".chosen .note", { hasText: reason });
      await note.waitFor();
      expect(await note.locator("strong").allInnerTexts()).toEqual(["Notifications could not be turned on."]);
      expect(await page.locator(".chosen .note").count()).toBe(1);
      expect(await page.getByText("A test notification was sent.").count()).toBe(0);
    }
    await page.evaluate("pushService = 'ok'");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Alerts sound only while the app is open.").first().waitFor({ state: "detached" });
  });

  test("a push service that the server refuses is explained without the operator's setting", async () => {
    await open("granted", "ok", "https://10.0.0.1/wpush");
    await page.getByRole("button", { name: SUBSCRIBE }).click();
    const note = page.locator(".chosen .note", { hasText: "Tell the person who runs it." });
    await note.waitFor();
    expect(await note.innerText()).not.toContain("WEB_PUSH");
    expect(await note.getByRole("button").count()).toBe(0);
  });

  test("the browser's offer to install the app is a button, once", async () => {
    await open("granted", "ok");
    await page.goto(`${its.site.url}/app/#settings`);
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    const install = page.getByRole("button", { name: "Install app" });
    expect(await install.count()).toBe(0);
    await page.evaluate(() => {
      const web: any = globalThis;
      const prompt = async () => {
        web.prompted = true;
      };
      web.dispatchEvent(Object.assign(new web.Event("beforeinstallprompt"), { prompt }));
    });
    await install.click();
    await install.waitFor({ state: "detached" });
    expect(await page.evaluate("prompted")).toBe(true);
  });
});
