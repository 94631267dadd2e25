// Statistics of a channel and of a workspace: sent alerts and reports of devices by UTC day, with the totals of the
// period before. It never shows deliveries or read rates (rules#console-figures). The operation checks the
// range (rules#stats-range).

import { ApiError } from "../../../model/api_error.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { formatDay } from "../../../ui/time_format.ts";
import { getChannelPath, renderChannelHeader } from "../channel_header.ts";
import { formatCount, numbersTable, renderTotalsHeader } from "../charts/chart.ts";
import { COUNT_SERIES, dailyCharts, dailyTable, describeChartBars } from "../charts/daily_charts.ts";
import { isPartRequest, liveSection, renderErrorSummary, renderFieldErrorAndAttributes } from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { toFormError } from "../form_submission.ts";
import { searchAndPaginateRows } from "../list_search.ts";
import {
  type ConsolePage,
  defineMemberPage,
  type MemberPageContext,
  type OperationResult,
  type PageContext,
} from "../page_definitions.ts";
import { type CsvRow, csvResponse } from "../page_layout.ts";
import { renderViewMenu } from "../view_menu.ts";

const DAY_MS = 86_400_000;

const PRESETS = [
  { days: 7, name: "7 days" },
  { days: 30, name: "30 days" },
  { days: 90, name: "90 days" },
  { days: 364, name: "52 weeks" },
] as const;

const USUAL = 30;

interface DayRange {
  from: string;
  to: string;
}

/** The UTC day of a time: 2026-11-22 */
const toUtcIsoDate = (at: Date): string => at.toISOString().slice(0, 10);

/** The range of the address: two days, or a number of days up to today, which a bookmark keeps. */
function parseDayRange({ url, now }: Pick<PageContext, "url" | "now">): DayRange & { days: number | null } {
  const { searchParams } = url;
  if (searchParams.has("from") || searchParams.has("to"))
    return { from: searchParams.get("from") ?? "", to: searchParams.get("to") ?? "", days: null };
  const asked = PRESETS.find(({ days }) => String(days) === searchParams.get("days"));
  const days = asked?.days ?? USUAL;
  return { from: toUtcIsoDate(new Date(now.getTime() - (days - 1) * DAY_MS)), to: toUtcIsoDate(now), days };
}

/** The range as a query, in its original form. */
const buildRangeQuery = ({ from, to, days }: DayRange & { days: number | null }): string =>
  new URLSearchParams(days === null ? { from, to } : { days: String(days) }).toString();

function rangeForm(path: string, asked: DayRange & { days: number | null }, error?: ApiError): Html {
  const day = (name: "from" | "to", label: string) => {
    const { line, attributes } = renderFieldErrorAndAttributes(error, name);
    return html`<div class="field"><label for="${name}">${label}</label>${line}<input type="date" id="${name}"
      name="${name}" value="${asked[name]}" required${attributes}></div>`;
  };
  return html`<div class="tools">${renderViewMenu({
    label: "Days shown",
    views: PRESETS.map(({ days, name }) => ({ href: `${path}?days=${days}`, name, chosen: days === asked.days })),
  })}
  <details class="create"${(asked.days === null || error) && html` open`}><summary class="chip">Other
    days</summary><form class="filter" method="get" action="${path}" novalidate>${day("from", "From (UTC)")}${day(
      "to",
      "To (inclusive)",
    )}<button class="plain">Show</button></form></details></div>`;
}

/** As many days as a range has, right before it; null if the range is not valid. */
export function getPeriodBefore({ from, to }: DayRange): (DayRange & { days: number }) | null {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const days = (last - first) / DAY_MS + 1;
  if (!Number.isInteger(days) || days < 1) return null;
  const before = { from: new Date(first - days * DAY_MS), to: new Date(first - DAY_MS) };
  // An invalid date has no year.
  if (!(before.from.getUTCFullYear() >= 1970)) return null;
  return { from: toUtcIsoDate(before.from), to: toUtcIsoDate(before.to), days };
}

/** The difference to the total of the period before, and this total. `period` is its length, such as "30 days". */
export function describePeriodChange(now: number, before: number, period: string): string {
  if (before === 0) return `None in the previous ${period}`;
  const change = now - before;
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return `${sign}${formatCount(Math.abs(change))} from ${formatCount(before)}`;
}

