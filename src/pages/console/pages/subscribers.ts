// The subscribers of a channel, as their pseudonyms in the service, and their breakdown. Nothing that identifies
// (rules#subscriber-device).

import { assertDefined } from "../../../model/assert.ts";
import { DEVICE_FIELDS } from "../../../model/fields/device.ts";
import { getFieldNames } from "../../../model/fields/field_table.ts";
import { buildUrl } from "../../../ui/build_url.ts";
import { type HtmlContent, html } from "../../../ui/html.ts";
import { getChannelPath, renderChannelHeader } from "../channel_header.ts";
import { formatCompactTotal, rankedBars, renderTotalsHeader } from "../charts/chart.ts";
import { isPartRequest, liveSection, relativeTime, renderHtmlTable } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { readPagedOrSortedRows, renderSortMenu, type SortableColumns } from "../list_sorting.ts";
import {
  type ConsolePage,
  defineMemberPage,
  type MemberPageContext,
  type OperationResult,
  type OperationResultRow,
} from "../page_definitions.ts";
import { csvResponse } from "../page_layout.ts";
import { renderViewMenu } from "../view_menu.ts";

const FACETS = getFieldNames(DEVICE_FIELDS).map((key) => ({ key, name: DEVICE_FIELDS[key].drawn.label }));

const PLATFORMS: Record<string, string> = {
  ios: "iOS",
  android: "Android",
  web: "Web",
  desktop: "Desktop",
  cli: "Command line",
  ntfy: "ntfy",
  other: "Other",
};

const STATES = [
  { status: null, name: "All" },
  { status: "active", name: "Active" },
  { status: "muted", name: "Muted" },
] as const;

