// Alerts with labels, as Prometheus and Alertmanager send them: a group is one alert with a line for each of its alerts. A resolved group
// replaces the alert that was shown while it fired. Prometheus repeats each minute what fires, and what ended for a quarter of an hour: the
// alerts of one name are one alert, published once as long as the same ones fire.

import { z } from "zod";
import { PRIORITIES } from "../../../model/fields/alert.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput, IngestRequest, ReadAlert, Tongue } from "../tongue.ts";
import { httpsOf } from "../words.ts";
import { annotationTexts, type Labelled, labelled, linksOfAlerts, placeOf, valuesOf } from "./annotated.ts";
import { readUnknown } from "./json.ts";
import { alertOf, glance, keyOf, listed, priorityOf, readAs, word, words } from "./parts.ts";

export const group = z.object({
  receiver: word,
  status: z.enum(["firing", "resolved"]),
  groupKey: word,
  groupLabels: words,
  commonLabels: words,
  commonAnnotations: words,
  externalURL: word,
  truncatedAlerts: z.number().int().nonnegative().catch(0),
  alerts: z.array(labelled),
});
export type Group = z.output<typeof group>;

/** Texts that the author of the contact point wrote for the whole group, where the program has such. */
interface OwnTexts {
  title?: string;
  /** The title says that the group is resolved. */
  saysState?: boolean;
  message?: string;
}

/** What `shown` does not say already, each text once. */
function newTexts(texts: readonly string[], shown: string): string[] {
  return [...new Set(texts)].filter((text) => !shown.includes(text));
}

/** An alert by itself: every text of it in full. */
function wholeAlert(alert: Labelled, shown: string): string {
  const [first = "", ...others] = newTexts(annotationTexts(alert.annotations), shown);
  const values = valuesOf(alert);
  const place = placeOf(alert, {});
  return [[place, first].filter(Boolean).join(": "), ...others, values && `Values: ${values}`]
    .filter(Boolean)
    .join("\n");
}

/** One of several alerts, in a line. */
function lineOf(alert: Labelled, { status, commonLabels }: Group, shown: string): string {
  const texts = newTexts(annotationTexts(alert.annotations), shown).join(" – ");
  const name = "alertname" in commonLabels ? "" : alert.labels.alertname;
  const place = [name, placeOf(alert, commonLabels)].filter(Boolean).join(", ");
  const state = alert.status === status || alert.status === "" ? "" : `${alert.status}: `;
  const values = valuesOf(alert);
  const line = [place, texts].filter(Boolean).join(": ") || alert.labels.alertname || "an alert";
  return `${state}${line}${values && ` (${values})`}`;
}

function gravest({ alerts, commonLabels, status }: Group): AlertInput["priority"] {
  if (status === "resolved") return "normal";
  const severities = [
    commonLabels,
    ...alerts.filter(({ status }) => status !== "resolved").map(({ labels }) => labels),
  ];
  const found = severities.map((labels) => PRIORITIES.indexOf(priorityOf(labels.severity ?? labels.priority ?? "")));
  return PRIORITIES[found.reduce((a, b) => Math.max(a, b), 0)];
}

/** The same for the firing and the resolved group; undefined when nothing names the group. */
function groupKeyOf(kind: string, { groupKey, groupLabels, commonLabels, receiver }: Group): string | undefined {
  // Grafana gives each trial of a contact point another group.
  if (commonLabels.alertname === "TestAlert" && commonLabels.instance === "Grafana")
    return keyOf(kind, "trial", receiver);
  if (groupKey !== "") return keyOf(kind, groupKey);
  const labels = [groupLabels, commonLabels].find((some) => Object.keys(some).length > 0);
  return labels && keyOf(kind, JSON.stringify(Object.entries(labels).sort()));
}

/** How many different names make a title. */
const NAMES_IN_TITLE = 3;

/** The names of alerts that are shown together. */
function namesOf(alerts: readonly Labelled[]): string {
  const names = new Set(alerts.map(({ labels }) => labels.alertname ?? ""));
  const isShort = !names.has("") && names.size > 0 && names.size <= NAMES_IN_TITLE;
  return isShort ? [...names].join(", ") : "Alerts";
}

