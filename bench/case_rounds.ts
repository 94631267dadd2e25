// Runs each round of a case on every database and every side before the next round. A disturbance of the machine then
// affects all of them. A case that fails shows the error in its line; the others continue.

import type { OpenWorld } from "./bench_databases.ts";
import type { BenchCase } from "./case_types.ts";
import { type LoadFigure, loadHttp, loadPg } from "./load_generators.ts";

export interface MeasuredCase {
  of: BenchCase;
  /** size → side → one value for each round. */
  bySize: Map<string, Record<string, LoadFigure[]>>;
  /** side → the reason for a missing value. */
  missing: Record<string, string>;
  failed: string | null;
}

export interface Rounds {
  worlds: OpenWorld[];
  /** The sides of a case that are loaded in a world. */
  sidesIn(world: OpenWorld, of: BenchCase): string[];
  rounds: number;
  seconds: number;
  /** Null where it is not installed. */
  pgbench: string | null;
  /** Ends the run between two measurements. */
  interrupted(): boolean;
}

export class Interrupted extends Error {}

class SideMissing extends Error {}

/** @throws Interrupted */
export async function measureCase(of: BenchCase, rounds: Rounds): Promise<MeasuredCase> {
  const measured: MeasuredCase = { of, bySize: new Map(), missing: {}, failed: null };
  const sides = rounds.worlds.map((world) => rounds.sidesIn(world, of));
  let at = "";
  try {
    for (const [w, world] of rounds.worlds.entries()) {
      if (sides[w]!.length === 0) continue;
      measured.bySize.set(world.size.name, {});
      // Warm-up, of our own code only: pgbench has nothing that warms up.
      for (const side of sides[w]!) {
        at = `${world.size.name}, ${side}, warm-up`;
        if (side === "pgbench" && rounds.pgbench) continue;
        await figure(rounds, world, of, side, 0).catch((error) => {
          if (!(error instanceof SideMissing)) throw error;
          measured.missing[side] = error.message;
        });
      }
    }
    for (let round = 1; round <= rounds.rounds; round++)
      for (const [w, world] of rounds.worlds.entries())
        for (const side of sides[w]!) {
          if (side in measured.missing) continue;
          at = `${world.size.name}, ${side}, round ${round}`;
          const bySide = measured.bySize.get(world.size.name)!;
          bySide[side] ??= [];
          bySide[side].push(await figure(rounds, world, of, side, round));
        }
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    measured.failed = `${at}: ${formatError(error)}`;
  }
  return measured;
}

async function figure(
  { seconds, pgbench, interrupted }: Rounds,
  world: OpenWorld,
  of: BenchCase,
  side: string,
  round: number,
): Promise<LoadFigure> {
  if (interrupted()) throw new Interrupted("interrupted");
  const load = await of.sides[side]!(world, round);
  if (load.kind === "missing") throw new SideMissing(load.why);
  if (load.kind === "http") return loadHttp(load, round === 0 ? 1 : seconds);
  if (!pgbench) throw new SideMissing("pgbench is not found; it comes with PostgreSQL's programs");
  return loadPg(load, seconds, { pgbench, databaseUrl: world.databaseUrl });
}

/** In one line: a program's error message where it is marked, else the beginning of its output. */
export function formatError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (/ERROR: .*/.exec(text)?.[0] ?? text).replace(/\s+/g, " ").replaceAll("|", "/").slice(0, 200);
}
