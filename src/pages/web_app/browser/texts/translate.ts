// The texts of the app in the reader's language. en.ts is the list of all texts. A new language is one more file, a
// line in languages.ts and a line here.

import { formatText, type TextValues } from "./format_translated_text.ts";
import { chooseLanguage, LANGUAGES, type Language, type LanguageAndLocale } from "./languages.ts";
import type { AppTexts, TextKey } from "./text_types.ts";

/** Each is a file of its own in the bundle, and loaded when a reader has that language. */
export const LANGUAGE_TEXT_LOADERS: Readonly<Record<Language, () => Promise<AppTexts>>> = {
  en: async () => (await import("./en.ts")).en,
  ar: async () => (await import("./ar.ts")).ar,
  de: async () => (await import("./de.ts")).de,
  es: async () => (await import("./es.ts")).es,
  fr: async () => (await import("./fr.ts")).fr,
  he: async () => (await import("./he.ts")).he,
  it: async () => (await import("./it.ts")).it,
  ja: async () => (await import("./ja.ts")).ja,
  nl: async () => (await import("./nl.ts")).nl,
  pl: async () => (await import("./pl.ts")).pl,
  pt: async () => (await import("./pt.ts")).pt,
  sv: async () => (await import("./sv.ts")).sv,
  tr: async () => (await import("./tr.ts")).tr,
  uk: async () => (await import("./uk.ts")).uk,
  zh: async () => (await import("./zh.ts")).zh,
};

let current: LanguageAndLocale & { texts: AppTexts | null } = { language: "en", locale: "en", texts: null };
const listeners = new Set<() => void>();

/**
 * Changes to the first of these languages that the app has, such as `navigator.languages`. The language stays if its
 * texts cannot be loaded. At the start, another language is taken, whose texts the browser still has.
 * @returns the language in use
 */
export async function loadPreferredLanguage(preferred: readonly string[]): Promise<Language> {
  const chosen = chooseLanguage(preferred);
  const others = Object.keys(LANGUAGES).map((language) => ({ language: language as Language, locale: language }));
  for (const next of current.texts ? [chosen] : [chosen, ...others]) {
    const texts = await LANGUAGE_TEXT_LOADERS[next.language]().catch(() => null);
    if (!texts) continue;
    current = { ...next, texts };
    for (const listener of listeners) listener();
    break;
  }
  return current.language;
}

/** Called after each change of the language, until the returned function is called. */
export function watchLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const getLanguage = (): Language => current.language;
export const getLocale = (): string => current.locale;

/** The text of a key. Numbers are written as the language writes them; `count` chooses the plural. */
export function t(key: TextKey, values: TextValues = {}): string {
  const text = current.texts?.[key];
  return text === undefined ? key : formatText(text, values, current.locale);
}
