// The list of tongues, in the order in which they are asked whether a request is theirs: the surest signs first, plain text last, as
// `curl -d` sends it: its first line is the title, and any program that can send a text to an address speaks it.

import { invalidRequest } from "../../model/errors.ts";
import { gotify } from "./gotify.ts";
import { ntfy } from "./ntfy.ts";
import { plainText } from "./plain_text.ts";
import { cloudevents } from "./shapes/cloudevents.ts";
import { github } from "./shapes/github.ts";
import { gitlab } from "./shapes/gitlab.ts";
import { grafana } from "./shapes/grafana.ts";
import { alertmanager, prometheus } from "./shapes/groups.ts";
import { json } from "./shapes/json.ts";
import { healthchecks, uptimeKuma } from "./shapes/monitors.ts";
import type { IngestRequest, Tongue } from "./tongue.ts";
import { titled, titledMarked, visibleLine } from "./words.ts";

/** `?title=` and `?message=`, as programs without a body of their own send them; a template belongs to JSON. */
const inQuery = (request: IngestRequest, ...names: string[]): string =>
  names.map((name) => request.query.get(name) ?? "").find((value) => value && !value.includes("{{")) ?? "";

export const text: Tongue = {
  name: "text",
  // Every body is a text, and a picture is a file of an alert without one.
  recognises: () => true,
  async read(request) {
    const notes: string[] = [];
    const isPicture = request.contentType.startsWith("image/");
    const files = isPicture ? [{ name: "picture", bytes: request.body }] : [];
    const given = isPicture ? "" : textOf(request).trim();
    const whole = visibleLine(given) === "" ? inQuery(request, "message", "text", "body") : given;
    const named = inQuery(request, "title");
    if (visibleLine(whole) === "" && visibleLine(named) === "" && !isPicture)
      throw invalidRequest("field_required", "Send the text of the alert as the body; its first line is the title.");
    const title = named || null;
    if (request.contentType === "text/markdown")
      return { alerts: [{ fields: await titledMarked(title, whole, notes), files }], notes };
    if (request.contentType === "text/html") {
      const { title: line } = titled(title, plainText(whole), notes);
      return { alerts: [{ fields: { title: line, html: whole }, files }], notes };
    }
    if (title !== null || isPicture) {
      const fields = titled(title, whole || (named ? "" : "You received a picture"), notes);
      return { alerts: [{ fields, files }], notes };
    }
    const [first = ""] = whole.split("\n", 1);
    return { alerts: [{ fields: titled(first, whole.slice(first.length), notes) }], notes };
  },
};

/** The body as text; what is declared as JSON and is a JSON string, without its quotes. */
function textOf(request: IngestRequest): string {
  const whole = request.text();
  if (!/[/+]json$/.test(request.contentType) || !whole.trim().startsWith('"')) return whole;
  const value = request.json();
  return typeof value === "string" ? value : whole;
}

export const TONGUES: readonly Tongue[] = [
  github,
  gitlab,
  cloudevents,
  alertmanager,
  grafana,
  prometheus,
  uptimeKuma,
  healthchecks,
  ntfy,
  gotify,
  json,
  text,
];

export const tongueNamed = (name: string): Tongue | null => TONGUES.find((tongue) => tongue.name === name) ?? null;

export const recognised = (request: IngestRequest): Tongue | null =>
  TONGUES.find((tongue) => tongue.recognises(request)) ?? null;
