// Controls of larger forms: text with a counter, a choice of a few radios, a colour, a circle. All of them work without
// a script. None truncates typed text, since text that is too long is refused with its reason. Controls of a row's
// fields take label, hint, size and kind from the field (src/model/fields). A form places some of them itself, and the
// others follow by their kind. A new field is therefore in its form without a change here. The kind also formats a
// control's value and parses it to an argument. Text that cannot be parsed stays as typed, and is refused as such.

import type { ApiError } from "../../model/api_error.ts";
import { CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import {
  type FieldDefinition,
  type FieldDefinitions,
  getFieldNames,
  selectFieldsDrawnByKind,
} from "../../model/fields/field_table.ts";
import { getMaxLength } from "../../model/fields/value_schemas.ts";
import { LIMITS } from "../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { circleDrawing, type GeoCircle } from "../../ui/scaled_circle_drawing.ts";
import { checkbox, renderFieldErrorAndAttributes, renderSelectField } from "./components.ts";

interface TextField {
  name: string;
  label: string;
  value: string;
  /** The maximum number of characters, counted during typing by the script `count`. */
  most?: number;
  hint?: HtmlContent;
  rows?: number;
  kind?: "text" | "url" | "search" | "date" | "datetime-local";
  keys?: "decimal" | "numeric";
  required?: boolean;
  /** Shown while the field is empty. */
  example?: string;
  autocomplete?: "off";
  /** Not natural language, so spelling is not checked. */
  literal?: boolean;
  /** Markup, so spelling is not checked. */
  code?: boolean;
  /** A UTC time, which the script `zone` shows in the person's own zone, with UTC next to it. */
  zoned?: boolean;
  error?: ApiError;
}

export function textField(f: TextField): Html {
  const hint = f.zoned ? html`${f.hint} <span data-zone-of="${f.name}">In UTC.</span>` : f.hint;
  const { line, attributes } = renderFieldErrorAndAttributes(f.error, f.name, hint);
  const rows = f.rows && Math.max(f.rows, Math.min(f.value.split("\n").length, 8));
  const example = f.example ?? (f.kind === "url" ? "https://" : "");
  const isProse = !f.kind && !f.keys && !f.literal && !f.code;
  const same = html`id="${f.name}" name="${f.name}"${isProse && html` dir="auto"`}${f.required && html` required`}${
    f.autocomplete && html` autocomplete="${f.autocomplete}"`
  }${f.literal && html` autocapitalize="none" spellcheck="false"`}${f.keys && html` inputmode="${f.keys}"`}${
    example && html` placeholder="${example}"`
  }${f.code && html` class="code" spellcheck="false"`}${f.zoned && html` data-zone`}${attributes}`;
  return html`<div class="field"><div class="between"><label for="${f.name}">${f.label}</label>${
    f.most &&
    html`<span class="count" data-counts="${f.name}"
      data-most="${f.most}">at most ${f.most.toLocaleString("en")}</span>`
  }</div>${line}
    ${
      rows
        ? // The first line end after the tag is the markup's own.
          html`<textarea rows="${rows}" ${same}>\n${f.value}</textarea>`
        : html`<input type="${f.kind ?? "text"}" value="${f.value}" ${same}>`
    }
    ${hint && html`<p class="hint after" id="${f.name}-hint">${hint}</p>`}</div>`;
}

/** A choice of two to four options. */
export function segmentedControl(s: {
  name: string;
  label: string;
  options: readonly { value: string; label: HtmlContent; mark?: string }[];
  value: string;
  hint?: HtmlContent;
  error?: ApiError;
}): Html {
  const { line, attributes } = renderFieldErrorAndAttributes(s.error, s.name, s.hint);
  return html`<fieldset class="field"><legend>${s.label}</legend>${line}
    <div class="seg">${s.options.map(
      ({ value, label, mark }, i) =>
        html`<label${mark && html` class="${mark}"`}><input type="radio" id="${i === 0 ? s.name : `${s.name}-${value}`}"
          name="${s.name}" value="${value}"${
            value === s.value && html` checked`
          }${i === 0 && attributes}><span>${label}</span></label>`,
    )}</div>
    ${s.hint && html`<p class="hint after" id="${s.name}-hint">${s.hint}</p>`}</fieldset>`;
}

/** The id of a section, for links to it. */
export const getPanelId = (title: string): string => `panel-${title.toLowerCase().replaceAll(" ", "-")}`;

/** A section of a form with a heading, and a sentence below it. */
export const panel = (title: string, content: HtmlContent, says: HtmlContent = null): Html =>
  html`<fieldset class="card panel" id="${getPanelId(title)}"><legend>${title}</legend>${
    says && html`<p class="hint">${says}</p>`
  }${content}</fieldset>`;

/** `value` is `#rrggbb`. */
export function colorField(c: { name: string; label: string; value: string; error?: ApiError }): Html {
  const { line, attributes } = renderFieldErrorAndAttributes(c.error, c.name);
  return html`<div class="field"><label for="${c.name}">${c.label}</label>${line}
    <input type="color" id="${c.name}" name="${c.name}" value="${c.value}"${attributes}></div>`;
}

const isInUse = ({ form, error }: FormState, name: string): boolean =>
  Boolean(form.get(name)) || Boolean(error?.fields.some(({ param }) => param === name));

/** Rarely used fields, collapsed unless one of `names` has a value or an error. */
export function collapsibleFields(typed: FormState, title: string, names: readonly string[], content: Html): Html {
  const open = names.some((name) => isInUse(typed, name));
  return html`<details class="more"${open && html` open`}><summary>${title}</summary>${content}</details>`;
}

/** Rows of fields: those in use, then each further one behind a button, without a script. */
export function addableRows(label: string, rows: readonly Html[], used: number): Html {
  const next = rows[used];
  return html`${rows.slice(0, used)}${
    next &&
    html`<details class="adding"><summary class="button plain">${label}</summary>${addableRows(
      label,
      rows.slice(used),
      1,
    )}</details>`
  }`;
}

/** The number of rows up to the last one with a value or an error, and at least one. `names` are those of each row. */
export const countUsedRows = ({ form, error }: FormState, names: readonly (readonly string[])[]): number =>
  1 +
  Math.max(
    0,
    names.findLastIndex((row) => row.some((name) => isInUse({ form, error }, name))),
  );

/** Formats a time to the minute in UTC, for an input. */
export const toMinuteInput = (at: string | null): string => at?.slice(0, 16) ?? "";

/** Parses a typed UTC time for operations. */
export const parseUtcMinute = (typed: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? `${typed}:00Z` : typed;

/** Parses a number, also with a decimal comma, which many keyboards have instead of a point. */
function parseNumberInput(text: string): number | string {
  const trimmed = text.trim().replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : text;
}

/** Converts the line ends of browsers to those of rows. */
export const normalizeLineEnds = (text: string): string => text.replace(/\r\n?/g, "\n");

/** Lists have one entry on each line, since no entry can contain a line break. */
const entriesOf = (text: string): string[] =>
  normalizeLineEnds(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Returns the value of a field's control. */
export function toControlValue({ look }: Pick<FieldDefinition, "look">, value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return look === "moment" ? toMinuteInput(value as string | null) : normalizeLineEnds(String(value ?? ""));
}

/**
 * Converts a control's value to an argument. A checkbox, which sends nothing when it is clear, is handled by its form.
 */
export function parseControlValue(
  { look, blank }: Pick<FieldDefinition, "look" | "blank">,
  typed: string | null,
): unknown {
  const text = normalizeLineEnds(typed ?? "");
  if (look === "lines") return entriesOf(text);
  if (look === "yes") return text === "true" || (text === "false" ? false : text);
  if (blank === null && text.trim() === "") return null;
  if (look === "number") return parseNumberInput(text);
  return look === "moment" ? parseUtcMinute(text) : text;
}

/** The input of every control: the form as typed, and its error. */
export interface FormState {
  form: URLSearchParams;
  error?: ApiError;
}

type Control = Partial<TextField>;

/**
 * A text field with the typed value and its error.
 * @example
 * ```ts
 * renderFormTextField({ form, error }, { name: "name", label: "Name", most: LIMITS.name, required: true });
 * ```
 */
export const renderFormTextField = (
  { form, error }: FormState,
  control: Control & { name: string; label: string },
): Html => textField({ value: form.get(control.name) ?? "", error, ...control });

/** "long" → "Long" */
export const capitalize = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1);

/** The options of a choice: the empty one first, where the field may be empty. */
function optionsOf({ sql, blank, drawn }: FieldDefinition, labels: Readonly<Record<string, string>>) {
  const options = (sql.values ?? []).map((value) => ({ value, label: labels[value] ?? capitalize(value) }));
  return blank === null ? [{ value: "", label: drawn?.none ?? "None" }, ...options] : options;
}

/** On or off, with a line of what it does. */
const onOff = ({ form }: FormState, name: string, label: string, hint: HtmlContent): Html =>
  checkbox({ id: name, name, value: "yes", label, note: hint, checked: form.has(name) });

/** The attributes of a text control for the kind of a field. */
function kindOf({ look, sql, accepts }: FieldDefinition): Control {
  if (look === "link") return { kind: "url" };
  if (look === "moment") return { kind: "datetime-local", zoned: true };
  if (look === "number") return { keys: sql.sql === "int" ? "numeric" : "decimal" };
  return { most: getMaxLength(accepts) };
}

/** The control of one field. `more` overrides its attributes in this form. */
export function fieldControl(
  fields: FieldDefinitions,
  typed: FormState,
  name: string,
  more: Control & { options?: Readonly<Record<string, string>> } = {},
): Html {
  const { options: labels = {}, ...rest } = more;
  const field = fields[name];
  if (!field?.drawn) throw new Error(`the field ${name} has no form control`);
  const { label, hint, rows } = field.drawn;
  if (field.look === "yes") return onOff(typed, name, label, hint);
  if (field.look === "choice") {
    const options = optionsOf(field, labels);
    return renderSelectField({
      name,
      label,
      options,
      value: typed.form.get(name) ?? rest.value ?? "",
      error: typed.error,
    });
  }
  return renderFormTextField(typed, {
    name,
    label,
    ...(hint && { hint }),
    ...(rows && { rows }),
    ...kindOf(field),
    ...rest,
  });
}

/** The fields that a form draws by their kind. */
export const plainFieldControls = (fields: FieldDefinitions, typed: FormState): Html[] =>
  getFieldNames(selectFieldsDrawnByKind(fields, "form")).map((name) => fieldControl(fields, typed, name));

/** The permissions policy of every page, except that this page may request the position of the device. */
const PERMISSIONS =
  "accelerometer=(), camera=(), display-capture=(), geolocation=(self), gyroscope=(), microphone=(), " +
  "payment=(), usb=()";

/** A page with the fields. Its script may request the position of the device. */
export function setGeolocationPermissionsPolicy(page: Response): Response {
  page.headers.set("permissions-policy", PERMISSIONS);
  return page;
}

const FIELDS = ["lat", "lon", "radius_km"] as const;

/**
 * @param values the values of the controls
 * @param none the text shown without a circle
 */
export function circleFields(values: URLSearchParams, none: HtmlContent, error?: ApiError): Html {
  const typed = { form: values, error };
  return html`<div class="circle-fields">${FIELDS.map((name) => fieldControl(CHANNEL_FIELDS, typed, name))}</div>
    <p class="line"><button type="button" class="plain" id="here"
      hidden>${icon("place", "s")}Use my location</button><span class="hint" role="status" id="here-said"></span></p>
    ${circlePreview(values, none)}`;
}

/** The circle to scale, once its three numbers make one. A script of the page puts a newer one in its place. */
export function circlePreview(values: URLSearchParams, none: HtmlContent): Html {
  const circle = circleOf(values);
  return html`<div id="circle-shown">${circle ? circleDrawing(circle) : html`<p class="hint">${none}</p>`}</div>`;
}

function circleOf(values: URLSearchParams): GeoCircle | null {
  const [lat, lon, radius_km] = FIELDS.map((name) => parseNumberInput(values.get(name) ?? ""));
  const whole =
    typeof lat === "number" &&
    typeof lon === "number" &&
    typeof radius_km === "number" &&
    Math.abs(lat) <= 90 &&
    Math.abs(lon) <= 180 &&
    radius_km > 0.0005 &&
    radius_km <= LIMITS.radius;
  return whole ? { lat, lon, radius_km } : null;
}
