// From figures to the table: medians and spreads of ratios, each beside its goal.

import type { Case, Ratio } from "./cases.ts";
import type { Figure } from "./load.ts";

/** case → size → side → one figure a round. */
export type Figures = Map<Case, Map<string, Record<string, Figure[]>>>;

export const GROWTH_GOAL = { most: 1.5 };

export function markdown(figures: Figures): string {
  const lines = [
    "| case | ratio | S | L | goal | p50 L ÷ S (≤ 1.5) | in this run |",
    "|---|---|---|---|---|---|---|",
  ];
  for (const [of, bySize] of figures) {
    for (const ratio of of.ratios) {
      const shown = ["S", "L"].map((size) => show(ratiosOf(ratio, bySize.get(size)), ratio.goal));
      lines.push(
        `| ${[of.name, nameOf(ratio), ...shown, goalText(ratio.goal), growth(ratio.of, of, bySize), absolute(ratio, bySize)].join(" | ")} |`,
      );
    }
  }
  return lines.join("\n");
}

/** case → size → side → one figure a round. */
export const asJson = (figures: Figures) =>
  Object.fromEntries([...figures].map(([{ name }, bySize]) => [name, Object.fromEntries(bySize)]));

/** Each side on the embedded database to the same on the one by URL, of the same round: E ÷ S. */
export function besideUrl(figures: Figures): string {
  const lines = ["| case | side | embedded ÷ by URL | in this run |", "|---|---|---|---|"];
  for (const [of, bySize] of figures) {
    const [byUrl, embedded] = [bySize.get("S")!, bySize.get("E")!];
    for (const [side, rounds] of Object.entries(embedded)) {
      const rates = (these: Figure[]) => these.map(({ perSecond }) => perSecond);
      const ratios = rates(rounds).map((rate, round) => rate / byUrl[side]![round]!.perSecond);
      const here = [rounds, byUrl[side]!].map((these) => `${Math.round(median(rates(these)))}/s`);
      lines.push(`| ${[of.name, side, show(ratios, null), `<sub>${here.join(" ÷ ")}</sub>`].join(" | ")} |`);
    }
  }
  return lines.join("\n");
}

const nameOf = ({ of, to, by }: Ratio) => `${of} ÷ ${to}${by === "cpu" ? " (CPU)" : ""}`;

const goalText = (goal: Ratio["goal"]) =>
  goal === null ? "" : "least" in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`;

/** Of the same round only: the machine's speed differs from one to the next. */
function ratiosOf({ of, to, by }: Ratio, sides: Record<string, Figure[]> | undefined): number[] {
  const value = (figure: Figure) => (by === "rate" ? figure.perSecond : figure.cpu!);
  const others = sides?.[to];
  return (others && sides?.[of]?.map((figure, round) => value(figure) / value(others[round]!))) ?? [];
}

function growth(side: string, of: Case, bySize: Map<string, Record<string, Figure[]>>): string {
  const [small, large] = [bySize.get("S")?.[side], bySize.get("L")?.[side]];
  if (!of.flat.includes(side) || !small || !large) return "";
  return show(
    large.map(({ p50 }, round) => p50! / small[round]!.p50!),
    GROWTH_GOAL,
  );
}

function absolute({ of, to }: Ratio, bySize: Map<string, Record<string, Figure[]>>): string {
  const side = (name: string) =>
    [...bySize].map(([size, sides]) => {
      const rounds = sides[name];
      if (!rounds) return `${size} not run`;
      const rate = Math.round(median(rounds.map(({ perSecond }) => perSecond)));
      const cpu = rounds.map((figure) => figure.cpu).filter((us) => us !== undefined);
      return `${size} ${rate}/s${cpu.length > 0 ? ` ${Math.round(median(cpu))} µs` : ""}`;
    });
  return `<sub>${of} ${side(of).join(", ")}; ${to} ${side(to).join(", ")}</sub>`;
}

function show(values: number[], goal: Ratio["goal"]): string {
  if (values.length === 0) return "";
  const middle = median(values);
  const met = goal === null || ("least" in goal ? middle >= goal.least : middle <= goal.most);
  const spread = values.length > 1 ? ` (${digits(Math.min(...values))}..${digits(Math.max(...values))})` : "";
  return `${met ? "" : "✗ "}${digits(middle)}${spread}`;
}

const digits = (value: number) => value.toFixed(2);

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
