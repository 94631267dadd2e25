// What a request to ntfy says, wherever it says it: headers and their short forms, the query, or one JSON object. The names and the
// order in which they are looked at are ntfy's own.

import { invalidRequest } from "../../model/errors.ts";
import type { IngestRequest } from "./tongue.ts";
import { headerText } from "./words.ts";

/** Our name → those that ntfy takes, in headers of any case and in the query. */
export const NAMES = {
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
  markdown: ["x-markdown", "markdown", "md"],
  cache: ["x-cache", "cache"],
  firebase: ["x-firebase", "firebase"],
  email: ["x-email", "x-e-mail", "email", "e-mail", "mail", "e"],
  call: ["x-call", "call"],
  template: ["x-template", "template", "tpl"],
  unifiedpush: ["x-unifiedpush", "unifiedpush", "up"],
  sequence_id: ["x-sequence-id", "sequence-id", "sid"],
} as const;

type Name = keyof typeof NAMES;

/** What a request says under one of such names: in a header, else in the query; empty where it says nothing. */
export function sayingOf(headers: Headers, query: URLSearchParams): (names: readonly string[]) => string {
  const inQuery = new Map([...query].map(([name, value]) => [name.toLowerCase(), value.trim()]));
  return (names) =>
    names.map((name) => headerText(headers.get(name) ?? "").trim()).find(Boolean) ??
    names.map((name) => inQuery.get(name)).find(Boolean) ??
    "";
}

/** Empty where nothing is said. */
export type SaidWords = Record<Name, string> & { topic: string; text: string };

export const isYes = (value: string) => ["1", "yes", "true"].includes(value.toLowerCase());
export const isNo = (value: string) => ["0", "no", "false"].includes(value.toLowerCase());

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;

export function saidIn(request: IngestRequest): SaidWords {
  const topic = request.channel;
  return topic === null ? inJson(request) : { ...inHeaders(request), topic };
}

function inHeaders({ headers, query, text }: IngestRequest): Omit<SaidWords, "topic"> {
  const one = sayingOf(headers, query);
  const words = Object.fromEntries(Object.entries(NAMES).map(([name, names]) => [name, one(names)]));
  const said = words as Record<Name, string>;
  if (/^text\/markdown\s*(;|$)/i.test(headers.get("content-type") ?? "")) said.markdown = "yes";
  // A body stands before a message in the query, which says a line end as two characters.
  return { ...said, text: text().trim() || said.message.replaceAll("\\n", "\n") };
}

/** Published as JSON: the same words under their plain names. @throws 422 */
function inJson(request: IngestRequest): SaidWords {
  const object = request.object();
  const said = Object.fromEntries(Object.keys(NAMES).map((name) => [name, wordsOf(object[name])]));
  const { topic } = object;
  if (typeof topic !== "string" || !TOPIC.test(topic))
    throw invalidRequest("The JSON must name the channel by its handle.", "topic");
  // What the object leaves out, headers may say, as some programs do.
  const { text: _, ...beside } = inHeaders({ ...request, text: () => "" });
  const words = said as Record<Name, string>;
  for (const [name, value] of Object.entries(beside)) words[name as Name] ||= value;
  return { ...words, topic, text: words.message };
}

function wordsOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value))
    return value.every((item) => typeof item === "string") ? value.join(",") : JSON.stringify(value);
  return "";
}
