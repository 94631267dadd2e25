// Spans in the sense of OpenTelemetry: the first one of a request, with its client's parent, and those below. The
// sampling decision is made here, by the configured ratio. A client can only opt out.

import { randomBytes } from "node:crypto";
import manifest from "../../../package.json" with { type: "json" };
import type { Config } from "../../store/config/all_settings.ts";
import type { Log } from "../../store/handler_context.ts";
import { runWithActiveSpan, type Span, type SpanAttributes } from "../../store/trace_spans.ts";
import type { HttpApp } from "./app.ts";
import { PROBE_AND_METRICS_PATHS } from "./health_probes.ts";
import { createSpanExporter, type FinishedSpan } from "./otlp_exporter.ts";

/** Kinds by their numbers in the protocol. */
const KINDS = { internal: 1, server: 2, client: 3 };

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

interface SpanContext {
  traceId: string;
  spanId: string;
}

/** Parses a `traceparent`; null if it is not valid. `followed`: its sender samples the trace. */
function parseTraceparent(traceparent: unknown): (SpanContext & { followed: boolean }) | null {
  const parts = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null;
  const [, traceId = "", spanId = "", flags = ""] = parts ?? [];
  return parts && { traceId, spanId, followed: (Number.parseInt(flags, 16) & 1) === 1 };
}

const createId = (bytes: number) => randomBytes(bytes).toString("hex");

/** `wall`: the difference between the time of day and the process clock, the same in a whole trace. */
interface Root {
  wall: number;
  ended(span: FinishedSpan): void;
}

function begin(
  name: string,
  kind: keyof typeof KINDS,
  attributes: SpanAttributes,
  root: Root,
  traceId: string,
  parentContext: SpanContext | null,
  link?: SpanContext,
): Span {
  const spanId = createId(8);
  const began = performance.now();
  const toNanoseconds = (moment: number) => BigInt(Math.round((root.wall + moment) * 1000)) * 1000n;
  const currentAttributes = { ...attributes };
  const context = { traceId, spanId };
  const createChildStarter = (trace: string, parent: SpanContext, linked?: SpanContext): Span["child"] => {
    return (child, of, more = {}) => begin(child, of, more, root, trace, parent, linked);
  };
  const span: Span = {
    traceId,
    child: createChildStarter(traceId, context),
    joined(traceparent) {
      const given = parseTraceparent(traceparent);
      return given
        ? { ...span, traceId: given.traceId, child: createChildStarter(given.traceId, given, context) }
        : span;
    },
    describe(more, other = name) {
      name = other;
      Object.assign(currentAttributes, more);
    },
    end(failed) {
      const attributes = failed === undefined ? currentAttributes : { ...currentAttributes, "error.type": failed };
      const ended = { ...context, parent: parentContext?.spanId, name, kind: KINDS[kind], attributes, link };
      root.ended({
        ...ended,
        failed: failed !== undefined,
        start: toNanoseconds(began),
        end: toNanoseconds(performance.now()),
      });
    },
  };
  return span;
}

/** Checks that a trace is sampled: equal on all services with the same ratio. */
const isChosen = (traceId: string, ratio: number) => Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000;

type TracingConfig = Pick<Config, "otelEndpoint" | "otelHeaders" | "otelServiceName" | "otelTracesRatio">;

/** Traces the requests of an app. It never throws: without a collector, spans are dropped and logged. */
export function createTracing(config: TracingConfig, log: Log) {
  const exporter = createSpanExporter(config, manifest.version, log);
  return {
    fetch:
      (serve: HttpApp["fetch"]): HttpApp["fetch"] =>
      async (request, peer) => {
        const given = parseTraceparent(request.headers.get("traceparent"));
        const traceId = given?.traceId ?? createId(16);
        const followed = given?.followed !== false && isChosen(traceId, config.otelTracesRatio);
        if (!followed || PROBE_AND_METRICS_PATHS.has(new URL(request.url).pathname)) return serve(request, peer);
        const root = { wall: Date.now() - performance.now(), ended: exporter.add };
        const method = { "http.request.method": request.method };
        const span = begin(request.method, "server", method, root, traceId, given);
        const response = await runWithActiveSpan(span, () => serve(request, peer));
        const { status, headers } = response;
        span.describe({ "http.response.status_code": status, "belfry.request_id": headers.get("x-request-id") ?? "" });
        span.end(status >= 500 ? String(status) : undefined);
        return response;
      },
    close: exporter.close,
  };
}
