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

/** The delay before an ended worker is replaced: none at first, then doubled each time. */
const getBackOffMs = (tries: number) => (tries === 0 ? 0 : Math.min(30_000, 100 * 2 ** (tries - 1)));
/** The run time after which a worker counts as healthy. */
const HEALTHY_AFTER_MS = 60_000;

interface WorkerExit {
  code: number | null;
  signal: string | null;
}

type AnsweredCalls = Pick<PrimaryApi, "take" | "refund" | "metrics" | "databaseUnavailable" | "upgrading">;

/** One process that serves. */
export class WorkerHandle {
  readonly #child: ChildProcess;
  readonly ipc;
  /** Its connections by id, each with the function that releases its slot. */
  readonly #connections = new Map<number, () => void>();
  /** Sockets being transferred. They stay open here until the worker confirms: Node drops those of an ended one. */
  readonly #sending = new Map<number, Socket>();
  /** Its leases by kind and subject, each with its release function. */
  readonly #leases = new Map<string, (() => void)[]>();
  /** Its evictable leases by the worker's id of each, with the release function. */
  readonly #evictable = new Map<number, () => void>();
  readonly ready = Promise.withResolvers<FirstStartResult>();
  serves = false;
  metricSnapshot: MetricSnapshot | null = null;
  readonly ended: Promise<WorkerExit>;

  constructor(answeredCalls: AnsweredCalls, leases: Leases) {
    const child = fork(MAIN, [WORKER_ARGUMENT], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child = child;
    this.ipc = createRpcChannel<PrimaryToWorkerCalls, PrimaryApi>((message) => child.send(message, () => {}), {
      ...answeredCalls,
      ready: (result) => {
        this.serves = true;
        this.ready.resolve(result);
      },
      connectionOpened: (id) => this.#confirmTransfer(id),
      connectionClosed: (id) => this.#closeConnection(id),
      acquireLease: async (kind, subject, max) => {
        const leave = await leases.acquire(kind, subject, max);
        if (!leave) return false;
        const key = `${kind} ${subject}`;
        this.#leases.set(key, [...(this.#leases.get(key) ?? []), leave]);
        return true;
      },
      releaseLease: (kind, subject) => this.#releaseLease(`${kind} ${subject}`),
      acquireOrEvict: (kind, subject, max, leaseId) => {
        const evict = () => this.ipc.notify("evict", leaseId);
        this.#evictable.set(leaseId, leases.acquireOrEvict(kind, subject, max, evict));
      },
      releaseEvictable: (leaseId) => {
        this.#evictable.get(leaseId)?.();
        this.#evictable.delete(leaseId);
      },
    });
    child.on("message", (message: object) => this.ipc.receive(message));
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

  take(id: number, socket: Socket, release: () => void): void {
    this.#connections.set(id, release);
    this.#sending.set(id, socket);
    this.#child.send({ connection: id }, socket, { keepOpen: true }, () => {});
  }

  #confirmTransfer(id: number): void {
    this.#sending.get(id)?.destroy();
    this.#sending.delete(id);
  }

  #closeConnection(id: number): void {
    this.#connections.get(id)?.();
    this.#connections.delete(id);
  }

  #releaseLease(key: string): void {
    const [leave, ...others] = this.#leases.get(key) ?? [];
    leave?.();
    if (others.length > 0) this.#leases.set(key, others);
    else this.#leases.delete(key);
  }

  #end(): void {
    this.serves = false;
    this.ipc.end();
    this.ready.reject(new AlreadyReportedError());
    for (const id of this.#sending.keys()) this.#confirmTransfer(id);
    for (const id of this.#connections.keys()) this.#closeConnection(id);
    for (const leave of [...this.#leases.values()].flat()) leave();
    this.#leases.clear();
    for (const leave of this.#evictable.values()) leave();
    this.#evictable.clear();
  }
}

interface WorkersOptions {
  count: number;
  log: Logs["log"];
  answeredCalls: AnsweredCalls;
  /** Counts the leases of each address and credential for all workers. */
  leases: Leases;
  onWorkerExit(worker: WorkerHandle): void;
}

/** The workers load their code at once, and wait for their configuration. */
export function createWorkerPool({ count, log, answeredCalls, leases, onWorkerExit }: WorkersOptions) {
  const all = new Set<WorkerHandle>();
  let housekeepingWorker: WorkerHandle | null = null;
  const closing = new AbortController();
  const { signal } = closing;
  const getServingWorkers = () => [...all].filter(({ serves }) => serves);
  let connections = 0;

  const start = () => {
    const worker = new WorkerHandle(answeredCalls, leases);
    all.add(worker);
    void worker.ready.promise.then(() => assignHousekeeping()).catch(() => {});
    return worker;
  };

  /** One worker runs the housekeeping. */
  function assignHousekeeping(): void {
    if (housekeepingWorker) return;
    [housekeepingWorker = null] = getServingWorkers();
    housekeepingWorker?.ipc.notify("runHousekeeping");
  }

  /** Replaces a worker after its exit, and then its replacement. */
  async function restartOnExit(worker: WorkerHandle, config: WorkerConfig, begun: number): Promise<void> {
    for (let tries = 0; ; begun = performance.now()) {
      const exit = await worker.ended;
      all.delete(worker);
      onWorkerExit(worker);
      if (housekeepingWorker === worker) housekeepingWorker = null;
      assignHousekeeping();
      if (signal.aborted) return;
      if (performance.now() - begun > HEALTHY_AFTER_MS) tries = 0;
      const waitMs = getBackOffMs(tries++);
      log.error({ pid: worker.pid, ...exit, waitMs }, "a worker exited; starting a replacement");
      await pause(waitMs, null, { signal }).catch(() => {});
      if (signal.aborted) return;
      worker = start();
      worker.ipc.notify("work", config);
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
    getServingWorkers,
    /**
     * The first one migrates the database and makes what a first start makes; the others follow. @throws
     * AlreadyReportedError
     */
    async begin(config: WorkerConfig): Promise<FirstStartResult> {
      const begun = performance.now();
      first?.ipc.notify("work", config);
      const result = await first?.ready.promise;
      for (const { ipc } of others) ipc.notify("work", config);
      await Promise.all(others.map(({ ready }) => ready.promise));
      for (const worker of all) void restartOnExit(worker, config, begun);
      return assertDefined(result, "there is at least one worker");
    },
    /** Passes a connection to the worker with the fewest. False without a worker. */
    dispatch(socket: Socket, release: () => void): boolean {
      const [least] = getServingWorkers().sort((a, b) => a.connections - b.connections);
      if (!least) return false;
      // Among equals it is another one's turn the next time.
      all.delete(least);
      all.add(least);
      least.take(++connections, socket, release);
      return true;
    },
    stopping(): void {
      closing.abort();
      for (const { ipc } of all) ipc.notify("stopping");
    },
    async close(): Promise<void> {
      closing.abort();
      for (const { ipc } of all) ipc.notify("close");
      await Promise.all([...all].map(({ ended }) => ended));
      process.off("exit", killAll);
    },
  };
}
