// The scheduler of housekeeping jobs. A job has a statement, a batch size and an interval. Jobs run in the background
// on every replica, in small rounds, one at a time. It treats no job specially.

import type { SqlEntityManager } from "@mikro-orm/sql";
import { assertDefined } from "../../model/assert.ts";
import { int } from "../../model/fields/sql_statement_types.ts";
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
interface StatementJob extends Described {
  statement: ReturnType<typeof defineRemovalStatement>;
}

/** A step that needs more than one statement: an order of locks, or a store that is not the database. */
export interface FunctionJob extends Described {
  /** Removes at most `batch` rows and returns their number. */
  work(batch: number): Promise<number>;
  /** A round runs only when `findWaiting` has found work for it. */
  waits?: boolean;
}

export type HousekeepingJob = StatementJob | FunctionJob;

/**
 * Defines a statement that deletes up to `batch` rows of `table` that match the SQL in `where`. Locked rows are
 * skipped, so nothing waits and nothing is done twice.
 */
export function defineRemovalStatement(name: string, table: string, where: string) {
  return defineStatement(`remove_${name}`, {
    parameters: { batch: int },
    columns: { removed: int },
    text: `with gone as (
       delete from ${table} where ctid = any (array(
         select ctid from ${table} where ${where} limit $batch::int for update skip locked)) returning 1)
     select count(*)::int as removed from gone`,
  });
}

/** Between two searches for jobs with work. */
const SEARCH_MS = 1_000;
/** Between two rounds while there is more to remove. */
const PAUSE_MS = 1_000;
/** The first rounds come soon after the start and not all together, nor at the same time on every replica. */
const FIRST_MS = { least: 30_000, spread: 90_000 };
/** The pause after a failure, to spare an unavailable database. */
const RETRY_MS = 60_000;

interface JobSearchResult {
  /** The waiting jobs that have work. */
  names: readonly string[];
  /** Without statements, no job has work before. */
  rest_seconds: number;
}

const NOTHING: JobSearchResult = { names: [], rest_seconds: 0 };

export function createHousekeeping(options: {
  jobs: readonly HousekeepingJob[];
  /** One statement. */
  findWaiting(): Promise<JobSearchResult>;
  /** The number of ended statements. Undefined if other processes use the database too: then no search is left out. */
  countStatements?: (() => number) | undefined;
  fork(): SqlEntityManager;
  /** `removed` is null when the round failed. */
  metrics: { housekeeping(job: string, removed: number | null): void };
  log: Log;
  /** From 0 to 1, for the moment of the first rounds. */
  random?: () => number;
}) {
  const { jobs, findWaiting, countStatements, fork, metrics, log, random = Math.random } = options;
  const waitingJobs = jobs.filter((job) => "waits" in job && job.waits);
  /** The timer of each planned job, until its round has ended. A search must not start these jobs. */
  const timers = new Map<HousekeepingJob, NodeJS.Timeout>();
  let search: NodeJS.Timeout | undefined;
  /** Until then no search is necessary if no statements follow those of the last one. */
  let rest = { until: 0, statements: 0 };
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function perform(job: HousekeepingJob): Promise<number> {
    if (closed) return 0;
    try {
      const removed =
        "work" in job
          ? await job.work(job.batch)
          : assertDefined(
              (await runStatement(fork(), job.statement, { batch: job.batch }))[0],
              "a count query always returns a row",
            ).removed;
      metrics.housekeeping(job.name, removed);
      if (removed > 0) log.debug({ step: job.name, removed }, "housekeeping");
      return removed;
    } catch (error) {
      metrics.housekeeping(job.name, null);
      throw error;
    }
  }

  /** Rounds and searches queue up behind one another. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  const round = (job: HousekeepingJob) => enqueue(() => perform(job));

  function plan(job: HousekeepingJob, ms: number): void {
    if (closed) return;
    timers.set(job, setTimeout(() => void act(job), ms).unref());
  }

  async function act(job: HousekeepingJob): Promise<void> {
    try {
      const isFull = (await round(job)) >= job.batch;
      timers.delete(job);
      if (isFull) plan(job, PAUSE_MS);
      else if (!waitingJobs.includes(job)) plan(job, job.every_seconds * 1000);
    } catch (error) {
      log.warn({ err: error, step: job.name }, "a housekeeping job failed; retrying later");
      plan(job, RETRY_MS);
    }
  }

  function planSearch(ms: number): void {
    if (!closed && waitingJobs.length > 0) search = setTimeout(() => void actOnWaiting(), ms).unref();
  }

  /** A statement that ended during the search may have changed what the search has not seen. */
  async function searchAndRest(): Promise<readonly string[]> {
    const before = countStatements?.() ?? 0;
    const { names, rest_seconds } = closed ? NOTHING : await findWaiting();
    const statements = countStatements?.() ?? 0;
    rest = { until: statements === before + 1 ? performance.now() + 1000 * rest_seconds : 0, statements };
    return names;
  }

  /** Runs the waiting jobs that have work. One with a timer continues after a whole batch or a failure. */
  async function actOnWaiting(): Promise<void> {
    if (countStatements?.() === rest.statements && performance.now() < rest.until) return planSearch(SEARCH_MS);
    try {
      const names = await enqueue(searchAndRest);
      for (const job of waitingJobs)
        if (!names.includes(job.name)) metrics.housekeeping(job.name, 0);
        else if (!timers.has(job)) await act(job);
      planSearch(SEARCH_MS);
    } catch (error) {
      for (const job of waitingJobs) metrics.housekeeping(job.name, null);
      log.warn({ err: error, steps: waitingJobs.map(({ name }) => name) }, "housekeeping jobs failed; retrying later");
      planSearch(RETRY_MS);
    }
  }

  return {
    jobs,
    begin(): void {
      planSearch(SEARCH_MS);
      for (const job of jobs.filter((job) => !waitingJobs.includes(job)))
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
      clearTimeout(search);
      for (const timer of timers.values()) clearTimeout(timer);
      await last;
    },
  };
}
