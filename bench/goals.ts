// The table of goals: one line for each, made of what a whole run measured. Holds no goal of its own where a case, or the held
// polls, have it already.

import type { Case, Goal, Ratio } from "./case.ts";
import { absolute, digits, growth, nameOf, ratiosOf } from "./figures.ts";
import { eachHeld, HANDSETS, type HeldFigure, MANY, SEEN_GOALS } from "./held.ts";
import type { Row } from "./rows.ts";
import type { Measured } from "./run.ts";
import type { StartFigures } from "./starts.ts";
import { besides, GROWTH_GOAL } from "./table.ts";

export const IDLE_HANDSETS = 1_000;
const IDLE_GOAL: Goal = { most: 1 };
const START_GOAL: Goal = { most: 0.8 };
const MEMORY_GOAL: Goal = { most: 130 };

/** Measured on the embedded database and on the one by URL. */
const BESIDE_URL = /^(inbox unchanged, 5 |inbox of 50 cards, 5 |create and send$|send of a draft$)/;

/** What a run gave; a part that failed says why. */
export interface Results {
  cases: Measured[];
  held: HeldFigure[];
  many: HeldFigure | null;
  heldFailed: string | null;
  starts: StartFigures | null;
  startsFailed: string | null;
  /** Whether a million rows and a database by URL were there. */
  million: boolean;
  byUrl: boolean;
}

/** The sides of a case that the goals need in a world of this size. */
export function goalSides(size: string, of: Case, million: boolean): string[] {
  if (size === "S" && of.ratios.some((ratio) => hasLine(of, ratio))) return Object.keys(of.sides);
  if (size === "S") return million ? of.flat : [];
  if (size === "L") return of.flat;
  return BESIDE_URL.test(of.name) ? ["http"] : [];
}

/** Whoever is beside the MCP SDK's example has no goal, and is shown. */
const BESIDE_EXAMPLE = /^everything-server/;
const hasLine = ({ name }: Case, { goal }: Ratio) => goal !== null || BESIDE_EXAMPLE.test(name);

export function goalRows(results: Results): Row[] {
  return [
    ...heldRows(results),
    ...caseRows(results.cases),
    ...startRows(results),
    ...growthRows(results),
    ...besideRows(results),
  ];
}

function heldRows({ held, many, heldFailed }: Results): Row[] {
  const group = "Held polls";
  const row = (work: string, unit: Row["unit"], values: number[], goal: Goal | null, note = ""): Row => ({
    ...{ group, work, unit, values, goal },
    note: heldFailed === null ? note : `failed: ${heldFailed}${note && `; ${note}`}`,
  });
  const seen = HANDSETS.map((count) => {
    const rounds = held.filter(({ handsets }) => handsets === count);
    const goal = count in SEEN_GOALS ? { most: SEEN_GOALS[count]! } : null;
    const p99 = rounds.map((round) => digits(round.p99)).join(", ");
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
  const parts = known.map(({ server, postgres }) => `${digits(server!)} + ${digits(postgres!)}`).join(", ");
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
    row(`${MANY} held: p50`, " ms", many ? [many.p50] : [], null, many ? `p99 ${digits(many.p99)} ms` : ""),
    row(
      `${MANY} held: memory for each`,
      " kB",
      many?.memory ? [eachHeld(many.memory, MANY)] : [],
      null,
      many?.memory ? `${digits(many.memory.before.rss)} → ${digits(many.memory.held.rss)} MB` : "",
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

function caseRows(cases: readonly Measured[]): Row[] {
  const rows = cases.flatMap(({ of, bySize, missing, failed }) =>
    of.ratios
      .filter((ratio) => hasLine(of, ratio))
      .map((ratio): Row => {
        const sides = bySize.get("S");
        const why = failed === null ? (missing[ratio.to] ?? missing[ratio.of]) : `failed: ${failed}`;
        return {
          group: groupOf(of.name),
          work: `${of.name}: ${nameOf(ratio)}`,
          unit: "",
          values: ratiosOf(ratio, sides),
          goal: ratio.goal,
          note: why ?? `${ratio.of} ${absolute(sides?.[ratio.of])}, ${ratio.to} ${absolute(sides?.[ratio.to])}`,
        };
      }),
  );
  const order = GROUPS.map(([, group]) => group);
  return rows.toSorted((a, b) => order.indexOf(b.group) - order.indexOf(a.group));
}

function startRows({ starts, startsFailed }: Results): Row[] {
  const group = "Start and memory";
  const mb = (pick: "rss" | "pss") => starts?.atRest.flatMap((memory) => (memory ? [memory[pick]] : [])) ?? [];
  const row = (work: string, unit: Row["unit"], values: number[], goal: Goal | null, note = ""): Row => ({
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
      starts ? `proportional: ${mb("pss").map(digits).join(", ")} MB` : "",
    ),
    row(
      "memory after load, without PostgreSQL",
      " MB",
      starts?.afterLoad ? [starts.afterLoad.rss] : [],
      null,
      starts?.afterLoad ? `proportional: ${digits(starts.afterLoad.pss)} MB` : "",
    ),
  ];
}

function growthRows({ cases, million }: Results): Row[] {
  const group = "p50 at a million alerts ÷ at a thousand";
  if (!million) {
    const note = "seeding takes minutes: npm run bench -- --goals --million";
    return [{ group, work: "every case", unit: "", values: [], goal: GROWTH_GOAL, note }];
  }
  return cases.flatMap(({ of, bySize, failed }) =>
    of.flat.map((side): Row => {
      const [small, large] = [bySize.get("S")?.[side], bySize.get("L")?.[side]];
      const work = of.flat.length > 1 ? `${of.name}: ${side}` : of.name;
      const note = failed === null ? "" : `failed: ${failed}`;
      return { group, work, unit: "", values: growth(side, of, small, large), goal: GROWTH_GOAL, note };
    }),
  );
}

function besideRows({ cases, byUrl }: Results): Row[] {
  const group = "The embedded database ÷ the one by URL";
  if (!byUrl) {
    const note = "needs another PostgreSQL, named by TEST_DATABASE_URL";
    return [{ group, work: "inbox, 304, create, send", unit: "", values: [], goal: null, note }];
  }
  return cases
    .filter(({ of }) => BESIDE_URL.test(of.name))
    .map(({ of, bySize, failed }): Row => {
      const [embedded, other] = [bySize.get("S")?.http, bySize.get("U")?.http];
      const note = failed === null ? `${absolute(embedded)}, ${absolute(other)}` : `failed: ${failed}`;
      return { group, work: of.name, unit: "", values: besides(embedded, other), goal: null, note };
    });
}
