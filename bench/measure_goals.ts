// The run of the table of goals: cases, long polls and starts, each in interleaved rounds; failures appear in their
// lines.

import { cpus, loadavg } from "node:os";
import { type Bench, findPgbench, givenUrl, progress } from "./bench_setup.ts";
import { formatError, Interrupted, type MeasuredCase, measureCase } from "./case_rounds.ts";
import { CASES } from "./cases/index.ts";
import type { GoalReport } from "./goal_rows.ts";
import { createGoalRows, type GoalResults, IDLE_HANDSETS, listGoalSides } from "./goal_table.ts";
import { DEFAULT_POLL_LIMIT, HANDSETS, measureLongPolls } from "./long_polls.ts";
import { measureStarts } from "./start_times.ts";

const STARTS = 8;
const IDLE_MS = 5_000;

interface GoalRun {
  seconds: number;
  rounds: number;
  million: boolean;
  large: number;
  only: string;
  interrupted(): boolean;
}

/** When it is interrupted: what it has measured so far. */
export async function measureGoals(bench: Bench, run: GoalRun): Promise<GoalReport & { failed: string[] }> {
  const failed: string[] = [];
  const results: GoalResults = {
    cases: [],
    held: [],
    many: null,
    heldFailed: null,
    starts: null,
    startsFailed: null,
    million: run.million,
    byUrl: givenUrl !== null,
  };
  const load = loadavg()[0]!;
  try {
    await fill(results, failed, bench, run);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    failed.push("interrupted");
  }
  const processor = cpus()[0]?.model.trim() ?? "";
  return {
    at: new Date().toISOString(),
    machine: { cores: cpus().length, processor, node: process.version, load },
    settings: { seconds: run.seconds, rounds: run.rounds },
    // Parts that were not requested have no line.
    rows: createGoalRows(results).filter(
      ({ values, note }) => run.only === "" || values.length > 0 || note.startsWith("failed"),
    ),
    failed,
  };
}

/** @throws Interrupted */
async function fill(
  results: GoalResults,
  failed: string[],
  { worlds, open }: Bench,
  { seconds, rounds, million, large, only, interrupted }: GoalRun,
): Promise<void> {
  const trying = async <T>(name: string, work: () => Promise<T>): Promise<string | null> => {
    if (interrupted()) throw new Interrupted();
    try {
      await work();
      progress(name);
      return null;
    } catch (error) {
      failed.push(`${name}: ${formatError(error)}`);
      return formatError(error);
    }
  };
  if ("start and memory".includes(only))
    results.startsFailed = await trying("starts", async () => {
      results.starts = await measureStarts(STARTS);
    });
  await open({ name: "S", alerts: 1000 }, "embedded");
  if (givenUrl) await open({ name: "U", alerts: 1000 }, "url");
  if (million) await open({ name: "L", alerts: large }, "embedded");
  const pgbench = findPgbench();
  const sidesIn = (world: (typeof worlds)[number], of: MeasuredCase["of"]) =>
    listGoalSides(world.size.name, of, million);
  for (const of of CASES.filter(({ name }) => name.includes(only))) {
    const measured = await measureCase(of, { worlds, sidesIn, seconds, rounds, pgbench, interrupted });
    if (measured.failed !== null) failed.push(`${of.name}: ${measured.failed}`);
    results.cases.push(measured);
    progress(of.name);
  }
  if (!"held polls".includes(only)) return;
  for (let round = 1; round <= rounds; round++)
    for (const handsets of HANDSETS)
      results.heldFailed ??= await trying(`${handsets} long polls, round ${round}`, async () => {
        const idleMs = handsets === IDLE_HANDSETS ? IDLE_MS : 500;
        results.held.push(await measureLongPolls(worlds[0]!, { handsets, limit: 1, idleMs }));
      });
  results.heldFailed ??= await trying(`${DEFAULT_POLL_LIMIT} long polls`, async () => {
    results.many = await measureLongPolls(worlds[0]!, { handsets: DEFAULT_POLL_LIMIT, limit: 1, idleMs: 2_000 });
  });
}
