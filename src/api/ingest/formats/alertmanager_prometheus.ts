// Alerts with labels, as Prometheus and Alertmanager send them: a group is one alert with a line for each of its
// alerts. A resolved group replaces the alert that was shown while it fired. Prometheus repeats firing alerts each
// minute, and ended ones for a quarter of an hour. Those of one name are one alert, published once as long as the same
// ones fire.

import { z } from "zod";
import { PRIORITIES } from "../../../model/fields/alert.ts";
import { LIMITS } from "../../../model/limits.ts";
import type { AlertInput, IngestRequest, ParsedAlert, SenderAdapter } from "../adapter.ts";
import { parseHttpsUrl } from "../message_text.ts";
import {
  buildAlert,
  createCollapseKey,
  joinLimitedLines,
  mapSeverityToPriority,
  parseBodyObjectOrEmpty,
  parseBodyWithSchema,
  textOrNumberMapSchema,
  textOrNumberSchema,
} from "./format_helpers.ts";
import { parseUndocumentedMessage } from "./generic_json.ts";
import {
  collectAlertLinks,
  formatDistinctLabels,
  formatGrafanaValues,
  getAnnotationTexts,
  type LabelledAlert,
  labelledAlertSchema,
} from "./labelled_alerts.ts";

export const alertGroupSchema = z.object({
  receiver: textOrNumberSchema,
  status: z.enum(["firing", "resolved"]),
  groupKey: textOrNumberSchema,
  groupLabels: textOrNumberMapSchema,
  commonLabels: textOrNumberMapSchema,
  commonAnnotations: textOrNumberMapSchema,
  externalURL: textOrNumberSchema,
  truncatedAlerts: z.number().int().nonnegative().catch(0),
  alerts: z.array(labelledAlertSchema),
});
type AlertGroup = z.output<typeof alertGroupSchema>;

/** Texts that the author of the contact point wrote for the whole group, where the program has such. */
interface OwnTexts {
  title?: string;
  /** The title shows that the group is resolved. */
  saysState?: boolean;
  message?: string;
}

/** The texts that `shown` does not contain, each once. */
function excludeShownTexts(texts: readonly string[], shown: string): string[] {
  return [...new Set(texts)].filter((text) => !shown.includes(text));
}

/** An alert by itself: every text of it in full. */
function formatSingleAlert(alert: LabelledAlert, shown: string): string {
  const [first = "", ...others] = excludeShownTexts(getAnnotationTexts(alert.annotations), shown);
  const values = formatGrafanaValues(alert);
  const place = formatDistinctLabels(alert, {});
  return [[place, first].filter(Boolean).join(": "), ...others, values && `Values: ${values}`]
    .filter(Boolean)
    .join("\n");
}

/** One of several alerts, in a line. */
function formatAlertLine(alert: LabelledAlert, { status, commonLabels }: AlertGroup, shown: string): string {
  const texts = excludeShownTexts(getAnnotationTexts(alert.annotations), shown).join(" – ");
  const name = "alertname" in commonLabels ? "" : alert.labels.alertname;
  const place = [name, formatDistinctLabels(alert, commonLabels)].filter(Boolean).join(", ");
  const state = alert.status === status || alert.status === "" ? "" : `${alert.status}: `;
  const values = formatGrafanaValues(alert);
  const line = [place, texts].filter(Boolean).join(": ") || alert.labels.alertname || "an alert";
  return `${state}${line}${values && ` (${values})`}`;
}

function getHighestPriority({ alerts, commonLabels, status }: AlertGroup): AlertInput["priority"] {
  if (status === "resolved") return "normal";
  const severities = [
    commonLabels,
    ...alerts.filter(({ status }) => status !== "resolved").map(({ labels }) => labels),
  ];
  const found = severities.map((labels) =>
    PRIORITIES.indexOf(mapSeverityToPriority(labels.severity ?? labels.priority ?? "")),
  );
  return PRIORITIES[found.reduce((a, b) => Math.max(a, b), 0)];
}

/** The same for the firing and the resolved group; undefined when nothing names the group. */
function createGroupCollapseKey(
  kind: string,
  { groupKey, groupLabels, commonLabels, receiver }: AlertGroup,
): string | undefined {
  // Grafana gives each trial of a contact point another group.
  if (commonLabels.alertname === "TestAlert" && commonLabels.instance === "Grafana")
    return createCollapseKey(kind, "trial", receiver);
  if (groupKey !== "") return createCollapseKey(kind, groupKey);
  const labels = [groupLabels, commonLabels].find((some) => Object.keys(some).length > 0);
  return labels && createCollapseKey(kind, JSON.stringify(Object.entries(labels).sort()));
}

/** The number of different names in a title. */
const NAMES_IN_TITLE = 3;

/** The names of alerts that are shown together. */
function formatAlertNames(alerts: readonly LabelledAlert[]): string {
  const names = new Set(alerts.map(({ labels }) => labels.alertname ?? ""));
  const isShort = !names.has("") && names.size > 0 && names.size <= NAMES_IN_TITLE;
  return isShort ? [...names].join(", ") : "Alerts";
}

/** The page to read more on: the first https address of the alert's own pages, else the program's page of the group. */
function getSourceUrl({ alerts, externalURL }: AlertGroup): string {
  const [first] = alerts;
  const pages = first
    ? (["dashboardURL", "panelURL", "generatorURL"] as const).filter(
        (name) => alerts.length === 1 || (name === "dashboardURL" && alerts.every((one) => one[name] === first[name])),
      )
    : [];
  const own = pages.map((name) => first?.[name] ?? "");
  return own.find(parseHttpsUrl) ?? (own.some(Boolean) ? "" : externalURL);
}

