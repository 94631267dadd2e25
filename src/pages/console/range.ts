// Which UTC days a page of statistics shows: a form that any browser sends, and ranges that people mean most. What a range may
// be, the operation says (docs/rules.md#stats-range).

import type { ApiError } from "../../model/errors.ts";
import { type Html, html } from "../../ui/html.ts";
import { chips, wrongWith } from "./parts.ts";
import type { Visit } from "./visit.ts";

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
  <form method="get" action="${path}" novalidate>${day("from", "From (UTC)")}${day("to", "To, included")}<button class="plain">Show these days</button></form></div>`;
}
