// CloudEvents over HTTP: structured (the event is the body), binary (its attributes are headers) and batches. An
// event is published once, by its source and id. Events may have no data.

import { z } from "zod";
import { invalidRequest } from "../../../model/api_error.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { IngestRequest, ParsedAlert, ParsedIngestRequest, SenderAdapter } from "../adapter.ts";
import { decodeUtf8Body, parseBoundedJson } from "../read_ingest_request.ts";
import { buildAlert, createCollapseKey, joinLimitedLines, textOrNumberSchema } from "./format_helpers.ts";
import { parseUsualFields } from "./generic_json.ts";

const eventSchema = z.object({
  id: textOrNumberSchema,
  source: textOrNumberSchema,
  type: textOrNumberSchema,
  subject: textOrNumberSchema,
  datacontenttype: textOrNumberSchema,
  data: z.unknown().optional(),
  data_base64: textOrNumberSchema,
});
type Event = z.output<typeof eventSchema>;

const BINARY_LEFT_OUT = "An event's data is not text and was ignored.";

const isBinary = ({ headers }: IngestRequest) => headers.has("ce-specversion") || headers.has("ce-type");

/** Attributes that are headers may be percent-encoded. */
function decodeCeHeader(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const isJson = (contentType: string) => /[/+]json\b/i.test(contentType);

/** Text of bytes; null with a note when they are not UTF-8. */
function decodeEventText(bytes: Uint8Array, notes: string[]): string | null {
  try {
    return decodeUtf8Body(bytes);
  } catch {
    notes.push(BINARY_LEFT_OUT);
    return null;
  }
}

function readBinaryEvent(request: IngestRequest, notes: string[]): unknown {
  const names = ["id", "source", "type", "subject"];
  const attributes = names.map((name) => [name, decodeCeHeader(request.headers.get(`ce-${name}`) ?? "")] as const);
  const hasJson = request.body.length > 0 && isJson(request.contentType);
  return { ...Object.fromEntries(attributes), data: hasJson ? request.json() : decodeEventText(request.body, notes) };
}

/** The data of an event, in either of its encodings. */
function readEventData({ data, data_base64, datacontenttype }: Event, notes: string[]): unknown {
  const text = data_base64 === "" ? data : decodeEventText(Buffer.from(data_base64, "base64"), notes);
  if (typeof text !== "string" || !isJson(datacontenttype)) return text;
  try {
    return parseBoundedJson(text);
  } catch {
    return text;
  }
}

const formatEventTitle = ({ type, subject }: Event) => [type || "CloudEvent", subject].filter(Boolean).join(": ");

function readEvent(from: Event, notes: string[]): ParsedAlert {
  const { source, id, type, subject } = from;
  const data = readEventData(from, notes);
  const content = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
  const text = typeof data === "string" ? data : content === data || data == null ? "" : JSON.stringify(data);
  const fields = parseUsualFields(content, { title: formatEventTitle(from), body: text || source });
  // The subject is what the event is about: a newer event of its kind replaces the older one.
  const key = subject === "" ? undefined : createCollapseKey("ce", source, type, subject);
  return {
    fields: { ...fields, ...(key && { collapse_key: key }) },
    ...(source !== "" && id !== "" && { idempotencyKey: createCollapseKey("ce", source, id) }),
  };
}

/** The events of a batch; more than may be published at once are one alert with a line for each. */
function readBatch(sent: readonly unknown[], omitted: number, notes: string[]): ParsedIngestRequest {
  const events = sent
    .map((one) => eventSchema.safeParse(one))
    .flatMap(({ data }) => (data && isEvent(data) ? [data] : []));
  if (events.length === 0) throw notAnEvent();
  if (events.length < sent.length) notes.push("Some entries in the batch are not CloudEvents and were ignored.");
  if (events.length + omitted <= LIMITS.ingest_alerts)
    return { alerts: events.map((one) => readEvent(one, notes)), notes };
  notes.push(`A batch of more than ${LIMITS.ingest_alerts} events is published as one alert.`);
  const total = events.length + omitted;
  const fields = buildAlert({ title: `${total} events`, body: joinLimitedLines(events.map(formatEventTitle), total) });
  const idempotencyKey = createCollapseKey("ce", ...events.flatMap(({ source, id }) => [source, id]));
  return { alerts: [{ fields, idempotencyKey }], notes };
}

const isEvent = ({ type, data, data_base64 }: Event) =>
  type !== "" || (data !== undefined && data !== null) || data_base64 !== "";

const notAnEvent = () =>
  invalidRequest(
    "malformed_body",
    "The request is not a CloudEvent. Send type, source and id in the body or in ce-* headers.",
  );

export const cloudEventsAdapter: SenderAdapter = {
  name: "cloudevents",
  delivery: "repeated",
  matches: (request) => isBinary(request) || request.contentType.startsWith("application/cloudevents"),
  read(request) {
    const notes: string[] = [];
    const sent = isBinary(request) ? readBinaryEvent(request, notes) : request.json();
    if (Array.isArray(sent)) return readBatch(sent, request.omitted, notes);
    const read = eventSchema.safeParse(sent);
    if (!read.success || !isEvent(read.data)) throw notAnEvent();
    return { alerts: [readEvent(read.data, notes)], notes };
  },
};
