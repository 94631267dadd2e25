// Cases as a table: medians and spreads of ratios, each with its goal.

import type { MeasuredCase } from "./case_rounds.ts";
import type { GoalRatio } from "./case_types.ts";
import {
  computeGrowth,
  computeRatios,
  formatAbsolute,
  formatFigures,
  getRatioName,
  goalText,
  median,
} from "./figure_format.ts";
import type { LoadFigure } from "./load_generators.ts";

export const GROWTH_GOAL = { most: 1.5 };

export function formatCaseTable(cases: readonly MeasuredCase[]): string {
  const lines = ["| case | ratio | S | L | goal | p50 L ÷ S (≤ 1.5) | in this run |", "|---|---|---|---|---|---|---|"];
  for (const { of, bySize, failed } of cases) {
    if (failed !== null) lines.push(`| ${of.name} | ✗ failed: ${failed} |  |  |  |  |  |`);
    for (const ratio of of.ratios) {
      const shown = ["S", "L"].map((size) => formatFigures(computeRatios(ratio, bySize.get(size)), ratio.goal));
      const [small, large] = [bySize.get("S")?.[ratio.of], bySize.get("L")?.[ratio.of]];
      const grown = formatFigures(computeGrowth(ratio.of, of, small, large), GROWTH_GOAL);
      lines.push(
        `| ${[of.name, getRatioName(ratio), ...shown, goalText(ratio.goal), grown, here(ratio, bySize)].join(" | ")} |`,
      );
    }
  }
  return lines.join("\n");
}

/** case → size → side → one value for each round. */
export const casesToJson = (cases: readonly MeasuredCase[]) =>
  Object.fromEntries(
    cases.map(({ of, bySize, failed }) => [
      of.name,
      { ...Object.fromEntries(bySize), ...(failed === null ? {} : { failed }) },
    ]),
  );

/** Each side on the embedded database to the same on the one by URL, of the same round: E ÷ S. */
export function embeddedComparison(cases: readonly MeasuredCase[]): string {
  const lines = ["| case | side | embedded ÷ by URL | in this run |", "|---|---|---|---|"];
  for (const { of, bySize } of cases) {
    const [byUrl = {}, embedded = {}] = [bySize.get("S"), bySize.get("E")];
    for (const [side, rounds] of Object.entries(embedded)) {
      const ratios = compareRates(rounds, byUrl[side]);
      const rates = [rounds, byUrl[side] ?? []].map(
        (these) => `${Math.round(median(these.map(({ perSecond }) => perSecond)))}/s`,
      );
      lines.push(`| ${[of.name, side, formatFigures(ratios, null), `<sub>${rates.join(" ÷ ")}</sub>`].join(" | ")} |`);
    }
  }
  return lines.join("\n");
}

/** Rates to rates of the same rounds. */
export const compareRates = (rounds: readonly LoadFigure[] = [], others: readonly LoadFigure[] = []): number[] =>
  rounds.slice(0, others.length).map(({ perSecond }, round) => perSecond / others[round]!.perSecond);

function here({ of, to }: GoalRatio, bySize: MeasuredCase["bySize"]): string {
  const side = (name: string) =>
    [...bySize]
      .filter(([size]) => size === "S" || size === "L")
      .map(([size, sides]) => `${size} ${formatAbsolute(sides[name])}`)
      .join(", ");
  return `<sub>${of} ${side(of)}; ${to} ${side(to)}</sub>`;
}
