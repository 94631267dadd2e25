// Rarely used fields of an alert, as rows that open. A closed row shows its present value. The response of the preview
// has the values again, so that rows follow the form while it is written.

import { ALERT_FIELDS } from "../../../model/fields/alert.ts";
import { type FieldDefinitions, getFieldNames, selectFieldsDrawnByKind } from "../../../model/fields/field_table.ts";
import { type Html, html } from "../../../ui/html.ts";
import { capitalize, type FormState } from "../form_controls.ts";
import { ACTION_ROW_INDEXES, REPLY_CONTROL_NAMES } from "./compose_form_values.ts";

const BUTTONS = ACTION_ROW_INDEXES.flatMap((i) => [`actions.${i}.label`, `actions.${i}.url`]);

/** The fields of each row. */
const OPTIONS = {
  "Link buttons": ["actions", ...BUTTONS],
  "Question with answers": REPLY_CONTROL_NAMES,
  "Sound and vibration": ["sound", "vibrate"],
  Recording: ["audio_url", "audio_asset_id", "audio_file"],
  Speech: ["tts_text", "tts_lang"],
  "Limit to an area": ["lat", "lon", "radius_km", "geo_rule"],
  "Link, replacement key and note": getFieldNames(selectFieldsDrawnByKind(ALERT_FIELDS, "form")),
} as const;

type OptionName = keyof typeof OPTIONS;

const FIELDS: FieldDefinitions = ALERT_FIELDS;

/** A value as its row shows it. An address of a button is left out, since its label is shown. */
function describeValue(form: URLSearchParams, name: string): string {
  const value = form.get(name)?.trim() ?? "";
  if (value === "" || name.endsWith(".url")) return "";
  const look = FIELDS[name]?.look;
  return look === "file" ? "an uploaded file" : look === "choice" ? capitalize(value) : value;
}

const idOf = (option: OptionName) => `option-${Object.keys(OPTIONS).indexOf(option)}`;

function renderValue(form: URLSearchParams, option: OptionName): Html {
  const values = OPTIONS[option].map((name) => describeValue(form, name)).filter((value) => value !== "");
  return html`<span class="value" id="${idOf(option)}"><bdi>${values.join(", ") || "None"}</bdi></span>`;
}

/** The values of all rows, which replace those of the page. */
export const renderOptionValues = (form: URLSearchParams): Html[] =>
  (Object.keys(OPTIONS) as OptionName[]).map((option) => renderValue(form, option));

/** A row with its fields, which is open where one of them has an error. */
export function optionRow({ form, error }: FormState, option: OptionName, content: Html): Html {
  const fields: readonly string[] = OPTIONS[option];
  const isWrong = error?.fields.some(({ param }) => fields.includes(param));
  return html`<details class="more option"${isWrong && html` open`}><summary>${option}${renderValue(
    form,
    option,
  )}</summary>${content}</details>`;
}
