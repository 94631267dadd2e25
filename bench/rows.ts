// One line of the table of goals: what was seen in each round, and the goal. The same lines are written as JSON and drawn.

import type { Goal } from "./case.ts";
import { digits, goalText, isMet, median } from "./figures.ts";

export interface Row {
  group: string;
  work: string;
  /** Stands behind figure and goal; a ratio has none. */
  unit: "" | " ms" | " %" | " s" | " MB" | " kB" | " µs" | "/s";
  /** One a round; none when it was not measured. */
  values: number[];
  goal: Goal | null;
  /** Absolute figures of this run, or why there are none. */
  note: string;
}

export interface Report {
  at: string;
  machine: { cores: number; processor: string; node: string; load: number };
  settings: { seconds: number; rounds: number };
  rows: Row[];
}

/** Null where it was not measured. */
export const figureOf = ({ values }: Row) => (values.length === 0 ? null : median(values));

export function rowsTable(rows: readonly Row[]): string {
  const lines = ["| work | figure | least–greatest | goal | in this run |", "|---|---|---|---|---|"];
  let group = "";
  for (const row of rows) {
    if (row.group !== group) lines.push(`| **${row.group}** |  |  |  |  |`);
    group = row.group;
    const figure = figureOf(row);
    const shown =
      figure === null ? "not measured" : `${isMet(figure, row.goal) ? "" : "✗ "}${digits(figure)}${row.unit}`;
    const spread = row.values.length > 1 ? `${digits(Math.min(...row.values))}–${digits(Math.max(...row.values))}` : "";
    lines.push(`| ${[row.work, shown, spread, goalText(row.goal, row.unit), row.note].join(" | ")} |`);
  }
  return lines.join("\n");
}
