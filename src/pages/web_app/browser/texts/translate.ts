// The words of the app in the language that the person reads. One file a language: en.ts is the list of all texts,
// another language is one more file and a line in LANGUAGES.

import { en } from "./en.ts";
import type { Text, TextKey, Texts } from "./text_types.ts";

export type TextValues = Readonly<Record<string, string | number>>;

/** Tag → its own name, and where its words are. A language is loaded when somebody reads it. */
export const LANGUAGES = {
  en: { name: "English", load: async (): Promise<Texts> => en },
  de: { name: "Deutsch", load: async (): Promise<Texts> => (await import("./de.ts")).de },
} as const;
export type Language = keyof typeof LANGUAGES;

interface CurrentLanguage {
  language: Language;
  /** The person's own tag of it, such as de-AT: dates and numbers are written by it. */
  locale: string;
  texts: Texts;
}

let spoken: CurrentLanguage = { language: "en", locale: "en", texts: en };
const listeners = new Set<() => void>();

const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/** The first of the person's languages that the app has, and the tag under which they named it. */
export function chooseLanguage(preferred: readonly string[]): { language: Language; locale: string } {
  for (const locale of preferred) {
    const language = locale.toLowerCase().replace(/-.*/, "");
    if (isLanguage(language)) return { language, locale: isLocale(locale) ? locale : language };
  }
  return { language: "en", locale: "en" };
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Reads on in the first of these languages that the app has, such as `navigator.languages`. Answers which. */
export async function setLanguage(preferred: readonly string[]): Promise<Language> {
  const { language, locale } = chooseLanguage(preferred);
  const texts = await LANGUAGES[language].load();
  spoken = { language, locale, texts };
  for (const listener of listeners) listener();
  return language;
}

/** Called after each change of the language, until the answer is called. */
export function watchLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const getLanguage = (): Language => spoken.language;
export const getLocale = (): string => spoken.locale;

/** The text of a key. Numbers are written as the language writes them; `count` chooses the plural. */
export function t(key: TextKey, values: TextValues = {}): string {
  return formatText(spoken.texts[key], values, spoken.locale);
}

/** The rule behind `t`, for any language. */
export function formatText(text: Text, values: TextValues, locale: string): string {
  const form = typeof text === "string" ? text : pluralOf(text, values.count, locale);
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? whole) : whole;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : value;
  });
}

function pluralOf(text: Exclude<Text, string>, count: string | number | undefined, locale: string): string {
  const category = new Intl.PluralRules(locale).select(Number(count ?? 0));
  return text[category] ?? text.other;
}
