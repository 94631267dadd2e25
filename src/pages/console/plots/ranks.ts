// How a whole is made up, as a table whose rows have a bar each: the longest first, and a few rows at the end as one.

import { type Content, type Html, html } from "../../../ui/html.ts";
import { whole } from "./numbers.ts";
import { plotLibraries } from "./plot.ts";

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
