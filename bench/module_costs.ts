// The memory of loaded modules. The ten largest packages of a start are each loaded alone in a process. Parts that are
// loaded on first use follow a start.

import { fork } from "node:child_process";
import { once } from "node:events";
import { median } from "./figure_format.ts";
import type { Cost, StartReport } from "./module_child.ts";
import { NODE_FLAGS, ROOT } from "./start_servers.ts";

const SHOWN = 10;
/** Processes of one measurement; the table has the median. */
const TIMES = 3;
const OURS = "Belfry (src, operations)";

async function runChild<T>(urls: readonly string[] = []): Promise<T> {
  const child = fork(`${import.meta.dirname}/module_child.ts`, urls, {
    execArgv: ["--expose-gc", ...NODE_FLAGS],
    env: { ...process.env, NODE_COMPILE_CACHE: `${ROOT}/node_modules/.cache/belfry` },
  });
  const [message] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof message !== "object") throw new Error(`A process that loads modules ended with ${message}.`);
  return message as T;
}

async function repeat<T>(work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < TIMES; i++) results.push(await work());
  return results;
}

const medianCost = (costs: readonly Cost[]): Cost => ({
  heap: median(costs.map(({ heap }) => heap)),
  pss: median(costs.map(({ pss }) => pss)),
});

const packageOf = (url: string): string => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? OURS;
const cells = ({ heap, pss }: Cost) => [heap.toFixed(1), pss.toFixed(1)];
const row = (values: readonly (string | number)[]) => `| ${values.join(" | ")} |`;

/** Measures in about a minute. @throws Error if a process ends before its report */
export async function measureModules(): Promise<{ table: string; figures: object }> {
  const starts = await repeat(() => runChild<StartReport>());
  const cost = medianCost(starts.map((start) => start.cost));
  const packages = [...Map.groupBy(starts[0]!.files, ([url]) => packageOf(url))]
    .map(([name, files]) => ({
      name,
      urls: files.map(([url]) => url),
      bytes: files.reduce((sum, [, n]) => sum + n, 0),
    }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, SHOWN);
  const largest: { name: string; files: number; kB: number; cost: Cost | null }[] = [];
  for (const { name, urls, bytes } of packages) {
    // Our own modules load all others, so alone they are the whole start.
    const alone = name === OURS ? null : medianCost(await repeat(() => runChild<Cost>(urls)));
    largest.push({ name, files: urls.length, kB: Math.round(bytes / 1024), cost: alone });
  }
  const onFirstUse = starts[0]!.onFirstUse.map(([name], i) => ({
    name,
    cost: medianCost(starts.map((start) => start.onFirstUse[i]![1])),
  }));
  const all = starts[0]!.files;
  const table = [
    row(["largest modules of a start", "files", "source, kB", "heap alone, MB", "PSS alone, MB"]),
    "|---|---|---|---|---|",
    ...largest.map((one) => row([one.name, one.files, one.kB, ...(one.cost ? cells(one.cost) : ["", ""])])),
    row(["**all**", all.length, Math.round(all.reduce((sum, [, n]) => sum + n, 0) / 1024), ...cells(cost)]),
    "",
    row(["loaded on first use", "heap, MB", "PSS, MB"]),
    "|---|---|---|",
    ...onFirstUse.map((one) => row([one.name, ...cells(one.cost)])),
  ].join("\n");
  return { table, figures: { cost, largest, onFirstUse } };
}
