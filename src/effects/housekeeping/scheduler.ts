// Runs the steps of the housekeeping beside the service: one small round after another, never two at once, awaited by no
// request, on every replica alike. Knows no step by name.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { need } from "../../model/need.ts";
import type { Log } from "../../store/context.ts";
import { run } from "../../store/db/statement.ts";
import type { Job } from "./job.ts";

/** Between two rounds while there is more to remove. */
const PAUSE_MS = 1_000;
/** The first rounds come soon after the start and not all together, nor at the same time on every replica. */
const FIRST_MS = { least: 30_000, spread: 90_000 };
/** After a failure: a database that is away is not asked every second. */
const RETRY_MS = 60_000;

export interface Metrics {
  /** `removed` is null when the round failed. */
  housekeeping(job: string, removed: number | null): void;
}

export interface Housekeeping {
  readonly jobs: readonly Job[];
  begin(): void;
  /** One round of a step, now; answers how many it removed. @throws what the database or the store said. */
  round(name: string): Promise<number>;
  close(): Promise<void>;
}

export function createHousekeeping(options: {
  jobs: readonly Job[];
  fork(): SqlEntityManager;
  metrics: Metrics;
  log: Log;
  /** From 0 to 1, for the moment of the first rounds. */
  random?: () => number;
}): Housekeeping {
  const { jobs, fork, metrics, log, random = Math.random } = options;
  const timers = new Map<Job, NodeJS.Timeout>();
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function perform(job: Job): Promise<number> {
    if (closed) return 0;
    try {
      const removed =
        "work" in job
          ? await job.work(job.batch)
          : need((await run(fork(), job.statement, { batch: job.batch }))[0], "a count has a row").removed;
      metrics.housekeeping(job.name, removed);
      if (removed > 0) log.debug({ step: job.name, removed }, "housekeeping");
      return removed;
    } catch (error) {
      metrics.housekeeping(job.name, null);
      throw error;
    }
  }

  /** Rounds queue up behind one another. */
  function round(job: Job): Promise<number> {
    const result = last.then(() => perform(job));
    last = result.catch(() => {});
    return result;
  }

  function plan(job: Job, ms: number): void {
    if (closed) return;
    timers.set(job, setTimeout(() => void act(job), ms).unref());
  }

  async function act(job: Job): Promise<void> {
    const pause = job.every_seconds * 1000;
    try {
      plan(job, (await round(job)) >= job.batch ? PAUSE_MS : pause);
    } catch (error) {
      log.warn({ err: error, step: job.name }, "a job of the housekeeping failed; it is tried again");
      plan(job, RETRY_MS);
    }
  }

  return {
    jobs,
    begin() {
      for (const job of jobs)
        plan(job, Math.min(job.every_seconds * 1000, FIRST_MS.least + random() * FIRST_MS.spread));
    },
    async round(name) {
      const job = jobs.find((candidate) => candidate.name === name);
      if (!job) throw new Error(`no job ${name}`);
      return round(job);
    },
    async close() {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await last;
    },
  };
}