/**
 * One alert for a group, of which `omitted` alerts were not read; resolved, it replaces the alert that was shown
 * while the group fired.
 */
export function buildGroupAlert(kind: string, group: AlertGroup, own: OwnTexts, omitted: number): AlertInput {
  const { status, alerts, commonLabels, groupLabels, commonAnnotations, truncatedAlerts } = group;
  const only = alerts.length === 1 ? alerts[0] : undefined;
  const name = commonLabels.alertname || groupLabels.alertname || formatAlertNames(alerts);
  const total = alerts.length + omitted;
  const count = total + truncatedAlerts;
  const common = getAnnotationTexts(only ? { ...commonAnnotations, ...only.annotations } : commonAnnotations);
  const about = common[0] ?? (count > 1 ? `${count} alerts` : "");
  const title = own.title || (about === "" ? name : `${name}: ${about.split("\n", 1)[0]}`);
  const message = own.message ?? "";
  const shared = only ? [] : excludeShownTexts(common, `${title}\n${message}`);
  const shown = [title, message, ...shared].join("\n").slice(0, LIMITS.alert_body);
  const first = alerts.slice(0, LIMITS.shape_lines);
  const lines = only
    ? formatSingleAlert({ ...only, annotations: { ...commonAnnotations, ...only.annotations } }, shown)
    : joinLimitedLines(
        first.map((alert) => formatAlertLine(alert, group, shown)),
        total,
      );
  const labels = only ? "" : formatDistinctLabels({ labels: commonLabels }, {});
  const more =
    truncatedAlerts > 0
      ? `${truncatedAlerts} more ${truncatedAlerts === 1 ? "alert was" : "alerts were"} not included.`
      : "";
  return buildAlert({
    title: status === "resolved" && !own.saysState ? `Resolved: ${title}` : title,
    body: [message, ...shared, lines, labels && `Common labels: ${labels}`, more].filter(Boolean).join("\n"),
    url: getSourceUrl(group),
    links: collectAlertLinks(first, commonAnnotations),
    image: alerts.map(({ imageURL }) => imageURL).find(parseHttpsUrl),
    priority: getHighestPriority(group),
    key: createGroupCollapseKey(kind, group),
  });
}

export const alertmanagerAdapter: SenderAdapter = {
  name: "alertmanager",
  delivery: "repeated",
  matches(request) {
    const { version, groupKey, alerts } = parseBodyObjectOrEmpty(request);
    return version === "4" && typeof groupKey === "string" && Array.isArray(alerts);
  },
  read(request) {
    const read = alertGroupSchema.safeParse(request.object());
    if (!read.success) return parseUndocumentedMessage(request.object(), "alertmanager");
    return { alerts: [{ fields: buildGroupAlert("am", read.data, {}, request.omitted) }], notes: [] };
  },
};

const postedAlertsSchema = z.array(labelledAlertSchema.extend({ labels: z.record(z.string(), z.string()) }));

function readGroup(
  name: string,
  alerts: readonly LabelledAlert[],
  { now, omitted }: Pick<IngestRequest, "now" | "omitted">,
): ParsedAlert {
  const hasEnded = ({ endsAt }: LabelledAlert) => !endsAt.startsWith("0001-") && Date.parse(endsAt) <= now.getTime();
  const stated = alerts.map((alert) => ({ ...alert, status: hasEnded(alert) ? "resolved" : "firing" }));
  const firing = stated.filter(({ status }) => status === "firing");
  const identities = firing.map(({ labels, startsAt }) => JSON.stringify([Object.entries(labels).sort(), startsAt]));
  // Resolved alerts are left out one by one, so the last end distinguishes times.
  const state =
    firing.length > 0
      ? identities.sort()
      : [
          alerts
            .map(({ endsAt }) => endsAt)
            .sort()
            .at(-1) ?? "",
        ];
  const whole: AlertGroup = {
    ...{ receiver: "", groupKey: `name:${name}`, groupLabels: {}, commonAnnotations: {}, externalURL: "" },
    status: firing.length > 0 ? "firing" : "resolved",
    commonLabels: name === "" ? {} : { alertname: name },
    truncatedAlerts: 0,
    alerts: stated,
  };
  const fields = buildGroupAlert("prom", whole, {}, omitted);
  return { fields, keepFirst: true, idempotencyKey: createCollapseKey("prom", name, ...state) };
}

export const prometheusServerAdapter: SenderAdapter = {
  name: "prometheus",
  delivery: "repeated",
  matches(request) {
    if (request.path.endsWith("/api/v2/alerts")) return true;
    try {
      const body = request.json();
      return Array.isArray(body) && typeof body[0]?.labels === "object";
    } catch {
      return false;
    }
  },
  read(request) {
    const alerts = parseBodyWithSchema(
      postedAlertsSchema,
      request.json(),
      "The body is not the list of alerts that Prometheus sends to Alertmanager.",
    );
    const byName = Map.groupBy(alerts, ({ labels }) => labels.alertname ?? "");
    // More names at once than may be published are one alert.
    const groups = byName.size > LIMITS.ingest_alerts ? new Map([["", alerts]]) : byName;
    const { now } = request;
    // With several groups, the group of an alert is unknown.
    const omitted = groups.size === 1 ? request.omitted : 0;
    return { alerts: [...groups].map(([name, group]) => readGroup(name, group, { now, omitted })), notes: [] };
  },
};
