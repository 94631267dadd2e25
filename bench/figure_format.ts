// Measured values and their format: the median of all rounds, the least and the greatest in brackets, and the goal.

import type { BenchCase, Goal, GoalRatio } from "./case_types.ts";
import type { LoadFigure } from "./load_generators.ts";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export const meetsGoal = (value: number, goal: Goal | null) =>
  goal === null || ("least" in goal ? value >= goal.least : value <= goal.most);

export const goalText = (goal: Goal | null, unit = "") =>
  goal === null ? "" : `${"least" in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`}${unit}`;

/** `✗ 0.53 (0.50..0.60)`: ✗ when the median misses the goal. */
export function formatFigures(values: readonly number[], goal: Goal | null): string {
  if (values.length === 0) return "";
  const middle = median(values);
  const spread =
    values.length > 1 ? ` (${formatDigits(Math.min(...values))}..${formatDigits(Math.max(...values))})` : "";
  return `${meetsGoal(middle, goal) ? "" : "✗ "}${formatDigits(middle)}${spread}`;
}

export const formatDigits = (value: number) => value.toFixed(value >= 1000 || value === 0 ? 0 : value >= 10 ? 1 : 2);

export const getRatioName = ({ of, to, by }: GoalRatio) => `${of} ÷ ${to}${by === "cpu" ? " (CPU)" : ""}`;

/** Only within one round: the machine's speed differs from one to the next. */
export function computeRatios({ of, to, by }: GoalRatio, sides: Record<string, LoadFigure[]> | undefined): number[] {
  const value = (figure: LoadFigure) => (by === "rate" ? figure.perSecond : (figure.cpu ?? Number.NaN));
  const others = sides?.[to] ?? [];
  return (sides?.[of] ?? [])
    .slice(0, others.length)
    .map((figure, round) => value(figure) / value(others[round]!))
    .filter((ratio) => !Number.isNaN(ratio));
}

/** The p50 of a side in one size to that in another. */
export function computeGrowth(side: string, of: BenchCase, small?: LoadFigure[], large?: LoadFigure[]): number[] {
  if (!of.flat.includes(side) || !small || !large) return [];
  return large.slice(0, small.length).map(({ p50 }, round) => p50! / small[round]!.p50!);
}

/** `1234/s 250 µs`: the rate, and the server's processor time of a request. */
export function formatAbsolute(rounds: readonly LoadFigure[] | undefined): string {
  if (!rounds || rounds.length === 0) return "not run";
  const rate = Math.round(median(rounds.map(({ perSecond }) => perSecond)));
  const cpu = rounds.map((figure) => figure.cpu).filter((us) => us !== undefined);
  return `${rate}/s${cpu.length > 0 ? ` ${Math.round(median(cpu))} µs` : ""}`;
}
