// Fields of a row that a page draws by their kind: their labels, and their values as text.

import {
  type FieldDefinition,
  type FieldDefinitions,
  type FieldDisplayPageKind,
  selectFieldsDrawnByKind,
} from "../model/fields/field_table.ts";
import { formatMinute } from "./time_format.ts";

/** A value as text that can be compared or read; nothing for one that is empty. */
export function formatFieldValue({ look }: Pick<FieldDefinition, "look">, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (look === "moment") return formatMinute(new Date(String(value)));
  if (look === "rows")
    return (value as { label: string; url: string }[]).map(({ label, url }) => `${label} → ${url}`).join("\n");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

interface FieldFact {
  name: string;
  label: string;
  words: string;
  /** Before the host of a link; null without one. */
  leads: string | null;
}

/** The fields that have a value; a disabled flag is left out. */
export function listFieldFacts(fields: FieldDefinitions, place: FieldDisplayPageKind, row: object): FieldFact[] {
  const values = new Map(Object.entries(row));
  const plain: FieldDefinitions = selectFieldsDrawnByKind(fields, place);
  return Object.entries(plain).flatMap(([name, field]) => {
    const [words, label] = [formatFieldValue(field, values.get(name)), field.drawn?.label ?? name];
    const leads = field.look === "link" ? (field.drawn?.leads ?? `${label}:`) : null;
    return words === "" || values.get(name) === false ? [] : [{ name, label, words, leads }];
  });
}
