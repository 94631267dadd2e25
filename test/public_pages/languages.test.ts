// The languages of the public pages: the texts of each and their addresses. A browser draws the pages at 320 pixels in
// all languages.

import { describe, expect, test } from "vitest";
import { loadPublicTexts } from "../../src/pages/public_pages/page_texts.ts";
import { getDirection, LANGUAGES, type Language } from "../../src/pages/web_app/browser/texts/languages.ts";
import type { TextOrPluralForms } from "../../src/pages/web_app/browser/texts/text_types.ts";
import { openWatchedPage } from "../support/console_site.ts";
import { describeInBrowser, openSiteAndBrowser } from "../support/in_browser.ts";
import { openWorld } from "../support/open_world.ts";
import { getPublicPage } from "../support/public_pages.ts";
import { findOverflow, readWordOrder } from "../support/text_layout.ts";

const ALL = Object.keys(LANGUAGES) as Language[];
const formsOf = (text: TextOrPluralForms) => (typeof text === "string" ? [text] : Object.values(text));
const valuesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();

describe.each(ALL)("the texts of the pages in %s", (language) => {
  test("are all there, with the same values and every plural form", async () => {
    const [english, texts] = [await loadPublicTexts("en"), await loadPublicTexts(language)];
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, text] of Object.entries(texts)) {
      const wanted = valuesIn(formsOf(english[key as keyof typeof english]).at(-1)!);
      for (const form of formsOf(text)) {
        expect(valuesIn(form), key).toEqual(wanted);
        expect(form, key).toMatch(/^[^<>\s]([^<>]*[^<>\s])?$/);
      }
      if (typeof text !== "string") expect(Object.keys(text).sort(), key).toEqual(pluralCategories.toSorted());
    }
  });
});

// rules#page-languages
const world = await openWorld();

describe("the files of a language", () => {
  test("have one address for every reader, which caches keep", async () => {
    const { handle } = await world.pusher();
    const { text } = await getPublicPage(world, `/c/${handle}`, { headers: { "accept-language": "ar" } });
    const [, script, texts] = /<script src="([^"]+)" data-texts="([^"]+)">/.exec(text)!;
    for (const path of [script!, ...ALL.map((language) => texts!.replace("{language}", language))]) {
      const file = await getPublicPage(world, path, { headers: { accept: "*/*" } });
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("cache-control")).toBe("public, max-age=3600, stale-while-revalidate=86400");
      expect(file.headers.get("vary")).toBe("accept-encoding");
    }
    const missing = await getPublicPage(world, "/static/page_texts/constructor.json", { headers: { accept: "*/*" } });
    expect(missing.status).toBe(404);
  });

  test("have every text that a page marks", async () => {
    const all = await loadPublicTexts("en");
    const open = await world.pusher({ lat: 38, lon: -9, radius_km: 2, requested_perms: ["notify", "sound", "quiet"] });
    await world.alert(open.id, { title: "One", priority: "urgent", image_url: "https://a.example/b.png", send: true });
    for (const path of [`/c/${open.handle}`, "/c", "/c?q=none-of-these", "/c/none-of-these", "/none-of-these"]) {
      const { text } = await getPublicPage(world, path);
      const marked = [...text.matchAll(/data-t="([^"]+)"|data-t-attribute="[a-z-]+:([^"]+)"/g)];
      expect(marked.length, path).toBeGreaterThan(5);
      for (const [, content, attribute] of marked) expect(Object.keys(all)).toContain(content ?? attribute);
    }
  });
});

