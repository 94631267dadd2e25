// Cases as a table: medians and spreads of ratios, each beside its goal.

import type { Ratio } from "./case.ts";
import { absolute, goalText, growth, median, nameOf, ratiosOf, show } from "./figures.ts";
import type { Figure } from "./load.ts";
import type { Measured } from "./run.ts";

export const GROWTH_GOAL = { most: 1.5 };

export function markdown(cases: readonly Measured[]): string {
  const lines = ["| case | ratio | S | L | goal | p50 L ÷ S (≤ 1.5) | in this run |", "|---|---|---|---|---|---|---|"];
  for (const { of, bySize, failed } of cases) {
    if (failed !== null) lines.push(`| ${of.name} | ✗ failed: ${failed} |  |  |  |  |  |`);
    for (const ratio of of.ratios) {
      const shown = ["S", "L"].map((size) => show(ratiosOf(ratio, bySize.get(size)), ratio.goal));
      const [small, large] = [bySize.get("S")?.[ratio.of], bySize.get("L")?.[ratio.of]];
      const grown = show(growth(ratio.of, of, small, large), GROWTH_GOAL);
      lines.push(
        `| ${[of.name, nameOf(ratio), ...shown, goalText(ratio.goal), grown, here(ratio, bySize)].join(" | ")} |`,
      );
    }
  }
  return lines.join("\n");
}

/** case → size → side → one figure a round. */
export const asJson = (cases: readonly Measured[]) =>
  Object.fromEntries(
    cases.map(({ of, bySize, failed }) => [
      of.name,
      { ...Object.fromEntries(bySize), ...(failed === null ? {} : { failed }) },
    ]),
  );

/** Each side on the embedded database to the same on the one by URL, of the same round: E ÷ S. */
export function besideUrl(cases: readonly Measured[]): string {
  const lines = ["| case | side | embedded ÷ by URL | in this run |", "|---|---|---|---|"];
  for (const { of, bySize } of cases) {
    const [byUrl = {}, embedded = {}] = [bySize.get("S"), bySize.get("E")];
    for (const [side, rounds] of Object.entries(embedded)) {
      const ratios = besides(rounds, byUrl[side]);
      const rates = [rounds, byUrl[side] ?? []].map(
        (these) => `${Math.round(median(these.map(({ perSecond }) => perSecond)))}/s`,
      );
      lines.push(`| ${[of.name, side, show(ratios, null), `<sub>${rates.join(" ÷ ")}</sub>`].join(" | ")} |`);
    }
  }
  return lines.join("\n");
}

/** Rates to rates of the same rounds. */
export const besides = (rounds: readonly Figure[] = [], others: readonly Figure[] = []): number[] =>
  rounds.slice(0, others.length).map(({ perSecond }, round) => perSecond / others[round]!.perSecond);

function here({ of, to }: Ratio, bySize: Measured["bySize"]): string {
  const side = (name: string) =>
    [...bySize]
      .filter(([size]) => size === "S" || size === "L")
      .map(([size, sides]) => `${size} ${absolute(sides[name])}`)
      .join(", ");
  return `<sub>${of} ${side(of)}; ${to} ${side(to)}</sub>`;
}
