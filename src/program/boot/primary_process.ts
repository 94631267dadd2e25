// The first of several processes (docs/decisions/0025). It has the listening socket, the embedded database and the
// windows of the limits, supervises the workers, and serves no requests itself.

import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../store/config/all_settings.ts";
import { ConfigError } from "../../store/config/setting_types.ts";
import { createInMemoryConcurrencyLeases, createSlots } from "../../store/rate_limits/in_memory_concurrency_limits.ts";
import { createMemoryWindows } from "../../store/rate_limits/rate_limits.ts";
import { createConnectionLimitKeyReader } from "../../store/rate_limits/request_client.ts";
import { createStartupResponder } from "./database_startup_wait.ts";
import type { RunningService } from "./first_start.ts";
import { acceptConnectionsForWorkers, createOverloadResponses } from "./http_server.ts";
import { createLogs } from "./log.ts";
import { createMetrics, type MetricSnapshot, mergeMetrics } from "./metrics.ts";
import { createCloser, loadSecretAndStartDatabase } from "./service.ts";
import { WORKER_ANSWER_TIMEOUT_MS } from "./worker_ipc.ts";
import { createWorkerPool, type WorkerHandle } from "./worker_pool.ts";

/** One connection for requests, and one for statements that they wait for: with fewer, a call would wait for itself. */
const MIN_POOL_SIZE = 2;

/**
 * Returns a worker's share of the service's limits.
 * @throws ConfigError if a share would be empty
 */
function divideLimits(config: Config): Config {
  const { workers } = config;
  const share = (total: number) => Math.floor(total / workers);
  const maxConcurrentRequests = share(config.maxConcurrentRequests);
  if (maxConcurrentRequests === 0)
    throw new ConfigError(
      "MAX_CONCURRENT_REQUESTS",
      `must be at least WORKERS (${workers}), because it is divided among them.`,
    );
  return {
    ...config,
    maxConcurrentRequests,
    longPollLimit: share(config.longPollLimit),
    databasePoolSize: Math.max(MIN_POOL_SIZE, share(config.databasePoolSize)),
  };
}

/** @throws ConfigError, DataDirInUseError, or AlreadyReportedError after an error of a worker */
export async function openPrimaryProcess(config: Config): Promise<RunningService> {
  const own = divideLimits(config);
  const { log } = createLogs(config);
  const startup = createStartupResponder(config, log);
  const notListening = Promise.withResolvers<never>();
  const closers: (() => unknown)[] = [];
  const close = createCloser(closers);
  try {
    // One connection more of each listens to what the others have changed.
    const databasePoolSize = config.workers * (own.databasePoolSize + 1);
    const { opening } = await loadSecretAndStartDatabase({ ...config, databasePoolSize }, log, closers);
    const windows = createMemoryWindows(() => performance.now());
    const mergedMetrics = createMergedMetrics(() => workers.getServingWorkers());
    const workers = createWorkerPool({
      count: config.workers,
      log,
      answeredCalls: {
        take: windows.take,
        refund: windows.refund,
        metrics: mergedMetrics.text,
        upgrading: () =>
          startup.reportUpgrade().catch((error) => {
            notListening.reject(error);
            throw error;
          }),
        databaseUnavailable: (message) => startup.report(message).catch(notListening.reject),
      },
      leases: createInMemoryConcurrencyLeases(),
      onWorkerExit: mergedMetrics.keepLastOf,
    });
    closers.push(() => workers.close());
    const cluster = await opening;
    const database = cluster && { url: cluster.url, folder: cluster.folder };
    const beginning = await Promise.race([workers.begin({ config: own, database }), notListening.promise]);
    await cluster?.synced;
    await startup.close();

    const slots = createSlots(Number.POSITIVE_INFINITY, config.maxConnectionsPerIp);
    const getLimitKey = createConnectionLimitKeyReader(config.trustedProxies);
    const { whole } = createOverloadResponses();
    const refuse = (socket: Socket) => socket.resume().end(whole, () => socket.destroy());
    const listener = await acceptConnectionsForWorkers(config, (socket) => {
      socket.on("error", () => {});
      const limitKey = socket.remoteAddress === undefined ? null : getLimitKey(socket.remoteAddress);
      if (!slots.hasRoom(limitKey)) return void refuse(socket);
      const release = slots.acquire(limitKey);
      if (workers.dispatch(socket, release)) return;
      release();
      refuse(socket);
    });
    return {
      log,
      cluster,
      begin: async () => beginning,
      async close() {
        workers.stopping();
        if (config.shutdownDelayMs > 0) await pause(config.shutdownDelayMs);
        await listener.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Merges the metrics of all processes. Counters never fall: the last values of an ended worker stay. */
function createMergedMetrics(serving: () => WorkerHandle[]) {
  const own = createMetrics();
  let past: Promise<MetricSnapshot> = Promise.resolve([]);

  const addCounters = async (to: Promise<MetricSnapshot>, snapshot: MetricSnapshot): Promise<MetricSnapshot> => {
    const counts = snapshot.filter(({ type }) => String(type) === "counter" || String(type) === "histogram");
    return (await mergeMetrics([await to, counts])).getMetricsAsJSON();
  };
  async function requestMetrics(worker: WorkerHandle): Promise<MetricSnapshot> {
    const late = pause(WORKER_ANSWER_TIMEOUT_MS, worker.metricSnapshot, { ref: false });
    const snapshot = await Promise.race([worker.ipc.call("metrics"), late]).catch(() => worker.metricSnapshot);
    worker.metricSnapshot = snapshot;
    return snapshot ?? [];
  }
  return {
    async text(): Promise<string> {
      const all = await Promise.all([own.figures(), ...serving().map(requestMetrics)]);
      return (await mergeMetrics([...all, await past])).metrics();
    },
    keepLastOf({ metricSnapshot }: WorkerHandle): void {
      if (metricSnapshot) past = addCounters(past, metricSnapshot);
    },
  };
}
