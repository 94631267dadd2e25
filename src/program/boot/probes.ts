// What is asked of the process itself: whether it lives, whether it is ready, and its figures.

import type { H3, H3Event } from "h3";
import packageJson from "../../../package.json" with { type: "json" };
import { jsonAnswer } from "../../api/transports/answers.ts";
import { forbidden, noSpace } from "../../model/errors.ts";
import { LIMITS } from "../../model/limits.ts";
import type { Log } from "../../store/context.ts";
import { within } from "../../store/db/within.ts";
import type { Space } from "../../store/embedded/space.ts";
import type { Metrics } from "./metrics.ts";

export interface ProbeDeps {
  /** Resolves when the database answers and every migration is in, with what else does not work; rejects otherwise. */
  ready(): Promise<{ degraded: string[] }>;
  space: Pick<Space, "isLow">;
  metrics: Pick<Metrics, "text" | "contentType">;
  metricsPublic: boolean;
  isLocal(event: H3Event): boolean;
  logOf(event: H3Event): Log;
}

/** These are answered always, however much there is to do. */
export const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

const READY_MS = 500;

/** `stopping`: from then on /readyz says that nothing new should be sent here. */
export function addProbes(app: H3, deps: ProbeDeps): { stopping(): void } {
  let isStopping = false;
  const ready = recent(READY_MS, deps.ready);

  app.get("/healthz", () => jsonAnswer(200, { status: "ok", version: packageJson.version }));
  app.get("/readyz", async (event) => {
    try {
      if (isStopping) return jsonAnswer(503, { status: "stopping" });
      if (deps.space.isLow()) return jsonAnswer(503, { status: "not ready", reason: noSpace().message });
      // Whoever asks gives up sooner than a call does; a database that says nothing by then is not ready.
      const { degraded } = await within(LIMITS.ready_seconds * 1000, ready(), "the database does not respond");
      return jsonAnswer(200, { status: "ready", ...(degraded.length > 0 ? { degraded } : {}) });
    } catch (error) {
      deps.logOf(event).warn({ err: error }, "not ready");
      return jsonAnswer(503, { status: "not ready" });
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

/** `look`, whose answer or failure stands for `ms` milliseconds from its start. */
export function recent<T>(
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
