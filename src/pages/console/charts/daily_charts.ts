// Plots by UTC day, and the table of the same numbers.

import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import { formatDay } from "../../../ui/time_format.ts";
import {
  type AxisLabel,
  barChart,
  type Chart,
  type ChartBar,
  type CountNoun,
  countWithNoun,
  numbersTable,
} from "./chart.ts";

/** A day as statistics return it; `date` is such as 2026-11-22. */
interface DailyCounts {
  date: string;
  alerts_sent: number;
  reads: number;
  acks: number;
}

export const COUNT_SERIES = [
  { key: "alerts_sent", heading: "Alerts sent", column: "Alerts sent", noun: ["alert", "alerts"] },
  { key: "reads", heading: "Reported reads", column: "Reads", noun: ["read", "reads"] },
  { key: "acks", heading: "Reported acks", column: "Acks", noun: ["acknowledgement", "acknowledgements"] },
] as const satisfies readonly { key: keyof DailyCounts; heading: string; column: string; noun: CountNoun }[];

type CountKey = (typeof COUNT_SERIES)[number]["key"];

/** Up to this many bars are named each. */
const NAMED = 14;
const MARKS = 4;

/** With more bars than this, a narrow screen has room for every second name. */
const CLOSE = 10;

/** Longer ranges are drawn by weeks: a day would be thinner than a pixel of a phone. */
const BY_DAY = 100;
const WEEK = 7;

const words = (date: string) => formatDay(new Date(`${date}T00:00:00Z`));

/** "22", "Nov" and "2026" of a day. */
const partsOf = (date: string) => words(date).split(" ") as [day: string, month: string, year: string];

/** The period of one bar: a day, or seven days. The last seven days end with the last day of the range. */
function barsOf(days: readonly DailyCounts[]): (readonly DailyCounts[])[] {
  if (days.length <= BY_DAY) return days.map((day) => [day]);
  const first = days.length % WEEK || WEEK;
  const weeks = [days.slice(0, first)];
  for (let i = first; i < days.length; i += WEEK) weeks.push(days.slice(i, i + WEEK));
  return weeks;
}

/** The period of each bar, for the page. */
export const describeChartBars = (days: readonly DailyCounts[]): string =>
  `Each bar is ${days.length <= BY_DAY ? "one UTC day" : "seven UTC days"}.`;

/** The first day of each bar. */
function marks(dates: readonly string[]): AxisLabel[] {
  const last = dates.length - 1;
  const middle = (i: number) => (i + 0.5) / dates.length;
  if (dates.length <= NAMED)
    return dates.map((date, i) => {
      const [day, month] = partsOf(date);
      const under = i === 0 || day === "1" ? month : null;
      const spare = dates.length > CLOSE && i % 2 === 1;
      return { at: middle(i), text: day, under, side: "middle", spare };
    });
  let said = "";
  return Array.from({ length: MARKS }, (_, k) => {
    const i = Math.round((k * last) / (MARKS - 1));
    const [day, month, year] = partsOf(dates[i] ?? "");
    const under = year === said ? null : year;
    said = year;
    const side = k === 0 ? "start" : k === MARKS - 1 ? "end" : "middle";
    return { at: side === "start" ? 0 : side === "end" ? 1 : middle(i), text: `${day} ${month}`, under, side };
  });
}

/**
 * A plot for each series, one above the other. `today` is the UTC day that is not over yet, such as 2026-11-22; null
 * where it is not among them.
 */
export function dailyCharts(
  days: readonly DailyCounts[],
  totals: Record<CountKey, number>,
  today: string | null,
): Promise<Html[]> {
  const range = `from ${words(days[0]?.date ?? "")} to ${words(days.at(-1)?.date ?? "")}`;
  const bars = barsOf(days);
  return Promise.all(
    COUNT_SERIES.map(({ key, heading, noun }) => {
      const slots = bars.map(
        (bar, i): ChartBar => ({
          from: i / bars.length,
          to: (i + 1) / bars.length,
          value: bar.reduce((sum, day) => sum + day[key], 0),
          words: [...new Set([...bar.slice(0, 1), ...bar.slice(-1)].map(({ date }) => words(date)))].join(" to "),
          running: bar.some(({ date }) => date === today),
        }),
      );
      const about = `${countWithNoun(totals[key], noun)} ${range}. ${describeChartBars(days)}`;
      const shown: Chart = {
        id: `plot-${key}`,
        heading,
        total: null,
        noun,
        about,
        slots,
        marks: marks(bars.map(([first]) => first?.date ?? "")),
        nothing: `No ${noun[1]} on these days.`,
      };
      return barChart(shown);
    }),
  );
}

/** The numbers of the plots, the newest day first. */
export const dailyTable = (days: readonly DailyCounts[]): HtmlContent =>
  html`<details class="create" id="numbers"><summary class="button plain">View as table</summary>${numbersTable(
    "By UTC day",
    ["Day (UTC)", ...COUNT_SERIES.map(({ column }) => column)],
    days.toReversed().map((day) => [words(day.date), ...COUNT_SERIES.map(({ key }) => day[key])] as const),
  )}</details>`;
