// The refusal that every layer throws, its constructors, and its envelope.

import {
  type ErrorMessage,
  FIELD_LABEL_PLACEHOLDER,
  type FieldValidationFailure,
  getErrorTextForApi,
  getErrorTextForUi,
} from "./api_and_ui_error_texts.ts";
import {
  ERROR_CODES,
  ERROR_TYPE_STATUSES,
  type ErrorCode,
  type ErrorCodeOfType,
  type ErrorType,
  type MissingResource,
} from "./error_codes.ts";

export { ERROR_TYPE_STATUSES, type ErrorType };

/** One problem of a request, as the envelope lists it. */
interface EnvelopeFieldError {
  param: string;
  code: ErrorCode;
  message: string;
}

/** The body of every refusal (rules#error-envelope). */
export interface ErrorEnvelope {
  error: {
    type: ErrorType;
    code: ErrorCode;
    message: string;
    param: string | null;
    problems?: readonly EnvelopeFieldError[];
  };
}

/** A wrong field. `ui` is the text for people; `{field}` in it is replaced by the page's label of the field. */
interface FieldError extends EnvelopeFieldError {
  ui: string;
}

/** A wrong field as a check reports it. Its code is the refusal's own where it is absent. */
export interface FieldErrorInput {
  param: string;
  message: ErrorMessage;
  code?: ErrorCode;
}

/** An alert that a person can decide about, by its ids on the wire. */
export interface AlertReviewTarget {
  pusher_id: string;
  alert_id: string;
}

/** The text for people, with `{field}` in the place of the field's name at its start. */
const fieldUi = (param: string, message: ErrorMessage): string =>
  typeof message === "string" && message.startsWith(`${param} `)
    ? `${FIELD_LABEL_PLACEHOLDER}${message.slice(param.length)}`
    : getErrorTextForUi(message);

interface ErrorOptions {
  param?: string | null;
  headers?: Record<string, string>;
  scopes?: readonly string[];
  fields?: readonly FieldErrorInput[];
  review?: AlertReviewTarget | null;
  page?: string | null;
  status?: number;
}

/**
 * An error with a stable code, which determines its type. Its message is a fixed text of ours with the solution, and
 * never contains text of a caller or of the database.
 * @property headers sent with the REST response
 * @property scopes the missing ones of `insufficient_scope`
 * @property fields all wrong fields; the first is `param`
 * @property review the alert whose publishing was refused
 */
export class ApiError extends Error {
  readonly type: ErrorType;
  readonly code: ErrorCode;
  /** The text for people. */
  readonly ui: string;
  readonly param: string | null;
  readonly headers: Record<string, string>;
  readonly scopes: readonly string[];
  readonly fields: readonly FieldError[];
  readonly review: AlertReviewTarget | null;
  /** The page for a signed-in person to do or approve it, or null. */
  readonly page: string | null;
  /** The type's status, except for temporary failures: they are a server_error with 503. */
  readonly status: number;

  constructor(code: ErrorCode, message: ErrorMessage, options: ErrorOptions = {}) {
    super(getErrorTextForApi(message));
    this.name = "ApiError";
    this.code = code;
    this.type = ERROR_CODES[code].type;
    this.ui = getErrorTextForUi(message);
    const fields = options.fields ?? (options.param ? [{ param: options.param, message }] : []);
    this.fields = fields.map((field) => ({
      param: field.param,
      code: field.code ?? code,
      message: getErrorTextForApi(field.message),
      ui: fieldUi(field.param, field.message),
    }));
    this.param = options.param ?? this.fields[0]?.param ?? null;
    this.headers = options.headers ?? {};
    this.scopes = options.scopes ?? [];
    this.review = options.review ?? null;
    this.page = options.page ?? null;
    this.status = options.status ?? ERROR_TYPE_STATUSES[this.type];
  }

  toEnvelope(): ErrorEnvelope {
    const { type, code, message, param, fields } = this;
    const problems = fields.map(({ ui: _, ...problem }) => problem);
    return { error: { type, code, message, param, ...(problems.length > 1 && { problems }) } };
  }
}

/** 422: the request is not valid; `param` is the dotted path of the offending field. */
export function invalidRequest(
  code: ErrorCodeOfType<"invalid_request">,
  message: ErrorMessage,
  param: string | null = null,
): ApiError {
  return new ApiError(code, message, { param });
}

/** 422 that names every wrong field of a form at once. Does nothing when no field has a message. */
export function throwFieldErrors(wrong: Record<string, FieldValidationFailure | false | null | undefined>): void {
  const fields = Object.entries(wrong).flatMap(([param, finding]) => (finding ? [{ param, ...finding }] : []));
  const [first] = fields;
  if (!first) return;
  throw new ApiError(first.code, fields.map(({ message }) => getErrorTextForApi(message)).join(" "), { fields });
}

