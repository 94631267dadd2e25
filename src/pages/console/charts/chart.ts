// One plot of counts over time, as SVG that needs no script. Horizontal positions are percents, so text keeps its size
// on every screen. Heights are pixels. The styles are in charts.css. The packages for layout are loaded with the first
// plot, since most processes never draw one. Also draws a breakdown as a table whose rows have a bar each, and the
// numbers of a plot as a table.

import { assertDefined } from "../../../model/assert.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";

/** Made with the first plot, for the reason that ui/time_format.ts gives. */
let formats: { whole: Intl.NumberFormat; short: Intl.NumberFormat } | undefined;

function getFormats(): NonNullable<typeof formats> {
  formats ??= {
    whole: new Intl.NumberFormat("en"),
    short: new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }),
  };
  return formats;
}

/** 12,345 */
export const formatCount = (value: number): string => getFormats().whole.format(value);

/** Short numbers such as 1,234 and 12.3K, for places with little room. The whole number is shown next to them. */
const formatShortCount = (value: number): string =>
  value < 10_000 ? formatCount(value) : getFormats().short.format(value);

/** One of a few large numbers at the head of a page. Numbers that do not fit are shown whole elsewhere on it. */
export const formatCompactTotal = (value: number): string =>
  value < 1_000_000 ? formatCount(value) : getFormats().short.format(value);

/** The totals or facts at the head of a page, each with an optional note below it. */
export const renderTotalsHeader = (
  named: readonly (readonly [name: string, value: number | HtmlContent, note?: HtmlContent])[],
): Html =>
  html`<dl class="figures totals">${named.map(([name, value, note]) => {
    const shown =
      typeof value === "number" ? html`<dd>${formatCompactTotal(value)}</dd>` : html`<dd class="text">${value}</dd>`;
    return html`<div><dt>${name}</dt>${shown}${note && html`<dd class="change">${note}</dd>`}</div>`;
  })}</dl>`;

/** The share of a part in its whole: 12%, <1%, >99%. Only a complete part is 100%. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || part === whole) return part === 0 ? "0%" : "100%";
  const percent = Math.round((part / whole) * 100);
  return percent < 1 ? "<1%" : percent > 99 ? ">99%" : `${percent}%`;
}

/** One noun, and the same for several. */
export type CountNoun = readonly [one: string, several: string];

/** 1 read, 12 reads */
export const countWithNoun = (value: number, [one, several]: CountNoun): string =>
  `${formatCount(value)} ${value === 1 ? one : several}`;

/**
 * A table of numbers, whose first cell names the row. It stays a table on a phone. With `named`, each name is above
 * its numbers and their labels. Then roles are explicit, since browsers do not treat such rows as a table.
 */
export function numbersTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly [HtmlContent, ...number[]])[],
  named = false,
): Html {
  const role = (name: string) => named && html` role="${name}"`;
  return html`<table${role("table")} class="numbers${named && " named"}"><caption class="unseen">${caption}</caption>
<thead${role("rowgroup")}><tr${role("row")}>${columns.map(
    (column) => html`<th${role("columnheader")} scope="col">${column}</th>`,
  )}</tr></thead><tbody${role("rowgroup")}>${rows.map(
    ([head, ...numbers]) =>
      html`<tr${role("row")}><th${role("rowheader")} scope="row">${head}</th>${numbers.map(
        (value, i) =>
          html`<td${role("cell")}${named && html` data-label="${columns[i + 1]}"`}>${formatCount(value)}</td>`,
      )}</tr>`,
  )}</tbody></table>`;
}

type Libraries = Pick<typeof import("d3-scale"), "scaleLinear"> &
  Pick<typeof import("d3-shape"), "area" | "curveStepAfter">;

let libraries: Promise<Libraries> | undefined;

async function read(): Promise<Libraries> {
  const [{ scaleLinear }, { area, curveStepAfter }] = await Promise.all([import("d3-scale"), import("d3-shape")]);
  return { scaleLinear, area, curveStepAfter };
}

function loadChartLibraries(): Promise<Libraries> {
  libraries ??= read();
  return libraries;
}

/** A stretch of time and what was counted in it. `from` and `to` are parts of the whole width, 0 to 1. */
export interface ChartBar {
  from: number;
  to: number;
  value: number;
  /** The period: 22 Nov 2026 */
  words: string;
  /** It is not over yet. */
  running?: boolean;
}

