// The nine error types and the one envelope that every refusal travels in.
// The only place that pairs a type with an HTTP status. Knows nothing of transports or rows.

/** `error.type` → HTTP status (docs/reference/rules/requests.md). */
export const ERROR_STATUS = {
  invalid_request: 422,
  unauthorized: 401,
  payment_required: 402,
  insufficient_scope: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  server_error: 500,
} as const;

export type ErrorType = keyof typeof ERROR_STATUS;

/** The body of every refusal (rules#error-envelope). */
export interface ErrorEnvelope {
  error: { type: ErrorType; message: string; param: string | null };
}

/** One field of a form or body that does not hold, and why. */
export interface WrongField {
  param: string;
  message: string;
}

/** An alert that a person can decide about, by its ids on the wire. */
export interface ToReview {
  pusher_id: string;
  alert_id: string;
}

/**
 * A refusal. Its message is our own fixed text, never a caller's and never the database's, and names the way out.
 * `headers` are sent with the REST answer; `scopes` are what an `insufficient_scope` refusal asks for; `fields` are all
 * that is wrong, the first of them being `param`: forms name them together, the envelope names the first; `review` is the alert
 * whose publishing was refused.
 */
export class ApiError extends Error {
  readonly type: ErrorType;
  readonly param: string | null;
  readonly headers: Record<string, string>;
  readonly scopes: readonly string[];
  readonly fields: readonly WrongField[];
  readonly review: ToReview | null;
  /** Where a signed-in person does what was refused for want of approval; null where there is no such page. */
  readonly page: string | null;
  /** The type's own, but for what passes soon: that is a server_error with 503. */
  readonly status: number;

  constructor(
    type: ErrorType,
    message: string,
    options: {
      param?: string | null;
      headers?: Record<string, string>;
      scopes?: readonly string[];
      fields?: readonly WrongField[];
      review?: ToReview | null;
      page?: string | null;
      status?: number;
    } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.type = type;
    this.fields = options.fields ?? (options.param ? [{ param: options.param, message }] : []);
    this.param = options.param ?? this.fields[0]?.param ?? null;
    this.headers = options.headers ?? {};
    this.scopes = options.scopes ?? [];
    this.review = options.review ?? null;
    this.page = options.page ?? null;
    this.status = options.status ?? ERROR_STATUS[type];
  }

  toEnvelope(): ErrorEnvelope {
    return { error: { type: this.type, message: this.message, param: this.param } };
  }
}

/** 422: what was sent does not hold; `param` is the dotted path of the offending field. */
export function invalidRequest(message: string, param: string | null = null): ApiError {
  return new ApiError("invalid_request", message, { param });
}

/** 422 that names every wrong field of a form at once. Does nothing when no field has a message. */
export function refuseFields(wrong: Record<string, string | false | null | undefined>): void {
  const fields = Object.entries(wrong).flatMap(([param, message]) => (message ? [{ param, message }] : []));
  if (fields.length === 0) return;
  throw new ApiError("invalid_request", fields.map(({ message }) => message).join(" "), { fields });
}

/** 401. One sentence for every cause, so that nothing is told apart (rules#error-unauthorized). */
export function unauthorized(): ApiError {
  return new ApiError(
    "unauthorized",
    "A valid credential is needed: send Authorization: Bearer <API_KEY> with a key that is neither revoked nor expired.",
    { headers: { "www-authenticate": "Bearer" } },
  );
}

/**
 * 403 with its challenge (rules#error-insufficient-scope); several scopes are listed space-separated. With none the scopes are
 * there, a person wants to be asked first (rules#asks-first), and nothing is to be asked for.
 * `message` names another way out where there is one, `review` the alert that it is about.
 */
export function insufficientScope(
  missing: readonly string[],
  message?: string,
  review: ToReview | null = null,
): ApiError {
  const scope = missing.join(" ");
  return new ApiError(
    "insufficient_scope",
    message ??
      (scope === ""
        ? "This credential needs a person's approval for this."
        : `This credential lacks the scope ${scope}; use one that carries it.`),
    {
      headers: scope === "" ? {} : { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      scopes: missing,
      review,
    },
  );
}

/** 403 for what a person has to do themselves, on this page (rules#asks-first). */
export const needsApproval = (message: string, page: string): ApiError =>
  new ApiError("insufficient_scope", message, { page });

export function forbidden(message: string): ApiError {
  return new ApiError("forbidden", message);
}

/** 404, in the same words for what is not there and what is not yours (rules#foreign-is-missing). */
export function notFound(what = "row"): ApiError {
  return new ApiError("not_found", `No such ${what}, or it is not yours.`);
}

/** 404 for a method that the route does not serve, with those that it does. */
export function noSuchMethod(allow: string): ApiError {
  return new ApiError("not_found", `This route serves ${allow} only.`, { headers: { allow } });
}

export function conflict(message: string): ApiError {
  return new ApiError("conflict", message);
}

/** 500: the cause goes to the log under the request id, never to the caller. */
export function serverError(): ApiError {
  return new ApiError("server_error", "Server fault; retry with backoff.");
}

/** 503: nothing is wrong with the call; it may work in a moment. `seconds` is when to come back. */
export function unavailable(message: string, seconds = 2): ApiError {
  return new ApiError("server_error", message, { status: 503, headers: { "retry-after": String(seconds) } });
}

/** What the store of uploaded files said, for the log; whoever asked for a file is told that it is away. */
export class FileStoreError extends Error {}

/** More is asked at once than is taken on. Nothing of the request was done. */
export function overloaded(): ApiError {
  return unavailable("The server has too much to do at the moment; retry in a second.", 1);
}

/** Ahead of a write that might find no room. */
export function noSpace(): ApiError {
  return unavailable(
    "The server's disk is nearly full, so nothing is written; reading works. Retry when its operator has made room.",
    30,
  );
}

/** The other side of `toEnvelope`: a refusal read back by whoever called. Null: this is no envelope. */
export function fromEnvelope(body: unknown, headers: Record<string, string> = {}): ApiError | null {
  const { type, message, param } = (body as Partial<ErrorEnvelope> | null)?.error ?? {};
  if (typeof type !== "string" || !Object.hasOwn(ERROR_STATUS, type) || typeof message !== "string") return null;
  return new ApiError(type, message, { param: typeof param === "string" ? param : null, headers });
}
