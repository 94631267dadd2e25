// The pool of worker processes: their number, replacement of an ended one, and the choice of a worker for each
// connection. Their calls are answered elsewhere.

import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assertDefined } from "../../model/assert.ts";
import type { Leases } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import type { FirstStartResult } from "./first_start.ts";
import type { Logs } from "./log.ts";
import type { MetricSnapshot } from "./metrics.ts";
import {
  AlreadyReportedError,
  createRpcChannel,
  type PrimaryApi,
  type PrimaryToWorkerCalls,
  WORKER_ARGUMENT,
  type WorkerConfig,
} from "./worker_ipc.ts";

/** With the extension of this file, because the package contains JavaScript. */
const MAIN = join(import.meta.dirname, `../../main${extname(import.meta.filename)}`);

/** Before one that has ended is followed by another: none at first, then longer from one to the next. */
const backOffMs = (tries: number) => (tries === 0 ? 0 : Math.min(30_000, 100 * 2 ** (tries - 1)));
/** The run time after which a worker counts as healthy. */
const WELL_MS = 60_000;

interface Ended {
  code: number | null;
  signal: string | null;
}

type Answers = Pick<PrimaryApi, "take" | "refund" | "metrics" | "databaseUnavailable" | "upgrading">;

/** One process that serves. */
export class WorkerHandle {
  readonly #child: ChildProcess;
  readonly talk;
  /** Connections that it has, and what gives the place of each back. */
  readonly #connections = new Map<number, () => void>();
  /** Those on their way to it, which are open here until it has them: Node forgets what it was sending to who ended. */
  readonly #sending = new Map<number, Socket>();
  /** Places that it has, by kind and subject, and what gives each back. */
  readonly #leases = new Map<string, (() => void)[]>();
  /** Places that a newer one may evict, by the worker's number, and what releases each. */
  readonly #evictable = new Map<number, () => void>();
  readonly ready = Promise.withResolvers<FirstStartResult>();
  serves = false;
  figures: MetricSnapshot | null = null;
  readonly ended: Promise<Ended>;

  constructor(answers: Answers, leases: Leases) {
    const child = fork(MAIN, [WORKER_ARGUMENT], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child = child;
    this.talk = createRpcChannel<PrimaryToWorkerCalls, PrimaryApi>((message) => child.send(message, () => {}), {
      ...answers,
      ready: (beginning) => {
        this.serves = true;
        this.ready.resolve(beginning);
      },
      connectionOpened: (id) => this.#took(id),
      connectionClosed: (id) => this.#gone(id),
      acquireLease: async (kind, subject, max) => {
        const leave = await leases.acquire(kind, subject, max);
        if (!leave) return false;
        const key = `${kind} ${subject}`;
        this.#leases.set(key, [...(this.#leases.get(key) ?? []), leave]);
        return true;
      },
      releaseLease: (kind, subject) => this.#leave(`${kind} ${subject}`),
      acquireOrEvict: (kind, subject, max, place) => {
        const evict = () => this.talk.notify("evict", place);
        this.#evictable.set(place, leases.acquireOrEvict(kind, subject, max, evict));
      },
      releaseEvictable: (place) => {
        this.#evictable.get(place)?.();
        this.#evictable.delete(place);
      },
    });
    child.on("message", (message: object) => this.talk.receive(message));
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      // One that could not be started never ends.
      child.on("error", () => child.pid === undefined && resolve({ code: null, signal: null }));
    });
    this.ready.promise.catch(() => {});
    void this.ended.then(() => this.#end());
    // The channel is closed, shortly before the end of the process is noticed.
    child.once("disconnect", () => {
      this.serves = false;
    });
  }

  get pid() {
    return this.#child.pid;
  }

  get connections() {
    return this.#connections.size;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  take(id: number, socket: Socket, giveBack: () => void): void {
    this.#connections.set(id, giveBack);
    this.#sending.set(id, socket);
    this.#child.send({ connection: id }, socket, { keepOpen: true }, () => {});
  }

