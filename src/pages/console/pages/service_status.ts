// The page on the state of the service, for the owner of its only workspace: counts, each with what to do about it
// (rules#service-state).

import type { z } from "zod";
import { get_service_state } from "../../../identity/session/workspaces.ts";
import { breakableUrl } from "../../../ui/build_url.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { relativeTime } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { type ConsolePage, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";
import { settingsSection } from "../settings_section.ts";

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

/** Disabled endpoints that the page names. */
const SHOWN = 3;

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

function sizeOf(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${UNITS[step]}`;
}

const count = (value: number | null): HtmlContent =>
  value === null ? html`<span class="muted">Not available</span>` : value === 0 ? "None" : value.toLocaleString("en");

/** A number of the service. `help` is the action on a number above 0; `acts` marks one that needs it now. */
interface Measure {
  name: string;
  now: HtmlContent;
  help?: HtmlContent;
  acts?: boolean;
}

const good = (text: HtmlContent): Html => html`<span class="badge good">${text}</span>`;

/** A queue, which is usually empty: that is its good state. */
const queue = (name: string, value: number | null, help: HtmlContent): Measure => ({
  ...{ name, now: value === 0 ? good("None") : count(value) },
  ...((value ?? 0) > 0 && { help }),
});

const list = (measures: readonly Measure[]): Html =>
  html`<dl class="measures">${measures.map(
    ({ name, now, help, acts }) =>
      html`<div><dt>${name}</dt><dd>${acts ? html`<span class="badge warn">${now}</span>` : now}</dd>${
        help && html`<dd class="hint">${help}</dd>`
      }</div>`,
  )}</dl>`;

type State = z.output<(typeof get_service_state)["output"]>;

/** The states other than available that replicas have, with their number. */
const listUnavailableReplicas = ({ replicas }: Pick<State, "replicas">) =>
  Object.entries(replicas ?? {}).filter(([state, many]) => state !== "answers" && many > 0);

/** PostgreSQL has estimates only after it has analysed a table. */
const estimate = (name: string, value: number | null): Measure[] =>
  value === null ? [] : [{ name, now: count(value) }];

/** The groups of measures, in the order of the page. */
function measureGroups(
  { base, now }: MemberPageContext,
  state: State,
  disabled: readonly { id: string; url: string }[],
): [id: string, string, Measure[]][] {
  const { waits, replicas, due_alerts, disabled_webhooks } = state;
  const waiting = waits?.calls_without_connection ?? null;
  const away = listUnavailableReplicas(state);
  const replicaCounts = [`${replicas?.answers ?? 0} available`, ...away.map(([how, many]) => `${many} ${how}`)].join(
    ", ",
  );
  return [
    [
      "alerts",
      "Alerts",
      [
        queue(
          "Due alerts waiting to be published",
          due_alerts,
          "Usually 0. If the number grows, check the log for failures of the “Publish due alerts” job.",
        ),
        {
          name: "Next scheduled alert",
          now:
            state.next_due_at === null
              ? html`<span class="muted">None</span>`
              : html`<a href="${base}month">${relativeTime(state.next_due_at, now)}</a>`,
        },
        ...estimate("Stored alerts (estimate)", state.about_alerts),
      ],
    ],
    [
      "webhooks",
      "Webhooks",
      [
        queue(
          "Pending webhook deliveries",
          waits?.webhooks ?? null,
          "Usually near 0. If the number stays high, a receiver is slow: it must respond before it processes the " +
            "event.",
        ),
        {
          ...queue(
            "Disabled endpoints",
            disabled_webhooks,
            disabled.map(
              ({ id, url }, i) => html`${i > 0 && html`<br>`}<a href="${base}webhooks/${id}">${breakableUrl(url)}</a>`,
            ),
          ),
          acts: disabled_webhooks > 0,
        },
      ],
    ],
    [
      "devices",
      "Devices",
      [
        ...estimate("Registered devices (estimate)", state.about_devices),
        { name: "Apps waiting for alerts (long polling)", now: count(waits?.held_polls ?? null) },
        { name: "Apps receiving alerts (streaming)", now: count(waits?.streams ?? null) },
        queue(
          "Pending push notifications",
          waits?.wake_ups ?? null,
          "Usually near 0. If the number stays high, allow outgoing HTTPS connections to the push services.",
        ),
      ],
    ],
    [
      "versions",
      "Versions",
      [
        { name: "Belfry", now: html`${state.version ?? "Not available"} · <a href="/docs/how-to/upgrade">Upgrade</a>` },
        { name: "Node", now: state.node ?? "Not available" },
        { name: "PostgreSQL", now: state.postgres },
      ],
    ],
    [
      "database",
      "Database",
      [
        { name: "Size", now: sizeOf(state.database_bytes) },
        {
          ...queue(
            "Calls waiting for a connection",
            waiting,
            html`Usually 0. If it stays above 0, increase <code>DATABASE_POOL_SIZE</code> or reduce the load.`,
          ),
          acts: (waiting ?? 0) > 0,
        },
        ...(replicas === null
          ? []
          : [
              {
                name: "Read replicas",
                now: away.length === 0 ? good(replicaCounts) : replicaCounts,
                acts: away.length > 0,
                help:
                  away.length > 0 &&
                  "The primary serves reads in place of unavailable replicas. Check their replication and connection.",
              },
            ]),
      ],
    ],
  ];
}

const ENDPOINTS_DISABLED = "Some webhook endpoints are disabled. Fix their receivers, then enable the endpoints.";

/** The problems that need an action now, each with the action. */
export function listServiceProblems(
  state: Pick<State, "degraded" | "disabled_webhooks" | "waits" | "replicas" | "housekeeping">,
): string[] {
  const { degraded, disabled_webhooks, waits, housekeeping } = state;
  return [
    degraded.includes("files") &&
      "The file storage is not responding, so uploads and pictures fail. Run “belfry doctor” on the server.",
    degraded.includes("synchronous_standby") &&
      "Writes are waiting for a synchronous standby. Connect it, or change synchronous_standby_names on the primary.",
    waits === null && "The server processes are not reporting their state. Check the log for the cause.",
    disabled_webhooks > 0 && ENDPOINTS_DISABLED,
    (waits?.calls_without_connection ?? 0) > 0 &&
      "Calls are waiting for a database connection. Reload to see if this persists.",
    listUnavailableReplicas(state).length > 0 &&
      "Read replicas are unavailable or behind. Check their replication and connection.",
    (housekeeping ?? []).some(({ failing }) => failing) &&
      "The last run of a maintenance job failed. Check the log for “a housekeeping job failed”; the entry names the " +
        "cause.",
  ].filter((problem) => problem !== false);
}

type Job = NonNullable<State["housekeeping"]>[number];

/** The jobs that failed, and the others in a list that opens. */
function jobs(all: readonly Job[], now: Date): HtmlContent {
  const listed = (some: readonly Job[]) =>
    list(
      some.map(({ step, last_success_at, failed, failing }) => ({
        name: HOUSEKEEPING_JOB_LABELS[step] ?? step.replaceAll("_", " "),
        now: html`${last_success_at === null ? "Has not succeeded since startup" : relativeTime(last_success_at, now)}${
          failed > 0 && html`, ${failed} failed`
        }`,
        acts: failing,
      })),
    );
  const hasFailed = (job: Job) => job.failing || job.failed > 0;
  const failed = all.filter(hasFailed);
  const others = all.filter((job) => !hasFailed(job));
  return html`${failed.length > 0 && listed(failed.toSorted((a, b) => Number(b.failing) - Number(a.failing)))}${
    others.length > 0 &&
    html`<details class="more"><summary>Jobs without a failure: ${others.length}</summary>${listed(others)}</details>`
  }`;
}

async function page(context: MemberPageContext): Promise<Response> {
  const state = await context.asMember(get_service_state, {});
  const { housekeeping } = state;
  const disabled =
    state.disabled_webhooks > 0 ? (await context.call("list_webhooks")).data.filter((hook) => hook.disabled) : [];
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
          : html`<div class="flash careful"><p><strong>The service is working, but action is needed</strong></p>
            <ul>${problems.map(
              (problem) =>
                html`<li><span>${problem}</span>${
                  problem === ENDPOINTS_DISABLED && html` <a href="${context.base}webhooks">Open Webhooks</a>`
                }</li>`,
            )}</ul></div>`
      }</section>
    <div class="mix">${measureGroups(context, state, disabled.slice(0, SHOWN)).map(
      ([id, title, measures]) =>
        html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${list(measures)}</section>`,
    )}${settingsSection(
      "jobs",
      "Maintenance jobs",
      "A failed job is retried automatically. If one fails repeatedly, check the log for “a housekeeping job " +
        "failed”.",
      (housekeeping ?? []).length === 0
        ? emptyState({ title: "No jobs have run yet", says: "The first jobs run within two minutes of startup." })
        : jobs(housekeeping ?? [], context.now),
    )}</div>`,
    { styles: ["history"] },
  );
}

export const SERVICE_STATUS_PAGES: readonly ConsolePage[] = [defineMemberPage("GET", "/service", page)];
