// The type of a case: sides with a load, and the ratios between them that have goals.

import type { LoadTarget, SideLoad } from "./load_generators.ts";
import type { Tokens } from "./seed_database.ts";

/** One database with its server. */
export interface BenchWorld {
  service: LoadTarget;
  /** The plainest answer that the same libraries can give, from the same process. */
  plain: LoadTarget;
  /** The same service on the same database, with its request log; started when it is first needed. */
  logged(): Promise<LoadTarget>;
  /** The MCP SDK's own example, in a process of its own; null where it is not installed. */
  everything(): Promise<LoadTarget | null>;
  tokens: Tokens;
  /** Seconds of one measurement. */
  seconds: number;
  sql(text: string): Promise<void>;
}

export type Goal = { least: number } | { most: number };

/** A goal for the rate or the processor time of one side in terms of another. */
export interface GoalRatio {
  of: string;
  to: string;
  by: "rate" | "cpu";
  goal: Goal | null;
}

export interface BenchCase {
  name: string;
  /** Created again for every round; the warm-up is round 0. */
  sides: Record<string, (world: BenchWorld, round: number) => Promise<SideLoad>>;
  ratios: GoalRatio[];
  /** The sides whose p50 must not grow from S to L. */
  flat: string[];
}
