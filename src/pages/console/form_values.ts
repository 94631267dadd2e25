// Between the fields of a noun and the form that fills them: what a control holds for a value, and which argument it makes, by the
// field's kind. What cannot be read stays as it was typed, and is refused as that.

import type { Field } from "../../model/fields/record.ts";

/** To the minute and in UTC, as a field for an instant holds it. */
export const minuteOf = (at: string | null): string => at?.slice(0, 16) ?? "";

/** A time that was typed in UTC, to the minute, as operations take it. */
export const utc = (typed: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? `${typed}:00Z` : typed;

/** With a comma as well: many keyboards have no other. */
export function numberOr(text: string): number | string {
  const trimmed = text.trim().replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : text;
}

/** Browsers end lines otherwise than rows do. */
export const lines = (text: string): string => text.replace(/\r\n?/g, "\n");

/** Lists stand one a line, which no entry can hold. */
const entriesOf = (text: string): string[] =>
  lines(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** What the control of a field holds for a value. */
export function heldFor({ look }: Pick<Field, "look">, value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return look === "moment" ? minuteOf(value as string | null) : lines(String(value ?? ""));
}

/** The argument that a control makes; a box, which says nothing where it is not ticked, is its form's own. */
export function argumentOf({ look, blank }: Pick<Field, "look" | "blank">, typed: string | null): unknown {
  const text = lines(typed ?? "");
  if (look === "lines") return entriesOf(text);
  if (look === "yes") return text === "true" || (text === "false" ? false : text);
  if (blank === null && text.trim() === "") return null;
  if (look === "number") return numberOr(text);
  return look === "moment" ? utc(text) : text;
}
