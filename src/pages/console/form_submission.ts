// The input of forms, and the proof that one of our pages sent it. The proof is a token tied to the session by HMAC (to
// a cookie before sign-in), and the browser's report of the request's origin. Every POST needs both. Input cannot be
// saved if the session has ended or the database is unavailable. It then travels encrypted through the pages that lead
// back to the form, so nothing is stored here. Restored input is shown to its author, and never submitted
// automatically.

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { readBodyBytesOrError } from "../../api/transports/request_body.ts";
import type { ConsoleSession } from "../../identity/auth/console_sessions.ts";
import { formatErrorForUi, formatFieldErrorForUi } from "../../model/api_and_ui_error_texts.ts";
import {
  ApiError,
  conflict,
  type ErrorType,
  type FieldErrorInput,
  forbidden,
  invalidRequest,
} from "../../model/api_error.ts";
import { MAX_BODY_BYTES } from "../../operation/define_operation.ts";
import { refuseUnstorableText } from "../../operation/validation_errors.ts";
import { createEncryption } from "../../store/secret/encryption.ts";
import { type Html, html } from "../../ui/html.ts";

export const PRESERVED_FORM_FIELD = "kept_form";

/** The limit of bodies with saved input. */
export const MAX_PRESERVED_FORM_BYTES = MAX_BODY_BYTES.alerts;

/** Fields that are never saved: credentials, and values that are requested again. */
const LEFT_OUT = ["form_token", PRESERVED_FORM_FIELD, "present", "next", "password"];

/** A saved form, and the path that accepts it. */
interface PreservedForm {
  at: string;
  form: URLSearchParams;
}

export const signedOutError = () => new ApiError("sign_in_required", "You were signed out, so nothing was saved.");

export const formRestoredError = () =>
  conflict("wrong_state", "You were signed out, so nothing was saved. Check your text below and submit it again.");

export const sessionChangedError = () =>
  forbidden("not_permitted", "Your session changed, so nothing was saved. Check your text below and submit it again.");

function createFormSealer(secret: string) {
  const seal = createEncryption(secret, "kept forms");
  return {
    /** Encrypts a form for the next pages; null for an empty one. */
    keep({ at, form }: PreservedForm): string | null {
      if (form.has(PRESERVED_FORM_FIELD)) return form.get(PRESERVED_FORM_FIELD);
      const fields = [...form].filter(([name]) => !LEFT_OUT.includes(name));
      if (fields.length === 0) return null;
      const kept = seal.encrypt(JSON.stringify([at, fields])).toString("base64url");
      return kept.length > MAX_PRESERVED_FORM_BYTES / 2 ? null : kept;
    },

    /** Decrypts such a field; null for one that is not ours. */
    kept(text: string | null): PreservedForm | null {
      if (text === null) return null;
      try {
        const [at, fields] = JSON.parse(seal.decrypt(Buffer.from(text, "base64url")));
        return { at, form: new URLSearchParams(fields) };
      } catch {
        return null;
      }
    },
  };
}

export const preservedFormField = (kept: string | null): Html | null =>
  kept === null ? null : html`<input type="hidden" name="${PRESERVED_FORM_FIELD}" value="${kept}">`;

const FORM_TOKEN_FIELD = "form_token";
const VISITOR_COOKIE = "belfry_visitor";

/** @throws 422 for other bodies than a form within the page's limit */
export async function readForm(request: Request): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw invalidRequest("unsupported_content_type", "This page accepts form submissions only.");
  const bytes = await readBodyBytesOrError(request);
  if (bytes instanceof ApiError) throw bytes;
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  refuseUnstorableText([...form.values()]);
  return form;
}

/** A file of a form, with an untrusted name. */
interface FormFile {
  name: string;
  bytes: Uint8Array;
}

/** The chosen files by the name of their field. */
export type FormFiles = ReadonlyMap<string, FormFile>;

/** Checks that a form may contain files. */
export const isMultipartForm = ({ headers }: Request): boolean =>
  /^multipart\/form-data\s*;/i.test(headers.get("content-type") ?? "");

/**
 * Reads a form with at most one file for each field, within the page's limit.
 * @throws 422 for another body
 */
