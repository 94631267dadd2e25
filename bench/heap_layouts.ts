// Compares layouts of Node's heap, which trade memory for speed: one process for each layout on the same database,
// loaded in turns. It shows the memory of each afterwards, and its speed relative to one with the flags of `npm start`.

import { setTimeout as pause } from "node:timers/promises";
import { type Bench, progress } from "./bench_setup.ts";
import { Interrupted } from "./case_rounds.ts";
import { CASES } from "./cases/index.ts";
import { computeRatios, formatAbsolute, formatFigures, median } from "./figure_format.ts";
import { type LoadFigure, loadHttp } from "./load_generators.ts";
import { type BenchServer, NODE_FLAGS, startServer } from "./start_servers.ts";

/**
 * MB of the young generation, and percent that the old one may grow by before it is collected; null: as Node does by
 * itself.
 */
const WAYS: readonly (readonly [semi: string | null, growing: string | null])[] = [
  ["8", "50"],
  ["16", "30"],
  ["16", "50"],
  ["16", "100"],
  ["16", null],
  ["32", "50"],
  [null, null],
];
const HEAP = ["--max-semi-space-size", "--heap-growing-percent"];
const flagsOf = (way: (typeof WAYS)[number]) =>
  way.flatMap((value, i) => (value === null ? [] : [`${HEAP[i]}=${value}`]));
const nameOf = (way: (typeof WAYS)[number]) => way.map((value) => value ?? "none").join(" | ");
const [GIVEN] = WAYS.filter((way) => flagsOf(way).every((flag) => NODE_FLAGS.includes(flag)) && !way.includes(null));
const WORKS = ["inbox of 50 cards, 5 channels", "inbox unchanged, 5 channels", "create and send"];
const CLIENTS = 8;
const REST_MS = 3_000;

interface Sized {
  name: string;
  server: BenchServer;
  figures: Record<string, LoadFigure[]>;
  /** MB: at rest, and after each round. */
  resident: number[];
}

export async function measureHeapLayouts(
  { worlds, open }: Bench,
  { seconds, rounds, interrupted }: { seconds: number; rounds: number; interrupted(): boolean },
): Promise<{ table: string; figures: object }> {
  await open({ name: "S", alerts: 1000 }, "embedded");
  const world = worlds[0]!;
  const sized: Sized[] = [];
  const works = CASES.filter(({ name }) => WORKS.includes(name));
  try {
    for (const way of WAYS) {
      const others = NODE_FLAGS.filter((flag) => !HEAP.some((name) => flag.startsWith(name)));
      const flags = [...others, ...flagsOf(way)];
      const server = await startServer({ databaseUrl: world.databaseUrl, secret: world.secret, flags });
      sized.push({ name: nameOf(way), server, figures: {}, resident: [] });
    }
    for (let round = 0; round <= rounds; round++) {
      for (const { name, sides } of works)
        for (const { server, figures } of sized) {
          if (interrupted()) throw new Interrupted();
          const load = await sides.http!({ ...world, service: server.service }, round);
          if (load.kind !== "http") throw new Error(`${name} is not over HTTP`);
          const figure = await loadHttp(load, round === 0 ? 1 : seconds, CLIENTS);
          if (round > 0) figures[name] = [...(figures[name] ?? []), figure];
        }
      await pause(REST_MS);
      if (round > 0) for (const { server, resident } of sized) resident.push(server.memory()?.rss ?? Number.NaN);
      progress(round === 0 ? "all are warm" : `round ${round}`);
    }
  } finally {
    for (const { server } of sized) await server.stop();
  }
  return { table: tableOf(sized), figures: sized.map(({ name, figures, resident }) => ({ name, figures, resident })) };
}

function tableOf(sized: readonly Sized[]): string {
  const named = nameOf(GIVEN!);
  const given = sized.find(({ name }) => name === named)!;
  const cell = (work: string, { name, figures }: Sized) => {
    const sides = { it: figures[work]!, given: given.figures[work]! };
    const ratios = (by: "rate" | "cpu") =>
      formatFigures(computeRatios({ of: "it", to: "given", by, goal: null }, sides), null);
    const here = `<sub>${formatAbsolute(figures[work])}</sub>`;
    return name === named ? here : `${ratios("rate")}, CPU ${ratios("cpu")} ${here}`;
  };
  const rowOf = (each: Sized) =>
    [each.name, `${median(each.resident).toFixed(0)} MB`, ...WORKS.map((work) => cell(work, each))].join(" | ");
  return [
    `| MB | % | resident after load | ${WORKS.join(" | ")} |`,
    `|---|---|---|${WORKS.map(() => "---|").join("")}`,
    ...sized.map((each) => `| ${rowOf(each)} |`),
  ].join("\n");
}
