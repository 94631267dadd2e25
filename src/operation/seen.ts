// A call as it is seen from outside, whichever operation it is: how it ended and how long it took. Everything that is not one of
// our refusals becomes one here.

import { ApiError } from "../model/errors.ts";
import { faultOf } from "../store/db/unavailable.ts";
import { traced } from "../store/trace.ts";
import type { Call } from "./dispatch.ts";

export interface SeenMetrics {
  /** `outcome`: done, or the type of the error; `seconds`: null of what waits on purpose. */
  operation(name: string, transport: string, outcome: string, seconds: number | null): void;
}

/**
 * `usual`: the way by which a call comes that does not say another. What it runs rejects with ApiError and nothing else; any other
 * cause goes to the log only.
 */
export function createSeen(metrics: SeenMetrics) {
  return async function seen<T>(
    { name, waits = false }: { name: string; waits?: boolean },
    { transport, log }: Pick<Call, "transport" | "log">,
    usual: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const began = performance.now();
    const ended = (outcome: string) =>
      metrics.operation(name, transport ?? usual, outcome, waits ? null : (performance.now() - began) / 1000);
    const way = { "belfry.transport": transport ?? usual };
    try {
      const done = await traced(name, "internal", way, work);
      ended("done");
      return done;
    } catch (error) {
      if (!(error instanceof ApiError)) log.error({ err: error }, "operation failed");
      const refused = error instanceof ApiError ? error : faultOf(error);
      ended(refused.type);
      throw refused;
    }
  };
}
