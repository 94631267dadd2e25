// The texts of a refusal: one for programs, and one for people where the first speaks of arguments, formats or other
// terms of the API.

import type { CodeOf, ErrorType } from "./error_codes.ts";

/** A text for programs (`api`) and the text that pages show in its place (`ui`). */
export interface BothTexts {
  readonly api: string;
  readonly ui: string;
}

/** A text of a refusal; a plain string is for programs and people alike. */
export type Message = string | BothTexts;

/** Both texts are whole sentences, or both are the part after a field's name, without the full stop. */
export const forBoth = (api: string, ui: string): BothTexts => ({ api, ui });

export const apiText = (message: Message): string => (typeof message === "string" ? message : message.api);
export const uiText = (message: Message): string => (typeof message === "string" ? message : message.ui);

export const isMessage = (value: Message | object): value is Message => typeof value === "string" || "api" in value;

/** The fault that a check found in a field. */
export interface FieldFinding {
  code: CodeOf<"invalid_request">;
  message: Message;
}

/** The texts and the code of a field check, as an issue of the schema library carries them. */
export interface FieldCheckIssue {
  error: string;
  params: { code: CodeOf<"invalid_request">; ui: string };
}

/**
 * The second argument of a schema's `refine`: the code and the text after the field's name.
 * @example z.string().refine(isDate, fieldError("invalid_timestamp", "must be a date such as 2026-11-20"))
 */
export const fieldError = (code: CodeOf<"invalid_request">, message: Message): FieldCheckIssue => ({
  error: apiText(message),
  params: { code, ui: uiText(message) },
});

/** The same for a schema's `check`, which pushes issues. `path` leads to the wrong field from the checked value. */
export const fieldIssue = (code: CodeOf<"invalid_request">, message: Message, input: unknown, path: string[] = []) => ({
  ...{ code: "custom" as const, input, path },
  ...{ message: apiText(message), params: { code, ui: uiText(message) } },
});

/** The text after the name of a field that is absent. */
export const REQUIRED = forBoth("is required", "is missing");

/** The place of the field's label in a text for people. */
export const FIELD = "{field}";

/** The text that pages show for a wrong field. `label` is the page's name for the field. */
export const fieldMessage = ({ ui }: { ui: string }, label: string): string => ui.replace(FIELD, () => label);

interface Refusal {
  type: ErrorType;
  message: string;
  ui: string;
  headers: Record<string, string>;
  fields: readonly { message: string; ui: string }[];
}

/** The text of a page that shows a refusal as a whole. */
export function uiMessage({ type, ui, message, headers, fields }: Refusal): string {
  const wait = headers["retry-after"];
  if (type === "rate_limited" && wait !== undefined) return `Too many requests. Try again in ${wait} seconds.`;
  const [first] = fields;
  return first?.message === message ? fieldMessage(first, "Your input") : ui;
}
