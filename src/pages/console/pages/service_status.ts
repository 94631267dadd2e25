// The page on the state of the service, for the owner of its only workspace: counts, each with what to do about it
// (rules#service-state).

import type { z } from "zod";
import { get_service_state } from "../../../identity/session/workspaces.ts";
import { LIMITS } from "../../../model/limits.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { emptyState, relativeTime, renderHtmlTable } from "../components.ts";
import { type ConsolePage, type MemberPageContext, memberPage } from "../page_context.ts";

/** The housekeeping jobs by their names in the log and in metrics. */
export const HOUSEKEEPING_JOB_LABELS: Readonly<Record<string, string>> = {
  due_alerts: "Publish due alerts",
  due_series: "Create the next occurrences of repeating alerts",
  pending_subscriber_events: "Send events about subscribers",
  pending_alert_events: "Send events about alerts",
  unindexed_alerts: "Add earlier alerts to the search index",
  ended_alerts: "Delete alerts past their retention",
  orphaned_reports: "Delete reports of deleted alerts",
  unused_files: "Delete unused files",
  unseen_devices: "Delete inactive devices",
  audit_events: "Delete old audit log entries",
  one_time_links: "Delete expired one-time links",
  sessions: "Delete expired sessions",
  verifications: "Delete expired sign-in codes",
  oauth_access_tokens: "Delete expired access tokens of assistants",
  oauth_refresh_tokens: "Delete expired refresh tokens of assistants",
  connection_grants: "Delete unused consents",
  oauth_client_assertions: "Delete expired client assertions",
  oauth_clients: "Delete unused registrations of assistants",
  step_ups: "Delete old scope challenges",
  device_transfers: "Delete expired device transfer codes",
  test_device_links: "Delete expired test device links",
  alert_changes: "Delete the old edit history of alerts",
  webhook_deliveries: "Delete old webhook deliveries",
  events: "Delete old events",
  idempotency_records: "Delete expired idempotency keys",
};

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

