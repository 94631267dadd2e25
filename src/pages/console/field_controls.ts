// The controls of a form, made of the fields that it fills: label, hint, size and kind stand with each field
// (src/model/fields). A form draws some at places of its own; the others follow by their kind, so that a new field is in its
// form without a word here. By the kind a control holds a value, too, and makes an argument: what cannot be read stays as it
// was typed, and is refused as that.

import type { ApiError } from "../../model/errors.ts";
import { mostOf } from "../../model/fields/accepts.ts";
import { type Field, type Fields, namesOf, plainOn } from "../../model/fields/record.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { type TextField, textField } from "./controls.ts";
import { select } from "./parts.ts";

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

/** What every control is told: the form as it was typed, and what is wrong with it. */
export interface Typed {
  form: URLSearchParams;
  error?: ApiError;
}

type Control = Partial<TextField>;

/** Text of the form, as it was typed. */
export const written = ({ form, error }: Typed, control: Control & { name: string; label: string }): Html =>
  textField({ value: form.get(control.name) ?? "", error, ...control });

/** "long" → "Long" */
export const capital = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1);

/** What a choice offers: nothing at first, where the field may be empty. */
function optionsOf({ sql, blank, drawn }: Field, labels: Readonly<Record<string, string>>) {
  const options = (sql.values ?? []).map((value) => ({ value, label: labels[value] ?? capital(value) }));
  return blank === null ? [{ value: "", label: drawn?.none ?? "None" }, ...options] : options;
}

/** On or off, with a line of what it does. */
const onOff = ({ form }: Typed, name: string, label: string, hint: Content): Html =>
  html`<div class="switchrow"><label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p><input id="${name}" name="${name}" type="checkbox" value="yes"${form.has(name) && html` checked`} aria-describedby="${name}-hint"></div>`;

/** What the kind of a field asks of the control for its text. */
function kindOf({ look, sql, accepts }: Field): Control {
  if (look === "link") return { kind: "url" };
  if (look === "moment") return { kind: "datetime-local", zoned: true };
  if (look === "number") return { keys: sql.sql === "int" ? "numeric" : "decimal" };
  return { most: mostOf(accepts) };
}

/** The control of one field; `more` is what its form says otherwise. */
export function control(
  fields: Fields,
  typed: Typed,
  name: string,
  more: Control & { options?: Readonly<Record<string, string>> } = {},
): Html {
  const { options: labels = {}, ...rest } = more;
  const field = fields[name];
  if (!field?.drawn) throw new Error(`no form draws ${name}`);
  const { label, hint, rows } = field.drawn;
  if (field.look === "yes") return onOff(typed, name, label, hint);
  if (field.look === "choice") {
    const options = optionsOf(field, labels);
    return select({
      name,
      label,
      options,
      value: typed.form.get(name) ?? rest.value ?? "",
      error: typed.error,
    });
  }
  return written(typed, {
    name,
    label,
    ...(hint && { hint }),
    ...(rows && { rows }),
    ...kindOf(field),
    ...rest,
  });
}

/** The fields that a form draws by their kind. */
export const plainControls = (fields: Fields, typed: Typed): Html[] =>
  namesOf(plainOn(fields, "form")).map((name) => control(fields, typed, name));
