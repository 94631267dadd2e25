// The list of tongues, in the order in which they are asked whether a request is theirs: the surest signs first, plain text last.

import { gotify } from "./gotify.ts";
import { ntfy } from "./ntfy.ts";
import { cloudevents } from "./shapes/cloudevents.ts";
import { github } from "./shapes/github.ts";
import { gitlab } from "./shapes/gitlab.ts";
import { alertmanager, grafana, prometheus } from "./shapes/groups.ts";
import { json } from "./shapes/json.ts";
import { healthchecks, uptimeKuma } from "./shapes/monitors.ts";
import { text } from "./text.ts";
import type { IngestRequest, Tongue } from "./tongue.ts";

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
