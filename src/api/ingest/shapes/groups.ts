// Alerts with labels, as Prometheus, Alertmanager and Grafana know them: a group of them is one alert here, with a line for each.

import { z } from "zod";
import { PRIORITIES } from "../../../model/fields/alert.ts";
import type { AlertInput } from "../tongue.ts";
import { alertOf, keyOf, listed, oneLine, priorityOf, word, words } from "./parts.ts";

/** One of them. */
export const labelled = z.object({
  status: word,
  labels: words,
  annotations: words,
  startsAt: word,
  endsAt: word,
  generatorURL: word,
  dashboardURL: word,
});
export type Labelled = z.output<typeof labelled>;

export const group = z.object({
  status: z.enum(["firing", "resolved"]),
  groupKey: word,
  groupLabels: words,
  commonLabels: words,
  commonAnnotations: words,
  externalURL: word,
  truncatedAlerts: z.number().int().nonnegative().catch(0),
  alerts: z.array(labelled),
  title: word,
  message: word,
});
export type Group = z.output<typeof group>;

const textOf = ({ summary, description, message }: Record<string, string>) =>
  summary || description || message || "";

/** Where it is: its instance, or what else sets it apart from the others. */
function placeOf({ labels }: Labelled, common: Record<string, string>): string {
  if (labels.instance) return labels.instance;
  const own = Object.entries(labels).filter(
    ([name]) => !(name in common) && !/^(alertname|severity)$/.test(name),
  );
  return own.map(([name, value]) => `${name}=${value}`).join(", ");
}

/** What its title does not say already. */
function lineOf(alert: Labelled, { status, commonLabels }: Group, told: string): string {
  const { summary, description, message } = alert.annotations;
  const text = [description, message, summary].find((words) => words && words !== told);
  const said = [placeOf(alert, commonLabels), text].filter(Boolean).join(": ");
  const state = alert.status === status || alert.status === "" ? "" : `${alert.status}: `;
  return state + (said || alert.labels.alertname || "an alert");
}

function gravest({ alerts, commonLabels, status }: Group): AlertInput["priority"] {
  if (status === "resolved") return "normal";
  const severities = [
    commonLabels,
    ...alerts.filter(({ status }) => status !== "resolved").map(({ labels }) => labels),
  ];
  const found = severities.map((labels) =>
    PRIORITIES.indexOf(priorityOf(labels.severity ?? labels.priority ?? "")),
  );
  return PRIORITIES[found.reduce((a, b) => Math.max(a, b), 0)];
}

/** What a group comes to; resolved, it replaces what was shown while it fired. */
export function alertOfGroup(kind: string, group: Group, title?: string): AlertInput {
  const { status, alerts, commonLabels, groupLabels, commonAnnotations, truncatedAlerts } = group;
  const only = alerts.length === 1 ? alerts[0] : undefined;
  const name = commonLabels.alertname || groupLabels.alertname || only?.labels.alertname || "Alerts";
  const count = alerts.length + truncatedAlerts;
  const about =
    textOf(commonAnnotations) || (only ? textOf(only.annotations) : count > 1 ? `${count} alerts` : "");
  const said = title || (about === "" ? name : `${name}: ${about}`);
  const more = truncatedAlerts > 0 ? [`And ${truncatedAlerts} that were not sent along.`] : [];
  return alertOf({
    title: status === "resolved" ? `Resolved: ${oneLine(said)}` : said,
    body: [listed(alerts.map((alert) => lineOf(alert, group, about))), ...more].join("\n"),
    url: only?.dashboardURL || only?.generatorURL || group.externalURL,
    priority: gravest(group),
    key: keyOf(kind, group.groupKey),
  });
}
