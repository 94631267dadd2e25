// The table of goals: one line for each, from the measurements of a whole run. Goals of cases and of long polls are
// defined there.

import type { MeasuredCase } from "./case_rounds.ts";
import { compareRates, GROWTH_GOAL } from "./case_table.ts";
import type { BenchCase, Goal, GoalRatio } from "./case_types.ts";
import { computeGrowth, computeRatios, formatAbsolute, formatDigits, getRatioName } from "./figure_format.ts";
import type { GoalRow } from "./goal_rows.ts";
import { DEFAULT_POLL_LIMIT, DELIVERY_GOALS_MS, HANDSETS, memoryPerPoll, type PollFigure } from "./long_polls.ts";
import type { StartFigures } from "./start_times.ts";

export const IDLE_HANDSETS = 1_000;
const IDLE_GOAL: Goal = { most: 1 };
const START_GOAL: Goal = { most: 0.8 };
const MEMORY_GOAL: Goal = { most: 130 };

/** Measured on the embedded database and on the one by URL. */
const BESIDE_URL = /^(inbox unchanged, 5 |inbox of 50 cards, 5 |create and send$|send of a draft$)/;

/** The results of a run; a part that failed has its reason. */
export interface GoalResults {
  cases: MeasuredCase[];
  held: PollFigure[];
  many: PollFigure | null;
  heldFailed: string | null;
  starts: StartFigures | null;
  startsFailed: string | null;
  /** Set if a million rows and a database by URL were available. */
  million: boolean;
  byUrl: boolean;
}

/** The sides of a case that the goals need in a world of this size. */
export function listGoalSides(size: string, of: BenchCase, million: boolean): string[] {
  if (size === "S" && of.ratios.some((ratio) => hasLine(of, ratio))) return Object.keys(of.sides);
  if (size === "S") return million ? of.flat : [];
  if (size === "L") return of.flat;
  return BESIDE_URL.test(of.name) ? ["http"] : [];
}

/** The comparison with the MCP SDK's example has no goal, and is shown. */
const BESIDE_EXAMPLE = /^everything-server/;
const hasLine = ({ name }: BenchCase, { goal }: GoalRatio) => goal !== null || BESIDE_EXAMPLE.test(name);

export function createGoalRows(results: GoalResults): GoalRow[] {
  return [
    ...heldRows(results),
    ...caseRows(results.cases),
    ...startRows(results),
    ...growthRows(results),
    ...besideRows(results),
  ];
}

function heldRows({ held, many, heldFailed }: GoalResults): GoalRow[] {
  const group = "Held polls";
  const row = (work: string, unit: GoalRow["unit"], values: number[], goal: Goal | null, note = ""): GoalRow => ({
    ...{ group, work, unit, values, goal },
    note: heldFailed === null ? note : `failed: ${heldFailed}${note && `; ${note}`}`,
  });
  const seen = HANDSETS.map((count) => {
    const rounds = held.filter(({ handsets }) => handsets === count);
    const goal = count in DELIVERY_GOALS_MS ? { most: DELIVERY_GOALS_MS[count]! } : null;
    const p99 = rounds.map((round) => formatDigits(round.p99)).join(", ");
    const work = `send → seen, p50, ${count} ${count === 1 ? "handset" : "handsets"}`;
    return row(
      work,
      " ms",
      rounds.map(({ p50 }) => p50),
      goal,
      rounds.length > 0 ? `p99 ${p99} ms` : "",
    );
  });
  const idle = held.filter(({ handsets }) => handsets === IDLE_HANDSETS).map((round) => round.idle);
  const known = idle.filter(({ server, postgres }) => server !== null && postgres !== null);
  const parts = known.map(({ server, postgres }) => `${formatDigits(server!)} + ${formatDigits(postgres!)}`).join(", ");
  const all = many ? [...held, many] : held;
  const sent = all.reduce((sum, { handsets, sends }) => sum + handsets * sends, 0);
  return [
    ...seen,
    row(
      "lost, of all sends to all handsets",
      "",
      all.length === 0 ? [] : [all.reduce((sum, { lost }) => sum + lost, 0)],
      { most: 0 },
      sent > 0 ? `of ${sent}` : "",
    ),
    row(
      `${IDLE_HANDSETS} idle held, of a core`,
      " %",
      known.map(({ server, postgres }) => server! + postgres!),
      IDLE_GOAL,
      known.length > 0 ? `service + PostgreSQL: ${parts}` : "",
    ),
    row(
      `${DEFAULT_POLL_LIMIT} held: p50`,
      " ms",
      many ? [many.p50] : [],
      null,
      many ? `p99 ${formatDigits(many.p99)} ms` : "",
    ),
    row(
      `${DEFAULT_POLL_LIMIT} held: memory for each`,
      " kB",
      many?.memory ? [memoryPerPoll(many.memory, DEFAULT_POLL_LIMIT)] : [],
      null,
      many?.memory ? `${formatDigits(many.memory.before.rss)} → ${formatDigits(many.memory.held.rss)} MB` : "",
    ),
  ];
}

