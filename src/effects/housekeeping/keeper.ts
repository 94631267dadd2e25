// Runs the steps of the housekeeping beside the service: one small round after another, never two at once, awaited by no
// request, on every replica alike. Knows no step by name.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { need } from "../../model/need.ts";
import type { Log } from "../../store/context.ts";
import { run } from "../../store/db/statement.ts";
import type { Step } from "./step.ts";

/** Between two rounds while there is more to remove. */
const PAUSE_MS = 1_000;
/** The first rounds come soon after the start and not all together, nor at the same time on every replica. */
const FIRST_MS = { least: 30_000, spread: 90_000 };
/** After a failure: a database that is away is not asked every second. */
const RETRY_MS = 60_000;

export interface Figures {
  /** `removed` is null when the round failed. */
  housekeeping(step: string, removed: number | null): void;
}

export interface Housekeeping {
  readonly steps: readonly Step[];
  /** One round of a step, now; answers how many it removed. @throws what the database or the store said. */
  round(name: string): Promise<number>;
  /** No further round; waits for the one under way. */
  close(): Promise<void>;
}

export function createHousekeeping(options: {
  steps: readonly Step[];
  /** A manager of its own for each round. */
  fork(): SqlEntityManager;
  figures: Figures;
  log: Log;
  /** From 0 to 1, for the moment of the first rounds. */
  random?: () => number;
}): Housekeeping {
  const { steps, fork, figures, log, random = Math.random } = options;
  const timers = new Map<Step, NodeJS.Timeout>();
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function perform(step: Step): Promise<number> {
    if (closed) return 0;
    try {
      const removed =
        "work" in step
          ? await step.work(step.batch)
          : need((await run(fork(), step.statement, { batch: step.batch }))[0], "a count has a row").removed;
      figures.housekeeping(step.name, removed);
      if (removed > 0) log.debug({ step: step.name, removed }, "housekeeping");
      return removed;
    } catch (error) {
      figures.housekeeping(step.name, null);
      throw error;
    }
  }

  /** Rounds queue up behind one another. */
  function round(step: Step): Promise<number> {
    const result = last.then(() => perform(step));
    last = result.catch(() => {});
    return result;
  }

  function plan(step: Step, ms: number): void {
    if (closed) return;
    timers.set(step, setTimeout(() => void act(step), ms).unref());
  }

  async function act(step: Step): Promise<void> {
    const pause = step.every_seconds * 1000;
    try {
      plan(step, (await round(step)) >= step.batch ? PAUSE_MS : pause);
    } catch (error) {
      log.warn({ err: error, step: step.name }, "a step of the housekeeping failed; it is tried again");
      plan(step, RETRY_MS);
    }
  }

  for (const step of steps)
    plan(step, Math.min(step.every_seconds * 1000, FIRST_MS.least + random() * FIRST_MS.spread));

  return {
    steps,
    async round(name) {
      const step = steps.find((candidate) => candidate.name === name);
      if (!step) throw new Error(`no step ${name}`);
      return round(step);
    },
    async close() {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await last;
    },
  };
}
