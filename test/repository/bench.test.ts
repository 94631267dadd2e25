// The bench's tables: each value with its goal, and the reason for a missing one. No test asserts a time.

import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { OpenWorld } from "../../bench/bench_databases.ts";
import { measureCase } from "../../bench/case_rounds.ts";
import { casesToJson, formatCaseTable } from "../../bench/case_table.ts";
import type { BenchCase } from "../../bench/case_types.ts";
import { computeRatios, formatFigures } from "../../bench/figure_format.ts";
import { renderGoalChart } from "../../bench/goal_chart.ts";
import { type GoalReport, type GoalRow, rowsTable } from "../../bench/goal_rows.ts";

const world = { size: { name: "S", alerts: 1 }, databaseUrl: "" } as OpenWorld;

const caseOf = (sides: BenchCase["sides"]): BenchCase => ({
  name: "a case",
  sides,
  ratios: [{ of: "http", to: "other", by: "rate", goal: { least: 1 } }],
  flat: [],
});

const measured = (of: BenchCase) =>
  measureCase(of, {
    worlds: [world],
    sidesIn: () => Object.keys(of.sides),
    rounds: 1,
    seconds: 1,
    pgbench: null,
    interrupted: () => false,
  });

describe("a case", () => {
  test("a failing case shows the place and the reason, in one line of the table", async () => {
    const failing = await measured(
      caseOf({
        http: async () => {
          throw new Error("pgbench ended with 2:\nERROR:  integer out of range | at 3\nmore");
        },
      }),
    );
    const lines = formatCaseTable([failing]).split("\n");
    expect(lines[2]).toBe("| a case | ✗ failed: S, http, warm-up: ERROR: integer out of range / at 3 |  |  |  |  |  |");
    expect(casesToJson([failing])).toMatchObject({ "a case": { failed: expect.stringContaining("out of range") } });
  });
  test("a case whose side is not installed has no value, and does not fail", async () => {
    const { missing, failed } = await measured(
      caseOf({
        http: async () => ({ kind: "missing", why: "is not here" }),
        other: async () => ({ kind: "pgbench", scripts: [] }),
      }),
    );
    expect(failed).toBeNull();
    expect(missing).toEqual({ http: "is not here", other: expect.stringContaining("pgbench is not found") });
  });
});

test("a comparison without named programs reports it in one line", () => {
  const { NTFY_BIN: _, GOTIFY_BIN: __, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ["bench/main.ts", "--peers"], {
    env: { ...env, NODE_NO_WARNINGS: "1" },
    encoding: "utf8",
  });
  expect({ status, lines: stderr.trim().split("\n") }).toEqual({
    status: 2,
    lines: [expect.stringMatching(/NTFY_BIN and GOTIFY_BIN.*neither is set/)],
  });
});

test("a ratio compares two sides of the same round", () => {
  const ratio = { of: "a", to: "b", by: "rate", goal: null } as const;
  const rates = (...values: number[]) => values.map((perSecond) => ({ perSecond }));
  expect(computeRatios(ratio, { a: rates(10, 40, 90), b: rates(10, 20, 30) })).toEqual([1, 2, 3]);
  expect(computeRatios(ratio, { a: rates(10, 40), b: rates(10) })).toEqual([1]);
  expect(computeRatios(ratio, { a: rates(10) })).toEqual([]);
});

const row = (more: Partial<GoalRow>): GoalRow => ({
  group: "a group",
  work: "some work",
  unit: "",
  values: [0.5, 0.4, 0.6],
  goal: { least: 1 },
  note: "",
  ...more,
});

describe("the table of goals", () => {
  test("shows the median, the spread and the goal, and marks what misses it", () => {
    const rows = [row({}), row({ values: [3, 2], goal: { most: 5 }, unit: " ms" }), row({ values: [], note: "why" })];
    expect(rowsTable(rows).split("\n").slice(3)).toEqual([
      "| some work | ✗ 0.50 | 0.40–0.60 | ≥ 1 |  |",
      "| some work | 2.50 ms | 2.00–3.00 | ≤ 5 ms |  |",
      "| some work | not measured |  | ≥ 1 | why |",
    ]);
    expect(formatFigures([1, 2, 3], { most: 1.5 })).toBe("✗ 2.00 (1.00..3.00)");
  });
});

describe("the picture", () => {
  const report = (rows: GoalRow[]): GoalReport => ({
    at: "2026-01-02T03:04:05.000Z",
    machine: { cores: 2, processor: "<b>", node: "v1", load: 0.25 },
    settings: { seconds: 2, rounds: 3 },
    rows,
  });
  const marks = (rows: GoalRow[]) =>
    [...renderGoalChart(report(rows)).matchAll(/<circle class="(\w+)" cx="([\d.]+)"/g)].map(([, kind, x]) => [
      kind,
      Number(x),
    ]);
  const goalAt = Number(/class="goal" x1="([\d.]+)"/.exec(renderGoalChart(report([row({})])))![1]);

  test("puts results that meet their goal to the right of the line, for both directions", () => {
    const [missed, met, slow, level] = marks([
      row({}),
      row({ values: [2] }),
      row({ values: [20], goal: { most: 10 }, unit: " ms" }),
      row({ values: [1], goal: null }),
    ]);
    expect(missed).toEqual(["missed", expect.closeTo(goalAt - (met![1] as number) + goalAt, 0)]);
    expect(met![0]).toBe("met");
    expect(met![1]).toBeGreaterThan(goalAt);
    expect(slow).toEqual(missed);
    expect(level).toEqual(["none", goalAt]);
  });
  test("shows no mark of what was not measured, nor of a goal of none at all", () => {
    expect(marks([row({ values: [] }), row({ values: [0], goal: { most: 0 } })])).toEqual([]);
  });
  test("escapes its contents", () => {
    const svg = renderGoalChart(report([row({ work: "a < b & c" })]));
    expect(svg).toContain("a &lt; b &amp; c");
    expect(svg).not.toContain("<b>");
  });
});
