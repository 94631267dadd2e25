// The size of Node's young generation, which decides between memory and speed: one process for each size on the same database, loaded
// in turns. What each takes after that, and how fast it is beside one with the size that `npm start` gives.

import { setTimeout as pause } from "node:timers/promises";
import { CASES } from "./cases/index.ts";
import { absolute, median, ratiosOf, show } from "./figures.ts";
import { type Figure, loadHttp } from "./load.ts";
import { Interrupted } from "./run.ts";
import { FLAGS, type Server, startServer } from "./served.ts";
import { type Bench, progress } from "./setup.ts";

/** MB of `--max-semi-space-size`; null: without it. */
const SIZES = ["8", "16", "32", null] as const;
const FLAG = "--max-semi-space-size";
const GIVEN = FLAGS.find((flag) => flag.startsWith(FLAG))?.split("=")[1];
const WORKS = ["inbox of 50 cards, 5 channels", "inbox unchanged, 5 channels", "create and send"];
const CLIENTS = 8;
const REST_MS = 3_000;

interface Sized {
  name: string;
  server: Server;
  figures: Record<string, Figure[]>;
  /** MB: at rest, and after each round. */
  resident: number[];
}

export async function measureMemory(
  { worlds, open }: Bench,
  { seconds, rounds, interrupted }: { seconds: number; rounds: number; interrupted(): boolean },
): Promise<{ table: string; figures: object }> {
  await open({ name: "S", alerts: 1000 }, "embedded");
  const world = worlds[0]!;
  const sized: Sized[] = [];
  const works = CASES.filter(({ name }) => WORKS.includes(name));
  try {
    for (const size of SIZES) {
      const flags = FLAGS.filter((flag) => !flag.startsWith(FLAG));
      if (size !== null) flags.push(`${FLAG}=${size}`);
      const server = await startServer({ databaseUrl: world.databaseUrl, secret: world.secret, flags });
      sized.push({ name: size ?? "none", server, figures: {}, resident: [] });
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
      if (round > 0)
        for (const { server, resident } of sized) resident.push(server.memory()?.rss ?? Number.NaN);
      progress(round === 0 ? "all are warm" : `round ${round}`);
    }
  } finally {
    for (const { server } of sized) await server.stop();
  }
  return {
    table: tableOf(sized),
    figures: sized.map(({ name, figures, resident }) => ({ name, figures, resident })),
  };
}

function tableOf(sized: readonly Sized[]): string {
  const given = sized.find(({ name }) => name === GIVEN)!;
  const cell = (work: string, { name, figures }: Sized) => {
    const sides = { it: figures[work]!, given: given.figures[work]! };
    const ratios = (by: "rate" | "cpu") =>
      show(ratiosOf({ of: "it", to: "given", by, goal: null }, sides), null);
    const here = `<sub>${absolute(figures[work])}</sub>`;
    return name === GIVEN ? here : `${ratios("rate")}, CPU ${ratios("cpu")} ${here}`;
  };
  return [
    `| MB | resident after load | ${WORKS.map((work) => `${work}: ÷ ${GIVEN} MB`).join(" | ")} |`,
    `|---|---|${WORKS.map(() => "---|").join("")}`,
    ...sized.map(
      (each) =>
        `| ${[each.name, `${median(each.resident).toFixed(0)} MB`, ...WORKS.map((work) => cell(work, each))].join(" | ")} |`,
    ),
  ].join("\n");
}