function sizeOf(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${UNITS[step]}`;
}

const count = (value: number | null): HtmlContent =>
  value === null ? html`<span class="muted">Not available</span>` : value.toLocaleString("en");

/** A number of the service. `help` explains it and what to do about it; `acts` marks one that needs an action now. */
interface Measure {
  name: string;
  now: HtmlContent;
  help: HtmlContent;
  acts?: boolean;
}

const group = (id: string, title: string, measures: readonly Measure[]): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${renderHtmlTable(title, measures, {
    Measure: ({ name }) => name,
    Now: ({ now, acts }) => (acts ? html`<span class="badge warn">${now}</span>` : now),
    Action: ({ help }) => html`<span class="advice">${help}</span>`,
  })}</section>`;

type State = z.output<(typeof get_service_state)["output"]>;

/** The states other than available that replicas have, with their number. */
const listUnavailableReplicas = ({ replicas }: Pick<State, "replicas">) =>
  Object.entries(replicas ?? {}).filter(([state, many]) => state !== "answers" && many > 0);

/** The groups of measures, in the order of the page. */
function measureGroups({ base }: MemberPageContext, state: State, now: Date): [id: string, string, Measure[]][] {
  const { waits, replicas, due_alerts, disabled_webhooks } = state;
  const waiting = waits?.calls_without_connection ?? null;
  const away = listUnavailableReplicas(state);
  return [
    [
      "alerts",
      "Alerts",
      [
        {
          name: "Due alerts waiting to be published",
          now: count(due_alerts),
          help: "Usually 0. If the number grows, look in the log for failures of the job “Publish due alerts”.",
        },
        {
          name: "Next scheduled alert",
          now:
            state.next_due_at === null ? html`<span class="muted">None</span>` : relativeTime(state.next_due_at, now),
          help: html`To change that alert, open it in the <a href="${base}month">calendar</a>.`,
        },
        {
          name: "Stored alerts",
          now: count(state.about_alerts),
          help: "The database’s estimate. To keep fewer, set a retention for a channel or the workspace.",
        },
      ],
    ],
    [
      "devices",
      "Devices",
      [
        {
          name: "Registered devices",
          now: count(state.about_devices),
          help: html`The database’s estimate. <code>DEVICE_RETENTION_DAYS</code> deletes inactive ones.`,
        },
        {
          name: "Apps waiting for alerts by long poll",
          now: count(waits?.held_polls ?? null),
          help: html`Open connections. If they approach <code>LONG_POLL_LIMIT</code>, increase it.`,
        },
        {
          name: "Apps that receive alerts by stream",
          now: count(waits?.streams ?? null),
          help: html`Open connections. They count towards the same limit.`,
        },
        {
          name: "Pending push notifications",
          now: count(waits?.wake_ups ?? null),
          help: "Usually near 0. If the number stays high, allow outgoing https to the push services.",
        },
      ],
    ],
    [
      "webhooks",
      "Webhooks",
      [
        {
          name: "Pending webhook deliveries",
          now: count(waits?.webhooks ?? null),
          help:
            "Usually near 0. If the number stays high, a receiver is slow: it must respond before it processes " +
            "the event.",
        },
        {
          name: "Disabled endpoints",
          now: count(disabled_webhooks),
          acts: disabled_webhooks > 0,
          help: html`Each failed ${LIMITS.webhook_failures} times in a row. Fix the receiver, then enable the endpoint
            under <a href="${base}webhooks">Webhooks</a>.`,
        },
      ],
    ],
    [
      "database",
      "Database",
      [
        {
          name: "Size",
          now: sizeOf(state.database_bytes),
          help: html`Leave free disk space for the database to grow. <code>belfry doctor</code> checks the free space.`,
        },
        {
          name: "Calls waiting for a connection",
          now: count(waiting),
          acts: (waiting ?? 0) > 0,
          help: html`Usually 0. If it stays above 0, increase <code>DATABASE_POOL_SIZE</code> or reduce the load.`,
        },
        ...(replicas === null
          ? []
          : [
              {
                name: "Read replicas",
                now: `${replicas.answers ?? 0} available${away.map(([how, many]) => `, ${many} ${how}`).join("")}`,
                acts: away.length > 0,
                help: "The primary serves the reads of unavailable replicas. Check their replication and connection.",
              },
            ]),
      ],
    ],
    [
      "versions",
      "Versions",
      [
        {
          name: "Belfry",
          now: state.version ?? "Not available",
          help: html`Compare it with the newest release. To upgrade, see <a href="/docs/how-to/upgrade">Upgrade</a>.`,
        },
        {
          name: "Node",
          now: state.node ?? "Not available",
          help: "Install its security updates. Restart the service afterwards.",
        },
        {
          name: "PostgreSQL",
          now: state.postgres,
          help: html`Install its security updates. For another major version, see
            <a href="/docs/how-to/postgresql">PostgreSQL</a>.`,
        },
      ],
    ],
  ];
}

/** The problems that need an action now, each with the action. */
export function listServiceProblems(
  state: Pick<State, "degraded" | "disabled_webhooks" | "waits" | "replicas" | "housekeeping">,
): string[] {
  const { degraded, disabled_webhooks, waits, housekeeping } = state;
  return [
    degraded.includes("files") &&
      "The file storage is not responding, so uploads and pictures fail. Run “belfry doctor” on the server.",
    waits === null && "Its processes do not report their state. Look in the log for the cause.",
    disabled_webhooks > 0 && "Webhook endpoints are disabled. Fix their receivers, then enable them.",
    (waits?.calls_without_connection ?? 0) > 0 && "Calls wait for a database connection. Reload to see if it persists.",
    listUnavailableReplicas(state).length > 0 &&
      "Read replicas are unavailable or behind. Check their replication and connection.",
    (housekeeping ?? []).some(({ failing }) => failing) &&
      "The last run of a maintenance job failed. Look in the log for “a housekeeping job failed”; it names the cause.",
  ].filter((problem) => problem !== false);
}

async function page(context: MemberPageContext): Promise<Response> {
  const state = await context.asMember(get_service_state, {});
  const { housekeeping } = state;
  const { now } = context;
  const problems = listServiceProblems(state);
  return context.page(
    "This service",
    html`<h1>This service</h1>
    <p class="lede">The state of this server, visible to you because yours is its only workspace.
      Operators can run <code>belfry status</code> and <a href="/docs/how-to/monitoring">monitor it</a>.</p>
    <section aria-labelledby="health"><h2 id="health">Health</h2>
      ${
        problems.length === 0
          ? html`<p><span class="badge good">Working</span> No action is needed.</p>`
          : html`<div class="flash careful"><p>The service works, but action is needed:</p>
            <ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul></div>`
      }</section>
    ${measureGroups(context, state, now).map(([id, title, measures]) => group(id, title, measures))}
    <section aria-labelledby="jobs"><h2 id="jobs">Maintenance jobs</h2>
      <p class="hint">A failed job runs again by itself.
        If one fails repeatedly, look in the log for “a housekeeping job failed”.</p>
      ${renderHtmlTable(
        "Maintenance jobs",
        (housekeeping ?? []).toSorted((a, b) => Number(b.failing) - Number(a.failing) || b.failed - a.failed),
        {
          Job: ({ step }) => HOUSEKEEPING_JOB_LABELS[step] ?? step.replaceAll("_", " "),
          "Last success": ({ last_success_at }) =>
            last_success_at === null ? "None since start" : relativeTime(last_success_at, now),
          "Failures since start": ({ failed, failing }) =>
            failed === 0 ? "None" : failing ? html`<span class="badge warn">${failed}</span>` : failed,
        },
        emptyState("No jobs have run yet", "The first jobs run within two minutes of the start."),
      )}</section>`,
    { styles: ["history"] },
  );
}

export const SERVICE_STATUS_PAGES: readonly ConsolePage[] = [memberPage("GET", "/service", page)];
