// Gotify's API for messages (https://gotify.net/api-docs): an application's token is a key of one channel.

import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { type ApiError, invalidRequest } from "../../model/api_error.ts";
import type {
  AdapterResponse,
  AlertInput,
  IngestedAlertOutcome,
  IngestRequest,
  ParsedIngestRequest,
  SenderAdapter,
} from "./adapter.ts";
import { addLowerCaseKeys } from "./formats/format_helpers.ts";
import { parseHttpsUrl, splitTitle, splitTitleAndRenderMarkdown } from "./message_text.ts";

/** 53 bits, so that programs which know only numbers read it whole. */
const NUMBER_BYTES = 7;
const NUMBER_MASK = 2n ** 53n - 1n;

/** Gotify numbers messages and applications. The same id always has the same number, and nothing is looked up by it. */
export function toGotifyNumber(id: string): number {
  const digest = createHash("sha256").update(id).digest().subarray(0, NUMBER_BYTES);
  return Number(BigInt(`0x${digest.toString("hex")}`) & NUMBER_MASK);
}

/** A text or a number, as scripts write either. */
const textSchema = z.union([z.string(), z.number().transform(String)]).nullish();

const messageSchema = z.object({
  message: textSchema,
  title: textSchema.catch(null),
  priority: z
    .union([z.number(), z.string().transform(Number)])
    .pipe(z.int())
    .nullish()
    .catch(Number.NaN),
  extras: z.record(z.string(), z.unknown()).nullish().catch(null),
});

type Message = z.output<typeof messageSchema> & { message: string };

const getProperty = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The parameters by name, as Gotify reads them: the first of several values counts. */
const getFirstValues = (parameters: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...parameters].toReversed());

/** @throws ApiError (invalid_request) for a message without any text. */
async function parseMessage(request: IngestRequest, notes: string[]): Promise<Message> {
  const isForm = ["application/x-www-form-urlencoded", "multipart/form-data"].includes(request.contentType);
  const { extras: inQuery, ...query } = getFirstValues(request.query);
  let given: Record<string, unknown>;
  if (isForm) {
    const { extras, ...form } = getFirstValues(await request.form());
    given = form;
    if (extras) notes.push(EXTRAS_IN_JSON);
  } else given = request.body.length === 0 ? {} : addLowerCaseKeys(request.object());
  if (inQuery) notes.push(EXTRAS_IN_JSON);
  // As in Gotify itself, the query supplies the fields that the body leaves out.
  const result = messageSchema.safeParse({ ...query, ...given });
  const parsed = result.data;
  const text = parsed?.message ?? "";
  if (!parsed || text === "" || (isBlank(text) && isBlank(parsed.title ?? "")))
    throw invalidRequest("field_required", "Field 'message' is required", "message");
  if (Number.isNaN(parsed.priority)) {
    notes.push("The priority is not a whole number, so the alert has normal priority.");
    parsed.priority = null;
  }
  if (given.title && parsed.title === null) notes.push("The title is not text and was ignored.");
  if (given.extras && parsed.extras === null) notes.push("The extras are not an object and were ignored.");
  return { ...parsed, message: text };
}

const isBlank = (value: string) => value.trim() === "";
const EXTRAS_IN_JSON = "Extras are supported only in a JSON body, so the extras were ignored.";

/** Gotify's own programs show 1, 2 and 3 without a sound, from 4 on with one, and from 8 on in front of all else. */
function toPriorityAndSound(priority: number): Pick<AlertInput, "priority" | "sound" | "vibrate"> {
  if (priority >= 10) return { priority: "urgent" };
  if (priority >= 8) return { priority: "important" };
  return priority >= 4 || priority === 0
    ? { priority: "normal" }
    : { priority: "normal", sound: "silent", vibrate: "none" };
}

async function read(request: IngestRequest): Promise<ParsedIngestRequest> {
  const notes: string[] = [];
  const message = await parseMessage(request, notes);
  const { message: text, title, priority, extras } = message;
  const contentType = getProperty(getProperty(extras, "client::display"), "contentType");
  const texts =
    contentType === "text/markdown"
      ? await splitTitleAndRenderMarkdown(title || null, text, notes)
      : splitTitle(title || null, text, notes);
  if (![undefined, null, "text/plain", "text/markdown"].includes(contentType as string))
    notes.push("contentType must be text/plain or text/markdown; the message is shown as plain text.");
  const fields: AlertInput = { ...texts, ...toPriorityAndSound(priority ?? 0) };
  const shown = getProperty(extras, "client::notification");
  const address = (value: unknown, what: string): string | null => {
    const url = parseHttpsUrl(value);
    if (url === null && value !== undefined) notes.push(`${what} accepts only https URLs; the URL was ignored.`);
    return url;
  };
  fields.source_url = address(getProperty(getProperty(shown, "click"), "url"), "click.url");
  fields.image_url = address(getProperty(shown, "bigImageUrl"), "bigImageUrl");
  const unknown = Object.keys(extras ?? {}).some((name) => !["client::display", "client::notification"].includes(name));
  if (unknown) notes.push("Extras other than client::display and client::notification are ignored.");
  if (priority && priority < 4)
    notes.push("Messages with a priority below 4 are published as normal alerts, without sound or vibration.");
  // The response repeats the message, and a body cannot be read twice.
  messageByRequest.set(request, message);
  const files = request.contentType === "multipart/form-data" ? await request.files() : [];
  return { alerts: [{ fields, files }], notes };
}

const messageByRequest = new WeakMap<IngestRequest, Message>();

function answer([one]: IngestedAlertOutcome[], request: IngestRequest): AdapterResponse {
  const { message: text = "", title, priority, extras } = messageByRequest.get(request) ?? {};
  return {
    status: 200,
    body: {
      id: toGotifyNumber(one?.id ?? ""),
      appid: toGotifyNumber(one?.pusherId ?? ""),
      message: text,
      title: title?.trim() ? title : (one?.fields.title ?? ""),
      priority: priority ?? 0,
      date: request.now.toISOString(),
      // The one place that Gotify has for what it does not know.
      extras: { ...extras, "belfry::alert": { id: one?.id, state: one?.state, said: one?.summary } },
    },
  };
}

/** As Go calls them. */
const STATUS_TEXTS: typeof STATUS_CODES = { ...STATUS_CODES, 413: "Request Entity Too Large" };

function refuse({ status, message: why }: ApiError): AdapterResponse {
  const code = status === 422 ? 400 : status;
  return { status: code, body: { error: STATUS_TEXTS[code] ?? "Error", errorCode: code, errorDescription: why } };
}

export const gotifyAdapter = {
  name: "gotify",
  matches: ({ headers }: IngestRequest) => headers.get("user-agent")?.toLowerCase().startsWith("gotify") ?? false,
  read,
  answer,
  refuse,
} satisfies SenderAdapter;