/** The page to read more on: the first https address of the alert's own pages, else the program's page of the group. */
function sourceOf({ alerts, externalURL }: Group): string {
  const [first] = alerts;
  const pages = first
    ? (["dashboardURL", "panelURL", "generatorURL"] as const).filter(
        (name) => alerts.length === 1 || (name === "dashboardURL" && alerts.every((one) => one[name] === first[name])),
      )
    : [];
  const own = pages.map((name) => first?.[name] ?? "");
  return own.find(httpsOf) ?? (own.some(Boolean) ? "" : externalURL);
}

/** One alert for a group, of which `omitted` alerts were not read; resolved, it replaces the alert that was shown while the group fired. */
export function alertOfGroup(kind: string, group: Group, own: OwnTexts = {}, omitted = 0): AlertInput {
  const { status, alerts, commonLabels, groupLabels, commonAnnotations, truncatedAlerts } = group;
  const only = alerts.length === 1 ? alerts[0] : undefined;
  const name = commonLabels.alertname || groupLabels.alertname || namesOf(alerts);
  const total = alerts.length + omitted;
  const count = total + truncatedAlerts;
  const common = annotationTexts(only ? { ...commonAnnotations, ...only.annotations } : commonAnnotations);
  const about = common[0] ?? (count > 1 ? `${count} alerts` : "");
  const title = own.title || (about === "" ? name : `${name}: ${about.split("\n", 1)[0]}`);
  const message = own.message ?? "";
  const shared = only ? [] : newTexts(common, `${title}\n${message}`);
  const shown = [title, message, ...shared].join("\n").slice(0, LIMITS.alert_body);
  const first = alerts.slice(0, LIMITS.shape_lines);
  const lines = only
    ? wholeAlert({ ...only, annotations: { ...commonAnnotations, ...only.annotations } }, shown)
    : listed(
        first.map((alert) => lineOf(alert, group, shown)),
        total,
      );
  const labels = only ? "" : placeOf({ labels: commonLabels }, {});
  const more =
    truncatedAlerts > 0
      ? `${truncatedAlerts} more ${truncatedAlerts === 1 ? "alert was" : "alerts were"} not included.`
      : "";
  return alertOf({
    title: status === "resolved" && !own.saysState ? `Resolved: ${title}` : title,
    body: [message, ...shared, lines, labels && `All of them: ${labels}`, more].filter(Boolean).join("\n"),
    url: sourceOf(group),
    links: linksOfAlerts(first, commonAnnotations),
    image: alerts.map(({ imageURL }) => imageURL).find(httpsOf),
    priority: gravest(group),
    key: groupKeyOf(kind, group),
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
    const read = group.safeParse(request.object());
    if (!read.success) return readUnknown(request.object(), "alertmanager");
    return { alerts: [{ fields: alertOfGroup("am", read.data, {}, request.omitted) }], notes: [] };
  },
};

const posted = z.array(labelled.extend({ labels: z.record(z.string(), z.string()) }));

function readGroup(
  name: string,
  alerts: readonly Labelled[],
  { now, omitted }: Pick<IngestRequest, "now" | "omitted">,
): ReadAlert {
  const hasEnded = ({ endsAt }: Labelled) => !endsAt.startsWith("0001-") && Date.parse(endsAt) <= now.getTime();
  const stated = alerts.map((alert) => ({
    ...alert,
    status: hasEnded(alert) ? "resolved" : "firing",
  }));
  const firing = stated.filter(({ status }) => status === "firing");
  const identities = firing.map(({ labels, startsAt }) => JSON.stringify([Object.entries(labels).sort(), startsAt]));
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
  const whole: Group = {
    ...{ receiver: "", groupKey: `name:${name}`, groupLabels: {}, commonAnnotations: {}, externalURL: "" },
    status: firing.length > 0 ? "firing" : "resolved",
    commonLabels: name === "" ? {} : { alertname: name },
    truncatedAlerts: 0,
    alerts: stated,
  };
  const fields = alertOfGroup("prom", whole, {}, omitted);
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
    // More names at once than may be published are one alert.
    const groups = byName.size > LIMITS.ingest_alerts ? new Map([["", alerts]]) : byName;
    const { now } = request;
    // Of several groups it is not known which one they would be in.
    const omitted = groups.size === 1 ? request.omitted : 0;
    return {
      alerts: [...groups].map(([name, group]) => readGroup(name, group, { now, omitted })),
      notes: [],
    };
  },
};
