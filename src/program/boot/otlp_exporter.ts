// The exporter of spans to a collector, as OTLP in JSON over HTTP: batched and limited, never awaited and never stored.
// It does not depend on the meaning of a span.

import type { Config } from "../../store/config/all_settings.ts";
import { waitUntilSettledOrTimeout } from "../../store/db/timeout.ts";
import type { Log } from "../../store/handler_context.ts";
import type { SpanAttributes } from "../../store/trace_spans.ts";

export interface FinishedSpan {
  traceId: string;
  spanId: string;
  parent: string | undefined;
  name: string;
  kind: number;
  attributes: SpanAttributes;
  failed: boolean;
  /** Nanoseconds since 1970. */
  start: bigint;
  end: bigint;
  link: { traceId: string; spanId: string } | undefined;
}

/** OpenTelemetry's defaults for the queue, the batch and the delay. */
const MOST = 2_048;
const BATCH = 512;
const EVERY_MS = 5_000;
/** The timeout of the collector, so that it cannot delay a stop. */
const ANSWER_MS = 10_000;
const LAST_MS = 2_000;
const LOG_EVERY_MS = 60_000;

const listed = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));

const toOtlpSpan = ({ parent, attributes, failed, start, end, link, ...span }: FinishedSpan) => ({
  ...span,
  ...(parent === undefined ? {} : { parentSpanId: parent }),
  startTimeUnixNano: String(start),
  endTimeUnixNano: String(end),
  attributes: listed(attributes),
  ...(link ? { links: [link] } : {}),
  // 0: unset, 2: error.
  status: { code: failed ? 2 : 0 },
});

export function createSpanExporter(
  { otelEndpoint, otelHeaders, otelServiceName }: Pick<Config, "otelEndpoint" | "otelHeaders" | "otelServiceName">,
  version: string,
  log: Pick<Log, "warn">,
) {
  const resource = {
    attributes: listed({ "service.name": otelServiceName, "service.version": version, "process.pid": process.pid }),
  };
  const scope = { name: "belfry", version };
  let waiting: FinishedSpan[] = [];
  let dropped = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  function lost(count: number, why: object): void {
    dropped += count;
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    log.warn(
      { dropped, ...why },
      "spans dropped: the collector at OTEL_EXPORTER_OTLP_ENDPOINT rejected them or did not respond",
    );
    loggedAt = performance.now();
    dropped = 0;
  }

  async function send(spans: FinishedSpan[], signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(toOtlpSpan) }] }],
    });
    const headers = { ...otelHeaders, "content-type": "application/json" };
    try {
      // A redirect is not followed: the headers are for this address.
      const answer = await fetch(`${otelEndpoint}/v1/traces`, {
        method: "POST",
        headers,
        body,
        signal,
        redirect: "manual",
      });
      await answer.body?.cancel();
      if (!answer.ok) lost(spans.length, { status: answer.status });
    } catch (error) {
      lost(spans.length, { cause: (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name });
    }
  }

  /** One request at a time, so that a slow collector is not overloaded. */
  async function flush(ms = ANSWER_MS): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const end = AbortSignal.timeout(ms);
    while (waiting.length > 0 && !end.aborted) await send(waiting.splice(0, BATCH), end);
  }

  function begin(): void {
    sending ??= flush().finally(() => {
      sending = null;
      if (waiting.length > 0) later();
    });
  }

  function later(): void {
    timer ??= setTimeout(begin, EVERY_MS).unref();
  }

  return {
    add(span: FinishedSpan): void {
      if (waiting.length < MOST) waiting.push(span);
      else lost(1, { waiting: MOST });
      if (waiting.length >= BATCH) begin();
      else later();
    },
    async close(): Promise<void> {
      await waitUntilSettledOrTimeout(LAST_MS, Promise.resolve(sending));
      await flush(LAST_MS);
      waiting = [];
    },
  };
}
