// Numbers as plots and their tables write them, and the table that says the same as a plot.

import { type Content, type Html, html } from "../../../ui/html.ts";

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
