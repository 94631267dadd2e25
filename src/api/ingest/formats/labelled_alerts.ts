// The texts and links of labelled alerts: the text of the rule's author, and the program's additions.

import { z } from "zod";
import { LIMITS } from "../../../model/limits.ts";
import { isWebAddress, type MessageLink } from "./arrange_links.ts";
import { textOrNumberMapSchema, textOrNumberSchema } from "./format_helpers.ts";

/** One alert of Prometheus, Alertmanager or Grafana. */
export const labelledAlertSchema = z.object({
  status: textOrNumberSchema,
  labels: textOrNumberMapSchema,
  annotations: textOrNumberMapSchema,
  startsAt: textOrNumberSchema,
  endsAt: textOrNumberSchema,
  generatorURL: textOrNumberSchema,
  dashboardURL: textOrNumberSchema,
  panelURL: textOrNumberSchema,
  silenceURL: textOrNumberSchema,
  imageURL: textOrNumberSchema,
  values: z.record(z.string(), z.number()).catch({}),
  valueString: textOrNumberSchema,
});
export type LabelledAlert = z.output<typeof labelledAlertSchema>;

type Labels = Record<string, string>;

/** Annotations with a meaning of their own, in the order in which they are shown. */
const TEXTS = ["summary", "description", "message"];

/** Grafana's internal labels and annotations begin with two underscores. */
const isInternal = (name: string) => name.startsWith("__") || name === "grafana_folder";

const isLink = (name: string, value: string) => isWebAddress(value) || /(^|_)url$|^runbook$/i.test(name);

/** The texts of the author, each once: summary, description and message, then other annotations with their names. */
export function getAnnotationTexts(annotations: Labels): string[] {
  const texts = TEXTS.map((name) => annotations[name]?.trim() ?? "");
  const others = Object.entries(annotations)
    .filter(([name, value]) => !TEXTS.includes(name) && !isInternal(name) && !isLink(name, value) && value !== "")
    .slice(0, LIMITS.shape_lines)
    .map(([name, value]) => `${name}: ${value.trim()}`);
  return [...new Set([...texts, ...others])].filter(Boolean);
}

/** `runbook_url` becomes "Runbook". */
function formatLabelName(name: string): string {
  const bare = name.replace(/[_ -]?url$/i, "").replaceAll(/[_-]+/g, " ") || "Link";
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}

const annotationLinks = (annotations: Labels): MessageLink[] =>
  Object.entries(annotations)
    .filter(([name, value]) => !isInternal(name) && !TEXTS.includes(name) && isLink(name, value))
    // The runbook first, since a person who is woken needs it first.
    .sort(([a], [b]) => Number(b.startsWith("runbook")) - Number(a.startsWith("runbook")))
    .slice(0, LIMITS.shape_lines)
    .map(([name, url]) => ({ label: formatLabelName(name), url }));

/**
 * The links of alerts that are shown together. Links to silence one of several, and to the query of each, are on the
 * program's page.
 */
export function collectAlertLinks(alerts: readonly LabelledAlert[], common: Labels): MessageLink[] {
  const toLinks = (label: string, pick: (alert: LabelledAlert) => string) =>
    alerts.map((alert) => ({ label, url: pick(alert) }));
  const only = alerts.length === 1 ? alerts : [];
  return [
    ...annotationLinks(common),
    ...alerts.flatMap(({ annotations }) => annotationLinks(annotations)),
    ...toLinks("Dashboard", ({ dashboardURL }) => dashboardURL),
    ...toLinks("Panel", ({ panelURL }) => panelURL),
    ...only.flatMap(({ silenceURL, generatorURL }) => [
      { label: "Silence", url: silenceURL },
      { label: "Source", url: generatorURL },
    ]),
  ];
}

/** Its instance, then the labels that set it apart from the others of its group. */
export function formatDistinctLabels({ labels }: Pick<LabelledAlert, "labels">, common: Labels): string {
  const own = Object.entries(labels).filter(
    ([name]) => !(name in common) && !isInternal(name) && !/^(alertname|severity|instance)$/.test(name),
  );
  return [labels.instance, ...own.slice(0, LIMITS.shape_lines).map(([name, value]) => `${name}=${value}`)]
    .filter(Boolean)
    .join(", ");
}

/** The values of Grafana's expressions, as "B = 44.2, C = 1"; empty when it sends none. */
export function formatGrafanaValues({ values, valueString }: Pick<LabelledAlert, "values" | "valueString">): string {
  const named = Object.entries(values).map(([name, value]) => `${name} = ${Number(value.toPrecision(6))}`);
  if (named.length > 0) return named.join(", ");
  const text = valueString.slice(0, LIMITS.shape_line);
  const found = [...text.matchAll(/(?:var|metric)='([^'\]]*)'[^\]]*\bvalue=([^\s\]]+)/g)];
  if (found.length === 0) return /[^\s[\]]/.test(text.replace("[no value]", "")) ? text : "";
  return found.map(([, name, value]) => `${name || "value"} = ${value}`).join(", ");
}
