// The tables of the operator's reference pages: settings by topic, the sample env file, metrics, events and commands.

import type { Command } from "commander";
import { OPERATIONS } from "../operations/index.ts";
import { createOpenApiWebhooks } from "../src/api/openapi/webhook_events.ts";
import { COUNTERS, GAUGES, HISTOGRAMS } from "../src/program/boot/metric_definitions.ts";
import { createCliProgram } from "../src/program/cli/command_tree.ts";
import { SETTINGS } from "../src/store/config/all_settings.ts";
import { RENAMED_SETTINGS } from "../src/store/config/renamed_settings.ts";
import { SECRET_FILE_PATH_VARIABLES } from "../src/store/config/secret_files.ts";
import { inlineCode, markdownTable } from "./markdown_table.ts";

/**
 * The topics of docs/reference/settings.md in their order: heading and the names of their settings. The first match
 * counts.
 */
const TOPICS: Record<string, [heading: string, names: RegExp]> = {
  address: ["Address", /^(?:HOST|PORT|PUBLIC_URL|CHANNEL_BASE_URL|NTFY_HOST|GOTIFY_HOST|TRUSTED_PROXIES)$/],
  embedded: ["Data folder and embedded database", /^(?:DATA_DIR|POSTGRES_.*|MIN_FREE_DISK_MB)$/],
  database: ["Database", /^(?:DATABASE_.*|MESSAGE_BUS_URL|SECRET)$/],
  capacity: ["Capacity", /^(?:WORKERS|MAX_.*|LONG_POLL_.*)$/],
  limits: ["Rate limits and retention", /_PER_MINUTE$|_RETENTION_DAYS$/],
  files: ["Uploaded files", /^ASSETS_/],
  email: ["E-mail", /^(?:SMTP|MAIL)_/],
  oidc: ["Sign-in with OpenID Connect", /^OIDC_/],
  backup: ["Backup", /^BACKUP_/],
  push: ["Push notifications", /^WEB_PUSH/],
  outside: ["Webhooks and assistants", /^(?:WEBHOOK|CLIENT_METADATA|OAUTH)_/],
  redis: ["Redis", /^REDIS_/],
  observability: ["Logs, metrics and traces", /^(?:METRICS_PUBLIC|LOG_LEVEL|OTEL_.*)$/],
  shutdown: ["Shutdown", /^SHUTDOWN_/],
};

/** The settings of each topic. @throws Error for a setting without a topic. */
function settingsByTopic() {
  const topicOf = (name: string): string => {
    const [topic] = Object.entries(TOPICS).find(([, [, names]]) => names.test(name)) ?? [];
    if (topic === undefined) throw new Error(`${name} has no topic: add it to TOPICS in scripts/operator_tables.ts.`);
    return topic;
  };
  return Map.groupBy(Object.values(SETTINGS), ({ name }) => topicOf(name));
}

/** Values that a sample shows instead of the default. */
const SAMPLE: Record<string, string> = { PUBLIC_URL: "https://alerts.example.org", TRUSTED_PROXIES: "loopback" };

function sampleEnv(): string {
  const groups = [...settingsByTopic()].map(([topic, settings]) => {
    const lines = settings.map(({ name, shownDefault }) => {
      const sample = SAMPLE[name];
      if (sample !== undefined) return `${name}=${sample}`;
      return `# ${name}=${/^[\w.:-]+$/.test(shownDefault) ? shownDefault : ""}`;
    });
    return [`# ${TOPICS[topic]![0]}`, ...lines].join("\n");
  });
  return `\`\`\`ini\n${groups.join("\n\n")}\n\`\`\``;
}

/** A second line; nothing for a setting without a default. */
function describeDefault(shown: string): string {
  if (shown === "(none)") return "";
  return `<br>Default: ${/^[\w./:@-]+$/.test(shown) ? inlineCode(shown) : shown.replace(/^\(|\)$/g, "")}`;
}

interface Metric {
  name: string;
  help: string;
  labelNames?: readonly string[];
}

const metricRows = (type: string, metrics: Record<string, Metric>): string[][] =>
  Object.values(metrics).map(({ name, help, labelNames = [] }) => [
    inlineCode(name),
    type,
    labelNames.map(inlineCode).join(", "),
    help,
  ]);

interface EventPath {
  post: { description: string; requestBody: { content: { "application/json": { example: { data: object } } } } };
}

const eventRows = (): string[][] =>
  Object.entries(createOpenApiWebhooks() as Record<string, EventPath>).map(([event, { post }]) => [
    inlineCode(event),
    post.description,
    Object.keys(post.requestBody.content["application/json"].example.data).map(inlineCode).join(", "),
  ]);

/** One row for each command without subcommands, except the operations. */
function commandRows(): string[][] {
  const operations = new Set(OPERATIONS.map(({ name }) => name.replaceAll("_", "-")));
  const program = createCliProgram({ tools: OPERATIONS, version: "", serve: async () => {}, now: () => new Date() });
  const rowsOf = (command: Command, path: string): string[][] =>
    command.commands.flatMap((inner) => {
      const full = `${path} ${inner.name()}`;
      if (path === "belfry" && operations.has(inner.name())) return [];
      if (inner.commands.length > 0) return rowsOf(inner, full);
      const args = inner.registeredArguments.map((argument) =>
        argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`,
      );
      const flags = inner.options.map(({ flags: written }) => inlineCode(written)).join(", ");
      return [[inlineCode(full + args.join("")), inner.description(), flags]];
    });
  return rowsOf(program, "belfry");
}

export const renderOperatorTables = (): Record<string, () => string> => ({
  ...Object.fromEntries(
    [...settingsByTopic()].map(([topic, settings]) => [
      `settings_${topic}`,
      () =>
        markdownTable(
          ["Setting and default", "Meaning"],
          settings.map(({ name, shownDefault, meaning }) => [
            inlineCode(name) + describeDefault(shownDefault),
            meaning,
          ]),
        ),
    ]),
  ),
  env: sampleEnv,
  renamed_settings: () =>
    markdownTable(
      ["Setting in 0.2.0", "In 0.3.0"],
      [...RENAMED_SETTINGS].map((names) => names.map(inlineCode)),
    ),
  secret_files: () => SECRET_FILE_PATH_VARIABLES.map((name) => `- ${inlineCode(name)}`).join("\n"),
  metrics: () =>
    markdownTable(
      ["Metric", "Type", "Labels", "Meaning"],
      [...metricRows("counter", COUNTERS), ...metricRows("histogram", HISTOGRAMS), ...metricRows("gauge", GAUGES)],
    ),
  events: () => markdownTable(["Event", "When", "Data"], eventRows()),
  cli: () => markdownTable(["Command", "Purpose", "Options"], commandRows()),
});
