// The texts of a refusal: one for programs, and one for people where the first speaks of arguments, formats or other
// terms of the API.

import type { ErrorCodeOfType, ErrorType } from "./error_codes.ts";

/** A text for programs (`api`) and the text that pages show in its place (`ui`). */
interface ApiAndUiText {
  readonly api: string;
  readonly ui: string;
}

/** A text of a refusal; a plain string is for programs and people alike. */
export type ErrorMessage = string | ApiAndUiText;

/** Both texts are whole sentences, or both are the part after a field's name, without the full stop. */
export const createApiAndUiText = (api: string, ui: string): ApiAndUiText => ({ api, ui });

export const getErrorTextForApi = (message: ErrorMessage): string =>
  typeof message === "string" ? message : message.api;
export const getErrorTextForUi = (message: ErrorMessage): string =>
  typeof message === "string" ? message : message.ui;

export const isErrorMessage = (value: ErrorMessage | object): value is ErrorMessage =>
  typeof value === "string" || "api" in value;

/** The fault that a check found in a field. */
export interface FieldValidationFailure {
  code: ErrorCodeOfType<"invalid_request">;
  message: ErrorMessage;
}

/** The texts and the code of a field check, as an issue of the schema library carries them. */
export interface ZodRefineParams {
  error: string;
  params: { code: ErrorCodeOfType<"invalid_request">; ui: string };
}

/**
 * The second argument of a schema's `refine`: the code and the text after the field's name.
 * @example z.string().refine(isDate, createZodRefineParams("invalid_timestamp", "must be a date such as 2026-11-20"))
 */
export const createZodRefineParams = (
  code: ErrorCodeOfType<"invalid_request">,
  message: ErrorMessage,
): ZodRefineParams => ({ error: getErrorTextForApi(message), params: { code, ui: getErrorTextForUi(message) } });

/** The same for a schema's `check`, which pushes issues. `path` leads to the wrong field from the checked value. */
export const createZodFieldIssue = (
  code: ErrorCodeOfType<"invalid_request">,
  message: ErrorMessage,
  input: unknown,
  path: string[] = [],
) => ({
  ...{ code: "custom" as const, input, path },
  ...{ message: getErrorTextForApi(message), params: { code, ui: getErrorTextForUi(message) } },
});

/** The text after the name of a field that is absent. */
export const REQUIRED_FIELD_MESSAGE = createApiAndUiText("is required", "is missing");

/** The place of the field's label in a text for people. */
export const FIELD_LABEL_PLACEHOLDER = "{field}";

/** The text that pages show for a wrong field. `label` is the page's name for the field. */
export const formatFieldErrorForUi = ({ ui }: { ui: string }, label: string): string =>
  ui.replace(FIELD_LABEL_PLACEHOLDER, () => label);

interface Refusal {
  type: ErrorType;
  message: string;
  ui: string;
  headers: Record<string, string>;
  fields: readonly { message: string; ui: string }[];
}

/** The text of a page that shows a refusal as a whole. */
export function formatErrorForUi({ type, ui, message, headers, fields }: Refusal): string {
  const wait = headers["retry-after"];
  if (type === "rate_limited" && wait !== undefined) return `Too many requests. Try again in ${wait} seconds.`;
  const [first] = fields;
  return first?.message === message ? formatFieldErrorForUi(first, "Your input") : ui;
}
