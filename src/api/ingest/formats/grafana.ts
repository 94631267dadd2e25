// Grafana's webhooks: groups of unified alerting, whose contact point has a title and a message of its own. Also the
// single alerts of legacy alerting (Grafana 8 and older).

import { z } from "zod";
import type { AlertInput, SenderAdapter } from "../adapter.ts";
import { alertGroupSchema, buildGroupAlert } from "./alertmanager_prometheus.ts";
import { buildAlert, createCollapseKey, parseBodyObjectOrEmpty, textOrNumberSchema } from "./format_helpers.ts";
import { parseUndocumentedMessage } from "./generic_json.ts";

const unifiedAlertingSchema = alertGroupSchema.extend({
  title: textOrNumberSchema,
  message: textOrNumberSchema,
  orgId: textOrNumberSchema,
});

/**
 * Grafana's own title: the state and the number of alerts, the values of the group's labels, and those of the common
 * labels in brackets.
 */
const DEFAULT_TITLE = /^\[(FIRING|RESOLVED|OK)[^\]]*\]\s*/;
/** A group without labels has brackets alone, which name nothing. */
const BRACKETS_ALONE = /^(\(.*\))?\s*$/s;
/** Grafana's own message lists labels, annotations and links, which the alert shows better. */
const DEFAULT_MESSAGE = /^\*\*(Firing|Resolved)\*\*\s*($|Value: )/;
const STATE_WORD = /resolved|recovered|\b(ok|normal)\b|✅/i;

const legacySchema = z.object({
  title: textOrNumberSchema,
  ruleName: z.string(),
  ruleId: textOrNumberSchema,
  ruleUrl: textOrNumberSchema,
  state: z.enum(["alerting", "ok", "no_data", "paused", "pending"]),
  imageUrl: textOrNumberSchema,
  message: textOrNumberSchema,
  orgId: textOrNumberSchema,
  evalMatches: z
    .array(z.object({ metric: textOrNumberSchema, value: z.number().nullable() }))
    .nullable()
    .catch([]),
});

function buildLegacyAlert(rule: z.output<typeof legacySchema>): AlertInput {
  const values = (rule.evalMatches ?? []).map(({ metric, value }) => `${metric} = ${value ?? "no data"}`);
  return buildAlert({
    title: rule.title || `${rule.state}: ${rule.ruleName}`,
    body: [rule.message, values.length > 0 && `Values: ${values.join(", ")}`].filter(Boolean).join("\n"),
    url: rule.ruleUrl,
    image: rule.imageUrl,
    priority: rule.state === "alerting" ? "important" : "normal",
    key: createCollapseKey("gf-rule", rule.orgId, rule.ruleId || rule.ruleName),
  });
}

export const grafanaAdapter: SenderAdapter = {
  name: "grafana",
  // Grafana tries again only with the next notification of the group, and only while the group fires.
  delivery: "repeated",
  matches(request) {
    const { orgId, alerts, status, ruleName, state } = parseBodyObjectOrEmpty(request);
    if (typeof ruleName === "string" && typeof state === "string") return true;
    return orgId !== undefined && status !== undefined && Array.isArray(alerts);
  },
  read(request) {
    const body = request.object();
    const rule = legacySchema.safeParse(body);
    if (rule.success) return { alerts: [{ fields: buildLegacyAlert(rule.data) }], notes: [] };
    const read = unifiedAlertingSchema.safeParse(body);
    if (!read.success) return parseUndocumentedMessage(body, "grafana");
    const { title, message } = read.data;
    const isDefault = DEFAULT_TITLE.test(title);
    const bare = title.replace(DEFAULT_TITLE, "");
    const fields = buildGroupAlert(
      "gf",
      read.data,
      {
        title: isDefault && BRACKETS_ALONE.test(bare) ? "" : bare,
        saysState: !isDefault && STATE_WORD.test(title),
        message: DEFAULT_MESSAGE.test(message) ? "" : message,
      },
      request.omitted,
    );
    return { alerts: [{ fields }], notes: [] };
  },
};
