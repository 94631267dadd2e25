// The same work by Belfry, ntfy and Gotify in interleaved rounds, and its lines in a table: each ratio with its goal.
// See README.md.

import { mkdirSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { type Bench, progress } from "../bench_setup.ts";
import { Interrupted } from "../case_rounds.ts";
import type { Goal } from "../case_types.ts";
import { formatDigits, median } from "../figure_format.ts";
import type { GoalReport, GoalRow } from "../goal_rows.ts";
import { loadHttp } from "../load_generators.ts";
import { inFolder } from "../start_times.ts";
import { type Contender, openBelfry, type PeerWork } from "./contenders.ts";
import { type DeliveryFigure, measureDelivery } from "./delivery_latency.ts";
import { startGotify } from "./gotify.ts";
import { startNtfy } from "./ntfy.ts";

const CLIENTS = [1, 8, 64] as const;
const HANDSETS = [1, 100, 1_000] as const;
const SEEN_GOALS = [4, 6, 15];
const LEAN_GOAL: Goal = { most: 22 };

interface Beside {
  work: PeerWork;
  text: string;
  peer: string;
  /** For each number of clients. */
  goals: readonly number[];
}

const BESIDE: Beside[] = [
  { work: "send", text: "send", peer: "ntfy", goals: [1.2, 2.5, 2.5] },
  { work: "send", text: "send", peer: "Gotify on PostgreSQL", goals: [0.8, 1.2, 0.8] },
  { work: "inbox", text: "inbox of 50", peer: "ntfy", goals: [1.2, 1.5, 3] },
  { work: "inbox", text: "inbox of 50", peer: "Gotify on SQLite", goals: [0.6, 0.9, 2.3] },
  { work: "unchanged", text: "unchanged poll", peer: "ntfy", goals: [1, 2, 3] },
];

/** Processor time, in µs of the service and of PostgreSQL. */
const SPENT: { work: PeerWork; text: string; clients: number; goals: [number, number] }[] = [
  { work: "send", text: "send, 64 clients", clients: 64, goals: [350, 300] },
  { work: "unchanged", text: "unchanged poll, 8 clients", clients: 8, goals: [80, 40] },
];

interface Figure {
  perSecond: number;
  refused?: number;
  cpu?: number;
  database: number | null;
}

/** One a round, by what was measured and by whom. */
class Rounds<Value> {
  readonly #values = new Map<string, Value[]>();
  add(what: string, who: string, value: Value): void {
    this.#values.set(`${what}/${who}`, [...this.of(what, who), value]);
  }
  of(what: string, who: string): Value[] {
    return this.#values.get(`${what}/${who}`) ?? [];
  }
}

/** Null when neither program is named. */
export const findPeerPrograms = () => {
  const [ntfy, gotify] = [process.env.NTFY_BIN, process.env.GOTIFY_BIN];
  return ntfy || gotify ? { ntfy, gotify } : null;
};

interface PeerRun {
  seconds: number;
  rounds: number;
  only: string;
  interrupted(): boolean;
}

export const measurePeers = (
  { worlds, open }: Bench,
  programs: NonNullable<ReturnType<typeof findPeerPrograms>>,
  run: PeerRun,
): Promise<GoalReport> =>
  inFolder(async (folder) => {
    const load = loadavg()[0]!;
    const stops: (() => Promise<unknown>)[] = [];
    const own = (name: string) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    };
    try {
      await open({ name: "S", alerts: 1000 }, "embedded");
      const world = worlds[0]!;
      const contenders = [await openBelfry(world)];
      const admit = async (starting: Promise<{ contender: Contender; stop(): Promise<void> }>) => {
        const { contender, stop } = await starting;
        stops.push(stop);
        contenders.push(contender);
        progress(`${contender.name} runs`);
      };
      if (programs.ntfy) await admit(startNtfy(programs.ntfy, own("ntfy")));
      if (programs.gotify) {
        await admit(startGotify(programs.gotify, own("gotify"), null));
        const name = `bench_gotify_${process.pid}`;
        await world.sql(`create database ${name}`);
        stops.push(() => world.sql(`drop database ${name} with (force)`));
        const url = new URL(world.databaseUrl);
        url.pathname = `/${name}`;
        const database = { url: url.href, cpu: () => world.databaseCpu(name) };
        await admit(startGotify(programs.gotify, own("gotify-postgres"), database));
      }
      const rows = await measured(contenders, run);
      return {
        at: new Date().toISOString(),
        machine: { cores: cpus().length, processor: cpus()[0]?.model.trim() ?? "", node: process.version, load },
        settings: { seconds: run.seconds, rounds: run.rounds },
        rows: [...rows, ...("inbox".includes(run.only) ? await sizeRows(contenders) : [])],
      };
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });

async function measured(contenders: Contender[], run: PeerRun): Promise<GoalRow[]> {
  const figures = new Rounds<Figure>();
  const seen = new Rounds<DeliveryFigure>();
  const go = () => {
    if (run.interrupted()) throw new Interrupted();
  };
  const takesPart = (work: PeerWork, { name }: Contender) =>
    name === "Belfry" || BESIDE.some((beside) => beside.work === work && beside.peer === name);
  const works = (["send", "inbox", "unchanged"] as const).filter((work) => work.includes(run.only));
  const withSeen = "seen".includes(run.only);
  // Round 0 warms up.
  for (let round = 0; round <= run.rounds; round++) {
    for (const work of works)
      for (const clients of CLIENTS)
        for (const contender of contenders) {
          const loadOf = contender.works[work];
          if (!loadOf || !takesPart(work, contender)) continue;
          go();
          const load = await loadOf();
          const before = await contender.databaseCpu();
          const figure = await loadHttp(load, round === 0 ? 1 : run.seconds, clients);
          const after = await contender.databaseCpu();
          const database =
            before === null || after === null ? null : (after - before) / (figure.perSecond * run.seconds);
          if (round > 0) figures.add(`${work} ${clients}`, contender.name, { ...figure, database });
        }
    for (const handsets of withSeen && round > 0 ? HANDSETS : [])
      for (const { name, open } of contenders) {
        go();
        if (open) seen.add(String(handsets), name, await measureDelivery(open, handsets));
      }
    progress(round === 0 ? "all are warm" : `round ${round}`);
  }
  const peers = new Set(contenders.map(({ name }) => name));
  return [
    ...BESIDE.filter(({ work, peer }) => works.includes(work) && peers.has(peer)).flatMap((beside) =>
      ratioRows(figures, beside),
    ),
    ...SPENT.filter(({ work }) => works.includes(work)).flatMap((spent) => spentRows(figures, peers, spent)),
    ...(withSeen ? seenRows(seen, peers) : []),
  ];
}

const ratioRows = (figures: Rounds<Figure>, { work, text, peer, goals }: Beside): GoalRow[] =>
  CLIENTS.map((clients, i) => {
    const [ours, theirs] = ["Belfry", peer].map((who) => figures.of(`${work} ${clients}`, who));
    const rate = (of: Figure[]) => `${Math.round(median(of.map(({ perSecond }) => perSecond)))}/s`;
    const refused = theirs!.reduce((sum, figure) => sum + (figure.refused ?? 0), 0);
    return {
      group: "Rate beside another program's",
      work: `${text} ÷ ${peer}, ${clients} ${clients === 1 ? "client" : "clients"}`,
      unit: "",
      values: ours!.map(({ perSecond }, round) => perSecond / theirs![round]!.perSecond),
      goal: { least: goals[i]! },
      note: `${rate(ours!)} ÷ ${rate(theirs!)}${refused > 0 ? `, which refused ${refused}` : ""}`,
    };
  });

function spentRows(
  figures: Rounds<Figure>,
  peers: Set<string>,
  { work, text, clients, goals }: (typeof SPENT)[number],
): GoalRow[] {
  const of = (who: string, part: "cpu" | "database") =>
    figures.of(`${work} ${clients}`, who).flatMap((figure) => figure[part] ?? []);
  const note = (part: "cpu" | "database") =>
    [...peers]
      .filter((who) => who !== "Belfry" && of(who, part).length > 0)
      .map((who) => `${who} ${Math.round(median(of(who, part)))}`)
      .join(", ");
  return (["cpu", "database"] as const).map((part, i) => ({
    group: "Processor time",
    work: `${text}: ${part === "cpu" ? "the service" : "PostgreSQL"}`,
    unit: " µs",
    values: of("Belfry", part),
    goal: { most: goals[i]! },
    note: note(part),
  }));
}

function seenRows(seen: Rounds<DeliveryFigure>, peers: Set<string>): GoalRow[] {
  const others = [...peers].filter((who) => who !== "Belfry");
  const p50s = (who: string, handsets: number) => seen.of(String(handsets), who).map(({ p50 }) => p50);
  const counted = (who: string) => HANDSETS.flatMap((handsets) => seen.of(String(handsets), who));
  const lost = (who: string) => counted(who).reduce((sum, figure) => sum + figure.lost, 0);
  return [
    ...HANDSETS.map((handsets, i): GoalRow => {
      const beside = others
        .filter((who) => p50s(who, handsets).length > 0)
        .map((who) => `${who} ${formatDigits(median(p50s(who, handsets)))}`);
      return {
        group: "Send → seen by open handsets",
        work: `p50, ${handsets} ${handsets === 1 ? "handset" : "handsets"}`,
        unit: " ms",
        values: p50s("Belfry", handsets),
        goal: { most: SEEN_GOALS[i]! },
        note: beside.join(", "),
      };
    }),
    {
      group: "Send → seen by open handsets",
      work: "lost",
      unit: "",
      values: counted("Belfry").length > 0 ? [lost("Belfry")] : [],
      goal: { most: 0 },
      note: others.map((who) => `${who} ${lost(who)}`).join(", "),
    },
  ];
}

/** Bytes of a page of fifty. */
async function sizeRows(contenders: Contender[]): Promise<GoalRow[]> {
  const sizes: { name: string; kB: number }[] = [];
  for (const { name, works } of contenders) {
    const { target, requests } = await works.inbox!();
    const [{ path, headers }] = requests(0) as [{ path: string; headers: Record<string, string> }];
    const body = await (await fetch(target.url + path, { headers })).arrayBuffer();
    sizes.push({ name, kB: body.byteLength / 1000 });
  }
  const [own, ...others] = sizes;
  return [
    {
      group: "Bytes",
      work: "inbox of 50 cards, as our clients ask for it",
      unit: " kB",
      values: [own!.kB],
      goal: LEAN_GOAL,
      note: others.map(({ name, kB }) => `${name} ${formatDigits(kB)}`).join(", "),
    },
  ];
}
