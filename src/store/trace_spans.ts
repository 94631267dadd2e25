// Spans of a trace for the work of a request. Without tracing (src/program/boot/tracing.ts begins the first span),
// all of this does nothing.

import { AsyncLocalStorage } from "node:async_hooks";

/** Our own terms and numbers only, never an id, URL or text of a tenant. */
export type SpanAttributes = Record<string, string | number>;

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  child(name: string, kind: "internal" | "client", attributes?: SpanAttributes): Span;
  /**
   * Returns a span for a message with its own W3C `traceparent`. Spans below it are its children, and it is linked with
   * this span. Without a valid trace, it returns this span.
   */
  joined(traceparent: unknown): Span;
  /** Sets another name and adds attributes. */
  describe(attributes: SpanAttributes, name?: string): void;
  /** `failed`: the type of the error. */
  end(failed?: string): void;
}

const under = new AsyncLocalStorage<Span>();

/** Returns the current span; undefined without tracing. */
export const currentSpan = (): Span | undefined => under.getStore();

/** Does something under a span, if there is one. */
export const runWithActiveSpan = <T>(span: Span | undefined, work: () => T): T =>
  span ? under.run(span, work) : work();

/** Does something under a span of its own, which ends with it. */
export async function runTraced<T>(
  name: string,
  kind: "internal" | "client",
  attributes: SpanAttributes,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = under.getStore()?.child(name, kind, attributes);
  if (!span) return work(undefined);
  try {
    const done = await under.run(span, () => work(span));
    span.end();
    return done;
  } catch (error) {
    span.end((error as { type?: string }).type ?? "error");
    throw error;
  }
}
