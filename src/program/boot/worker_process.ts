// One of several serving processes. It runs the whole service, except the listening socket, the embedded database and
// the windows of the limits, which the first process has. It ends on request, and with the first process.

import type { Socket } from "node:net";
import { assertDefined } from "../../model/assert.ts";
import type { RateLimitWindows } from "../../store/rate_limits/rate_limits.ts";
import { retryWhileUnavailable } from "./database_startup_wait.ts";
import { completeStartWithExampleChannel } from "./first_start.ts";
import { serveAcceptedConnections } from "./http_server.ts";
import { releaseMemoryWhenIdle } from "./idle_memory.ts";
import { openServiceWithoutListening, type Service } from "./service.ts";
import {
  createRpcChannel,
  type IpcMessage,
  type PrimaryApi,
  type PrimaryToWorkerCalls,
  type WorkerConfig,
} from "./worker_ipc.ts";

/** Serves until the first process ends it. */
export async function runWorker(): Promise<void> {
  // Signals to the whole group are for the first process, which then notifies the workers.
  process.on("SIGTERM", () => {});
  process.on("SIGINT", () => {});
  process.on("disconnect", () => process.exit(1));
  const receivedConfig = Promise.withResolvers<WorkerConfig>();
  let service: Service | null = null;
  let accepted: ReturnType<typeof serveAcceptedConnections> | null = null;
  /** Leases that the first process may evict for a newer one, by id, with the function that ends each. */
  const evictable = new Map<number, () => void>();
  let lastLeaseId = 0;

  const workerCalls: PrimaryToWorkerCalls = {
    work: receivedConfig.resolve,
    runHousekeeping: () => service?.housekeeping.begin(),
    metrics: () => assertDefined(service, "the worker is running").metrics.figures(),
    evict: (leaseId) => evictable.get(leaseId)?.(),
    stopping: () => service?.app.stopping(),
    async close() {
      await accepted?.close();
      await service?.close();
      process.exit(0);
    },
  };
  const primary = createRpcChannel<PrimaryApi, PrimaryToWorkerCalls>(
    (message) => process.send?.(message, () => {}),
    workerCalls,
  );
  process.on("message", (message: IpcMessage, socket?: Socket) => {
    const { connection } = message;
    if (connection === undefined) return primary.receive(message);
    primary.notify("connectionOpened", connection);
    const reportClosed = () => primary.notify("connectionClosed", connection);
    // The connection may have ended during the transfer.
    if (socket && accepted) accepted.take(socket, reportClosed);
    else reportClosed();
  });

  // The code is loaded before the configuration arrives, which waits for the database.
  await import("./composition_root.ts");
  const { config, database } = await receivedConfig.promise;
  const open = () =>
    openServiceWithoutListening(config, {
      onUpgrade: () => primary.call("upgrading"),
      primary: {
        database,
        windows: {
          take: (...call) => primary.call("take", ...call),
          refund: (...call) => primary.call("refund", ...call),
          close() {},
        } satisfies RateLimitWindows,
        leases: {
          async acquire(kind, subject, max) {
            if (!(await primary.call("acquireLease", kind, subject, max))) return null;
            let isReleased = false;
            return () => {
              if (!isReleased) primary.notify("releaseLease", kind, subject);
              isReleased = true;
            };
          },
          acquireOrEvict(kind, subject, max, end) {
            const leaseId = ++lastLeaseId;
            evictable.set(leaseId, end);
            primary.notify("acquireOrEvict", kind, subject, max, leaseId);
            return () => {
              if (evictable.delete(leaseId)) primary.notify("releaseEvictable", leaseId);
            };
          },
        },
        metrics: () => primary.call("metrics"),
      },
    });
  const opened = await retryWhileUnavailable(open, (message) => primary.notify("databaseUnavailable", message));
  service = opened;
  accepted = serveAcceptedConnections(opened.app, config);
  releaseMemoryWhenIdle(opened.log);
  primary.notify("ready", await completeStartWithExampleChannel(opened, config));
}
