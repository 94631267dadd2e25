// Seeds databases of a thousand and of a million rows. Loads a server for each, and pgbench for comparison, in
// interleaved rounds. Prints ratios next to their goals. See README.md.

import { writeFile } from "node:fs/promises";
import { type Bench, findPgbench, givenUrl, progress, withBench } from "./bench_setup.ts";
import { formatError, Interrupted, type MeasuredCase, measureCase } from "./case_rounds.ts";
import { casesToJson, embeddedComparison, formatCaseTable } from "./case_table.ts";
import { CASES } from "./cases/index.ts";
import { formatSizeTable, measureDiskSpace } from "./disk_space.ts";
import { writeGoalChart } from "./goal_chart.ts";
import { rowsTable } from "./goal_rows.ts";
import { measureHeapLayouts } from "./heap_layouts.ts";
import { HANDSETS, longPollTable, measureLongPolls, PAGE_SIZES, type PollFigure } from "./long_polls.ts";
import { measureGoals } from "./measure_goals.ts";
import { measureModules } from "./module_costs.ts";
import { exitWithUsage, options } from "./options.ts";
import { findPeerPrograms, measurePeers } from "./peers/compare_peers.ts";
import { profileCase } from "./profile.ts";
import { measureContention } from "./row_contention.ts";
import type { WorldSize } from "./seed_database.ts";
import { measureSmallMachine } from "./small_machine.ts";
import { installEverything } from "./start_servers.ts";

const SMALL: WorldSize = { name: "S", alerts: 1000 };
const LARGE: WorldSize = { name: "L", alerts: options.large };
const HELD = "held polls";
const SIZES = { small: [SMALL], large: [LARGE], both: [SMALL, LARGE] };

let interrupts = 0;
process.on("SIGINT", () => {
  if (++interrupts > 1) process.exit(130);
});
const interrupted = () => interrupts > 0;

async function measureCases({ worlds, open }: Bench): Promise<void> {
  const { seconds, rounds } = options;
  const cases = CASES.filter(({ name }) => name.includes(options.only));
  const withHeld = HELD.includes(options.only);
  const pgbench = findPgbench();
  if (!pgbench)
    console.error("pgbench is not found, so nothing is compared with it; it comes with PostgreSQL's programs.");
  const main = givenUrl ? "url" : "embedded";
  for (const size of SIZES[options.scale as keyof typeof SIZES]) await open(size, main);
  if (options.embedded && givenUrl) await open({ name: "E", alerts: 1000 }, "embedded");
  const measured: MeasuredCase[] = [];
  for (const of of cases) {
    const sidesIn = () => Object.keys(of.sides);
    measured.push(await measureCase(of, { worlds, sidesIn, seconds, rounds, pgbench, interrupted }));
    progress(of.name);
  }
  const held: PollFigure[] = [];
  const failures = measured.flatMap(({ of, failed }) => (failed === null ? [] : `${of.name}: ${failed}`));
  for (const limit of withHeld ? PAGE_SIZES : [])
    for (const handsets of HANDSETS) {
      if (interrupted()) throw new Interrupted();
      const name = `${handsets} ${HELD}, ${limit} alerts`;
      try {
        held.push(await measureLongPolls(worlds[0]!, { handsets, limit }));
      } catch (error) {
        failures.push(`${name}: ${formatError(error)}`);
      }
      progress(name);
    }
  const tables = [
    ...(cases.length > 0 ? [formatCaseTable(measured)] : []),
    ...(worlds.some(({ size }) => size.name === "E") && cases.length > 0 ? [embeddedComparison(measured)] : []),
    ...(withHeld ? [longPollTable(held)] : []),
  ];
  await give(tables.join("\n\n"), { cases: casesToJson(measured), held });
  if (failures.length > 0) {
    console.error(`Failed:\n${failures.join("\n")}`);
    process.exitCode = 1;
  }
}

/** Prints a table, and writes it with its values where the options require it. */
async function give(table: string, figures: object): Promise<void> {
  console.log(table);
  if (options.json) await writeFile(options.json, `${JSON.stringify(figures, null, 1)}\n`);
  if (options.out) await writeFile(options.out, `${table}\n`);
}

async function run(): Promise<void> {
  if (options.everything) installEverything();
  if (options.plot !== undefined) return writeGoalChart(options.plot, options.out ?? "docs/bench.svg");
  if (options.profile !== undefined) return profileCase(options.profile, options.seconds, options.clients);
  if (options.goals)
    return withBench(options.seconds, async (bench) => {
      const report = await measureGoals(bench, { ...options, interrupted });
      await give(rowsTable(report.rows), report);
      if (report.failed.length > 0) process.exitCode = 1;
    });
  if (options.hot)
    return withBench(options.seconds, async (bench) => {
      const report = await measureContention(bench, { ...options, interrupted });
      await give(rowsTable(report.rows), report);
    });
  if (options.memory) {
    const modules = await measureModules();
    progress("modules");
    const { rows, table } = await measureSmallMachine();
    return give(`${modules.table}\n\n${table}`, { modules: modules.figures, rows });
  }
  if (options.disk) {
    const sizes = await measureDiskSpace();
    return give(formatSizeTable(sizes), sizes);
  }
  if (options.heap)
    return withBench(options.seconds, async (bench) => {
      const { table, figures } = await measureHeapLayouts(bench, { ...options, interrupted });
      await give(table, figures);
    });
  if (options.peers) {
    const programs = findPeerPrograms();
    if (!programs)
      exitWithUsage(
        "--peers compares with programs that NTFY_BIN and GOTIFY_BIN name; neither is set, so nothing is measured.",
      );
    return withBench(options.seconds, async (bench) => {
      const report = await measurePeers(bench, programs, { ...options, interrupted });
      await give(rowsTable(report.rows), report);
    });
  }
  const names = [...CASES.map(({ name }) => name), HELD];
  if (!names.some((name) => name.includes(options.only)))
    exitWithUsage(`--only must be part of one of: ${names.join("; ")}.`);
  return withBench(options.seconds, measureCases);
}

await run().catch((error) => {
  console.error(error instanceof Interrupted ? "interrupted" : error);
  process.exitCode = 1;
});
