// The state of the service, for the owner of its only workspace: health, versions, sizes, queues. It shows counts only,
// and none if there are other workspaces (rules#service-state).

import { get_service_state } from "../../../identity/session/workspaces.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { emptyState, relativeTime, table } from "../components.ts";
import { type ConsolePage, type MemberContext, memberPage } from "../page_context.ts";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

function sizeOf(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${UNITS[step]}`;
}

const number = (count: number | null): Content =>
  count === null ? html`<span class="muted">Not available yet</span>` : count.toLocaleString("en");

const numbers = (caption: string, rows: readonly (readonly [what: string, now: Content])[]): Content =>
  table(caption, rows, { What: ([what]) => what, Now: ([, now]) => now });

const part = (id: string, title: string, body: Content): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`;

async function page(visit: MemberContext): Promise<Response> {
  const state = await visit.asMember(get_service_state, {});
  const { waits, housekeeping, degraded, now } = { ...state, now: visit.now };
  const well = degraded.length === 0;
  return visit.page(
    "This service",
    html`<h1>This service</h1>
    <p class="lede">The state of this server, visible to you because yours is its only workspace. Operators can run <code>belfry status</code> and scrape <code>/metrics</code>.</p>
    ${part(
      "health",
      "Health",
      html`<p><span class="badge ${well ? "ok" : "warn"}">${well ? "Ready" : `Ready, but degraded: ${degraded.join(", ")}`}</span></p>
      ${numbers("Versions and sizes", [
        ["Belfry", state.version ?? "Unknown"],
        ["Node", state.node ?? "Unknown"],
        ["PostgreSQL", state.postgres],
        ["Database", sizeOf(state.database_bytes)],
        ["Alerts (estimate)", number(state.about_alerts)],
        ["Devices (estimate)", number(state.about_devices)],
      ])}`,
    )}
    ${part(
      "waits",
      "Queues",
      numbers("Queues", [
        ["Due alerts, not yet published", number(state.due_alerts)],
        [
          "Next scheduled alert",
          state.next_due_at === null ? html`<span class="muted">None</span>` : relativeTime(state.next_due_at, now),
        ],
        ["Webhook deliveries", number(waits?.webhooks ?? null)],
        ["Disabled webhooks", number(state.disabled_webhooks)],
        ["Push notifications", number(waits?.wake_ups ?? null)],
        ["Open long polls", number(waits?.held_polls ?? null)],
        ["Open streams", number(waits?.streams ?? null)],
        ...Object.entries(state.replicas ?? {}).map(([how, many]) => [`Read replicas: ${how}`, number(many)] as const),
        ["Calls waiting for a database connection", number(waits?.calls_without_connection ?? null)],
      ]),
    )}
    ${part(
      "housekeeping",
      "Housekeeping",
      table(
        "Housekeeping jobs",
        housekeeping ?? [],
        {
          Job: ({ step }) => step.replaceAll("_", " "),
          "Last success": ({ last_success_at }) => relativeTime(last_success_at, now),
          "Failures since start": ({ failed }) =>
            failed === 0 ? "None" : html`<span class="badge warn">${failed}</span>`,
        },
        emptyState("No jobs have run yet", "The first jobs run within two minutes of the start."),
      ),
    )}`,
    { styles: ["history"] },
  );
}

export const SERVICE_PAGES: readonly ConsolePage[] = [memberPage("GET", "/service", page)];
