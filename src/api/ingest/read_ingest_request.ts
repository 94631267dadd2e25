// Prepares a request for the adapters. Its body is read once within a limit, and parsed only when an adapter requires
// it. Every error becomes one of our refusals. The credential is removed first: one of our own keys, found by the
// ordinary look-up.

import { isUtf8 } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { API_KEY_PREFIX, DEVICE_TOKEN_PREFIX, getBearerToken } from "../../identity/auth/bearer_authentication.ts";
import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { BodyTooLargeError, parseJsonBodyOrError, readBodyBytesOrError } from "../transports/request_body.ts";
import type { IngestRequest, ReceivedFile } from "./adapter.ts";
import { decodeBytesOrNull } from "./message_text.ts";
import { createTooManyValuesError, truncateJsonLists } from "./truncate_json_lists.ts";

/** Names of headers and parameters that bear a credential, which adapters never receive. */
const SECRET_HEADERS = ["authorization", "x-gotify-key", "x-gitlab-token", "cookie"];
const SECRET_PARAMETERS = ["auth", "authorization", "token"];

const createNotObjectError = () => invalidRequest("malformed_body", "The body must be a JSON object.");

/** As other programs know it: 413 for too many bytes. */
const toPayloadTooLargeError = ({ message }: ApiError) => new ApiError("body_too_large", message, { status: 413 });

export function decodeUtf8Body(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest("malformed_body", "The body is not valid UTF-8.");
  }
}

/** Characters that no text has. */
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
/** Bytes whose characters in Windows-1252 differ from Latin-1, which is decoded faster. */
const WINDOWS = /[\x80-\x9f]/;

/** A text in UTF-8, else in its declared charset, else in that of old Windows programs; null for other bytes. */
export function decodeTextOrNull(bytes: Uint8Array, { headers }: Pick<Request, "headers">): string | null {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const [, charset = ""] = /;\s*charset="?([\w.:-]{1,40})/i.exec(headers.get("content-type") ?? "") ?? [];
  const text = charset === "" ? null : decodeBytesOrNull(charset, bytes);
  if (text !== null && !BINARY.test(text)) return text;
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  if (BINARY.test(latin1)) return null;
  return WINDOWS.test(latin1) ? new TextDecoder("windows-1252").decode(bytes) : latin1;
}

/** @throws ApiError (invalid_request) for a body that no adapter can read. */
function requireUncompressed({ headers }: Request): void {
  const [encoding] = /\b(?:gzip|deflate|br|zstd|compress)\b/i.exec(headers.get("content-encoding") ?? "") ?? [];
  if (encoding)
    throw invalidRequest(
      "malformed_body",
      `The body is compressed (Content-Encoding: ${encoding.toLowerCase()}). Send it without compression.`,
    );
}

const [AMPERSAND = 0] = Buffer.from("&");

interface ParsedJson {
  value: unknown;
  /** Entries of long lists that were left out. */
  omitted: number;
}

function parseLimitedJson(bytes: Uint8Array): ParsedJson {
  const { bytes: kept, omitted } = truncateJsonLists(bytes);
  const { value, problem } = parseJsonBodyOrError(kept);
  if (problem) throw problem;
  return { value, omitted };
}

/** The fields of a form, within the same limits. @throws ApiError (invalid_request) */
export const parseBoundedJson = (text: string): unknown => parseLimitedJson(Buffer.from(text)).value;

interface ParsedForm {
  fields: URLSearchParams;
  files: ReceivedFile[];
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, type: string, whole: string): Promise<ParsedForm> {
  if (type !== "multipart/form-data") {
    let count = 1;
    for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1))
      if (++count > LIMITS.ingest_values) throw createTooManyValuesError();
    return { fields: new URLSearchParams(decodeUtf8Body(bytes)), files: [] };
  }
  const parts = await new Response(bytes, { headers: { "content-type": whole } }).formData().catch(() => {
    throw invalidRequest("malformed_body", "The form could not be read. Send valid form data.");
  });
  const fields = new URLSearchParams();
  const files: ReceivedFile[] = [];
  for (const [name, value] of parts)
    if (typeof value === "string") fields.append(name, value);
    else files.push({ name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) });
  return { fields, files };
}

interface ReadOptions {
  /** Below the base path of the adapter. */
  path: string;
  channel: string | null;
  /** The key that the request bears. */
  secret: string;
  now: Date;
  /** The body may be a file, without which the rest is read. */
  takesFiles?: boolean | undefined;
}

