// The texts with their values: plural forms, numbers as the language writes them, and isolated values. The direction of
// a value may differ from the sentence's.

import { isolateText } from "../../../../model/domain/text_isolation.ts";
import type { TranslatedText } from "./text_types.ts";

export type TextValues = Readonly<Record<string, string | number>>;

/** The text with its values. `count` chooses the plural form; strings are isolated, numbers are formatted. */
export function formatText(text: TranslatedText, values: TextValues, locale: string): string {
  const form = choosePluralForm(text, values.count, locale);
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? (values[name] ?? whole) : whole;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : isolateText(value, locale);
  });
}

/** The plural form of a text for `count`, with its placeholders. */
export function choosePluralForm(text: TranslatedText, count: string | number | undefined, locale: string): string {
  if (typeof text === "string") return text;
  const category = new Intl.PluralRules(locale).select(Number(count ?? 0));
  return text[category] ?? text.other;
}

/** A distance in kilometres, as everywhere in the service, in as many digits as one can walk by. */
export function formatDistanceIn(locale: string, km: number): string {
  const inUnit = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
  return km < 1 ? inUnit(Math.round(km * 1000), "meter") : inUnit(km, "kilometer");
}
