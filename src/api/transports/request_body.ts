// The only reader of request bodies. Every request is limited before its route receives it, so no code, a library
// included, can read more than the route's record permits. Errors of a body are returned, not thrown: the credential is
// checked first.

import type { IncomingMessage } from "node:http";
import { ApiError, invalidRequest } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { findJsonError } from "./json_error_position.ts";

type JsonBodyResult = { value: unknown; problem?: undefined } | { value?: undefined; problem: ApiError };

/** A route's declaration for the router. */
export interface RouteMeta extends Record<string, unknown> {
  /** The most bytes that a body may have. */
  maxBody: number;
}

/** Bytes that a form adds to the file that it carries. */
export const FORM_OVERHEAD = 16_384;

/** The names by which a request gives its body away, besides the stream itself. */
const READERS = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;

const formatSize = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / 104_857.6) / 10} MiB`;

/** A separate error for protocols with a status of their own for it. */
export class BodyTooLargeError extends ApiError {}

const tooLarge = (max: number): ApiError =>
  new BodyTooLargeError(
    "body_too_large",
    `The body is larger than the limit of ${formatSize(max)}. Send less data in each request.`,
  );

const bounds = new WeakMap<Request, number>();

const declaredBytes = ({ headers }: Request) => Number(headers.get("content-length") ?? 0);

/** Limits the body of a request in place: every reader gets at most `max` bytes and then the 422. */
export function limitBody(request: Request, max: number): void {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return;
  bounds.set(request, max);
  // Taken from the class, since the request's own property is about to hide it.
  const source = () => Reflect.get(Object.getPrototypeOf(request), "body", request) as Request["body"];
  let stream: Request["body"] | undefined;
  const body = () => {
    if (stream === undefined) {
      const whole = source();
      stream = whole && bounded(whole, declaredBytes(request), max);
    }
    return stream;
  };
  const properties: PropertyDescriptorMap = { body: { get: body } };
  for (const name of READERS)
    properties[name] = { value: () => new Response(body(), { headers: contentType(request) })[name]() };
  properties.clone = {
    value: () => {
      throw new TypeError("The body has already been read. A body with a size limit can be read only once.");
    },
  };
  Object.defineProperties(request, properties);
}

const contentType = ({ headers }: Request): Record<string, string> => {
  const type = headers.get("content-type");
  return type === null ? {} : { "content-type": type };
};

/** Never cancels what it reads from: that would cut the connection under the answer. */
function bounded(whole: ReadableStream, declared: number, max: number): ReadableStream {
  const reader = whole.getReader();
  let size = 0;
  return new ReadableStream({
    // The client's declared length is used only if it is too large.
    start: (to) => (declared > max ? to.error(tooLarge(max)) : undefined),
    async pull(to) {
      const { done, value } = await reader.read();
      if (done) return to.close();
      size += value.byteLength;
      if (size > max) to.error(tooLarge(max));
      else to.enqueue(value);
    },
  });
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

const incomingOf = (request: Request): IncomingMessage | undefined =>
  (request as { runtime?: { node?: { req: IncomingMessage } } }).runtime?.node?.req;

/** The source of a request's body, below a server; null without one. */
export function findNodeRequestWithBody(request: Request): IncomingMessage | null {
  const incoming = incomingOf(request);
  return incoming && hasBody(incoming) ? incoming : null;
}

const unreadable = () => invalidRequest("malformed_body", "The body could not be read. Send it again.");

/** The bytes of the body, which is read once. */
export async function readBodyBytesOrError(request: Request): Promise<Uint8Array<ArrayBuffer> | ApiError> {
  const incoming = incomingOf(request);
  const max = bounds.get(request);
  // Below a server its own stream is read, within the same limit: a web stream costs as much as many a response.
  if (incoming && max !== undefined) return collected(incoming, declaredBytes(request), max);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request.body ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    return error instanceof ApiError ? error : unreadable();
  }
}

/** It also never cancels the stream: beyond the limit it only stops reading. */
function collected(incoming: IncomingMessage, declared: number, max: number): Promise<Buffer<ArrayBuffer> | ApiError> {
  return new Promise((resolve) => {
    if (declared > max) return resolve(tooLarge(max));
    if (incoming.destroyed || incoming.readableEnded) return resolve(unreadable());
    const chunks: Buffer<ArrayBuffer>[] = [];
    let size = 0;
    const take = (chunk: Buffer<ArrayBuffer>) => {
      size += chunk.length;
      if (size <= max) return void chunks.push(chunk);
      chunks.length = 0;
      incoming.off("data", take).pause();
      resolve(tooLarge(max));
    };
    incoming
      .on("data", take)
      .once("end", () => resolve((chunks.length === 1 && chunks[0]) || Buffer.concat(chunks)))
      .once("error", () => resolve(unreadable()))
      // Every request closes in the end, and creating an unused error costs time.
      .once("close", () => incoming.readableEnded || resolve(unreadable()));
  });
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/**
 * The refusal of a body with more values than any request needs, found without parsing it. Millions of tiny ones would
 * cost the parser, the schema and the checks of their text seconds.
 */
export function getJsonValueCountError(bytes: Uint8Array): ApiError | null {
  const max = LIMITS.json_values;
  let values = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) inText = !inText;
    else if (inText && byte === BACKSLASH) i++;
    else if (!inText && (byte === COMMA || byte === BRACKET || byte === BRACE) && ++values > max)
      return invalidRequest("body_too_large", `The body contains more than ${max} values. Send fewer values at once.`);
  }
  return null;
}

/** The JSON value of a body; an empty one is undefined. */
export async function readJsonBodyOrError(request: Request): Promise<JsonBodyResult> {
  const bytes = await readBodyBytesOrError(request);
  if (bytes instanceof ApiError) return { problem: bytes };
  if (bytes.length === 0) return { value: undefined };
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    return {
      problem: invalidRequest("unsupported_content_type", "The body must be sent with Content-Type: application/json."),
    };
  const problem = getJsonValueCountError(bytes);
  return problem ? { problem } : parseJsonBodyOrError(bytes);
}

export function parseJsonBodyOrError(bytes: Uint8Array): JsonBodyResult {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { problem: invalidRequest("malformed_body", "The body is not valid UTF-8 encoded JSON.") };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    const place = findJsonError(text);
    const where = place ? `: see line ${place.line}, column ${place.column}` : "";
    return { problem: invalidRequest("malformed_body", `The body is not valid JSON${where}.`) };
  }
}
