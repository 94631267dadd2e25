// The scheduler of housekeeping jobs. A job has a statement, a batch size and an interval. Jobs run in the background
// on every replica, in small rounds, one at a time. It treats no job specially.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { assertDefined } from "../../model/assert.ts";
import { int } from "../../model/fields/sql_types.ts";
import { createStatementDefiner, runStatement } from "../../store/db/statement.ts";
import type { Log } from "../../store/handler_context.ts";

const defineStatement = createStatementDefiner("upkeep");

interface Described {
  /** In snake_case; the label of its metrics. */
  name: string;
  /** One sentence about the deleted data and the time. */
  removes: string;
  /** The maximum of rows, devices or files in one round, small enough that no request waits for it. */
  batch: number;
  /** Seconds from the end of one clean-up to the next. A round that found a whole batch is repeated soon. */
  every_seconds: number;
}

/** A step that is one statement on its own. */
export interface StatementJob extends Described {
  statement: ReturnType<typeof defineRemoval>;
}

/** A step that needs more than one statement: an order of locks, or a store that is not the database. */
export interface TaskJob extends Described {
  /** Removes at most `batch` rows and returns their number. */
  work(batch: number): Promise<number>;
}

export type HousekeepingJob = StatementJob | TaskJob;

/**
 * Defines a statement that deletes up to `batch` rows of `table` that match the SQL in `where`. Locked rows are
 * skipped, so nothing waits and nothing is done twice.
 */
export function defineRemoval(name: string, table: string, where: string) {
  return defineStatement(`remove_${name}`, {
    parameters: { batch: int },
    columns: { removed: int },
    text: `with gone as (
       delete from ${table} where ctid = any (array(
         select ctid from ${table} where ${where} limit $batch::int for update skip locked)) returning 1)
     select count(*)::int as removed from gone`,
  });
}

/** Between two rounds while there is more to remove. */
const PAUSE_MS = 1_000;
/** The first rounds come soon after the start and not all together, nor at the same time on every replica. */
const FIRST_MS = { least: 30_000, spread: 90_000 };
/** The pause after a failure, to spare an unavailable database. */
const RETRY_MS = 60_000;

export function createHousekeeping(options: {
  jobs: readonly HousekeepingJob[];
  fork(): SqlEntityManager;
  /** `removed` is null when the round failed. */
  metrics: { housekeeping(job: string, removed: number | null): void };
  log: Log;
  /** From 0 to 1, for the moment of the first rounds. */
  random?: () => number;
}) {
  const { jobs, fork, metrics, log, random = Math.random } = options;
  const timers = new Map<HousekeepingJob, NodeJS.Timeout>();
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function perform(job: HousekeepingJob): Promise<number> {
    if (closed) return 0;
    try {
      const removed =
        "work" in job
          ? await job.work(job.batch)
          : assertDefined((await runStatement(fork(), job.statement, { batch: job.batch }))[0], "a count returns a row")
              .removed;
      metrics.housekeeping(job.name, removed);
      if (removed > 0) log.debug({ step: job.name, removed }, "housekeeping");
      return removed;
    } catch (error) {
      metrics.housekeeping(job.name, null);
      throw error;
    }
  }

  /** Rounds queue up behind one another. */
  function round(job: HousekeepingJob): Promise<number> {
    const result = last.then(() => perform(job));
    last = result.catch(() => {});
    return result;
  }

  function plan(job: HousekeepingJob, ms: number): void {
    if (closed) return;
    timers.set(job, setTimeout(() => void act(job), ms).unref());
  }

  async function act(job: HousekeepingJob): Promise<void> {
    const pause = job.every_seconds * 1000;
    try {
      plan(job, (await round(job)) >= job.batch ? PAUSE_MS : pause);
    } catch (error) {
      log.warn({ err: error, step: job.name }, "a housekeeping job failed; retrying later");
      plan(job, RETRY_MS);
    }
  }

  return {
    jobs,
    begin(): void {
      for (const job of jobs)
        plan(job, Math.min(job.every_seconds * 1000, FIRST_MS.least + random() * FIRST_MS.spread));
    },
    /**
     * Runs one round of a job now and returns the number of deleted rows.
     * @throws the error of the database or the store
     */
    async round(name: string): Promise<number> {
      const job = jobs.find((candidate) => candidate.name === name);
      if (!job) throw new Error(`no job ${name}`);
      return round(job);
    },
    async close(): Promise<void> {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await last;
    },
  };
}
