// Spans of a trace for the work of a request. Without tracing (src/program/boot/tracing.ts begins the first span),
// all of this does nothing.

import { AsyncLocalStorage } from "node:async_hooks";

/** Own words and numbers alone: never an id, an address or a text of a tenant. */
export type SpanAttributes = Record<string, string | number>;

export interface Span {
  /** 32 hexadecimal figures. */
  readonly traceId: string;
  child(name: string, kind: "internal" | "client", attributes?: SpanAttributes): Span;
  /**
   * What a message within the request says that it belongs to, by W3C's `traceparent`: what is begun under the answer
   * is its child, and linked with this span. Itself where that names no trace.
   */
  joined(traceparent: unknown): Span;
  /** Another name, and more to say. */
  describe(attributes: SpanAttributes, name?: string): void;
  /** `failed`: the type of the error. */
  end(failed?: string): void;
}

const under = new AsyncLocalStorage<Span>();

/** The span that this is done under; undefined where nobody follows. */
export const currentSpan = (): Span | undefined => under.getStore();

/** Does something under a span, if there is one. */
export const runInSpan = <T>(span: Span | undefined, work: () => T): T => (span ? under.run(span, work) : work());

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
