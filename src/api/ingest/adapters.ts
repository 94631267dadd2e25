// The list of adapters in the order of detection. The most specific come first. Plain text is last, as `curl -d` sends
// it: its first line is the title, so any program that can POST text works.

import { invalidRequest } from "../../model/api_error.ts";
import type { IngestRequest, SenderAdapter } from "./adapter.ts";
import { alertmanagerAdapter, prometheusServerAdapter } from "./formats/alertmanager_prometheus.ts";
import { cloudEventsAdapter } from "./formats/cloudevents.ts";
import { jsonAdapter } from "./formats/generic_json.ts";
import { githubAdapter } from "./formats/github.ts";
import { gitlabAdapter } from "./formats/gitlab.ts";
import { grafanaAdapter } from "./formats/grafana.ts";
import { healthchecksAdapter, uptimeKumaAdapter } from "./formats/uptime_monitors.ts";
import { gotifyAdapter } from "./gotify.ts";
import { convertHtmlToPlainText } from "./html_to_text.ts";
import { splitTitle, splitTitleAndRenderMarkdown, toVisibleLineOrEmpty } from "./message_text.ts";
import { ntfyAdapter } from "./ntfy.ts";

/** `?title=` and `?message=`, as programs without a body of their own send them; a template belongs to JSON. */
const inQuery = (request: IngestRequest, ...names: string[]): string =>
  names.map((name) => request.query.get(name) ?? "").find((value) => value && !value.includes("{{")) ?? "";

const textAdapter: SenderAdapter = {
  name: "text",
  // Every body is a text, and a picture is a file of an alert without one.
  matches: () => true,
  async read(request) {
    const notes: string[] = [];
    const isPicture = request.contentType.startsWith("image/");
    const files = isPicture ? [{ name: "picture", bytes: request.body }] : [];
    const given = isPicture ? "" : textOf(request).trim();
    const whole = toVisibleLineOrEmpty(given) === "" ? inQuery(request, "message", "text", "body") : given;
    const named = inQuery(request, "title");
    if (toVisibleLineOrEmpty(whole) === "" && toVisibleLineOrEmpty(named) === "" && !isPicture)
      throw invalidRequest(
        "field_required",
        "The body is empty. Send the text of the alert; its first line is the title.",
      );
    const title = named || null;
    if (request.contentType === "text/markdown")
      return { alerts: [{ fields: await splitTitleAndRenderMarkdown(title, whole, notes), files }], notes };
    if (request.contentType === "text/html") {
      const { title: line } = splitTitle(title, convertHtmlToPlainText(whole), notes);
      return { alerts: [{ fields: { title: line, html: whole }, files }], notes };
    }
    if (title !== null || isPicture) {
      const fields = splitTitle(title, whole || (named ? "" : "You received a picture"), notes);
      return { alerts: [{ fields, files }], notes };
    }
    const [first = ""] = whole.split("\n", 1);
    return { alerts: [{ fields: splitTitle(first, whole.slice(first.length), notes) }], notes };
  },
};

/** The body as text; what is declared as JSON and is a JSON string, without its quotes. */
function textOf(request: IngestRequest): string {
  const whole = request.text();
  if (!/[/+]json$/.test(request.contentType) || !whole.trim().startsWith('"')) return whole;
  const value = request.json();
  return typeof value === "string" ? value : whole;
}

export const ADAPTERS: readonly SenderAdapter[] = [
  githubAdapter,
  gitlabAdapter,
  cloudEventsAdapter,
  alertmanagerAdapter,
  grafanaAdapter,
  prometheusServerAdapter,
  uptimeKumaAdapter,
  healthchecksAdapter,
  ntfyAdapter,
  gotifyAdapter,
  jsonAdapter,
  textAdapter,
];

export const findAdapterByName = (name: string): SenderAdapter | null =>
  ADAPTERS.find((adapter) => adapter.name === name) ?? null;

export const detectAdapter = (request: IngestRequest): SenderAdapter | null =>
  ADAPTERS.find((adapter) => adapter.matches(request)) ?? null;
