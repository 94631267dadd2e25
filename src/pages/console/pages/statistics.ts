// Statistics of a channel and of a workspace: what was sent, and what devices chose to report, by UTC day. Never a delivered
// figure and never a rate (rules#console-figures). Which days: a form that any browser sends, and ranges that people mean most;
// what a range may be, the operation says (rules#stats-range).

import { ApiError } from "../../../model/errors.ts";
import { type Content, type Html, html } from "../../../ui/html.ts";
import { channelBase, channelHead } from "../channel_head.ts";
import { finder } from "../finder.ts";
import { inForm } from "../forms.ts";
import { type CsvRow, csvAnswer } from "../page.ts";
import { asksAlone, chips, emptyState, livePart, problem, wrongWith } from "../parts.ts";
import { dayPlots, dayTable, SERIES } from "../plots/days.ts";
import { figures, numbersTable } from "../plots/plot.ts";
import { type AnswerOf, type MemberVisit, memberPage, type Page, type Visit } from "../visit.ts";

const DAY_MS = 86_400_000;

const PRESETS = [
  { days: 7, name: "7 days" },
  { days: 30, name: "30 days" },
  { days: 90, name: "90 days" },
  { days: 364, name: "52 weeks" },
] as const;

const USUAL = 30;

export interface Range {
  from: string;
  to: string;
}

/** The UTC day of an instant: 2026-11-22 */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** What the address asks for: two days, or so many days up to today, which a bookmark keeps. */
export function askedRange({ url, now }: Pick<Visit, "url" | "now">): Range & { days: number | null } {
  const { searchParams } = url;
  if (searchParams.has("from") || searchParams.has("to"))
    return { from: searchParams.get("from") ?? "", to: searchParams.get("to") ?? "", days: null };
  const asked = PRESETS.find(({ days }) => String(days) === searchParams.get("days"));
  const days = asked?.days ?? USUAL;
  return { from: dayOf(new Date(now.getTime() - (days - 1) * DAY_MS)), to: dayOf(now), days };
}

/** The range as a query, the way in which it was asked for. */
export const rangeQuery = ({ from, to, days }: Range & { days: number | null }): string =>
  new URLSearchParams(days === null ? { from, to } : { days: String(days) }).toString();

export function rangeForm(path: string, asked: Range & { days: number | null }, error?: ApiError): Html {
  const day = (name: "from" | "to", label: string) => {
    const { line, attributes } = wrongWith(error, name);
    return html`<div class="field"><label for="${name}">${label}</label>${line}<input type="date" id="${name}" name="${name}" value="${asked[name]}" required${attributes}></div>`;
  };
  return html`<div class="range">${chips(
    "Days shown",
    PRESETS.map(({ days, name }) => ({ href: `${path}?days=${days}`, name, chosen: days === asked.days })),
  )}
  <form method="get" action="${path}" novalidate>${day("from", "From (UTC)")}${day("to", "To (inclusive)")}<button class="plain">Show</button></form></div>`;
}

type Stats = AnswerOf<"get_pusher_stats"> | AnswerOf<"get_account_stats">;

/** What stands around the plots of a channel, or of all. */
interface Around<S extends Stats> {
  read(range: Range): Promise<S>;
  /** Of the page, without its query. */
  path: string;
  title: string;
  head: Content;
  below(stats: S, query: string): Content;
}

const counting = html`<section class="card" aria-labelledby="how"><h2 id="how">How we count</h2>
  <p>Reads and acknowledgements are counted on the UTC day when devices reported them. A device reports each at most once per alert.</p>
  <p class="hint">“Reach” is the current number of subscribers, including muted ones. The number of devices that showed an alert is not known.</p></section>`;

/** `today`: where it is among the days. */
async function plots({ buckets, totals }: Stats, today: string | null): Promise<Content> {
  if (SERIES.every(({ key }) => totals[key] === 0))
    return emptyState(
      "No data for these days",
      "Sent alerts and reported reads and acknowledgements are counted by UTC day.",
    );
  return html`${(await dayPlots(buckets, totals, today)).map((one) => html`<section class="card">${one}</section>`)}
    ${today && html`<p class="hint"><svg class="key" width="12" height="12" aria-hidden="true"><rect class="bar running" width="12" height="12" rx="3"/></svg> Today, ${today}, is incomplete.</p>`}
    ${dayTable(buckets)}`;
}

