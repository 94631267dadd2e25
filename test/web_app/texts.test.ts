// The texts of the app: each language has all of them, with the same values and its plural forms. Numbers, days and
// distances are formatted as the language does.

import { globSync, readdirSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { isolateText } from "../../src/model/domain/text_isolation.ts";
import { en } from "../../src/pages/web_app/browser/texts/en.ts";
import { formatText } from "../../src/pages/web_app/browser/texts/format_translated_text.ts";
import {
  formatDay,
  formatDayAndTime,
  formatDistance,
  formatList,
  formatTime,
  formatUtc,
  getLocalizedLanguageName,
} from "../../src/pages/web_app/browser/texts/formats.ts";
import {
  chooseLanguage,
  getDirection,
  getLangAttribute,
  LANGUAGES,
  type Language,
} from "../../src/pages/web_app/browser/texts/languages.ts";
import type { AppTexts, TextOrPluralForms } from "../../src/pages/web_app/browser/texts/text_types.ts";
import {
  getLanguage,
  LANGUAGE_TEXT_LOADERS,
  loadPreferredLanguage,
  t,
  watchLanguage,
} from "../../src/pages/web_app/browser/texts/translate.ts";

const forms = (text: TextOrPluralForms) => (typeof text === "string" ? [text] : Object.values(text));
const valuesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();

const ALL = Object.keys(LANGUAGES) as Language[];

beforeEach(async () => {
  await loadPreferredLanguage(["en"]);
});

describe.each(ALL)("%s", (language) => {
  const load = (): Promise<AppTexts> => LANGUAGE_TEXT_LOADERS[language]();

  test("has every text, and none that is unused", async () =>
    expect(Object.keys(await load()).sort()).toEqual(Object.keys(en).sort()));

  test("names the same values in every form", async () => {
    for (const [key, text] of Object.entries(await load())) {
      const wanted = valuesIn(forms(en[key as keyof typeof en]).at(-1)!);
      for (const form of forms(text)) expect(valuesIn(form), key).toEqual(wanted);
    }
  });

  test("separates the parts of a list", async () => {
    await loadPreferredLanguage([language]);
    expect(formatList(["A", "B", "C"])).toMatch(/^\u2068?A\u2069?([,、،] ?| و).*B.*[^B\u2069]+\u2068?C\u2069?$/);
  });

  test("has a form for every plural of the language", async () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, text] of Object.entries(await load()))
      if (typeof text !== "string") expect(Object.keys(text).sort(), key).toEqual(pluralCategories.toSorted());
  });

  test("has texts without empty ones, mark-up, or a blank at an end", async () => {
    for (const [key, text] of Object.entries(await load()))
      for (const form of forms(text)) expect(form, key).toMatch(/^[^<>\s]([^<>]*[^<>\s])?$/);
  });
});

test.each(ALL.filter((language) => language !== "en"))(
  "%s is a translation: few texts equal the English",
  async (language) => {
    const texts = await LANGUAGE_TEXT_LOADERS[language]();
    const same = Object.entries(en).flatMap(([key, text]) =>
      JSON.stringify(text) === JSON.stringify(texts[key as keyof typeof en]) ? [key] : [],
    );
    // Names, and terms that both languages share.
    expect(same).toContain("app.name");
    expect(same.length, same.join(", ")).toBeLessThan(Object.keys(en).length / 20);
  },
);

test("no two languages are the same file", async () => {
  const all = await Promise.all(ALL.map((language) => LANGUAGE_TEXT_LOADERS[language]()));
  expect(new Set(all.map((texts) => JSON.stringify(texts["inbox.empty_title"]))).size).toBe(ALL.length);
});

