// Alerts with labels, as Prometheus, Alertmanager and Grafana know them: a group of them is one alert here, with a line for
// each; resolved, it replaces the one that was shown while it fired. Prometheus itself sends all that fires again each minute,
// and what ended for a quarter of an hour more: the alerts of one name are one alert, published once as long as the same ones
// fire.

import { z } from "zod";
import { PRIORITIES } from "../../../model/fields/alert.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput, ReadAlert, Tongue } from "../tongue.ts";
import { alertOf, glance, keyOf, listed, oneLine, priorityOf, readAs, word, words } from "./parts.ts";

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

export const alertmanager: Tongue = {
  name: "alertmanager",
  delivery: "repeated",
  recognises(request) {
    const { version, groupKey, alerts } = glance(request);
    return version === "4" && typeof groupKey === "string" && Array.isArray(alerts);
  },
  read(request) {
    const read = readAs(
      group,
      request.object(),
      "This is not what Alertmanager's webhook sends, in its version 4.",
    );
    return { alerts: [{ fields: alertOfGroup("am", read) }], notes: [] };
  },
};

export const grafana: Tongue = {
  name: "grafana",
  // Grafana tries again only with the next notification of the group, and only while the group fires.
  delivery: "once",
  recognises(request) {
    const { orgId, alerts, status } = glance(request);
    return orgId !== undefined && status !== undefined && Array.isArray(alerts);
  },
  read(request) {
    const read = readAs(
      group,
      request.object(),
      "This is not what Grafana's webhook of unified alerting sends.",
    );
    // Grafana's own title begins with the state and how many there are; ours says the first, and the lines the second.
    const title = read.title.replace(/^\[(FIRING|RESOLVED|OK)[^\]]*\]\s*/, "");
    return { alerts: [{ fields: alertOfGroup("gf", read, title) }], notes: [] };
  },
};

const posted = z.array(labelled.extend({ labels: z.record(z.string(), z.string()) }));

function readGroup(name: string, alerts: readonly Labelled[], now: Date): ReadAlert {
  const hasEnded = ({ endsAt }: Labelled) =>
    !endsAt.startsWith("0001-") && Date.parse(endsAt) <= now.getTime();
  const stated = alerts.map((alert) => ({
    ...alert,
    status: hasEnded(alert) ? "resolved" : "firing",
  }));
  const firing = stated.filter(({ status }) => status === "firing");
  const identities = firing.map(({ labels, startsAt }) =>
    JSON.stringify([Object.entries(labels).sort(), startsAt]),
  );
  // What ended is left out one by one, so the last end tells one time from another.
  const state =
    firing.length > 0
      ? identities.sort()
      : [
          alerts
            .map(({ endsAt }) => endsAt)
            .sort()
            .at(-1) ?? "",
        ];
  const fields = alertOfGroup("prom", {
    ...{ groupKey: name, groupLabels: {}, commonAnnotations: {}, externalURL: "", title: "", message: "" },
    status: firing.length > 0 ? "firing" : "resolved",
    commonLabels: name === "" ? {} : { alertname: name },
    truncatedAlerts: 0,
    alerts: stated,
  });
  return { fields, firstStands: true, idempotencyKey: keyOf("prom", name, ...state) };
}

export const prometheus: Tongue = {
  name: "prometheus",
  delivery: "repeated",
  recognises(request) {
    if (request.path.endsWith("/api/v2/alerts")) return true;
    try {
      const body = request.json();
      return Array.isArray(body) && typeof body[0]?.labels === "object";
    } catch {
      return false;
    }
  },
  read(request) {
    const alerts = readAs(
      posted,
      request.json(),
      "This is not the list of alerts that Prometheus sends to an Alertmanager.",
    );
    const byName = Map.groupBy(alerts, ({ labels }) => labels.alertname ?? "");
    // More names at once than may be published: they are told together.
    const groups = byName.size > LIMITS.ingest_alerts ? new Map([["", alerts]]) : byName;
    return { alerts: [...groups].map(([name, group]) => readGroup(name, group, request.now)), notes: [] };
  },
};
