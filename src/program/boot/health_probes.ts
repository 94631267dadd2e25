// The probes of the process: liveness, readiness and metrics.

import type { H3, H3Event } from "h3";
import packageJson from "../../../package.json" with { type: "json" };
import { createJsonResponse } from "../../api/transports/http_responses.ts";
import { createDiskFullError, forbidden } from "../../model/api_error.ts";
import { LIMITS } from "../../model/limits.ts";
import { MigrationsMissingError } from "../../store/db/database_startup_errors.ts";
import { findDatabaseUnavailableCode } from "../../store/db/database_unavailable_errors.ts";
import { withTimeout } from "../../store/db/timeout.ts";
import type { DiskSpaceMonitor } from "../../store/embedded/disk_space.ts";
import type { Log } from "../../store/handler_context.ts";
import type { Metrics } from "./metrics.ts";

interface ProbeDeps {
  /** Resolves with other problems when the database responds and every migration is applied; rejects otherwise. */
  ready(): Promise<{ degraded: string[] }>;
  space: Pick<DiskSpaceMonitor, "isLow">;
  metrics: Pick<Metrics, "text" | "contentType">;
  metricsPublic: boolean;
  isLocal(event: H3Event): boolean;
  getRequestLog(event: H3Event): Log;
}

/** These paths are served under any load. */
export const PROBE_AND_METRICS_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

const READY_MS = 500;

/** @returns `stopping`, after which /readyz refuses new requests */
export function addProbeAndMetricsRoutes(app: H3, deps: ProbeDeps): { stopping(): void } {
  let isStopping = false;
  const ready = cacheAsyncResult(READY_MS, deps.ready);

  app.get("/healthz", () => createJsonResponse(200, { status: "ok", version: packageJson.version }));
  app.get("/readyz", async (event) => {
    try {
      if (isStopping) return createJsonResponse(503, { status: "stopping" });
      if (deps.space.isLow())
        return createJsonResponse(503, { status: "not ready", reason: createDiskFullError().message });
      // Probes time out earlier than calls, so a database that does not respond by then is not ready.
      const { degraded } = await withTimeout(LIMITS.ready_seconds * 1000, ready(), "the database is not responding");
      return createJsonResponse(200, { status: "ready", ...(degraded.length > 0 ? { degraded } : {}) });
    } catch (error) {
      deps.getRequestLog(event).warn({ err: error }, "not ready");
      return createJsonResponse(503, { status: "not ready", reason: describeFailure(error) });
    }
  });
  app.get("/metrics", async (event) => {
    if (!deps.metricsPublic && !deps.isLocal(event))
      throw forbidden(
        "origin_not_allowed",
        "Metrics are served to loopback addresses only. To change this, set METRICS_PUBLIC.",
      );
    return new Response(await deps.metrics.text(), { headers: { "content-type": deps.metrics.contentType } });
  });

  return {
    stopping: () => {
      isStopping = true;
    },
  };
}

/** The cause of a failed check, without texts of the database, which may quote rows. */
function describeFailure(error: unknown): string {
  if (error instanceof MigrationsMissingError) return error.message;
  const code = findDatabaseUnavailableCode(error);
  return code === null || code === "closed"
    ? "The database is not responding."
    : `The database is not available (${code}).`;
}

/** Caches the result or error of `look` for `ms` milliseconds from its start. */
export function cacheAsyncResult<T>(
  ms: number,
  look: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { at: number; result: Promise<T> } | undefined;
  return () => {
    if (!last || now() - last.at > ms) last = { at: now(), result: look() };
    return last.result;
  };
}