async function statistics<S extends Stats>(visit: MemberVisit, around: Around<S>): Promise<Response> {
  const asked = askedRange(visit);
  const { path, title, head } = around;
  const options = { styles: ["alert_card", "history"] } as const;
  const form = (error?: ApiError) => html`${head}${problem(error)}${rangeForm(path, asked, error)}`;
  let stats: S;
  try {
    stats = await around.read({ from: asked.from, to: asked.to });
  } catch (error) {
    if (!(error instanceof ApiError) || error.type !== "invalid_request") throw error;
    const refused = inForm(error, {}, { from: "From", to: "To" });
    return visit.page(title, form(refused), { ...options, status: error.status });
  }
  const today = dayOf(visit.now);
  const query = rangeQuery(asked);
  const running = stats.buckets.some(({ date }) => date === today);
  const part = livePart(
    "statistics",
    visit.url,
    html`${figures([
      ["Reach now", stats.reach],
      ...SERIES.map(({ key, column }) => [column, stats.totals[key]] as const),
    ])}${await plots(stats, running ? today : null)}
    <p><a class="button plain" href="${path}.csv?${query}" download>Download days (CSV)</a></p>`,
  );
  if (asksAlone(visit)) return visit.part(part);
  return visit.page(title, html`${form()}${part}${around.below(stats, query)}${counting}`, {
    ...options,
    // What is over does not change while somebody looks.
    scripts: running ? ["live"] : [],
  });
}

const channelArgs = ({ params }: MemberVisit) => ({ pusher_id: params.pusher ?? "" });

async function ofChannel(visit: MemberVisit): Promise<Response> {
  const args = channelArgs(visit);
  const channel = await visit.call("get_pusher", args);
  return statistics(visit, {
    read: (range) => visit.call("get_pusher_stats", { ...args, ...range }),
    path: `${channelBase(visit, args.pusher_id)}/stats`,
    title: `${channel.name}: statistics`,
    head: channelHead(visit, channel, "stats"),
    below: () => null,
  });
}

const ofAll = (visit: MemberVisit): Promise<Response> =>
  statistics(visit, {
    read: (range) => visit.call("get_account_stats", range),
    path: `${visit.base}stats`,
    title: "Statistics",
    head: html`<h1>Statistics</h1><p class="lede">Totals for all channels that you can see.</p>`,
    below: ({ channels }, query) => byChannel(visit, channels, query),
  });

/** The same figures of each channel, one page of them. */
function byChannel(visit: MemberVisit, channels: AnswerOf<"get_account_stats">["channels"], query: string): Content {
  if (channels.length === 0)
    return emptyState("No channels yet", "Create a channel to see its alerts and subscriber reports here.");
  const { form, rows, ways } = finder(visit, `${visit.base}stats`, channels, {
    ...{ label: "Find a channel", hint: "Name or handle", part: "#channels" },
    query: Object.fromEntries(new URLSearchParams(query)),
    wordsOf: ({ name, handle }) => [name, handle],
  });
  const table = numbersTable(
    "By channel",
    ["Channel", "Reach now", ...SERIES.map(({ column }) => column)],
    rows.map((channel) => [
      html`<a href="${channelBase(visit, channel.pusher_id)}/stats?${query}">${channel.name}</a>`,
      channel.reach,
      ...SERIES.map(({ key }) => channel[key]),
    ]),
    true,
  );
  return html`<section aria-labelledby="channels"><h2 id="channels">By channel</h2>${form}${rows.length > 0 && table}${ways}
    <p><a class="button plain" href="${visit.base}stats/channels.csv?${query}" download>Download channels (CSV)</a></p></section>`;
}

const KEYS = SERIES.map(({ key }) => key);

const dayRows = (buckets: Stats["buckets"]): CsvRow[] => [
  ["day_utc", ...KEYS],
  ...buckets.map((day) => [day.date, ...KEYS.map((key) => day[key])]),
];

function rangeOf(visit: MemberVisit): Range {
  const { from, to } = askedRange(visit);
  return { from, to };
}

export const STATISTICS_PAGES: readonly Page[] = [
  memberPage("GET", "/channels/:pusher/stats", ofChannel),

  memberPage("GET", "/channels/:pusher/stats.csv", async (visit) => {
    const args = channelArgs(visit);
    const { buckets, from, to } = await visit.call("get_pusher_stats", { ...args, ...rangeOf(visit) });
    const { handle } = await visit.call("get_pusher", args);
    return csvAnswer(`belfry_${handle}_${from}_${to}`, dayRows(buckets));
  }),

  memberPage("GET", "/stats", ofAll),

  memberPage("GET", "/stats.csv", async (visit) => {
    const { buckets, from, to } = await visit.call("get_account_stats", rangeOf(visit));
    return csvAnswer(`belfry_days_${from}_${to}`, dayRows(buckets));
  }),

  memberPage("GET", "/stats/channels.csv", async (visit) => {
    const { channels, from, to } = await visit.call("get_account_stats", rangeOf(visit));
    return csvAnswer(`belfry_channels_${from}_${to}`, [
      ["handle", "name", "could_reach_now", ...KEYS],
      ...channels.map((row) => [row.handle, row.name, row.reach, ...KEYS.map((key) => row[key])]),
    ]);
  }),
];
