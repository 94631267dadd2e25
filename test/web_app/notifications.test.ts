// The effects of a decision outside of the page: a notification in the device's list, a count on the icon. Also the
// device's position, which never leaves it.

import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { observeOutputs } from "../support/app_modules.ts";
import { describeInBrowser, openModulesAndBrowser } from "../support/in_browser.ts";

const ALERT = {
  id: "alr_1",
  handle: "river",
  sent_at: "2026-11-22T12:00:00.000000Z",
  title: "River at 3.9 m <b>",
  body: "Use the Mill Street exit." as string | null,
  priority: "normal",
  requires_ack: false,
  collapse_key: null as string | null,
};
const RINGS = { sound: "bell" as string | null, vibrate: [80] as number[] | null };
const QUIET = { sound: null, vibrate: null };

describeInBrowser("outside of the page", () => {
  const its = openModulesAndBrowser({ whole: true });
  let context: BrowserContext;
  let page: Page;

  beforeEach(async () => {
    context = await its.browser.newContext();
    page = await context.newPage();
    await observeOutputs(page);
  });
  afterEach(() => context.close());

  const grant = (...permissions: string[]) => context.grantPermissions(permissions, { origin: its.site.url });
  const line = (alert: object, decision: object, app = true) =>
    page.evaluate(
      async ([about, decided, open]) => {
        const { buildNotification } = await (globalThis as any).use("outputs/notifications.ts");
        const words = { channel: "Flood desk", ack: "Acknowledge", test: "Test", icon: "/icon.png", page: open };
        return buildNotification(about, decided, words);
      },
      [{ ...ALERT, ...alert }, decision, app] as const,
    );

  describe("a line", () => {
    beforeEach(() => page.goto(its.site.url));

    test("has text, channel and time; it is silent while the app rings by itself", async () => {
      const { title, options } = await line({}, RINGS);
      expect(title).toBe("River at 3.9 m <b>");
      expect(options).toEqual({
        dir: "auto",
        body: "Flood desk\nUse the Mill Street exit.",
        tag: "alr_1",
        icon: "/icon.png",
        badge: "/icon.png",
        silent: true,
        renotify: false,
        requireInteraction: false,
        timestamp: Date.parse("2026-11-22T12:00:00Z"),
        data: { alert_id: "alr_1", handle: "river" },
      });
    });

    test("rings by itself where the app is closed and the decision rings", async () => {
      expect((await line({}, RINGS, false)).options).toMatchObject({ silent: false, vibrate: [80], renotify: true });
      const quiet = (await line({}, QUIET, false)).options;
      expect(quiet).toMatchObject({ silent: true, renotify: false });
      expect(quiet).not.toHaveProperty("vibrate");
    });

    // rules#alert-collapse-key
    test("a channel and collapse key have one notification, an urgent one until it is answered", async () => {
      expect((await line({ collapse_key: "level" }, RINGS)).options.tag).toBe("river level");
      expect((await line({ priority: "urgent" }, RINGS)).options.requireInteraction).toBe(true);
    });

    // rules#alert-ack
    test("has a button where the alert wants to be acknowledged", async () =>
      expect((await line({ requires_ack: true }, QUIET)).options.actions).toEqual([
        { action: "ack", title: "Acknowledge" },
      ]));

    // rules#app-answers-notifications
    test("has the first choices of a question, after the acknowledgement, as many as the browser shows", async () => {
      const actions = [
        { type: "open_url", label: "Map", url: "https://a.example" },
        { type: "reply", label: "Come?", choices: ["Yes", "No", "Later"] },
      ];
      const offered = async (fields: object, most: number) => {
        await page.evaluate(
          (value) =>
            Object.defineProperty((globalThis as any).Notification, "maxActions", { value, configurable: true }),
          most,
        );
        return (await line({ actions, ...fields }, QUIET)).options.actions?.map(({ action }: any) => action) ?? [];
      };
      expect(await offered({}, 3)).toEqual(["reply:0", "reply:1"]);
      expect(await offered({ requires_ack: true }, 3)).toEqual(["ack", "reply:0", "reply:1"]);
      expect(await offered({ requires_ack: true }, 2)).toEqual(["ack", "reply:0"]);
      expect(await offered({ requires_ack: true }, 0)).toEqual([]);
      expect(await offered({ actions: [] }, 2)).toEqual([]);
      const choiceOf = (action: string) =>
        page.evaluate(
          async ([name, all]) => (await (globalThis as any).use("outputs/notifications.ts")).findReplyChoice(name, all),
          [action, actions] as const,
        );
      expect(await Promise.all(["reply:0", "reply:2", "reply:9", "reply:x", "ack", ""].map(choiceOf))).toEqual([
        "Yes",
        "Later",
        null,
        null,
        null,
        null,
      ]);
    });

    test("cuts a long text between letters, and needs none", async () => {
      const { body } = (await line({ body: "🌊".repeat(400) }, QUIET)).options;
      expect([...body].length).toBe(240);
      expect(body).toMatch(/^Flood desk\n🌊+…$/u);
      expect((await line({ body: null }, QUIET)).options.body).toBe("Flood desk");
    });
  });

  test("lines are shown by the worker, and replaced by their tag", async () => {
    await grant("notifications");
    await page.goto(its.site.url);
    const shown = await page.evaluate(
      async ([first, decision]) => {
        const here = globalThis as any;
        const { buildNotification, showNotification, getNotificationPermission } =
          await here.use("outputs/notifications.ts");
        const words = { channel: "Flood desk", ack: "Seen", test: "Test", icon: "/icon.png", page: true };
        const show = (alert: object) => {
          const { title, options } = buildNotification({ ...first, ...alert }, decision, words);
          return showNotification(title, options);
        };
        const before = await show({});
        await here.navigator.serviceWorker.register("/sw.js");
        const registration = await here.navigator.serviceWorker.ready;
        const after = [
          await show({ id: "alr_1", collapse_key: "level", title: "first" }),
          await show({ id: "alr_2", collapse_key: "level", title: "second" }),
          await show({ id: "alr_3", title: "third" }),
        ];
        const titles = async () =>
          (await registration.getNotifications()).map((one: any) => `${one.title} ${one.data.alert_id}`).sort();
        const all = await titles();
        return { before, after, all, allowed: getNotificationPermission() };
      },
      [ALERT, RINGS] as const,
    );
    expect(shown).toEqual({
      before: false,
      after: [true, true, true],
      all: ["second alr_2", "third alr_3"],
      allowed: "granted",
    });
  });

  test("without the browser's permission no notification is shown, and nothing requests it", async () => {
    await page.goto(its.site.url);
    const shown = await page.evaluate(async () => {
      const { showNotification, getNotificationPermission } = await (globalThis as any).use("outputs/notifications.ts");
      return [getNotificationPermission(), await showNotification("x", {})];
    });
    expect(shown[0]).not.toBe("granted");
    expect(shown[1]).toBe(false);
  });

  test("the count is on the icon and before the title, and disappears", async () => {
    await page.addInitScript(() => {
      const here = globalThis as any;
      here.badges = [];
      here.Navigator.prototype.setAppBadge = async (count: number) => here.badges.push(count);
      here.Navigator.prototype.clearAppBadge = async () => {
        here.badges.push("cleared");
        throw new Error("no icon");
      };
    });
    await page.goto(its.site.url);
    const titles = await page.evaluate(async () => {
      const here = globalThis as any;
      const { showUnreadCount } = await here.use("outputs/badge.ts");
      return [3, 0].map((count) => {
        showUnreadCount(count, "Belfry");
        return here.document.title;
      });
    });
    expect(titles).toEqual(["(3) Belfry", "Belfry"]);
    expect(await page.evaluate(() => (globalThis as any).badges)).toEqual([3, "cleared"]);
  });

  // rules#circle-on-device
  describe("where the device is", () => {
    const where = (now: number) =>
      page.evaluate(async (at) => {
        const { getPosition } = await (globalThis as any).use("outputs/position.ts");
        return getPosition(at);
      }, now);

    test("is the browser's result, and is sent nowhere", async () => {
      await grant("geolocation");
      await context.setGeolocation({ latitude: 52.01, longitude: 5, accuracy: 12 });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(`${request.url()} ${request.postData() ?? ""}`));
      await page.goto(its.site.url);
      expect(await where(Date.now())).toMatchObject({ lat: 52.01, lon: 5, accuracy_m: 12 });
      expect(asked.filter((line) => line.includes("52.01"))).toEqual([]);
    });

    test("is unknown without the person's permission, and no caller waits long", async () => {
      await page.goto(its.site.url);
      expect(await where(Date.now())).toBe(null);
    });
  });
});
