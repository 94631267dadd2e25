// The texts with their values: plural forms, numbers as the language writes them, and isolated values. The direction of
// a value may differ from the sentence's.

import type { Text } from "./text_types.ts";

export type TextValues = Readonly<Record<string, string | number>>;

/** U+2068 and U+2069: what is between them has its own direction, and does not change the order of the rest. */
const ISOLATE = "\u2068";
const POP = "\u2069";

/** A letter of a script that is written from right to left, or a control character of the direction. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

const RTL_LANGUAGES = /^(ar|he|iw)\b/i;

/**
 * The text between isolates, where it could disturb the order of a sentence in `locale`. Languages from right to left
 * isolate every text, the others a text with right-to-left letters or controls. The text's own isolates are removed,
 * so that it cannot end ours.
 */
export function isolateText(text: string, locale = "en"): string {
  if (text === "" || !(RTL_LANGUAGES.test(locale) || RIGHT_TO_LEFT.test(text))) return text;
  return ISOLATE + text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "") + POP;
}

/** The text with its values. `count` chooses the plural form; strings are isolated, numbers are formatted. */
export function formatText(text: Text, values: TextValues, locale: string): string {
  const form = chooseForm(text, values.count, locale);
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? whole) : whole;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : isolateText(value, locale);
  });
}

/** The plural form of a text for `count`, with its placeholders. */
export function chooseForm(text: Text, count: string | number | undefined, locale: string): string {
  if (typeof text === "string") return text;
  const category = new Intl.PluralRules(locale).select(Number(count ?? 0));
  return text[category] ?? text.other;
}

/** Where people think in miles. */
const MILES = new Set(["US", "GB", "LR", "MM"]);
const KM_PER_MILE = 1.609344;

/** A distance in the units of the locale's region, in as many digits as one can walk by. */
export function formatDistanceIn(locale: string, km: number): string {
  const inUnit = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
  if (MILES.has(new Intl.Locale(locale).region ?? "")) return inUnit(km / KM_PER_MILE, "mile");
  return km < 1 ? inUnit(Math.round(km * 1000), "meter") : inUnit(km, "kilometer");
}
