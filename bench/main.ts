// Seeds databases of a thousand and of a million rows, loads a server in front of each and pgbench beside it in
// interleaved rounds, and prints ratios next to their goals. See README.md.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/config/load.ts";
import { type Cluster, openCluster } from "../src/embedded/cluster.ts";
import { CASES, type Case } from "./cases.ts";
import { HANDSETS, type HeldFigure, heldTable, LIMITS, measureHeld } from "./held.ts";
import { CONNECTIONS, type Figure, loadHttp, loadPg } from "./load.ts";
import { mintTokens, type Size } from "./seed.ts";
import { asJson, besideUrl, type Figures, markdown } from "./table.ts";
import { type OpenWorld, openWorld } from "./worlds.ts";

const HELP = `npm run bench -- [options]
  --scale small|large|both   databases to measure (both)
  --large N                  alerts in the large one (1000000)
  --seconds N                seconds of one measurement (2)
  --rounds N                 measurements of every case, at most 5 (2)
  --embedded                 the small one on the embedded database as well, as ratios to the one by URL
  --only TEXT                cases whose name holds the text
  --out FILE                 write the table there, too
  --json FILE                write every figure there`;

const { values: options } = parseArgs({
  options: {
    scale: { type: "string", default: "both" },
    large: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "2" },
    embedded: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    out: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}

function number(name: "large" | "seconds" | "rounds", min: number, max: number): number {
  const value = Number(options[name]);
  if (!Number.isInteger(value) || value < min || value > max)
    stop(`--${name} must be a whole number from ${min} to ${max}.`);
  return value;
}

/** Its path; null when it is nowhere. */
function findPgbench(): string | null {
  const debian = "/usr/lib/postgresql";
  const folders = (process.env.PATH ?? "").split(":");
  try {
    for (const version of readdirSync(debian).sort().reverse()) folders.push(`${debian}/${version}/bin`);
  } catch {}
  for (const folder of folders) {
    try {
      if (readdirSync(folder).includes("pgbench")) return `${folder}/pgbench`;
    } catch {}
  }
  console.error("pgbench is not found, so nothing is compared with it; it comes with PostgreSQL's programs.");
  return null;
}

if (options.help) stop(HELP);
const givenUrl = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
const seconds = number("seconds", 1, 30);
const rounds = number("rounds", 1, 5);
const SIZES: Size[] = [
  { name: "S", alerts: 1000 },
  { name: "L", alerts: number("large", 1000, 10_000_000) },
];
const HELD = "held polls";
/** As large as the small one, on the embedded database. */
const EMBEDDED: Size = { name: "E", alerts: 1000 };
const sizes = { small: [SIZES[0]!], large: [SIZES[1]!], both: SIZES }[options.scale];
if (!sizes) stop("--scale must be small, large or both.");
const cases = CASES.filter(({ name }) => name.includes(options.only));
const withHeld = HELD.includes(options.only);
if (cases.length === 0 && !withHeld)
  stop(`--only must be part of one of: ${[...CASES.map(({ name }) => name), HELD].join("; ")}.`);
if (options.embedded && options.scale === "large") stop("--embedded needs the small database beside it.");
const pgbench = findPgbench();

const worlds: OpenWorld[] = [];
let interrupted = false;
process.once("SIGINT", () => {
  interrupted = true;
});

async function figure(
  world: OpenWorld,
  of: Case,
  side: string,
  round: number,
  time: number,
): Promise<Figure> {
  if (interrupted) throw new Error("interrupted");
  const load = await of.sides[side]!(world, round);
  return load.kind === "http"
    ? loadHttp(load, time, world.cpu)
    : loadPg(load, time, { pgbench: pgbench!, ...world });
}

async function measure(of: Case): Promise<Map<string, Record<string, Figure[]>>> {
  const sides = Object.keys(of.sides).filter((side) => pgbench || side !== "pgbench");
  const bySize = new Map<string, Record<string, Figure[]>>();
  for (const world of worlds) {
    bySize.set(world.size.name, Object.fromEntries(sides.map((side) => [side, []])));
    // Warm-up, of our own code only: pgbench has nothing that warms up.
    for (const side of sides) if (side !== "pgbench") await figure(world, of, side, 0, 1);
  }
  for (let round = 1; round <= rounds; round++)
    for (const world of worlds)
      for (const side of sides)
        bySize.get(world.size.name)![side]!.push(await figure(world, of, side, round, seconds));
  return bySize;
}

/** The embedded database as the service starts it, with room for the connections of pgbench. */
async function openEmbedded(): Promise<{ cluster: Cluster; remove(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-bench-"));
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: "" });
  const log = { debug: () => {}, info: () => {}, error: console.error };
  const server = { max_connections: String(2 * CONNECTIONS + config.databasePool) };
  const cluster = await openCluster(config, { log, server });
  return {
    cluster,
    remove: async () => {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const started = performance.now();
const elapsed = () => `${((performance.now() - started) / 1000).toFixed(0)} s`;
// Without a database by URL everything runs on one like that of `npm start`.
const embedded = options.embedded || !givenUrl ? await openEmbedded() : null;
const adminUrl = givenUrl || embedded!.cluster.url;
const beside = options.embedded && givenUrl ? embedded : null;
try {
  // More handsets than can report in one measurement.
  const tokens = mintTokens(12_000 * Math.max(2, seconds));
  for (const size of sizes) {
    worlds.push(await openWorld(adminUrl, size, tokens, seconds));
    console.error(`${elapsed()}: ${size.name} is seeded with ${size.alerts} alerts`);
  }
  if (beside) {
    worlds.push(await openWorld(beside.cluster.url, EMBEDDED, tokens, seconds));
    console.error(`${elapsed()}: ${EMBEDDED.name} is seeded, embedded`);
  }
  const figures: Figures = new Map();
  for (const of of cases) {
    figures.set(of, await measure(of));
    console.error(`${elapsed()}: ${of.name}`);
  }
  const held: HeldFigure[] = [];
  for (const limit of withHeld ? LIMITS : [])
    for (const count of HANDSETS) {
      if (interrupted) throw new Error("interrupted");
      held.push(await measureHeld(worlds[0]!, count, limit));
      console.error(`${elapsed()}: ${count} ${HELD}, ${limit} alerts`);
    }
  const tables = [
    ...(cases.length > 0 ? [markdown(figures)] : []),
    ...(beside && cases.length > 0 ? [besideUrl(figures)] : []),
    ...(withHeld ? [heldTable(held)] : []),
  ];
  const table = tables.join("\n\n");
  console.log(table);
  if (options.json)
    await writeFile(options.json, `${JSON.stringify({ cases: asJson(figures), held }, null, 1)}\n`);
  if (options.out) await writeFile(options.out, `${table}\n`);
} finally {
  for (const world of worlds) await world.close();
  await embedded?.remove();
}