type Stats = OperationResult<"get_pusher_stats"> | OperationResult<"get_account_stats">;

/** The page around the plots of a channel, or of all. */
interface Around<S extends Stats> {
  read(range: DayRange): Promise<S>;
  /** The path of the page, without its query. */
  path: string;
  title: string;
  head: HtmlContent;
  below(stats: S, query: string): HtmlContent;
}

const counting = html`<section class="card" aria-labelledby="how"><h2 id="how">How we count</h2>
  <p>Reads and acknowledgements are counted on the UTC day when devices reported them. A device reports each at most
    once per alert. The previous period has the same number of days and ends just before the current one begins.</p>
  <p class="hint">“Current reach” is the current number of subscribers, including muted ones. The number of devices that
    showed an alert is not known.</p></section>`;

const hasCounts = ({ totals }: Stats): boolean => COUNT_SERIES.some(({ key }) => totals[key] > 0);

/** `today`: where it is among the days. */
async function plots(stats: Stats, today: string | null): Promise<HtmlContent> {
  const { buckets, totals } = stats;
  if (!hasCounts(stats))
    return emptyState({
      title: "No data for these days",
      says: "Sent alerts and reported reads and acknowledgements are counted by UTC day.",
    });
  const drawn = await dailyCharts(buckets, totals, today);
  return html`<div class="plots">${drawn.map((one) => html`<section class="card">${one}</section>`)}</div>`;
}

async function statistics<S extends Stats>(context: MemberPageContext, around: Around<S>): Promise<Response> {
  const asked = parseDayRange(context);
  const { path, title, head } = around;
  const options = { styles: ["alert_card", "history"] } as const;
  const form = (error?: ApiError) => html`${head}${renderErrorSummary(error)}${rangeForm(path, asked, error)}`;
  let stats: S;
  const before = getPeriodBefore(asked);
  let earlier: S | null;
  try {
    [stats, earlier] = await Promise.all([
      around.read({ from: asked.from, to: asked.to }),
      before && around.read({ from: before.from, to: before.to }),
    ]);
  } catch (error) {
    if (!(error instanceof ApiError) || error.type !== "invalid_request") throw error;
    const refused = toFormError(error, {}, { from: "From", to: "To" });
    return context.page(title, form(refused), { ...options, status: error.status });
  }
  const today = toUtcIsoDate(context.now);
  const query = buildRangeQuery(asked);
  const period = before?.days === 1 ? "day" : `${before?.days} days`;
  const running = stats.buckets.some(({ date }) => date === today);
  const part = liveSection(
    "statistics",
    context.url,
    html`${renderTotalsHeader([
      ...COUNT_SERIES.map(({ heading, key }): [string, number, HtmlContent] => {
        const total = stats.totals[key];
        return [heading, total, earlier && describePeriodChange(total, earlier.totals[key], period)];
      }),
      ["Current reach", stats.reach, "subscribers"],
    ])}
    <p class="hint">${hasCounts(stats) && html`${describeChartBars(stats.buckets)} `}${
      before && `Compared with the previous ${period}. `
    }${
      running &&
      html`<svg class="key" width="12" height="12" aria-hidden="true"><rect class="bar running"
      width="12" height="12" rx="3"/></svg> Today, ${formatDay(context.now)}, is incomplete.`
    }</p>${await plots(stats, running ? today : null)}
    <div class="tools">${hasCounts(stats) && dailyTable(stats.buckets)}<a class="button plain"
      href="${path}.csv?${query}" download>Download daily data (CSV)</a></div>`,
  );
  if (isPartRequest(context)) return context.part(part);
  return context.page(title, html`${form()}${part}${around.below(stats, query)}${counting}`, {
    ...options,
    // Past days do not change.
    scripts: running ? ["live", "charts"] : ["charts"],
  });
}

const channelArgs = ({ params }: MemberPageContext) => ({ pusher_id: params.pusher ?? "" });

async function ofChannel(context: MemberPageContext): Promise<Response> {
  const args = channelArgs(context);
  const channel = await context.call("get_pusher", args);
  return statistics(context, {
    read: (range) => context.call("get_pusher_stats", { ...args, ...range }),
    path: `${getChannelPath(context, args.pusher_id)}/stats`,
    title: `${channel.name}: statistics`,
    head: renderChannelHeader(context, channel, "stats"),
    below: () => null,
  });
}