/** A word below the plot, with another one under it where it is needed. */
export interface AxisLabel {
  /** 0 to 1 */
  at: number;
  text: string;
  under?: string | null;
  side: "start" | "middle" | "end";
  /** Left out where the screen is narrow. */
  spare?: boolean;
}

export interface Chart {
  /** Names the plot's parts on the page; used once. */
  id: string;
  heading: string;
  /** Shown next to the heading; null where it is elsewhere on the page. */
  total: number | null;
  noun: CountNoun;
  /** The metric and the period, at the beginning of the description. */
  about: string;
  slots: readonly ChartBar[];
  marks: readonly AxisLabel[];
  /** Shown in place of an empty plot. */
  nothing: string;
}

/** Room above the highest bar for its number, height of the bars, and room below for two lines of text. */
const TOP = 20;
const BARS = 180;
const BELOW = 36;
const FLOOR = TOP + BARS;

/**
 * Up to this many bars have a number each. More bars have lines behind them. Above `FEW`, or with long numbers, the
 * numbers appear on wide screens only.
 */
const FEW = 7;
const NUMBERED = 14;
const LONG = 4;

/** Share of the whole width. It keeps a single bar from filling the plot. */
const WIDEST = 0.25;
/** More bars than this would be thinner than their gaps on a phone. */
const SEPARATE = 100;

const GRID_LINES = 4;

/** A part of the width as an attribute: 12.34% */
const percent = (part: number) => `${Math.round(part * 10_000) / 100}%`;

/** The value of each slot for charts.js, one a line: from, to, and its text. */
const pointsOf = ({ slots, noun }: Chart): string =>
  slots
    .map(({ from, to, value, words }) => `${round4(from)} ${round4(to)} ${words}: ${countWithNoun(value, noun)}`)
    .join("\n");

const round4 = (part: number) => Math.round(part * 1e4) / 1e4;

/** The plot under its heading. A sentence replaces an empty plot. */
export async function barChart(p: Chart): Promise<Html> {
  return html`<figure class="plot" id="${p.id}"><figcaption><h2 id="${p.id}-name">${p.heading}</h2>${
    p.total !== null && html`<span class="total">${formatCount(p.total)}</span>`
  }</figcaption>
  ${p.slots.some(({ value }) => value > 0) ? await drawing(p) : html`<p class="hint">${p.nothing}</p>`}</figure>`;
}

async function drawing(p: Chart): Promise<Html> {
  const { height, lines } = await buildHeightAxis(Math.max(...p.slots.map(({ value }) => value)));
  const count = p.slots.length;
  const long = p.slots.some(({ value }) => formatShortCount(value).length > LONG);
  const dense = count > NUMBERED ? "many" : count > FEW || long ? "some" : "few";
  return html`<svg class="${dense}" width="100%" height="${FLOOR + BELOW}" role="img" aria-labelledby="${p.id}-title"
    aria-describedby="${p.id}-numbers" data-about="${p.about}" data-points="${pointsOf(p)}">
<title id="${p.id}-title">${p.heading}</title><desc id="${p.id}-numbers">${numbersOf(p)}</desc>
${lines.map(
  (value) =>
    html`<g class="grid" transform="translate(0 ${Math.round(FLOOR - height(value))})"><line x2="100%"/><text x="-6"
      dy=".35em">${formatShortCount(value)}</text></g>`,
)}
${count > SEPARATE ? await area(p, height) : p.slots.map((slot) => bar(slot, p.noun, height, count))}
<line class="floor" x2="100%" y1="${FLOOR}" y2="${FLOOR}"/>
${p.marks.map(mark)}</svg>`;
}

type Height = (value: number) => number;

/** Heights of bars, and the lines behind them. They are whole numbers, and no bar is above the last. */
export async function buildHeightAxis(highest: number): Promise<{ height: Height; lines: number[] }> {
  const { scaleLinear } = await loadChartLibraries();
  for (let wished = GRID_LINES; ; wished--) {
    const height = scaleLinear().domain([0, highest]).nice(wished).range([0, BARS]);
    const lines = height.ticks(wished).filter((value) => value > 0 && Number.isInteger(value));
    if (wished === 1 || (lines.length <= GRID_LINES && (lines.at(-1) ?? 0) >= highest)) return { height, lines };
  }
}

/** Any count above zero is visible, even next to much larger ones. */
const tall = (value: number, height: Height) => (value > 0 ? Math.max(2, Math.round(height(value))) : 0);

