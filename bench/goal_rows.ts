// One line of the table of goals: what was seen in each round, and the goal. The same lines are written as JSON and
// drawn.

import type { Goal } from "./case_types.ts";
import { formatDigits, goalText, median, meetsGoal } from "./figure_format.ts";

export interface GoalRow {
  group: string;
  work: string;
  /** The unit of value and goal; a ratio has none. */
  unit: "" | " ms" | " %" | " s" | " MB" | " kB" | " µs" | "/s";
  /** One a round; none when it was not measured. */
  values: number[];
  goal: Goal | null;
  /** Absolute values of this run, or why they are missing. */
  note: string;
}

export interface GoalReport {
  at: string;
  machine: { cores: number; processor: string; node: string; load: number };
  settings: { seconds: number; rounds: number };
  rows: GoalRow[];
}

/** Null where it was not measured. */
export const getMedianFigure = ({ values }: GoalRow) => (values.length === 0 ? null : median(values));

export function rowsTable(rows: readonly GoalRow[]): string {
  const lines = ["| work | figure | least–greatest | goal | in this run |", "|---|---|---|---|---|"];
  let group = "";
  for (const row of rows) {
    if (row.group !== group) lines.push(`| **${row.group}** |  |  |  |  |`);
    group = row.group;
    const figure = getMedianFigure(row);
    const shown =
      figure === null ? "not measured" : `${meetsGoal(figure, row.goal) ? "" : "✗ "}${formatDigits(figure)}${row.unit}`;
    const spread =
      row.values.length > 1 ? `${formatDigits(Math.min(...row.values))}–${formatDigits(Math.max(...row.values))}` : "";
    lines.push(`| ${[row.work, shown, spread, goalText(row.goal, row.unit), row.note].join(" | ")} |`);
  }
  return lines.join("\n");
}
