// CloudEvents over HTTP: structured (the event is the body) and binary (its attributes are headers). An event is published once, by
// its source and id.

import { z } from "zod";
import { invalidRequest } from "../../../model/errors.ts";
import type { IngestRequest, Tongue } from "../tongue.ts";
import { fieldsOfJson } from "./json.ts";
import { keyOf, readAs } from "./parts.ts";

const event = z.object({
  specversion: z.string().regex(/^(1\.\d|0\.3)$/),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  subject: z.string().nullish(),
  data: z.unknown(),
});

const STRUCTURED = "application/cloudevents+json";

const isBinary = ({ headers }: IngestRequest) => headers.has("ce-specversion");

/** Attributes that are headers may be written in percent. */
function headerOf(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function eventOf(request: IngestRequest): unknown {
  if (!isBinary(request)) return request.object();
  const names = ["specversion", "id", "source", "type", "subject"];
  const attributes = names.map((name) => [name, request.headers.get(`ce-${name}`)] as const);
  return {
    ...Object.fromEntries(attributes.map(([name, value]) => [name, value === null ? null : headerOf(value)])),
    data:
      request.body.length === 0
        ? null
        : /[/+]json$/.test(request.contentType)
          ? request.json()
          : request.text(),
  };
}

export const cloudevents: Tongue = {
  name: "cloudevents",
  delivery: "repeated",
  recognises: (request) => isBinary(request) || request.contentType.startsWith("application/cloudevents"),
  read(request) {
    if (!isBinary(request) && request.contentType === "application/cloudevents-batch+json")
      throw invalidRequest(`Batches are not taken: send each event by itself, as ${STRUCTURED}.`);
    const { id, source, type, subject, data } = readAs(
      event,
      eventOf(request),
      "This is no CloudEvent of version 1.",
    );
    const told = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
    const title = subject ? `${type}: ${subject}` : type;
    const body = typeof data === "string" ? data : source;
    const fields = fieldsOfJson(told, { title, body });
    return { alerts: [{ fields, idempotencyKey: keyOf("ce", source, id) }], notes: [] };
  },
};
