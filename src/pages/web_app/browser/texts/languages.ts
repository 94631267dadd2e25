// The languages of the app and of the public pages: which there are, and which of them a reader gets.

interface LanguageInfo {
  /** Its own name. */
  readonly name: string;
  readonly dir: "ltr" | "rtl";
  /** The value of the attribute `lang`, where it differs from the key. */
  readonly tag?: string;
}

/** Key of a language, which is the name of its file → its own name and the direction of its script. */
export const LANGUAGES = {
  en: { name: "English", dir: "ltr" },
  ar: { name: "العربية", dir: "rtl" },
  de: { name: "Deutsch", dir: "ltr" },
  es: { name: "Español", dir: "ltr" },
  fr: { name: "Français", dir: "ltr" },
  he: { name: "עברית", dir: "rtl" },
  it: { name: "Italiano", dir: "ltr" },
  ja: { name: "日本語", dir: "ltr" },
  nl: { name: "Nederlands", dir: "ltr" },
  pl: { name: "Polski", dir: "ltr" },
  pt: { name: "Português", dir: "ltr" },
  sv: { name: "Svenska", dir: "ltr" },
  tr: { name: "Türkçe", dir: "ltr" },
  uk: { name: "Українська", dir: "ltr" },
  zh: { name: "简体中文", dir: "ltr", tag: "zh-Hans" },
} as const satisfies Record<string, LanguageInfo>;

export type Language = keyof typeof LANGUAGES;

export interface LanguageAndLocale {
  language: Language;
  /** The reader's own tag of it, such as de-AT: dates and numbers are written by it. */
  locale: string;
}

/** Tags that browsers or systems use for one of the languages above. */
const OLDER_TAGS: Readonly<Record<string, Language>> = { iw: "he", cmn: "zh" };

const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/** The first of the preferred languages that there is; English without one. `preferred`: BCP 47 tags. */
export function chooseLanguage(preferred: readonly string[]): LanguageAndLocale {
  for (const locale of preferred) {
    const first = locale.toLowerCase().replace(/-.*/, "");
    const language = Object.hasOwn(OLDER_TAGS, first) ? OLDER_TAGS[first] : first;
    if (language !== undefined && isLanguage(language))
      return { language, locale: isLocale(locale) ? locale : language };
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

export const getDirection = (language: Language): "ltr" | "rtl" => LANGUAGES[language].dir;

/** The value of the attribute `lang` of a page in this language. */
export function getLangAttribute(language: Language): string {
  const info: LanguageInfo = LANGUAGES[language];
  return info.tag ?? language;
}

/** Where the choice of the app's settings is stored for the public pages of the same origin, in localStorage. */
export const LANGUAGE_STORAGE_KEY = "belfry-language";