const ofAll = (context: MemberPageContext): Promise<Response> =>
  statistics(context, {
    read: (range) => context.call("get_account_stats", range),
    path: `${context.base}stats`,
    title: "Statistics",
    head: html`<h1>Statistics</h1><p class="lede">Totals for all channels that you can see.</p>`,
    below: ({ channels }, query) => byChannel(context, channels, query),
  });

/** The same numbers for each channel, one page of them. */
function byChannel(
  context: MemberPageContext,
  channels: OperationResult<"get_account_stats">["channels"],
  query: string,
): HtmlContent {
  if (channels.length === 0)
    return emptyState({
      icon: "feed",
      title: "No channels yet",
      says: "Create a channel to see its alerts and subscriber reports here.",
    });
  const isQuiet = (channel: (typeof channels)[number]) => COUNT_SERIES.every(({ key }) => channel[key] === 0);
  const byReach = channels.toSorted(
    (one, other) => Number(isQuiet(one)) - Number(isQuiet(other)) || other.reach - one.reach,
  );
  const { form, rows, ways } = searchAndPaginateRows(context, `${context.base}stats`, byReach, {
    ...{ label: "Find a channel", hint: "Name or handle", part: "#channels" },
    query: Object.fromEntries(new URLSearchParams(query)),
    wordsOf: ({ name, handle }) => [name, handle],
  });
  const table = (caption: string, of: typeof rows) =>
    of.length > 0 &&
    numbersTable(
      caption,
      ["Channel", "Reach", ...COUNT_SERIES.map(({ column }) => column)],
      of.map((channel) => [
        html`<a href="${getChannelPath(context, channel.pusher_id)}/stats?${query}">${channel.name}</a>`,
        channel.reach,
        ...COUNT_SERIES.map(({ key }) => channel[key]),
      ]),
      true,
    );
  const quiet = rows.filter(isQuiet);
  const isFolded = quiet.length > 1 && quiet.length < rows.length;
  const shown = isFolded ? rows.filter((channel) => !isQuiet(channel)) : rows;
  return html`<section aria-labelledby="channels"><h2
    id="channels">By channel</h2>${form}${table("By channel", shown)}${
      isFolded &&
      html`<details class="more"><summary>${quiet.length} channels without activity</summary>${table(
        "Channels without activity",
        quiet,
      )}</details>`
    }${ways}
    <p><a class="button plain" href="${context.base}stats/channels.csv?${query}"
      download>Download channels (CSV)</a></p></section>`;
}

const KEYS = COUNT_SERIES.map(({ key }) => key);

const dayRows = (buckets: Stats["buckets"]): CsvRow[] => [
  ["day_utc", ...KEYS],
  ...buckets.map((day) => [day.date, ...KEYS.map((key) => day[key])]),
];

function rangeOf(context: MemberPageContext): DayRange {
  const { from, to } = parseDayRange(context);
  return { from, to };
}

export const STATISTICS_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/channels/:pusher/stats", ofChannel),

  defineMemberPage("GET", "/channels/:pusher/stats.csv", async (context) => {
    const args = channelArgs(context);
    const { buckets, from, to } = await context.call("get_pusher_stats", { ...args, ...rangeOf(context) });
    const { handle } = await context.call("get_pusher", args);
    return csvResponse(`belfry_${handle}_${from}_${to}`, dayRows(buckets));
  }),

  defineMemberPage("GET", "/stats", ofAll),

  defineMemberPage("GET", "/stats.csv", async (context) => {
    const { buckets, from, to } = await context.call("get_account_stats", rangeOf(context));
    return csvResponse(`belfry_days_${from}_${to}`, dayRows(buckets));
  }),

  defineMemberPage("GET", "/stats/channels.csv", async (context) => {
    const { channels, from, to } = await context.call("get_account_stats", rangeOf(context));
    return csvResponse(`belfry_channels_${from}_${to}`, [
      ["handle", "name", "could_reach_now", ...KEYS],
      ...channels.map((row) => [row.handle, row.name, row.reach, ...KEYS.map((key) => row[key])]),
    ]);
  }),
];
