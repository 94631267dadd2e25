// The state of the whole service for its operator: database contents, and metrics of its processes. It contains sums
// over all workspaces, and nothing of a single one.

import { z } from "zod";
import { assertDefined } from "../../model/assert.ts";
import { toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import type { StatementRow } from "../../store/db/statement.ts";
import type { readServiceOverview } from "../../store/queries/service_overview.ts";

const count = z.int();

export const serviceOverviewSchema = z.object({
  version: z.string().nullable().describe("The version that the service's processes report; null if none responds."),
  node: z.string().nullable(),
  postgres: z.string(),
  database_bytes: count,
  about_alerts: count.nullable().describe("The database's estimate; null before the first estimate."),
  about_devices: count.nullable(),
  due_alerts: count.describe("Due alerts that have not been published yet."),
  next_due_at: z.string().nullable(),
  disabled_webhooks: count,
  waits: z
    .object({
      webhooks: count.describe("Events and deliveries that are queued or in progress."),
      wake_ups: count,
      held_polls: count,
      streams: count,
      calls_without_connection: count.describe("Calls that are waiting for a database connection."),
    })
    .nullable(),
  replicas: z.record(z.string(), count).nullable().describe("Read replicas by state; null if there are none."),
  housekeeping: z
    .array(
      z.object({
        step: z.string(),
        last_success_at: z.string().nullable().describe("Null before the first success."),
        failed: count,
        failing: z.boolean().describe("True if the last run failed."),
      }),
    )
    .nullable()
    .describe("Job runs since the service started, and their failures."),
});
export type ServiceOverview = z.output<typeof serviceOverviewSchema>;

interface Sample {
  labels: Record<string, string>;
  value: number;
}

function samplesOf(text: string): (name: string) => Sample[] {
  const byName = new Map<string, Sample[]>();
  for (const [, name = "", labels = "", value] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, given]) => [label, given]);
    const samples = byName.get(name) ?? [];
    byName.set(name, [...samples, { labels: Object.fromEntries(pairs), value: Number(value) }]);
  }
  return (name) => byName.get(name) ?? [];
}

/** @param figures the text of /metrics of all processes, or null */
export function buildServiceOverview(
  row: StatementRow<typeof readServiceOverview>,
  figures: string | null,
): ServiceOverview {
  const samples = samplesOf(figures ?? "");
  const sum = (name: string, labels: Record<string, string> = {}) =>
    samples(name)
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
      .reduce((all, { value }) => all + value, 0);
  const standbys = samples("belfry_database_replicas").map(
    ({ labels: { state = "" }, value }) => [state, value] as const,
  );
  return {
    version: samples("belfry_build_info")[0]?.labels.version ?? null,
    node: samples("nodejs_version_info")[0]?.labels.version ?? null,
    postgres: assertDefined(row.postgres.split(" ")[0], "a version begins with its number"),
    database_bytes: Number(row.bytes),
    about_alerts: row.about_alerts === null ? null : Number(row.about_alerts),
    about_devices: row.about_devices === null ? null : Number(row.about_devices),
    due_alerts: row.due,
    next_due_at: toIsoMicrosOrNull(row.next_due_at),
    disabled_webhooks: row.disabled_webhooks,
    waits:
      figures === null
        ? null
        : {
            webhooks: sum("belfry_webhook_deliveries_pending"),
            wake_ups: sum("belfry_push_notifications_pending"),
            held_polls: sum("belfry_long_polls"),
            streams: sum("belfry_streams"),
            calls_without_connection: sum("belfry_database_connections", { state: "waiting" }),
          },
    replicas: standbys.length === 0 ? null : Object.fromEntries(standbys),
    housekeeping: figures === null ? null : computeJobStates(samples),
  };
}

/** The state of each housekeeping job that ran, sorted by name. */
function computeJobStates(samples: (name: string) => Sample[]): NonNullable<ServiceOverview["housekeeping"]> {
  const runs = samples("belfry_housekeeping_runs_total");
  const timesByStep = (name: string) => new Map(samples(name).map(({ labels, value }) => [labels.step, value]));
  const successes = timesByStep("belfry_housekeeping_last_success_timestamp_seconds");
  const failures = timesByStep("belfry_housekeeping_last_failure_timestamp_seconds");
  return [...new Set(runs.map(({ labels: { step = "" } }) => step))].toSorted().map((step) => {
    const failed = runs
      .filter(({ labels }) => labels.step === step && labels.outcome === "failed")
      .reduce((total, { value }) => total + value, 0);
    const success = successes.get(step);
    return {
      step,
      last_success_at: success === undefined ? null : new Date(success * 1000).toISOString(),
      failed,
      failing: failed > 0 && (success === undefined || (failures.get(step) ?? 0) > success),
    };
  });
}
