// The return of unused memory to the system while the process is idle. The heap keeps the pages of its busiest moment:
// after a start these are 30 MB, and more after load.

import type { Session } from "node:inspector";
import { getHeapStatistics } from "node:v8";
import type { Log } from "../../store/handler_context.ts";

const CHECK_MS = 20_000;
/** The share of one core below which the process counts as idle. */
const IDLE_SHARE = 0.02;
/** The least growth of the heap that is worth the pause of a full collection, about 0.2 s. */
const GROWTH_BYTES = 12 << 20;

const MB = 1 << 20;

/** Collects all garbage and shrinks the heap, as the browser's developer tools do. The process stops until the end. */
async function collectGarbage(): Promise<void> {
  const inspector: { Session: new () => Session } = await import("node:inspector");
  const session = new inspector.Session();
  session.connect();
  try {
    await new Promise<void>((resolve, reject) =>
      session.post("HeapProfiler.collectGarbage", (error) => (error ? reject(error) : resolve())),
    );
  } finally {
    session.disconnect();
  }
}

/**
 * Checks three times a minute whether the process is idle and its heap has grown, and then shrinks it
 * (rules#idle-memory).
 * @returns a function that ends the checks
 */
export function releaseMemoryWhenIdle(log: Log, checkMs: number = CHECK_MS): () => void {
  let cpu = process.cpuUsage();
  let smallest = 0;
  let collecting = false;
  const check = async () => {
    const used = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const before = getHeapStatistics().total_heap_size;
    const isIdle = (used.user + used.system) / 1000 < checkMs * IDLE_SHARE;
    if (collecting || !isIdle || before < smallest + GROWTH_BYTES) return;
    collecting = true;
    await collectGarbage().catch((error) => log.debug({ err: error }, "the heap could not be shrunk"));
    smallest = getHeapStatistics().total_heap_size;
    cpu = process.cpuUsage();
    collecting = false;
    log.debug({ before_mb: Math.round(before / MB), after_mb: Math.round(smallest / MB) }, "heap shrunk while idle");
  };
  const timer = setInterval(() => void check(), checkMs).unref();
  return () => clearInterval(timer);
}