describeInBrowser("public pages in every language", () => {
  const its = openSiteAndBrowser();

  // rules#page-languages
  test("fit 320 pixels, have lang and dir, and no text stays English", async () => {
    const { world, url } = its.site;
    const pusher = await world.pusher({
      name: "Harbour",
      city: "Porto",
      site: "https://harbour.example",
      tags: ["sea"],
      alert_types: ["tides"],
      ...{ lat: 38, lon: -9, radius_km: 12.5 },
      requested_perms: ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"],
    });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await world.alert(pusher.id, { title: "Tide", priority: "urgent", body: "High.", expires_at: until, send: true });
    const { context, page, faults } = await openWatchedPage(its.browser, its.site, {
      viewport: { width: 320, height: 800 },
    });
    await page.goto(`${url}/c`);
    for (const language of ALL) {
      await page.evaluate((chosen) => (globalThis as any).localStorage.setItem("belfry-language", chosen), language);
      for (const path of [`/c/${pusher.handle}`, "/c", "/c?q=nothing-like-this"]) {
        await page.goto(url + path);
        await page.locator("html:not([data-translating]) #page-language").waitFor();
        const state = await page.evaluate(() => {
          const { documentElement: root, querySelectorAll } = (globalThis as any).document;
          const document_ = (globalThis as any).document;
          return {
            lang: root.lang.slice(0, 2),
            dir: root.dir || "ltr",
            marks: querySelectorAll.call(document_, "[data-t], [data-t-attribute]").length,
          };
        });
        expect([language, path, state.lang, state.dir]).toEqual([language, path, language, getDirection(language)]);
        if (language !== "en") expect([language, path, state.marks]).toEqual([language, path, 0]);
        expect([language, path, await findOverflow(page)]).toEqual([language, path, []]);
      }
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test("distances are in miles where the app has them", async () => {
    const { world, url } = its.site;
    const { handle } = await world.pusher({ lat: 38, lon: -9, radius_km: 12.5 });
    for (const [locale, shown] of [
      ["en-US", "7.8 mi"],
      ["en-IE", "12.5 km"],
    ] as const) {
      const { context, page } = await openWatchedPage(its.browser, its.site, { locale });
      await page.goto(`${url}/c/${handle}`);
      await page.locator("data", { hasText: shown }).first().waitFor();
      await context.close();
    }
  });

  test("times have the format that the app has", async () => {
    const { world, url } = its.site;
    const { id, handle } = await world.pusher();
    await world.alert(id, { title: "Tide", send: true });
    for (const [locale, format] of [
      ["en-US", /^[A-Z][a-z]{2} \d+, \d+:\d\d\s[AP]M$/],
      ["en-GB", /^\d+ [A-Z][a-z]{2,3}, \d\d:\d\d$/],
    ] as const) {
      const { context, page } = await openWatchedPage(its.browser, its.site, { locale });
      await page.goto(`${url}/c/${handle}`);
      await page.locator("time[title]:not([data-clock])", { hasText: format }).waitFor();
      await context.close();
    }
  });

  // rules#app-languages
  test("texts of both directions keep their order, in English and in Arabic", async () => {
    const { world, url } = its.site;
    const arabic = await world.pusher({
      name: "مرفأ المدينة 3",
      city: "دبي",
      description: "Quay 7: المد عال اليوم (شمال)",
    });
    await world.alert(arabic.id, { title: "Tide 4.2 m!", body: "אזהרה: Quay 7 סגור.", send: true });
    const { context, page } = await openWatchedPage(its.browser, its.site, { viewport: { width: 900, height: 800 } });
    await page.goto(`${url}/c`);
    for (const language of ["en", "ar"]) {
      await page.evaluate((chosen) => (globalThis as any).localStorage.setItem("belfry-language", chosen), language);
      await page.goto(`${url}/c/${arabic.handle}`);
      await page.locator("html:not([data-translating]) #page-language").waitFor();
      const order = (selector: string) => readWordOrder(page, selector);
      expect(await order("h1")).toEqual(["3", "المدينة", "مرفأ"]);
      expect(await order(".says")).toEqual(["Quay", "7:", "(شمال)", "اليوم", "عال", "المد"]);
      expect(await order(".alert h3")).toEqual(["Tide", "4.2", "m!"]);
      expect(await order(".alert .text")).toEqual(["סגור.", "Quay", "7", "אזהרה:"]);
    }
    // A name in Latin letters is next to its picture, at the right.
    const latin = await world.pusher({ name: "Quay", alert_types: ["warning", "all clear"] });
    await page.goto(`${url}/c/${latin.handle}`);
    await page.locator("html:not([data-translating]) #page-language").waitFor();
    const boxes = [".hero h1 bdi", ".hero .face"].map((one) => page.locator(one).boundingBox());
    const [name, face] = await Promise.all(boxes);
    expect(face!.x - (name!.x + name!.width)).toBeCloseTo(16, 0);
    // A list has the comma of the language.
    await page.getByText("warning، all clear", { exact: true }).waitFor();
    await context.close();
  });
});