const GROUPS: [RegExp, string][] = [
  [BESIDE_EXAMPLE, "Beside the MCP SDK's everything-server"],
  [/MCP|tools\/list/, "MCP"],
  [/^request log/, "Request log"],
  [/^/, "The same SQL in pgbench"],
];
const groupOf = (name: string) => GROUPS.find(([pattern]) => pattern.test(name))![1];

function caseRows(cases: readonly MeasuredCase[]): GoalRow[] {
  const rows = cases.flatMap(({ of, bySize, missing, failed }) =>
    of.ratios
      .filter((ratio) => hasLine(of, ratio))
      .map((ratio): GoalRow => {
        const sides = bySize.get("S");
        const why = failed === null ? (missing[ratio.to] ?? missing[ratio.of]) : `failed: ${failed}`;
        return {
          group: groupOf(of.name),
          work: `${of.name}: ${getRatioName(ratio)}`,
          unit: "",
          values: computeRatios(ratio, sides),
          goal: ratio.goal,
          note:
            why ?? `${ratio.of} ${formatAbsolute(sides?.[ratio.of])}, ${ratio.to} ${formatAbsolute(sides?.[ratio.to])}`,
        };
      }),
  );
  const order = GROUPS.map(([, group]) => group);
  return rows.toSorted((a, b) => order.indexOf(b.group) - order.indexOf(a.group));
}

function startRows({ starts, startsFailed }: GoalResults): GoalRow[] {
  const group = "Start and memory";
  const mb = (pick: "rss" | "pss") => starts?.atRest.flatMap((memory) => (memory ? [memory[pick]] : [])) ?? [];
  const row = (work: string, unit: GoalRow["unit"], values: number[], goal: Goal | null, note = ""): GoalRow => ({
    ...{ group, work, unit, values, goal },
    note: startsFailed === null ? note : `failed: ${startsFailed}`,
  });
  return [
    row("first start, to the first answer", " s", starts ? [starts.first] : [], null),
    row("start again, to the first answer", " s", starts?.again ?? [], START_GOAL),
    row(
      "memory at rest, without PostgreSQL",
      " MB",
      mb("rss"),
      MEMORY_GOAL,
      starts ? `proportional: ${mb("pss").map(formatDigits).join(", ")} MB` : "",
    ),
    row(
      "memory after load, without PostgreSQL",
      " MB",
      starts?.afterLoad ? [starts.afterLoad.rss] : [],
      null,
      starts?.afterLoad ? `proportional: ${formatDigits(starts.afterLoad.pss)} MB` : "",
    ),
  ];
}

function growthRows({ cases, million }: GoalResults): GoalRow[] {
  const group = "p50 at a million alerts ÷ at a thousand";
  if (!million) {
    const note = "seeding takes minutes: npm run bench -- --goals --million";
    return [{ group, work: "every case", unit: "", values: [], goal: GROWTH_GOAL, note }];
  }
  return cases.flatMap(({ of, bySize, failed }) =>
    of.flat.map((side): GoalRow => {
      const [small, large] = [bySize.get("S")?.[side], bySize.get("L")?.[side]];
      const work = of.flat.length > 1 ? `${of.name}: ${side}` : of.name;
      const note = failed === null ? "" : `failed: ${failed}`;
      return { group, work, unit: "", values: computeGrowth(side, of, small, large), goal: GROWTH_GOAL, note };
    }),
  );
}

function besideRows({ cases, byUrl }: GoalResults): GoalRow[] {
  const group = "The embedded database ÷ the one by URL";
  if (!byUrl) {
    const note = "needs another PostgreSQL, named by TEST_DATABASE_URL";
    return [{ group, work: "inbox, 304, create, send", unit: "", values: [], goal: null, note }];
  }
  return cases
    .filter(({ of }) => BESIDE_URL.test(of.name))
    .map(({ of, bySize, failed }): GoalRow => {
      const [embedded, other] = [bySize.get("S")?.http, bySize.get("U")?.http];
      const note = failed === null ? `${formatAbsolute(embedded)}, ${formatAbsolute(other)}` : `failed: ${failed}`;
      return { group, work: of.name, unit: "", values: compareRates(embedded, other), goal: null, note };
    });
}
