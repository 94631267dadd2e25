// Plots compared with their data, without a service: bars, the shape of very many, marks, and lists by rank.

import { describe, expect, test } from "vitest";
import {
  barChart,
  buildHeightAxis,
  type ChartBar,
  formatShare,
  rankedBars,
} from "../../src/pages/console/charts/chart.ts";
import { dailyCharts } from "../../src/pages/console/charts/daily_charts.ts";
import { describePeriodChange, getPeriodBefore } from "../../src/pages/console/pages/statistics.ts";

const BARS = 180;

const drawn = async (slots: ChartBar[]) =>
  (
    await barChart({
      id: "p",
      heading: "Reads",
      total: slots.reduce((sum, { value }) => sum + value, 0),
      noun: ["read", "reads"],
      about: "In order.",
      slots,
      marks: [],
      nothing: "No reads.",
    })
  ).toString();

const slotsOf = (values: number[]): ChartBar[] =>
  values.map((value, i) => ({ from: i / values.length, to: (i + 1) / values.length, value, words: `part ${i}` }));

// Covers rules#console-figures.
describe("a plot", () => {
  test("has at most four lines, of whole numbers, and no bar above the last", async () => {
    for (let highest = 1; highest < 2_000_000; highest += 1 + Math.floor(highest / 7)) {
      const { height, lines } = await buildHeightAxis(highest);
      expect([highest, lines.length > 0, lines.length <= 4, lines.every(Number.isInteger)]).toEqual([
        ...[highest, true, true, true],
      ]);
      expect(lines.at(-1)!).toBeGreaterThanOrEqual(highest);
      expect(height(lines.at(-1)!)).toBe(BARS);
    }
  });

  test("of very many parts is one shape, as high over each as its number", async () => {
    const values = Array.from({ length: 150 }, (_, i) => (i % 7 === 0 ? 0 : 1 + ((i * 37) % 200)));
    // One part in the middle was never counted: there is nothing there.
    const slots = slotsOf(values).filter((_, i) => i !== 75);
    const text = await drawn(slots);
    const path = / d="([^"]+)"/.exec(text)![1]!;
    const points = path
      .slice(1, path.indexOf("Z"))
      .split("L")
      .map((pair) => pair.split(",").map(Number) as [number, number]);
    // The way there is the top, the way back the floor.
    const top = points.slice(
      0,
      points.findIndex(([, y], i) => i > 0 && y === BARS && points[i - 1]![0] === 1000),
    );
    const over = (x: number) => BARS - top.findLast(([at]) => at <= x)![1];
    const scale = over((1.5 / 150) * 1000) / values[1]!;
    for (const [i, value] of values.entries()) {
      const wanted = i === 75 || value === 0 ? 0 : Math.max(2, value * scale);
      expect([i, Math.abs(over(((i + 0.5) / 150) * 1000) - wanted) < 1.5]).toEqual([i, true]);
    }
    for (const { words, value } of slots.filter((slot) => slot.value > 0)) expect(text).toContain(`${words}: ${value}`);
  });

  test("few parts each show their number above the bar, many have four lines at most", async () => {
    const few = await drawn(slotsOf([3, 0, 9]));
    expect([...few.matchAll(/class="value"[^>]*>(\d+)</g)].map(([, n]) => n)).toEqual(["3", "9"]);
    for (const highest of [1, 2, 3, 7, 99, 1234, 10_000_000]) {
      const many = await drawn(slotsOf(Array.from({ length: 30 }, (_, i) => (i === 4 ? highest : 0))));
      const lines = many.match(/class="grid"/g)!.length;
      expect([highest, lines >= 1 && lines <= 4]).toEqual([highest, true]);
      expect(many).not.toMatch(/>\d*\.\d+</);
      // A small value next to the highest is visible.
      expect(many).not.toContain('class="value"');
    }
    expect(await drawn(slotsOf([1, 100_000]))).toContain('height="2"');
  });

  test("no data has a message, and names with markup stay text", async () => {
    const nothing = await drawn(slotsOf([0, 0]));
    expect(nothing).toContain("No reads.");
    expect(nothing).not.toContain("<svg");
    const [one] = slotsOf([1]);
    expect(await drawn([{ ...one!, words: "<b>" }])).not.toContain("<b>");
  });

  test("has the value of every part for its script, also of those without a bar", async () => {
    const text = await drawn(slotsOf([1, 0, 1234]));
    const points = /data-points="([^"]*)"/.exec(text)![1]!.split("\n");
    expect(points).toEqual([
      "0 0.3333 part 0: 1 read",
      "0.3333 0.6667 part 1: 0 reads",
      "0.6667 1 part 2: 1,234 reads",
    ]);
    const [one] = slotsOf([1]);
    expect(await drawn([{ ...one!, words: '"><b>' }])).not.toContain("<b>");
  });

  test("by days marks today, and weeks end with the last day", async () => {
    const days = Array.from({ length: 101 }, (_, i) => ({
      date: new Date(Date.UTC(2026, 7, 1 + i)).toISOString().slice(0, 10),
      alerts_sent: 1,
      reads: 0,
      acks: 0,
    }));
    const totals = { alerts_sent: 101, reads: 0, acks: 0 };
    const [long] = await dailyCharts(days, totals, null);
    const bars = [...long!.toString().matchAll(/<title>([^<:]+): (\d+) alerts?</g)].map(([, words, n]) => [words, n]);
    // Three days, then fourteen weeks.
    expect(bars.length).toBe(15);
    expect(bars[0]).toEqual(["1 Aug 2026 to 3 Aug 2026", "3"]);
    expect(bars.at(-1)).toEqual(["3 Nov 2026 to 9 Nov 2026", "7"]);
    const week = days.slice(-7);
    const [short] = await dailyCharts(week, { ...totals, alerts_sent: 7 }, week.at(-1)!.date);
    expect(short!.toString().match(/class="bar running"/g)).toHaveLength(1);
  });
});