/** "Portuguese (Brazil)" for pt-BR. A tag that Intl does not accept stays as it is. */
function nameLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** A fact as people read it. The names of time zones contain their city last, such as "America/Sao_Paulo". */
function formatFacet(facet: string, value: string): string {
  if (facet === "platform") return PLATFORMS[value] ?? value;
  if (facet === "locale") return nameLanguage(value);
  return facet === "timezone" ? value.replace(/^\w+\//, "").replaceAll("_", " ") : value;
}

/** A name, with its code as the tooltip. */
function named(facet: string, value: string): HtmlContent {
  const name = formatFacet(facet, value);
  return facet === "platform" || name === value ? name : html`<span title="${value}">${name}</span>`;
}

/** The bars of each fact. A fact with the same value for all is one line below them. */
function mix(breakdown: OperationResult<"list_subscribers">["breakdown"]): HtmlContent {
  const facts = FACETS.map(({ key, name }) => ({ key, name, values: Object.entries(breakdown[key]) }));
  const bars = facts.filter(({ values }) => values.length > 1);
  const same = facts.filter(({ values }) => values.length === 1);
  return html`${
    bars.length > 0 &&
    html`<div class="mix">${bars.map(
      ({ key, name, values }) =>
        html`<div>${rankedBars(
          "Subscribers",
          name,
          values.map(([value, n]) => ({ name: named(key, value), value: n })),
        )}</div>`,
    )}</div>`
  }${
    same.length > 0 &&
    html`<dl class="facts">${same.map(
      ({ key, name, values }) => html`<dt>${name}</dt><dd>${named(key, values[0]?.[0] ?? "")}</dd>`,
    )}</dl>`
  }`;
}

const SORTABLE: SortableColumns<OperationResultRow<"list_subscribers">> = {
  App: { value: ({ platform, app_version }) => `${PLATFORMS[platform] ?? platform} ${app_version}`, first: "asc" },
  Language: { value: ({ locale }) => formatFacet("locale", locale), first: "asc" },
  "Time zone": { value: ({ timezone }) => formatFacet("timezone", timezone), first: "asc" },
  State: { value: ({ muted }) => (muted ? "muted" : "active"), first: "asc" },
  Since: { value: ({ subscribed_at }) => subscribed_at, first: "asc" },
};

async function subscribers(context: MemberPageContext): Promise<Response> {
  const { url, now, params } = context;
  const pusher_id = params.pusher ?? "";
  const status = STATES.find((state) => state.status === url.searchParams.get("status"))?.status ?? null;
  const before = url.searchParams.get("before");
  const base = `${getChannelPath(context, pusher_id)}/subscribers`;
  let last: OperationResult<"list_subscribers"> | undefined;
  const list = await readPagedOrSortedRows(
    context,
    async (page) => {
      last = await context.call("list_subscribers", { pusher_id, ...page, ...(status && { status }) });
      return last;
    },
    SORTABLE,
    { path: base, query: { status }, part: "#list" },
  );
  const { breakdown } = assertDefined(last, "the list has read a page");
  const data = list.rows;
  const counted = { active: breakdown.total - breakdown.muted, muted: breakdown.muted };
  const all = status ? counted[status] : breakdown.total;
  const listed = html`<div class="tools">${renderViewMenu({
    label: "State",
    views: STATES.map((state) => ({
      href: buildUrl(base, { status: state.status }, "#list"),
      name: html`${state.name} <b>${formatCompactTotal(state.status ? counted[state.status] : breakdown.total)}</b>`,
      chosen: state.status === status,
    })),
    order: renderSortMenu(list.headings, data),
  })}</div>
    ${
      data.length === 0
        ? emptyState({
            icon: "person",
            title: before ? "No older subscribers" : "No subscribers match this filter",
            act: { href: `${base}#list`, label: `${before ? "Newest" : "All"} subscribers` },
          })
        : html`${
            list.note ??
            (data.length < all &&
              html`<p class="hint">Showing the ${before ? "older" : "newest"} ${formatCompactTotal(
                data.length,
              )} of ${formatCompactTotal(all)}. The counts above include all of them.</p>`)
          }${renderHtmlTable(
            "Subscribers",
            data,
            {
              Pseudonym: (row) => html`<code class="whole">${row.device}</code>`,
              App: (row) => html`${formatFacet("platform", row.platform)} ${row.app_version}`,
              Language: (row) => named("locale", row.locale),
              "Time zone": (row) => named("timezone", row.timezone),
              State: (row) =>
                row.muted ? html`<span class="badge">muted</span>` : html`<span class="badge good">active</span>`,
              Since: (row) => html`<span class="at">${relativeTime(row.subscribed_at, now)}</span>`,
            },
            null,
            { headings: list.headings, wide: ["Time zone"] },
          )}`
    }${list.ways}`;
  const content =
    breakdown.total === 0
      ? emptyState({
          icon: "person",
          title: "No subscribers yet",
          says: "People subscribe in the web app or with an invite.",
          act: { href: `${getChannelPath(context, pusher_id)}/invites`, label: "Share the channel" },
        })
      : html`${renderTotalsHeader([
          ["Subscribers", breakdown.total],
          ["Active", counted.active],
          ["Muted", counted.muted],
        ])}
        <section class="card" aria-labelledby="breakdown"><h2 id="breakdown">Breakdown</h2>
          ${mix(breakdown)}<p class="actions"><a class="button plain"
          href="${base}.csv" download>Download counts (CSV)</a></p></section>
        <h2 id="list">Subscriber list</h2>${listed}`;
  // Each update of a sorted list would be several calls.
  const part = list.isSorted ? content : liveSection("subscribers", url, content);
  if (isPartRequest(context)) return context.part(part);
  const channel = await context.call("get_pusher", { pusher_id });
  return context.page(
    `${channel.name}: subscribers`,
    html`${renderChannelHeader(context, channel, "subscribers")}${part}
    <section class="card" aria-labelledby="known"><h2 id="known">Data about subscribers</h2>
      <p>A subscriber is a device, not a person: it has no name, address or phone number. Its pseudonym serves
        only to distinguish it from this channel's other subscribers.</p>
      <p class="hint">Channels cannot see which permissions a subscriber has granted. The permissions that this channel
        requests are in its <a href="${getChannelPath(context, pusher_id)}/edit">settings</a>.</p></section>`,
    { styles: ["alert_card", "history"], scripts: list.isSorted ? [] : ["live"] },
  );
}

export const SUBSCRIBER_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/channels/:pusher/subscribers", subscribers),

  defineMemberPage("GET", "/channels/:pusher/subscribers.csv", async (context) => {
    const pusher_id = context.params.pusher ?? "";
    const { breakdown } = await context.call("list_subscribers", { pusher_id, limit: 1 });
    const { handle } = await context.call("get_pusher", { pusher_id });
    return csvResponse(`belfry_${handle}_subscribers`, [
      ["fact", "value", "subscribers"],
      ["total", "", breakdown.total],
      ["muted", "", breakdown.muted],
      ...FACETS.flatMap(({ key }) => Object.entries(breakdown[key]).map(([value, n]) => [key, value, n])),
    ]);
  }),
];
