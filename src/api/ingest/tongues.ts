// The list of tongues, in the order in which they are asked whether a request is theirs: the surest signs first, plain text last, as
// `curl -d` sends it: its first line is the title, and any program that can send a text to an address speaks it.

import { invalidRequest } from "../../model/errors.ts";
import { gotify } from "./gotify.ts";
import { ntfy } from "./ntfy.ts";
import { cloudevents } from "./shapes/cloudevents.ts";
import { github } from "./shapes/github.ts";
import { gitlab } from "./shapes/gitlab.ts";
import { grafana } from "./shapes/grafana.ts";
import { alertmanager, prometheus } from "./shapes/groups.ts";
import { json } from "./shapes/json.ts";
import { healthchecks, uptimeKuma } from "./shapes/monitors.ts";
import type { IngestRequest, Tongue } from "./tongue.ts";
import { titled, visibleLine } from "./words.ts";

export const text: Tongue = {
  name: "text",
  // `curl -d` says that it sends a form.
  recognises: ({ contentType }) =>
    ["", "text/plain", "application/x-www-form-urlencoded"].includes(contentType),
  read(request) {
    const whole = request.text().trim();
    const [first = ""] = whole.split("\n", 1);
    if (visibleLine(whole) === "")
      throw invalidRequest("Send the text of the alert as the body; its first line is the title.");
    const notes: string[] = [];
    return { alerts: [{ fields: titled(first, whole.slice(first.length), notes) }], notes };
  },
};

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

export const tongueNamed = (name: string): Tongue | null =>
  TONGUES.find((tongue) => tongue.name === name) ?? null;

export const recognised = (request: IngestRequest): Tongue | null =>
  TONGUES.find((tongue) => tongue.recognises(request)) ?? null;
