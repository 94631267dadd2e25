// Profiles the service's processor time in one case: a profile for the browser's tools, and its heaviest frames and
// packages.

import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withBench } from "./bench_setup.ts";
import { CASES } from "./cases/index.ts";
import { CONNECTIONS, loadHttp } from "./load_generators.ts";
import { measureLongPolls } from "./long_polls.ts";
import { exitWithUsage } from "./options.ts";
import { CACHE } from "./start_servers.ts";
import { inFolder, startService } from "./start_times.ts";

const FRAMES = 15;
const ROOT = `${pathToFileURL(join(import.meta.dirname, ".."))}/`;

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

/** @param name of a case, or a part of it that no other has */
export async function profileCase(name: string, seconds: number, clients = CONNECTIONS): Promise<void> {
  const folder = join(CACHE, "profiles");
  mkdirSync(folder, { recursive: true });
  if (name === "start") return profileStart(folder);
  const matching = CASES.filter((of) => of.name.includes(name));
  const of = CASES.find((each) => each.name === name) ?? (matching.length === 1 ? matching[0] : undefined);
  const held = name === "held polls";
  if (!of && !held)
    exitWithUsage(`--profile must name one of: ${CASES.map((each) => each.name).join("; ")}; held polls; start.`);
  await withBench(seconds, async ({ worlds, open }) => {
    await open({ name: "S", alerts: 1000 }, "embedded");
    const world = worlds[0]!;
    const profile = async (side: string, work: () => Promise<unknown>) => {
      const file = join(folder, `${`${name} ${side}`.trim().replace(/[^\w]+/g, "-")}.cpuprofile`);
      await world.profile(file, work);
      console.log(`${summary(file, `${name} ${side}`.trim())}\n`);
    };
    if (held) return profile("", () => measureLongPolls(world, { handsets: 1_000, limit: 1 }));
    for (const [side, loadOf] of Object.entries(of!.sides)) {
      const warm = await loadOf(world, 0);
      if (warm.kind !== "http" || warm.target !== world.service) continue;
      await loadHttp(warm, 2, clients);
      const load = await loadOf(world, 1);
      if (load.kind === "http") await profile(side, () => loadHttp(load, seconds, clients));
    }
  });
}

/** A start on a folder that has its database already. */
const profileStart = (into: string) =>
  inFolder(async (folder) => {
    await (await startService(folder)).end();
    await (await startService(folder)).end();
    const profiles = join(folder, "profiles");
    const flags = ["--cpu-prof", "--cpu-prof-interval=200", `--cpu-prof-dir=${profiles}`];
    await (await startService(folder, flags)).end();
    const [file] = readdirSync(profiles);
    const kept = join(into, "start.cpuprofile");
    copyFileSync(join(profiles, file!), kept);
    console.log(summary(kept, "start"));
  });

const bySize = (shares: Map<string, number>) => [...shares].sort(([, a], [, b]) => b - a);

function summary(file: string, title: string): string {
  const profile: Profile = JSON.parse(readFileSync(file, "utf8"));
  const self = new Map<number, number>();
  for (const [i, id] of profile.samples.entries()) self.set(id, (self.get(id) ?? 0) + profile.timeDeltas[i]!);
  const frames = new Map<string, number>();
  const packages = new Map<string, number>();
  let busy = 0;
  for (const { id, callFrame } of profile.nodes) {
    const us = self.get(id) ?? 0;
    // Neither waiting nor the profiler itself.
    if (us === 0 || callFrame.functionName === "(idle)" || callFrame.url === "node:inspector") continue;
    busy += us;
    const from = packageOf(callFrame);
    const where = callFrame.url === "" ? "" : ` ${place(callFrame.url)}:${callFrame.lineNumber + 1}`;
    const frame = `${callFrame.functionName || "(anonymous)"}${where}`;
    frames.set(frame, (frames.get(frame) ?? 0) + us);
    packages.set(from, (packages.get(from) ?? 0) + us);
  }
  const share = ([name, us]: [string, number]) => `${((us / busy) * 100).toFixed(1).padStart(5)} %  ${name}`;
  return [
    `${title}: ${(busy / 1000).toFixed(0)} ms of processor time; ${file}`,
    ...bySize(frames).slice(0, FRAMES).map(share),
    "by package:",
    ...bySize(packages)
      .filter(([, us]) => us / busy >= 0.01)
      .map(share),
  ].join("\n");
}

/** `pg/lib/query.js`, `src/program/boot/app.ts`, `node:net`. */
const place = (url: string) => url.replace(ROOT, "").replace(/^.*\bnode_modules\//, "");

/** A room of ours, a package, `node`, or what V8 does by itself. */
function packageOf({ functionName, url }: Profile["nodes"][number]["callFrame"]): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "node";
  if (url.startsWith("node:")) return "node";
  const at = url.replace(ROOT, "");
  const name = /^.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)/.exec(at)?.[1];
  return name ?? /^(src\/[^/]+|tools|bench)\//.exec(at)?.[1] ?? at;
}
