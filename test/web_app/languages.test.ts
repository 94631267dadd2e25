// The app in all of its languages, in one visit: every view fits 320 pixels and has lang and dir. The texts of channels
// keep their order. The app opens without a network in a language that was chosen before.

import { expect, test } from "vitest";
import {
  getDirection,
  getLangAttribute,
  LANGUAGES,
  type Language,
} from "../../src/pages/web_app/browser/texts/languages.ts";
import { LANGUAGE_TEXT_LOADERS } from "../../src/pages/web_app/browser/texts/translate.ts";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { listAxeFindings } from "../support/page_checks.ts";
import { findOverflow, readWordOrder } from "../support/text_layout.ts";
import { findAlertCard, joinInApp } from "../support/web_app.ts";

/** axe's result depends on the direction, and on no glyph. Other tests check the views from left to right. */
const AXE_LANGUAGE: Language = "ar";

describeInBrowser("the app in every language", () => {
  const its = openSiteAndBrowser();

  // rules#app-languages
  test("fits 320 pixels in ten views, and opens offline in the last language", async () => {
    const { world, url } = its.site;
    const pusher = await world.pusher({
      name: "مرفأ 3",
      description: "Quay 7: المد عال",
      tags: ["sea"],
      ...{ lat: 38, lon: -9, radius_km: 12.5 },
      requested_perms: ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"],
    });
    const other = await world.pusher({ name: "Trams", requested_perms: ["notify", "loc"] });
    const { context, page } = await openWatchedPage(its.browser, its.site, { viewport: { width: 320, height: 800 } });
    await joinInApp(page, url, { handle: pusher.handle });
    await page.goto(`${url}/app/#inbox`);
    const { id } = await world.alert(pusher.id, {
      title: "رصيف 12 Quay",
      body: "אזהרה: Quay 7 סגור",
      priority: "urgent",
      requires_ack: true,
      actions: [{ type: "reply", label: "Are you safe?", choices: ["نعم", "No"] }],
      send: true,
    });
    await findAlertCard(page, "رصيف").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const views = [
      "#inbox",
      `#alert/${id}`,
      "#channels",
      `#channel/${pusher.handle}`,
      `#channel/${pusher.handle}/settings`,
      "#discover",
      `#join=${other.handle}`,
      "#alert/alr_0000000000000000",
      `#move=bft_${"0".repeat(24)}`,
      "#settings",
    ];
    const axeViews = ["#inbox", `#alert/${id}`, `#channel/${pusher.handle}`, `#join=${other.handle}`, "#settings"];
    for (const language of Object.keys(LANGUAGES) as Language[]) {
      await page.locator("#language").or(page.locator("#main h1")).first().waitFor();
      await page.evaluate('location.hash = "#settings"');
      await page.locator("#language").selectOption(language);
      const lang = getLangAttribute(language);
      await page.locator(`html[lang="${lang}"][dir="${getDirection(language)}"]`).waitFor({ state: "attached" });
      const texts = await LANGUAGE_TEXT_LOADERS[language]();
      await page.getByRole("heading", { level: 1, name: String(texts["nav.settings"]) }).waitFor();
      for (const view of views) {
        await page.evaluate((hash) => Object.assign((globalThis as any).location, { hash }), view);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        await page.evaluate('for (const card of document.querySelectorAll("details.fold")) card.open = true');
        expect([language, view, await findOverflow(page)]).toEqual([language, view, []]);
        if (language !== AXE_LANGUAGE || !axeViews.includes(view)) continue;
        expect([language, view, await listAxeFindings(page)]).toEqual([language, view, []]);
      }
      if (language !== "en" && language !== "ar") continue;
      await page.evaluate((hash) => Object.assign((globalThis as any).location, { hash }), `#alert/${id}`);
      await page.locator(".chosen .text").waitFor();
      expect(await readWordOrder(page, ".chosen h1")).toEqual(["Quay", "12", "رصيف"]);
      expect(await readWordOrder(page, ".chosen .text")).toEqual(["סגור", "Quay", "7", "אזהרה:"]);
    }
    await page.evaluate('location.hash = "#settings"');
    await page.locator("#language").selectOption("he");
    await page.locator('html[lang="he"]').waitFor({ state: "attached" });
    for (const view of [`#channel/${pusher.handle}`, `#channel/${pusher.handle}/settings`]) {
      await page.evaluate((hash) => Object.assign((globalThis as any).location, { hash }), view);
      const arrow = page.locator(".chosen .panehead svg").first();
      await expect.poll(() => arrow.evaluate((part) => (globalThis as any).getComputedStyle(part).scale)).toBe("-1 1");
    }
    await page.evaluate('location.hash = "#settings"');
    await page.locator("#language").waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.locator('html[lang="he"][dir="rtl"]').waitFor({ state: "attached" });
    const hebrew = await LANGUAGE_TEXT_LOADERS.he();
    await page.getByRole("heading", { level: 1, name: String(hebrew["nav.settings"]) }).waitFor();
    await context.close();
  });
});
