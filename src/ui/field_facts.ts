// Fields of a row that a page draws by their kind: what it calls each of them, and what they hold as words.

import { type Field, type Fields, type Place, plainOn } from "../model/fields/record.ts";
import { minuteWords } from "./instants.ts";

/** A value as text that can be compared or read; nothing for one that is empty. */
export function valueWords({ look }: Pick<Field, "look">, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (look === "moment") return minuteWords(new Date(String(value)));
  if (look === "rows")
    return (value as { label: string; url: string }[]).map(({ label, url }) => `${label} → ${url}`).join("\n");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

export interface Fact {
  name: string;
  label: string;
  words: string;
  /** Before the host of a link; null where it is none. */
  leads: string | null;
}

/** Those of them that hold something; what is off says nothing. */
export function plainFacts(fields: Fields, place: Place, row: object): Fact[] {
  const values = new Map(Object.entries(row));
  const plain: Fields = plainOn(fields, place);
  return Object.entries(plain).flatMap(([name, field]) => {
    const [words, label] = [valueWords(field, values.get(name)), field.drawn?.label ?? name];
    const leads = field.look === "link" ? (field.drawn?.leads ?? `${label}:`) : null;
    return words === "" || values.get(name) === false ? [] : [{ name, label, words, leads }];
  });
}