/** @throws ApiError */
export async function readIngestRequest(
  request: Request,
  { path, channel, secret, now, takesFiles }: ReadOptions,
): Promise<IngestRequest> {
  if (!takesFiles) requireUncompressed(request);
  const given = request.method === "GET" ? new Uint8Array() : await readBodyBytesOrError(request);
  const isTooLarge = given instanceof BodyTooLargeError;
  if (given instanceof ApiError && !(isTooLarge && takesFiles))
    throw isTooLarge ? toPayloadTooLargeError(given) : given;
  const body = given instanceof ApiError ? new Uint8Array() : given;
  const whole = request.headers.get("content-type") ?? "";
  const contentType = (whole.split(";")[0] ?? "").trim().toLowerCase();
  const headers = new Headers(request.headers);
  for (const name of SECRET_HEADERS) headers.delete(name);
  const query = new URLSearchParams(new URL(request.url).searchParams);
  for (const name of SECRET_PARAMETERS) query.delete(name);
  let parsed: Promise<ParsedForm> | undefined;
  const form = () => {
    parsed ??= parseForm(body, contentType, whole);
    return parsed;
  };
  let json: ParsedJson | undefined;
  const read = (): unknown => {
    json ??= parseLimitedJson(body);
    return json.value;
  };
  return {
    method: request.method,
    path,
    channel,
    headers,
    query,
    body,
    contentType,
    now,
    text() {
      const text = decodeTextOrNull(body, request);
      if (text === null) throw invalidRequest("malformed_body", "The body is not valid text. Send it as UTF-8.");
      return text;
    },
    json: read,
    get omitted() {
      return json?.omitted ?? 0;
    },
    object() {
      const value = read();
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw createNotObjectError();
      return value as Record<string, unknown>;
    },
    form: async () => (await form()).fields,
    files: async () => (await form()).files,
    isTooLarge,
    isSignature(signature) {
      const own = createHmac("sha256", secret).update(body).digest();
      return signature.length === own.length && timingSafeEqual(own, signature);
    },
  };
}

/** The credential's places other than Bearer and Basic. */
export interface AdditionalTokenLocations {
  /** Parameters that are the key itself. */
  parameters?: readonly string[];
  /** Headers that are. */
  headers?: readonly string[];
  /** Parameters that are the value of an Authorization header, in base64. */
  wrapped?: readonly string[];
}

/** Where ntfy's programs put it, whether they publish or listen. */
export const NTFY_ADDITIONAL_TOKEN_LOCATIONS = { wrapped: ["auth", "authorization"] };

/** The password of Basic, then its user, since some programs know only a user. */
function getBasicTokens(headers: Headers): string[] {
  const [, text = ""] = /^Basic +([A-Za-z0-9+/_=-]+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  const pair = Buffer.from(text, "base64").toString();
  const colon = pair.indexOf(":");
  return colon < 0 ? [pair] : [pair.slice(colon + 1), pair.slice(0, colon)];
}

const getAuthorizationTokens = (headers: Headers) => [getBearerToken(headers) ?? "", ...getBasicTokens(headers)];

/** The tokens of a parameter that is the value of an Authorization header, in base64. */
function decodeWrappedTokens(value: string): string[] {
  const header = Buffer.from(value, "base64").toString("latin1");
  // A header contains no line ends.
  return /^[\x20-\x7e]+$/.test(header) ? getAuthorizationTokens(new Headers({ authorization: header })) : [];
}

/** Reports if a text looks like a key or a device's token of ours. A proxy's password does not. */
export const isBelfryToken = (token: string): boolean =>
  token.startsWith(API_KEY_PREFIX) || token.startsWith(DEVICE_TOKEN_PREFIX);

/**
 * The credential of a request: the first of our own ones. The program's own places come before Authorization, which a
 * proxy may have set (rules#sender-credential). Without one of ours, the first of any; null for none.
 */
export function extractToken(
  request: Request,
  { parameters = [], headers = [], wrapped = [] }: AdditionalTokenLocations,
): string | null {
  const query = new URL(request.url).searchParams;
  const tokens = [
    ...headers.map((name) => request.headers.get(name) ?? ""),
    ...parameters.map((name) => query.get(name) ?? ""),
    ...wrapped.flatMap((name) => decodeWrappedTokens(query.get(name) ?? "")),
    ...getAuthorizationTokens(request.headers),
  ].filter(Boolean);
  return tokens.find(isBelfryToken) ?? tokens[0] ?? null;
}