  #took(id: number): void {
    this.#sending.get(id)?.destroy();
    this.#sending.delete(id);
  }

  #gone(id: number): void {
    this.#connections.get(id)?.();
    this.#connections.delete(id);
  }

  #leave(key: string): void {
    const [leave, ...others] = this.#leases.get(key) ?? [];
    leave?.();
    if (others.length > 0) this.#leases.set(key, others);
    else this.#leases.delete(key);
  }

  #end(): void {
    this.serves = false;
    this.talk.end();
    this.ready.reject(new AlreadyReportedError());
    for (const id of this.#sending.keys()) this.#took(id);
    for (const id of this.#connections.keys()) this.#gone(id);
    for (const leave of [...this.#leases.values()].flat()) leave();
    this.#leases.clear();
    for (const leave of this.#evictable.values()) leave();
    this.#evictable.clear();
  }
}

export interface WorkersOptions {
  count: number;
  log: Logs["log"];
  answers: Answers;
  /** Counts places of single addresses and credentials for all workers. */
  leases: Leases;
  lost(worker: WorkerHandle): void;
}

/** They begin to read their code at once, and wait for what they are to be. */
export function createWorkerPool({ count, log, answers, leases, lost }: WorkersOptions) {
  const all = new Set<WorkerHandle>();
  let house: WorkerHandle | null = null;
  const closing = new AbortController();
  const { signal } = closing;
  const serving = () => [...all].filter(({ serves }) => serves);
  let connections = 0;

  const start = () => {
    const worker = new WorkerHandle(answers, leases);
    all.add(worker);
    void worker.ready.promise.then(() => keepHouse()).catch(() => {});
    return worker;
  };

  /** One of them does what is to be done once. */
  function keepHouse(): void {
    if (house) return;
    [house = null] = serving();
    house?.talk.notify("runHousekeeping");
  }

  /** Sees to it that there is another one when this one has ended, and so on. */
  async function keep(worker: WorkerHandle, orders: WorkerConfig, begun: number): Promise<void> {
    for (let tries = 0; ; begun = performance.now()) {
      const how = await worker.ended;
      all.delete(worker);
      lost(worker);
      if (house === worker) house = null;
      keepHouse();
      if (signal.aborted) return;
      if (performance.now() - begun > WELL_MS) tries = 0;
      const waitMs = backOffMs(tries++);
      log.error({ pid: worker.pid, ...how, waitMs }, "a worker exited; starting a replacement");
      await pause(waitMs, null, { signal }).catch(() => {});
      if (signal.aborted) return;
      worker = start();
      worker.talk.notify("work", orders);
      const { pid } = worker;
      worker.ready.promise.then(() => log.info({ pid }, "the replacement worker is ready")).catch(() => {});
    }
  }

  const [first, ...others] = Array.from({ length: count }, start);

  // At any end of this process, a hanging worker must not stay.
  const killAll = () => {
    for (const worker of all) worker.kill();
  };
  process.on("exit", killAll);

  return {
    serving,
    /**
     * The first one migrates the database and makes what a first start makes; the others follow. @throws
     * AlreadyReportedError
     */
    async begin(orders: WorkerConfig): Promise<FirstStartResult> {
      const begun = performance.now();
      first?.talk.notify("work", orders);
      const beginning = await first?.ready.promise;
      for (const { talk } of others) talk.notify("work", orders);
      await Promise.all(others.map(({ ready }) => ready.promise));
      for (const worker of all) void keep(worker, orders, begun);
      return assertDefined(beginning, "there is at least one worker");
    },
    /** Passes a connection to the worker with the fewest. False without a worker. */
    dispatch(socket: Socket, giveBack: () => void): boolean {
      const [least] = serving().sort((a, b) => a.connections - b.connections);
      if (!least) return false;
      // Among equals it is another one's turn the next time.
      all.delete(least);
      all.add(least);
      least.take(++connections, socket, giveBack);
      return true;
    },
    stopping(): void {
      closing.abort();
      for (const { talk } of all) talk.notify("stopping");
    },
    async close(): Promise<void> {
      closing.abort();
      for (const { talk } of all) talk.notify("close");
      await Promise.all([...all].map(({ ended }) => ended));
      process.off("exit", killAll);
    },
  };
}