export async function readFileForm(request: Request): Promise<{ form: URLSearchParams; files: FormFiles }> {
  const type = request.headers.get("content-type") ?? "";
  const bytes = await readBodyBytesOrError(request);
  if (bytes instanceof ApiError) throw bytes;
  const parts = await new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => null);
  if (!parts) throw invalidRequest("malformed_body", "The form was incomplete. Submit it again.");
  const form = new URLSearchParams();
  const files = new Map<string, FormFile>();
  for (const [name, value] of parts) {
    if (typeof value === "string") form.append(name, value);
    // A browser sends an empty nameless file where none was chosen.
    else if (value.size > 0 || value.name !== "")
      files.set(name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  refuseUnstorableText([...form.values()]);
  return { form, files };
}

export function getCookie(headers: Headers, name: string): string | null {
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}

/** The names of arguments that have no label in a form. */
const labelled = (name: string): string => (name.slice(0, 1).toUpperCase() + name.slice(1)).replaceAll("_", " ");

/**
 * Converts an error to the labels of a form. An error inside a list belongs to the list, unless that part has a label.
 * @param names the form's field for an argument
 * @param labels the form's label for an argument, which replaces its name at the start of a sentence
 */
export function toFormError(
  error: ApiError,
  names: Record<string, string>,
  labels: Record<string, string> = {},
): ApiError {
  const fields = error.fields.map((wrong) => {
    const whole = wrong.param.replace(/\..*/s, "");
    const param = Object.hasOwn(labels, wrong.param) || !Object.hasOwn(labels, whole) ? wrong.param : whole;
    const message = formatFieldErrorForUi(wrong, labels[param] ?? labelled(whole));
    return { param: names[param] ?? param, code: wrong.code, message };
  });
  return copyErrorWithFields(error, fields);
}

/** Returns the error for these fields, with the message of the first. */
export function copyErrorWithFields(error: ApiError, fields: readonly FieldErrorInput[]): ApiError {
  const { code, message, headers, status } = error;
  const ofFirst = fields.length === 1 || message === error.fields[0]?.message;
  return new ApiError(code, (ofFirst && fields[0]?.message) || formatErrorForUi(error), { headers, status, fields });
}

/** Any sites but those that show that the request comes from another origin. */
export const canShowErrorInForm = ({ status }: ApiError): boolean => status !== 403 && status !== 404;

/** A refusal that the form can show; the others are pages of their own. */
export function rethrowUnlessShownInForm(error: unknown): ApiError {
  if (!(error instanceof ApiError) || !canShowErrorInForm(error)) throw error;
  return error;
}

export const createErrorTypeMatcher =
  (...types: ErrorType[]) =>
  ({ type }: ApiError): boolean =>
    types.includes(type);

/** Shows a form with what was written in it: it reads, and changes nothing. */
export type FormRenderer<V> = (context: V, error: ApiError) => Promise<Response> | Response;

/**
 * The presentation of a refusal by a form. All but internal errors are shown when left out. Names or labels replace
 * those in its text (see `toFormError`).
 */
export interface FormErrorOptions<V> {
  again: FormRenderer<V>;
  when?(error: ApiError): boolean;
  names?: Record<string, string>;
  labels?: Record<string, string>;
}

const isNoFault = ({ type }: ApiError): boolean => type !== "server_error";

/** Performs the action of a form, or shows the form again with its errors. Any other refusal is a page of its own. */
export const withFormErrors =
  <V>({ again, when = isNoFault, names, labels }: FormErrorOptions<V>, act: (context: V) => Promise<Response>) =>
  async (context: V): Promise<Response> => {
    try {
      return await act(context);
    } catch (error) {
      if (!(error instanceof ApiError) || !when(error)) throw error;
      const answer = await again(context, names || labels ? toFormError(error, names ?? {}, labels) : error);
      const retryAfter = error.headers["retry-after"];
      if (retryAfter) answer.headers.set("retry-after", retryAfter);
      return answer;
    }
  };

/** The message for a page that a browser opened at another address than PUBLIC_URL, which is an origin. */
export const formatPublicUrlMismatch = (openedAt: string, publicUrl: string): string =>
  `This page was opened at ${openedAt}, but PUBLIC_URL is ${publicUrl}. ` +
  `Open ${publicUrl}/console, or set PUBLIC_URL to the address that you use.`;

export type FormProtection = ReturnType<typeof createFormProtection>;

export function createFormProtection({ secret, publicUrl }: { secret: string; publicUrl: string }) {
  const key = Buffer.from(hkdfSync("sha256", secret, "belfry", "console forms", 32));
  const { origin, protocol } = new URL(publicUrl);
  const attributes = `Path=/console; HttpOnly; SameSite=Lax${protocol === "https:" ? "; Secure" : ""}`;
  const sign = (subject: string) => createHmac("sha256", key).update(subject).digest("base64url");
  const sessionToken = (session: ConsoleSession) => sign(`session:${session.id}`);
  const visitorToken = (nonce: string) => sign(`visitor:${nonce}`);

  const field = (token: string): Html => html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">`;

  return {
    ...createFormSealer(secret),

    cookie: (name: string, value: string, seconds?: number) =>
      `${name}=${value}; ${attributes}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`,

    /** The hidden field of forms that a signed-in person sends. */
    sessionField: (session: ConsoleSession) => field(sessionToken(session)),

    /** The hidden field of forms without a session, and the cookie of its token. */
    visitorField(headers: Headers): { field: Html; cookie: string | null } {
      const known = getCookie(headers, VISITOR_COOKIE);
      const nonce = known && /^[\w-]{32}$/.test(known) ? known : randomBytes(24).toString("base64url");
      return { field: field(visitorToken(nonce)), cookie: nonce === known ? null : this.cookie(VISITOR_COOKIE, nonce) };
    },

    /** @throws 403 unless the request came from a page of ours. */
    checkOrigin(headers: Headers): void {
      const from = headers.get("origin");
      const site = headers.get("sec-fetch-site");
      const named = from !== null && from !== "null";
      const ours = named ? from === origin : site === "same-origin";
      // The browser confirms a page of this service, so the setting is wrong.
      if (!ours && named && site === "same-origin")
        throw forbidden("origin_not_allowed", formatPublicUrlMismatch(URL.parse(from)?.origin ?? from, origin));
      if (!ours || (site !== null && site !== "same-origin"))
        throw forbidden(
          "origin_not_allowed",
          `This form was submitted from another site. Open the console at ${origin}/console.`,
        );
    },

    /** Reports if the form carries the token of this session, or of this visitor. */
    holdsToken(form: URLSearchParams, headers: Headers, session: ConsoleSession | null): boolean {
      const nonce = getCookie(headers, VISITOR_COOKIE);
      const wanted = session ? sessionToken(session) : nonce && visitorToken(nonce);
      const given = Buffer.from(form.get(FORM_TOKEN_FIELD) ?? "");
      const right = Buffer.from(wanted ?? "");
      return right.length > 0 && given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
