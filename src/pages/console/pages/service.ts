// How the service itself is, for the owner of its only workspace: health, versions, sizes, what waits. Counts alone, and where there are
// other workspaces not even these (docs/rules.md#service-state).

import { get_service_state } from "../../../identity/session/workspaces.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { emptyState, instant, table } from "../parts.ts";
import { type MemberVisit, memberPage, type Page } from "../visit.ts";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

function sizeOf(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${UNITS[step]}`;
}

const number = (count: number | null): Content =>
  count === null ? html`<span class="muted">Not known yet</span>` : count.toLocaleString("en");

const numbers = (caption: string, rows: readonly (readonly [what: string, now: Content])[]): Content =>
  table(caption, rows, { What: ([what]) => what, Now: ([, now]) => now });

const part = (id: string, title: string, body: Content): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`;

async function page(visit: MemberVisit): Promise<Response> {
  const state = await visit.asMember(get_service_state, {});
  const { waits, housekeeping, degraded, now } = { ...state, now: visit.now };
  const well = degraded.length === 0;
  return visit.page(
    "This service",
    html`<h1>This service</h1>
    <p class="lede">How the service itself is, beside what it does for you. You see it because yours is its only workspace. Whoever runs it sees the same with <code>belfry status</code>, and over time in <code>/metrics</code>.</p>
    ${part(
      "health",
      "Health",
      html`<p><span class="badge ${well ? "ok" : "warn"}">${well ? "Ready" : `Ready, without: ${degraded.join(", ")}`}</span></p>
      ${numbers("Versions and sizes", [
        ["Belfry", state.version ?? "Not known"],
        ["Node", state.node ?? "Not known"],
        ["PostgreSQL", state.postgres],
        ["Database", sizeOf(state.database_bytes)],
        ["Alerts, about", number(state.about_alerts)],
        ["Handsets, about", number(state.about_devices)],
      ])}`,
    )}
    ${part(
      "waits",
      "What waits",
      numbers("What waits now", [
        ["Alerts that came due and nobody has looked at", number(state.due_alerts)],
        [
          "The next scheduled alert",
          state.next_due_at === null ? html`<span class="muted">None</span>` : instant(state.next_due_at, now),
        ],
        ["Webhook deliveries", number(waits?.webhooks ?? null)],
        ["Webhooks that are switched off", number(state.disabled_webhooks)],
        ["Wake-ups of closed apps", number(waits?.wake_ups ?? null)],
        ["Polls that are held", number(waits?.held_polls ?? null)],
        ["Streams that are open", number(waits?.streams ?? null)],
        ...Object.entries(state.replicas ?? {}).map(([how, many]) => [`Hot standbys: ${how}`, number(many)] as const),
        ["Calls without a connection to the database", number(waits?.calls_without_connection ?? null)],
      ]),
    )}
    ${part(
      "housekeeping",
      "Housekeeping",
      table(
        "Steps of the housekeeping",
        housekeeping ?? [],
        {
          Step: ({ step }) => step.replaceAll("_", " "),
          "Last done": ({ last_success_at }) => instant(last_success_at, now),
          "Failed since the start": ({ failed }) =>
            failed === 0 ? "Never" : html`<span class="badge warn">${failed}</span>`,
        },
        emptyState("Nothing has run yet", "The first rounds come within two minutes of a start."),
      ),
    )}`,
    { styles: ["history"] },
  );
}

export const SERVICE_PAGES: readonly Page[] = [memberPage("GET", "/service", page)];
