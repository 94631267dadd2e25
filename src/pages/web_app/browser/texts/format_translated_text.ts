// The texts with their values: plural forms, numbers as the language writes them, and isolated values. The direction of
// a value may differ from the sentence's.

import { isolateText } from "../../../../model/domain/text_isolation.ts";
import type { TextOrPluralForms } from "./text_types.ts";

export type TextValues = Readonly<Record<string, string | number>>;

/** The text with its values. `count` chooses the plural form; strings are isolated, numbers are formatted. */
export function formatText(text: TextOrPluralForms, values: TextValues, locale: string): string {
  const form = choosePluralForm(text, values.count, locale);
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? whole) : whole;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : isolateText(value, locale);
  });
}

/** The plural form of a text for `count`, with its placeholders. */
export function choosePluralForm(text: TextOrPluralForms, count: string | number | undefined, locale: string): string {
  if (typeof text === "string") return text;
  const category = new Intl.PluralRules(locale).select(Number(count ?? 0));
  return text[category] ?? text.other;
}

/** Where people think in miles. */
const MILES = new Set(["US", "GB", "LR", "MM"]);
const KM_PER_MILE = 1.609344;

/** True if the region of the locale has distances in miles. */
export const usesMiles = (locale: string): boolean => MILES.has(new Intl.Locale(locale).region ?? "");

/** A distance in the units of the locale's region, in as many digits as one can walk by. */
export function formatDistanceIn(locale: string, km: number): string {
  const inUnit = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
  if (usesMiles(locale)) return inUnit(km / KM_PER_MILE, "mile");
  return km < 1 ? inUnit(Math.round(km * 1000), "meter") : inUnit(km, "kilometer");
}
