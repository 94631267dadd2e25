// Numbers as plots and their tables write them, the table that says the same as a plot, and how a whole is made up: a table whose rows have
// a bar each, the longest first and a few rows at the end as one.

import { type Content, type Html, html } from "../../../ui/html.ts";
import { plotLibraries } from "./plot.ts";

/** Made with the first plot, for the reason that ui/instants.ts gives. */
let formats: { whole: Intl.NumberFormat; short: Intl.NumberFormat } | undefined;

function made(): NonNullable<typeof formats> {
  formats ??= {
    whole: new Intl.NumberFormat("en"),
    short: new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }),
  };
  return formats;
}

/** 12,345 */
export const whole = (value: number): string => made().whole.format(value);

/** 1,234 and 12.3K: for where there is little room, beside the whole number. */
export const short = (value: number): string => (value < 10_000 ? whole(value) : made().short.format(value));

/** One of few figures that stand large at the head of a page; those that would not fit are said whole elsewhere on it. */
export const figure = (value: number): string =>
  value < 1_000_000 ? whole(value) : made().short.format(value);

/** The large figures at the head of a page. */
export const figures = (named: readonly (readonly [name: string, value: number])[]): Html =>
  html`<dl class="figures">${named.map(([name, value]) => html`<div><dt>${name}</dt><dd>${figure(value)}</dd></div>`)}</dl>`;

/** One noun, and the same for several. */
export type Noun = readonly [one: string, several: string];

/** 1 read, 12 reads */
export const counted = (value: number, [one, several]: Noun): string =>
  `${whole(value)} ${value === 1 ? one : several}`;

/**
 * Rows of numbers, the first cell being what they are of. It stays a table on a phone: it is narrow, or with `named` each row's name
 * stands above its numbers. Roles are named, since such rows are no table to a browser.
 */
export function numbersTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly [Content, ...number[]])[],
  named = false,
): Html {
  return html`<table role="table" class="numbers${named && " named"}"><caption class="unseen">${caption}</caption><thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col">${column}</th>`,
  )}</tr></thead><tbody role="rowgroup">${rows.map(
    ([head, ...numbers]) =>
      html`<tr role="row"><th role="rowheader" scope="row">${head}</th>${numbers.map((value) => html`<td role="cell">${whole(value)}</td>`)}</tr>`,
  )}</tbody></table>`;
}

export interface Rank {
  name: Content;
  value: number;
}

/** More rows than this stand behind a word that opens them. */
const SHOWN = 8;

/**
 * @param counted what is counted, and `what` by what, for readers of the table alone
 * @param ranks in any order; equal ones stay in theirs
 */
export async function ranks(counted: string, what: string, ranks: readonly Rank[]): Promise<Html> {
  const caption = `${counted} by ${what.toLowerCase()}`;
  const { scaleLinear } = await plotLibraries();
  const rows = ranks.toSorted((one, other) => other.value - one.value);
  const wide = scaleLinear()
    .domain([0, Math.max(1, rows[0]?.value ?? 0)])
    .range([0, 100]);
  const body = (part: readonly Rank[], name: string) =>
    html`<table class="ranks"><caption class="unseen">${name}</caption><thead><tr><th scope="col"><span class="unseen">${what}</span></th><td></td><th scope="col"><span class="unseen">${counted}</span></th></tr></thead><tbody>${part.map(
      (rank) =>
        html`<tr><th scope="row">${rank.name}</th><td aria-hidden="true"><svg width="100%" height="10" aria-hidden="true"><rect class="bar" width="${Math.round(wide(rank.value) * 100) / 100}%" height="10" rx="3"/></svg></td><td>${whole(rank.value)}</td></tr>`,
    )}</tbody></table>`;
  const rest = rows.slice(SHOWN);
  // A single row more takes no more room than the word that would open it.
  if (rest.length < 2) return body(rows, caption);
  const others = rest.reduce((sum, { value }) => sum + value, 0);
  return html`${body(rows.slice(0, SHOWN), caption)}<details class="more"><summary>${rest.length} more, ${whole(others)} together</summary>${body(rest, `${caption}, the rest`)}</details>`;
}
