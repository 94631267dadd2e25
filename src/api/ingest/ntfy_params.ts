// The parameters of a request to ntfy from any source: headers and their short forms, the query, or one JSON object.
// The names and their precedence are ntfy's own.

import { ApiError, invalidRequest } from "../../model/api_error.ts";
import type { IngestRequest, ReceivedFile } from "./adapter.ts";
import { addLowerCaseKeys } from "./formats/format_helpers.ts";
import { decodeHeader } from "./message_text.ts";
import { decodeTextOrNull, parseBoundedJson } from "./read_ingest_request.ts";

/** Our name → those that ntfy takes, in headers of any case and in the query. */
export const NTFY_PARAM_NAMES = {
  title: ["x-title", "title", "t"],
  message: ["x-message", "message", "m"],
  priority: ["x-priority", "priority", "prio", "p"],
  tags: ["x-tags", "tags", "tag", "ta"],
  click: ["x-click", "click"],
  icon: ["x-icon", "icon"],
  attach: ["x-attach", "attach", "a"],
  filename: ["x-filename", "filename", "file", "f"],
  actions: ["x-actions", "actions", "action"],
  delay: ["x-delay", "delay", "x-at", "at", "x-in", "in"],
  timezone: ["x-timezone", "timezone", "x-tz", "tz"],
  poll_id: ["x-poll-id", "poll-id"],
  markdown: ["x-markdown", "markdown", "md"],
  cache: ["x-cache", "cache"],
  firebase: ["x-firebase", "firebase"],
  email: ["x-email", "x-e-mail", "email", "e-mail", "mail", "e"],
  call: ["x-call", "call"],
  template: ["x-template", "template", "tpl"],
  unifiedpush: ["x-unifiedpush", "unifiedpush", "up"],
  sequence_id: ["x-sequence-id", "sequence-id", "sid"],
  content_encoding: ["content-encoding", "content_encoding"],
  content_type: ["content-type", "content_type"],
} as const;

export type NtfyParamName = keyof typeof NTFY_PARAM_NAMES;

/**
 * A parameter's value under one of such names: from a header, else from the query, where the first of several counts;
 * empty if missing.
 */
export function createParamReader(headers: Headers, query: URLSearchParams): (names: readonly string[]) => string {
  const inQuery = new Map([...query].toReversed().map(([name, value]) => [name.toLowerCase(), value.trim()]));
  return (names) =>
    names.map((name) => decodeHeader(headers.get(name) ?? "").trim()).find(Boolean) ??
    names.map((name) => inQuery.get(name)).find(Boolean) ??
    "";
}

/** Empty if missing. */
export type NtfyParams = Record<NtfyParamName, string> & {
  topic: string;
  text: string;
  /** The body where it is a file, as ntfy decides it. */
  file: ReceivedFile | null;
  /** The interpretation of a JSON body at a topic's address. */
  json: "read" | "shown" | null;
  /** Fields of the JSON whose name or value is not one of ntfy's. */
  ignoredFields: number;
};

export const isNtfyTrue = (value: string) => ["1", "yes", "true"].includes(value.toLowerCase());
export const isNtfyFalse = (value: string) => ["0", "no", "false"].includes(value.toLowerCase());

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;

export function parseNtfyParams(request: IngestRequest): NtfyParams {
  const topic = request.channel;
  if (topic === null) return parseJsonParams(request, request);
  const params = { ...parseHeadersAndQuery(request), topic };
  const object = params.file === null && isNtfyFalse(params.template || "no") ? parseObjectOrNull(params.text) : null;
  if (!object) return params;
  // A program that names the topic in the body means the JSON that is posted to the root.
  if (String(object.topic).toLowerCase() === topic.toLowerCase() && (object.message || object.title))
    return { ...parseJsonParams(request, { object: () => object }), topic, json: "read" };
  return { ...params, json: "shown" };
}

/** A text as a JSON object, within the limits of JSON; null for any other. */
function parseObjectOrNull(text: string): Record<string, unknown> | null {
  if (!text.startsWith("{") || !text.endsWith("}")) return null;
  try {
    return parseBoundedJson(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

type ParamsWithoutTopic = Omit<NtfyParams, "topic">;

function parseHeadersAndQuery(request: IngestRequest): ParamsWithoutTopic {
  const { headers, query, path } = request;
  const readParam = createParamReader(headers, query);
  const texts = Object.fromEntries(Object.entries(NTFY_PARAM_NAMES).map(([name, names]) => [name, readParam(names)]));
  const params = texts as Record<NtfyParamName, string>;
  if (/^text\/markdown\s*(;|$)/i.test(params.content_type)) params.markdown = "yes";
  if (params.content_encoding === "aes128gcm") params.unifiedpush = "yes";
  if (request.method !== "GET") params.sequence_id ||= path.split("/")[2] ?? "";
  // A message in the query has a line end as two characters.
  const message = params.message.replaceAll("\\n", "\n");
  // ntfy takes a body for a file when the file is named, and when it is not text.
  const { body, isTooLarge } = request;
  const isFile = isTooLarge || (body.length > 0 && params.filename !== "" && params.attach === "");
  const text = isFile ? null : decodeTextOrNull(body, request);
  const file = text === null ? { name: params.filename || "attachment", bytes: body } : null;
  return { ...params, text: text?.trim() || message, file, json: null, ignoredFields: 0 };
}

/** Published as JSON: the same parameters under their plain names. @throws 422 */
function parseJsonParams(request: IngestRequest, { object: read }: Pick<IngestRequest, "object">): NtfyParams {
  let given: Record<string, unknown>;
  try {
    given = read();
  } catch (error) {
    // ntfy has a number of its own for it.
    throw error instanceof ApiError && error.status === 422
      ? new ApiError(error.code, error.message, { param: "json" })
      : error;
  }
  // ntfy reads the names in any case.
  const object = addLowerCaseKeys(given);
  const params = Object.fromEntries(Object.keys(NTFY_PARAM_NAMES).map((name) => [name, toParamText(object[name])]));
  const { topic } = object;
  if (typeof topic !== "string" || !TOPIC.test(topic))
    throw invalidRequest("field_required", "The JSON must contain the channel's handle.", "topic");
  // Headers may supply fields that the object leaves out, as some programs do.
  const empty = { ...request, body: new Uint8Array(), isTooLarge: false };
  const { text: _, ...fromHeaders } = parseHeadersAndQuery(empty);
  const texts = params as Record<NtfyParamName, string>;
  for (const name of Object.keys(NTFY_PARAM_NAMES) as NtfyParamName[]) texts[name] ||= fromHeaders[name];
  return { ...texts, topic, text: texts.message, file: null, json: null, ignoredFields: countIgnoredFields(given) };
}

const JSON_FIELDS: ReadonlySet<string> = new Set(["topic", ...Object.keys(NTFY_PARAM_NAMES)]);

const countIgnoredFields = (object: Record<string, unknown>): number =>
  Object.entries(object).filter(
    ([name, value]) =>
      value !== null && (!JSON_FIELDS.has(name.toLowerCase()) || (typeof value === "object" && !Array.isArray(value))),
  ).length;

function toParamText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value))
    return value.every((item) => typeof item === "string") ? value.join(",") : JSON.stringify(value);
  return "";
}