test.each([
  [0, 10, "0%"],
  [0, 0, "0%"],
  [10, 10, "100%"],
  [1, 3, "33%"],
  [2, 3, "67%"],
  [1, 1000, "<1%"],
  [999, 1000, ">99%"],
  [1, 200, "1%"],
  [0.5, 100, "1%"],
])("%d of %d is a share of %s", (part, whole, share) => {
  expect(formatShare(part, whole)).toBe(share);
});

// rules#stats-period-before
test("the period before has as many days, and ends right before the range", () => {
  const before = (from: string, to: string) => getPeriodBefore({ from, to });
  expect(before("2026-03-01", "2026-03-07")).toEqual({ from: "2026-02-22", to: "2026-02-28", days: 7 });
  expect(before("2024-03-01", "2024-03-01")).toEqual({ from: "2024-02-29", to: "2024-02-29", days: 1 });
  expect(before("2026-01-01", "2026-12-31")).toEqual({ from: "2025-01-01", to: "2025-12-31", days: 365 });
  for (const [from, to] of [
    ["2026-03-07", "2026-03-01"],
    ["", ""],
    ["x", "2026-03-01"],
    ["1970-01-01", "1970-01-07"],
    ["0001-01-01", "0001-01-02"],
    ["2026-03-01T12:00", "2026-03-02"],
    // The first and last days that a date can have.
    ["-271821-04-20", "-271821-04-20"],
    ["-271821-04-20", "+275760-09-13"],
    ["0000-01-01", "0000-01-01"],
  ] as const)
    expect([from, before(from, to)]).toEqual([from, null]);
  expect(describePeriodChange(12, 9, "7 days")).toBe("+3 from 9");
  expect(describePeriodChange(9, 12_000, "7 days")).toBe("−11,991 from 12,000");
  expect(describePeriodChange(4, 4, "day")).toBe("±0 from 4");
  for (const now of [0, 81]) expect(describePeriodChange(now, 0, "7 days")).toBe("None in the previous 7 days");
});

test("ranks begin with the most, and rare ones are folded", () => {
  const many = Array.from({ length: 12 }, (_, i) => ({ name: `v${i}`, value: i + 1 }));
  const text = rankedBars("Subscribers", "Version", many).toString();
  expect([...text.matchAll(/scope="row">(v\d+)</g)].map(([, name]) => name)).toEqual(
    many.map(({ name }) => name).reverse(),
  );
  expect(text).toContain("4 more, 10 in total");
  expect(rankedBars("Subscribers", "Version", many.slice(0, 9)).toString()).not.toContain("more,");
});