function bar(
  { from, to, value, words, running }: ChartBar,
  noun: CountNoun,
  height: Height,
  count: number,
): HtmlContent {
  if (value === 0) return null;
  const gap = to - from - Math.min(WIDEST, (to - from) * (count > NUMBERED ? 0.9 : 0.82));
  const size = tall(value, height);
  const top = FLOOR - size;
  const [x, width] = [percent(from + gap / 2), percent(to - from - gap)];
  // In one line: a year has hundreds of bars.
  const shape = html`x="${x}" y="${top}" width="${width}" height="${size}"${count <= NUMBERED && html` rx="3"`}`;
  const text = `${words}: ${countWithNoun(value, noun)}`;
  return html`<rect class="bar${running && " running"}" ${shape}><title>${text}</title></rect>${
    count <= NUMBERED &&
    html`<text class="value" x="${percent((from + to) / 2)}" y="${top - 5}">${formatShortCount(value)}</text>`
  }`;
}

/** Many slots as one shape without gaps, drawn over a width of one. */
async function area({ slots }: Chart, height: Height): Promise<HtmlContent> {
  const libraries = await loadChartLibraries();
  const last = assertDefined(slots.at(-1), "a plot has a slot");
  const shape = libraries
    .area<{ at: number; value: number }>()
    .curve(libraries.curveStepAfter)
    .x(({ at }) => Math.round(at * 1e5) / 100)
    .y0(BARS)
    .y1(({ value }) => BARS - tall(value, height));
  const corners = slots.flatMap(({ from, to, value }, i) => {
    const next = slots[i + 1];
    const gap = next && next.from > to ? [{ at: to, value: 0 }] : [];
    return [{ at: from, value }, ...gap];
  });
  const path = shape([...corners, { at: last.to, value: last.value }]);
  return html`<svg y="${TOP}" width="100%" height="${BARS}" viewBox="0 0 1000 ${BARS}" preserveAspectRatio="none"><path
    class="bar" d="${path}"/></svg>`;
}

const mark = ({ at, text, under, side, spare }: AxisLabel) =>
  html`<text class="mark ${side}${spare && " spare"}" x="${percent(at)}" y="${FLOOR + 16}">${text}</text>${
    under && html`<text class="mark ${side}" x="${percent(at)}" y="${FLOOR + 31}">${under}</text>`
  }`;

/** All of the numbers as text. Zeros are summarised. */
function numbersOf({ about, slots, noun }: Chart): string {
  const some = slots.filter(({ value }) => value > 0);
  const said = some.map(({ words, value }) => `${words}: ${formatCount(value)}`).join("; ");
  return `${about} ${said}.${some.length < slots.length ? ` No ${noun[1]} at other times.` : ""}`;
}

interface RankedRow {
  name: HtmlContent;
  value: number;
}

/** Rows above this number are behind a disclosure. */
const SHOWN = 8;

/**
 * Bars of all such tables have one scale: the whole width is all that is counted.
 * @param counted the counted things, and `what` the fact that differs
 * @param ranks in any order; equal ones keep theirs
 */
export function rankedBars(counted: string, what: string, ranks: readonly RankedRow[]): Html {
  const caption = `${counted} by ${what.toLowerCase()}`;
  const total = ranks.reduce((sum, { value }) => sum + value, 0);
  const rows = ranks.toSorted((one, other) => other.value - one.value);
  const body = (part: readonly RankedRow[], name: string) =>
    html`<table class="ranks"><caption class="unseen">${name}</caption><col><col
      class="bars"><col><col><thead><tr><th scope="col" colspan="2">${what}</th><th scope="col">${counted}</th><th
      scope="col">Share</th></tr></thead><tbody>${part.map(
        ({ name, value }) =>
          html`<tr><th scope="row">${name}</th><td aria-hidden="true"><svg width="100%"
          height="8"><rect class="track" width="100%" height="8" rx="4"/><rect class="bar"
            width="${percent(value / Math.max(1, total))}" height="8" rx="4"/></svg></td><td>${formatCount(
              value,
            )}</td><td class="share">${formatShare(value, total)}</td></tr>`,
      )}</tbody></table>`;
  const rest = rows.slice(SHOWN);
  // A single row more takes no more room than the word that would open it.
  if (rest.length < 2) return body(rows, caption);
  const others = rest.reduce((sum, { value }) => sum + value, 0);
  return html`${body(rows.slice(0, SHOWN), caption)}<details
    class="more"><summary>${rest.length} more, ${formatCount(others)} in total</summary>${body(
      rest,
      `${caption}, others`,
    )}</details>`;
}