/** 401. One sentence for every cause, so that causes cannot be distinguished (rules#error-unauthorized). */
export function unauthorized(): ApiError {
  return new ApiError(
    "invalid_credential",
    "A valid credential is required. Send Authorization: Bearer <API_KEY> with a key that has not been revoked and " +
      "has not expired.",
    { headers: { "www-authenticate": "Bearer" } },
  );
}

/**
 * Returns 403 with its challenge (rules#error-insufficient-scope), with several scopes separated by spaces. Without
 * missing scopes, the credential needs a person's approval (rules#asks-first), and the challenge is left out. `message`
 * names an alternative, `review` the alert.
 */
export function insufficientScope(
  missing: readonly string[],
  message?: string,
  review: AlertReviewTarget | null = null,
): ApiError {
  const scope = missing.join(" ");
  if (scope === "")
    return new ApiError("approval_required", message ?? "This credential needs human approval for this call.", {
      review,
    });
  return new ApiError(
    "missing_scope",
    message ?? `This credential lacks the scope ${scope}. Use a credential that has it.`,
    { headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` }, scopes: missing, review },
  );
}

/** 403 for a call that a person has to make on this page (rules#asks-first). */
export const approvalRequired = (message: string, page: string): ApiError =>
  new ApiError("approval_required", message, { page });

export function forbidden(code: ErrorCodeOfType<"forbidden">, message: ErrorMessage): ApiError {
  return new ApiError(code, message);
}

/** Resources of the console, which programs do not use. They share one code. */
type ConsoleResource =
  | "connection"
  | "device"
  | "form"
  | "link"
  | "page"
  | "passkey"
  | "picture"
  | "program"
  | "sender"
  | "session";

/** 404, with the same text for a missing row and a foreign one (rules#foreign-is-missing). */
export function notFound(what: MissingResource | ConsoleResource): ApiError {
  const own = `${what}_not_found`;
  const code = Object.hasOwn(ERROR_CODES, own) ? (own as ErrorCodeOfType<"not_found">) : "resource_not_found";
  return new ApiError(code, `${what.slice(0, 1).toUpperCase()}${what.slice(1)} not found.`);
}

/** 404 for a method that the route does not serve, with the methods that it serves. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError("method_not_allowed", `This route accepts only ${allow}.`, { headers: { allow } });
}

export function conflict(code: ErrorCodeOfType<"conflict">, message: ErrorMessage): ApiError {
  return new ApiError(code, message);
}

/** Returns 500. The log has the cause under the request id; the caller does not see it. */
export function serverError(): ApiError {
  return new ApiError("internal_error", "Internal server error. Retry with backoff.");
}

/** 503: the call is valid and may succeed soon. `seconds` is when to retry. */
export function unavailable(code: ErrorCodeOfType<"server_error">, message: string, seconds = 2): ApiError {
  return new ApiError(code, message, { status: 503, headers: { "retry-after": String(seconds) } });
}

/** An error of the file storage, for the log. The caller only learns that the storage is unavailable. */
export class FileStoreError extends Error {}

/** More requests at once than the server accepts. Nothing of the request was done. */
export function overloaded(): ApiError {
  return unavailable("overloaded", "The server is overloaded. Retry in one second.", 1);
}

/** For a write that might not find enough disk space. */
export function createDiskFullError(): ApiError {
  return unavailable(
    "disk_full",
    "The server's disk is almost full, so only reads work. Retry after the operator has freed disk space.",
    30,
  );
}

/**
 * The refusal of an envelope that a server sent. Null for any other body. The code is as the server sent it: a newer
 * server may send codes that this version does not list.
 */
export function parseApiError(body: unknown, headers: Record<string, string> = {}): ApiError | null {
  const { type, code, message, param, problems } = (body as Partial<ErrorEnvelope> | null)?.error ?? {};
  if (typeof type !== "string" || !Object.hasOwn(ERROR_TYPE_STATUSES, type) || typeof message !== "string") return null;
  const fields = Array.isArray(problems) ? problems.filter(isProblem) : [];
  const options = { param: typeof param === "string" ? param : null, headers, ...(fields.length > 1 && { fields }) };
  return new ReceivedError(type, (typeof code === "string" ? code : type) as ErrorCode, message, options);
}

const isProblem = (value: unknown): value is EnvelopeFieldError => {
  const { param, code, message } = (value ?? {}) as Partial<EnvelopeFieldError>;
  return [param, code, message].every((text) => typeof text === "string");
};

/** A refusal of another server, whose code may be unknown here. */
class ReceivedError extends ApiError {
  override readonly type: ErrorType;
  override readonly code: ErrorCode;

  constructor(type: ErrorType, code: ErrorCode, message: string, options: ErrorOptions) {
    super("internal_error", message, { ...options, status: ERROR_TYPE_STATUSES[type] });
    this.type = type;
    this.code = code;
  }
}
