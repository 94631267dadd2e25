// Gotify's API for messages (https://gotify.net/api-docs): an application's token is a key that is bound to one channel.

import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { type ApiError, invalidRequest } from "../../model/errors.ts";
import type { AlertInput, IngestRequest, Published, Reading, Said, Tongue } from "./tongue.ts";
import { httpsOf, titled, titledMarked } from "./words.ts";

/** 53 bits, so that programs which know only numbers read it whole. */
const NUMBER_BYTES = 7;
const KEPT_BITS = 2n ** 53n - 1n;

/** Gotify numbers messages and applications. The same id always has the same number, and nothing is looked up by it. */
export function numberOf(id: string): number {
  const digest = createHash("sha256").update(id).digest().subarray(0, NUMBER_BYTES);
  return Number(BigInt(`0x${digest.toString("hex")}`) & KEPT_BITS);
}

const message = z.object({
  message: z.string(),
  title: z.string().nullish(),
  priority: z.coerce.number().int().nullish(),
  extras: z.record(z.string(), z.unknown()).nullish(),
});

type Message = z.output<typeof message>;

const partOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

async function messageIn(request: IngestRequest): Promise<Message> {
  const isForm = ["application/x-www-form-urlencoded", "multipart/form-data"].includes(request.contentType);
  const given = isForm ? Object.fromEntries(await request.form()) : request.object();
  // As Gotify itself, what the address says stands in for what the body leaves out.
  const result = message.safeParse({ ...Object.fromEntries(request.query), ...given });
  if (result.success && result.data.message.trim() !== "") return result.data;
  const field = result.success ? "message" : result.error.issues[0]?.path[0];
  throw field === "message"
    ? invalidRequest("Field 'message' is required", "message")
    : invalidRequest("The fields are a message, a title, a whole number as priority, and extras.", "message");
}

/** Gotify's own programs show 1, 2 and 3 without a sound, from 4 on with one, and from 8 on in front of all else. */
function loudness(priority: number): Pick<AlertInput, "priority" | "sound" | "vibrate"> {
  if (priority >= 10) return { priority: "urgent" };
  if (priority >= 8) return { priority: "important" };
  return priority >= 4 || priority === 0
    ? { priority: "normal" }
    : { priority: "normal", sound: "silent", vibrate: "none" };
}

async function read(request: IngestRequest): Promise<Reading> {
  const { message: text, title, priority, extras } = await messageIn(request);
  const notes: string[] = [];
  const contentType = partOf(partOf(extras, "client::display"), "contentType");
  const words =
    contentType === "text/markdown"
      ? await titledMarked(title || null, text, notes)
      : titled(title || null, text, notes);
  const fields: AlertInput = { ...words, ...loudness(priority ?? 5) };
  const shown = partOf(extras, "client::notification");
  const address = (value: unknown, what: string): string | null => {
    const url = httpsOf(value);
    if (url === null && value !== undefined)
      notes.push(`${what} accepts only https URLs; this one was ignored.`);
    return url;
  };
  fields.source_url = address(partOf(partOf(shown, "click"), "url"), "click.url");
  fields.image_url = address(partOf(shown, "bigImageUrl"), "bigImageUrl");
  const unknown = Object.keys(extras ?? {}).some(
    (name) => !["client::display", "client::notification"].includes(name),
  );
  if (unknown) notes.push("Extras other than client::display and client::notification are ignored.");
  if (priority !== null && priority !== undefined && priority > 0 && priority < 4)
    notes.push("Priorities 1, 2 and 3 are published as normal, without sound or vibration.");
  // What it said is wanted again for the answer, where a body cannot be read once more.
  said.set(request, { message: text, title, priority, extras });
  const [file, ...others] = request.contentType === "multipart/form-data" ? await request.files() : [];
  if (others.length > 0) notes.push("An alert has one picture: the other files were left out.");
  return { alerts: [{ fields, file }], notes };
}

const said = new WeakMap<IngestRequest, Message>();

function answer([one]: Published[], request: IngestRequest): Said {
  const { message: text = "", title, priority, extras } = said.get(request) ?? {};
  return {
    status: 200,
    body: {
      id: numberOf(one?.id ?? ""),
      appid: numberOf(one?.pusherId ?? ""),
      message: text,
      title: title ?? one?.fields.title ?? "",
      priority: priority ?? 5,
      date: request.now.toISOString(),
      // The one place that Gotify has for what it does not know.
      extras: { ...extras, "belfry::alert": { id: one?.id, state: one?.state, said: one?.said } },
    },
  };
}

/** As the language that Gotify is written in calls them. */
const WORDS: typeof STATUS_CODES = { ...STATUS_CODES, 413: "Request Entity Too Large" };

function refuse({ status, message: why }: ApiError): Said {
  const code = status === 422 ? 400 : status;
  return { status: code, body: { error: WORDS[code] ?? "Error", errorCode: code, errorDescription: why } };
}

export const gotify = {
  name: "gotify",
  recognises: ({ headers }: IngestRequest) =>
    headers.get("user-agent")?.toLowerCase().startsWith("gotify") ?? false,
  read,
  answer,
  refuse,
} satisfies Tongue;