test("every text is used somewhere: by its key, or by its prefix that a group shares", () => {
  const folder = new URL("../../src/pages/web_app/browser/", import.meta.url);
  const said = globSync("**/*.ts", { cwd: folder })
    .filter((file) => !/^texts\/[a-z]{2}[./]/.test(file))
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("\n");
  const beginnings = [...said.matchAll(/`([a-z_]+\.[a-z_.]*)\$\{/g)].map(([, beginning]) => beginning!);
  const unsaid = Object.keys(en).filter(
    (key) => !said.includes(`"${key}"`) && !beginnings.some((beginning) => key.startsWith(beginning)),
  );
  expect(unsaid).toEqual([]);
});

test("a language is one file and one line: each file of the folder is in the list", () => {
  const folder = new URL("../../src/pages/web_app/browser/texts/", import.meta.url);
  const files = readdirSync(folder).filter((name) => /^[a-z]{2}\.ts$/.test(name));
  expect(files.sort()).toEqual(
    Object.keys(LANGUAGES)
      .map((language) => `${language}.ts`)
      .sort(),
  );
});

// rules#app-languages
describe("the language is the first of the person's that the app has", () => {
  test.each([
    [["de-AT", "en"], "de", "de-AT"],
    [["fi", "de", "en"], "de", "de"],
    [["fr-CA", "de", "en"], "fr", "fr-CA"],
    [["EN-us"], "en", "EN-us"],
    [["fi", "hu"], "en", "en"],
    [["zh-TW", "en"], "zh", "zh-TW"],
    [["pt-BR"], "pt", "pt-BR"],
    [["iw-IL"], "he", "iw-IL"],
    [["de_DE.UTF-8", "x"], "en", "en"],
    [["constructor"], "en", "en"],
    [[], "en", "en"],
  ])("%j: %s", (preferred, language, locale) => expect(chooseLanguage(preferred)).toEqual({ language, locale }));

  test("a change is received until the listener is removed", async () => {
    const heard: Language[] = [];
    const stop = watchLanguage(() => heard.push(getLanguage()));
    await loadPreferredLanguage(["de"]);
    expect(t("nav.settings")).toBe("Einstellungen");
    stop();
    await loadPreferredLanguage(["en"]);
    expect([heard, t("nav.settings")]).toEqual([["de"], "Settings"]);
  });

  test("the attributes lang and dir of a page", () => {
    const rtl = ALL.filter((language) => getDirection(language) === "rtl");
    expect([rtl, getLangAttribute("zh"), getLangAttribute("ar")]).toEqual([["ar", "he"], "zh-Hans", "ar"]);
  });
});

describe("values", () => {
  test("plurals and numbers of the language", async () => {
    expect(t("inbox.unread", { count: 1 })).toBe("1 unread alert");
    expect(t("inbox.unread", { count: 1234 })).toBe("1,234 unread alerts");
    await loadPreferredLanguage(["de"]);
    expect(t("inbox.unread", { count: 1234 })).toBe("1.234 ungelesene Meldungen");
  });

  test("a language with more plurals than English", () => {
    const text = { one: "{count} alert", few: "{count} alerty", many: "{count} alertów", other: "{count} alertu" };
    expect([1, 3, 5, 22, 1.5].map((count) => formatText(text, { count }, "pl"))).toEqual([
      "1 alert",
      "3 alerty",
      "5 alertów",
      "22 alerty",
      "1,5 alertu",
    ]);
  });

  test("the languages with more than two forms choose among them", async () => {
    const counted = async (language: Language, counts: number[]) => {
      await loadPreferredLanguage([language]);
      return counts.map((count) => t("inbox.new", { count }));
    };
    expect(await counted("pl", [1, 3, 5, 22])).toEqual(["1 nowy", "3 nowe", "5 nowych", "22 nowe"]);
    expect(await counted("uk", [1, 3, 5, 21])).toEqual(["1 нове", "3 нові", "5 нових", "21 нове"]);
    expect(new Set(await counted("ar", [0, 1, 2, 3, 11, 100])).size).toBe(6);
    expect(await counted("ja", [1, 2])).toEqual(["新着 1 件", "新着 2 件"]);
  });

  test("a value stays what it is: neither its braces nor its dollars are read", () => {
    expect(t("channel.left", { name: "{name} $& {seconds}" })).toBe("You unsubscribed from {name} $& {seconds}.");
    expect(t("channel.left")).toBe("You unsubscribed from {name}.");
  });
});

describe("values of another direction than the sentence", () => {
  const FSI = "\u2068";
  const PDI = "\u2069";

  test.each([
    ["Quay 3", "en", "Quay 3"],
    ["رصيف 3", "en", `${FSI}رصيف 3${PDI}`],
    ["Quay (שלום)", "de", `${FSI}Quay (שלום)${PDI}`],
    ["Quay 3", "ar", `${FSI}Quay 3${PDI}`],
    ["Quay 3", "he-IL", `${FSI}Quay 3${PDI}`],
    ["", "ar", ""],
    // An isolate ends an override of the value. Isolates of the value cannot end ours.
    ["a\u202eb", "en", `${FSI}a\u202eb${PDI}`],
    [`x${PDI}y`, "ar", `${FSI}xy${PDI}`],
    [`x${FSI}y`, "ar", `${FSI}xy${PDI}`],
    // The order of isolated parts is the sentence's: a day and a time, or names.
    [`${FSI}x${PDI}, y`, "ar", `\u2067${FSI}x${PDI}, y${PDI}`],
    [`${FSI}שלום${PDI}, y`, "en", `${FSI}${FSI}שלום${PDI}, y${PDI}`],
  ])("%j in %s", (value, locale, isolated) => expect(isolateText(value, locale)).toBe(isolated));

  test("are isolated in a sentence and in a list", async () => {
    expect(t("channel.left", { name: "مرفأ" })).toBe(`You unsubscribed from ${FSI}مرفأ${PDI}.`);
    expect(formatList(["مرفأ", "Quay"])).toBe(`${FSI}مرفأ${PDI}, Quay`);
    await loadPreferredLanguage(["ar"]);
    expect(t("channel.left", { name: "Quay" })).toContain(`${FSI}Quay${PDI}`);
  });
});

describe("times, distances and languages", () => {
  const NOW = Date.parse("2026-11-22T12:00:00Z");
  const at = (text: string) => Date.parse(text);

  test("days and times in the device's zone", async () => {
    expect(formatDay(at("2026-11-22T00:10:00Z"), NOW, "UTC")).toBe("Today");
    expect(formatDay(at("2026-11-22T00:10:00Z"), NOW, "America/New_York")).toBe("Yesterday");
    expect(formatDay(at("2026-11-20T12:00:00Z"), NOW, "UTC")).toBe("Friday, November 20");
    expect(formatDay(at("2025-01-03T12:00:00Z"), NOW, "UTC")).toBe("Friday, January 3, 2025");
    expect(formatDayAndTime(at("2026-11-21T08:05:00Z"), NOW, "UTC")).toMatch(/^Yesterday, 8:05\sAM$/);
    await loadPreferredLanguage(["de-DE"]);
    expect(formatTime(at("2026-11-22T14:40:00Z"), "Europe/Berlin")).toBe("15:40");
    expect(formatUtc(at("2026-11-22T14:40:00Z"))).toMatch(/^22\.11\.2026, 14:40 UTC$/);
    expect(formatDay(at("2026-11-20T12:00:00Z"), NOW, "UTC")).toBe("Freitag, 20. November");
    expect(formatDayAndTime(at("2026-11-22T08:05:00Z"), NOW, "UTC")).toBe("08:05");
  });

  test("kilometres, metres, and miles where they are used", async () => {
    expect([formatDistance(4), formatDistance(0.25), formatDistance(2.54), formatDistance(412.4)]).toEqual([
      "4 km",
      "250 m",
      "2.5 km",
      "412 km",
    ]);
    await loadPreferredLanguage(["en-US"]);
    expect(formatDistance(4)).toBe("2.5 mi");
    await loadPreferredLanguage(["de-CH"]);
    expect(formatDistance(2.54)).toBe("2.5 km");
    await loadPreferredLanguage(["de"]);
    expect(formatDistance(2.54)).toBe("2,5 km");
  });

  test("a language by its name, and an unknown one by its tag", async () => {
    expect([
      getLocalizedLanguageName("de"),
      getLocalizedLanguageName("en-GB"),
      getLocalizedLanguageName("not a tag"),
    ]).toEqual(["German", "British English", "not a tag"]);
    await loadPreferredLanguage(["de"]);
    expect(getLocalizedLanguageName("en")).toBe("Englisch");
  });
});
