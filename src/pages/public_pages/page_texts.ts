// The texts of the public pages. The markup has them in English, so a page is the same for every reader. Marks show
// page_language.js which texts to replace in the reader's language (rules#page-languages).

import { formatDistanceKm } from "../../ui/alert_card.ts";
import { type Html, type HtmlContent, html, isolate } from "../../ui/html.ts";
import { englishPublicPageTexts } from "../web_app/browser/texts/en/public_pages.ts";
import { en } from "../web_app/browser/texts/en.ts";
import { formatText } from "../web_app/browser/texts/format_translated_text.ts";
import type { Language } from "../web_app/browser/texts/languages.ts";
import type { PageTextKey, PublicPageTexts, TextKey, TextOrPluralForms } from "../web_app/browser/texts/text_types.ts";
import { LANGUAGE_TEXT_LOADERS } from "../web_app/browser/texts/translate.ts";

/** Texts of the app that the public pages also have. */
const SHARED = [
  "alert.important",
  "alert.over",
  "alert.source_url",
  "alert.until",
  "alert.urgent",
  "alert.was_until",
  "alert.within",
  "alert.within_city",
  "app.skip",
  "category.ai",
  "category.business",
  "category.cities",
  "category.community",
  "category.concerts",
  "category.emergency",
  "category.events",
  "category.hotels",
  "category.restaurants",
  "category.sports",
  "category.travel",
  "channel.about",
  "channel.asks_nothing",
  "channel.place",
  "channel.site",
  "channel.subscribe",
  "channel.tags",
  "discover.category",
  "discover.every_category",
  "discover.none",
  "discover.search",
  "nav.channels",
  "perm.full",
  "perm.loc",
  "perm.notify",
  "perm.quiet",
  "perm.sound",
  "perm.tts",
  "perm.vibrate",
  "push.insecure",
  "push.server",
  "scheme.dark",
  "scheme.light",
  "scheme.system",
  "scheme.title",
  "senses.language",
  "text.copied",
] as const satisfies TextKey[];

export type PublicTextKey = PageTextKey | (typeof SHARED)[number];

const ENGLISH: Record<PublicTextKey, TextOrPluralForms> = { ...en, ...englishPublicPageTexts };

/** A distance in kilometres, which the reader's language formats. */
export interface Kilometres {
  km: number;
}
type Value = string | number | Kilometres;

const isKilometres = (value: unknown): value is Kilometres =>
  typeof value === "object" && value !== null && "km" in value;

const inEnglish = (value: Value): string =>
  typeof value === "string" ? value : isKilometres(value) ? formatDistanceKm(value.km) : value.toLocaleString("en");

/** A value in a sentence, by which the script can put it into another sentence. Strings are isolated. */
function slot(name: string, value: Value | Html): Html {
  if (typeof value === "string") return html`<bdi data-slot="${name}">${value}</bdi>`;
  if (typeof value === "number") return html`<data data-slot="${name}" value="${value}">${inEnglish(value)}</data>`;
  if (isKilometres(value))
    return html`<data data-slot="${name}" data-unit="km" value="${value.km}">${inEnglish(value)}</data>`;
  return html`<span data-slot="${name}">${value}</span>`;
}

/** A text of the page, as an element. Values may be markup, such as a link or a time. */
export function renderTextByKey(key: PublicTextKey, values: Record<string, Value | Html> = {}): Html {
  const text = ENGLISH[key];
  const form = typeof text === "string" ? text : text.other;
  const parts: HtmlContent[] = form.split(/\{(\w+)\}/).map((part, at) => {
    const value = at % 2 === 1 ? values[part] : undefined;
    return value === undefined ? part : slot(part, value);
  });
  return html`<span data-t="${key}">${parts}</span>`;
}

/** The mark of an element whose whole text this is, for elements that contain no others, such as an option. */
export const renderTextKeyAttribute = (key: PublicTextKey): Html => html` data-t="${key}"`;

/** An attribute with a text of the page, with the space before it. An element has one such attribute. */
export function renderTextAttribute(
  name: "aria-label" | "alt" | "placeholder",
  key: PublicTextKey,
  values: Record<string, Value> = {},
): Html {
  const english = Object.fromEntries(Object.entries(values).map(([one, value]) => [one, inEnglish(value)]));
  const marks = Object.keys(values).length > 0 && html` data-values="${JSON.stringify(values)}"`;
  return html` ${name}="${formatText(ENGLISH[key], english, "en")}" data-t-attribute="${name}:${key}"${marks}`;
}

export const getEnglishText = (key: PublicTextKey): string => formatText(ENGLISH[key], {}, "en");

/** The content of a `facts-line`, each fact with its own direction; null ones are left out. */
export const renderFactsLine = (facts: readonly (Html | string | null)[]): HtmlContent =>
  facts
    .filter((fact) => fact !== null && fact !== "")
    .map((fact) => html`<span class="line">${typeof fact === "string" ? isolate(fact) : fact}</span>`);

/** The parts of a list, with the comma of the reader's language between them. */
export const renderList = (parts: readonly Html[]): HtmlContent =>
  parts.map((part, at) => [at > 0 && html`<span data-comma>, </span>`, part]);

const PAGE_TEXTS: Readonly<Record<Language, () => Promise<PublicPageTexts>>> = {
  en: async () => englishPublicPageTexts,
  ar: async () => (await import("../web_app/browser/texts/ar/public_pages.ts")).arabicPublicPageTexts,
  de: async () => (await import("../web_app/browser/texts/de/public_pages.ts")).germanPublicPageTexts,
  es: async () => (await import("../web_app/browser/texts/es/public_pages.ts")).spanishPublicPageTexts,
  fr: async () => (await import("../web_app/browser/texts/fr/public_pages.ts")).frenchPublicPageTexts,
  he: async () => (await import("../web_app/browser/texts/he/public_pages.ts")).hebrewPublicPageTexts,
  it: async () => (await import("../web_app/browser/texts/it/public_pages.ts")).italianPublicPageTexts,
  ja: async () => (await import("../web_app/browser/texts/ja/public_pages.ts")).japanesePublicPageTexts,
  nl: async () => (await import("../web_app/browser/texts/nl/public_pages.ts")).dutchPublicPageTexts,
  pl: async () => (await import("../web_app/browser/texts/pl/public_pages.ts")).polishPublicPageTexts,
  pt: async () => (await import("../web_app/browser/texts/pt/public_pages.ts")).portuguesePublicPageTexts,
  sv: async () => (await import("../web_app/browser/texts/sv/public_pages.ts")).swedishPublicPageTexts,
  tr: async () => (await import("../web_app/browser/texts/tr/public_pages.ts")).turkishPublicPageTexts,
  uk: async () => (await import("../web_app/browser/texts/uk/public_pages.ts")).ukrainianPublicPageTexts,
  zh: async () => (await import("../web_app/browser/texts/zh/public_pages.ts")).chinesePublicPageTexts,
};

/** All texts of the public pages in a language. */
export async function loadPublicTexts(language: Language): Promise<Record<PublicTextKey, TextOrPluralForms>> {
  const [app, pages] = await Promise.all([LANGUAGE_TEXT_LOADERS[language](), PAGE_TEXTS[language]()]);
  const shared = Object.fromEntries(SHARED.map((key) => [key, app[key]])) as Record<
    (typeof SHARED)[number],
    TextOrPluralForms
  >;
  return { ...shared, ...pages };
}
