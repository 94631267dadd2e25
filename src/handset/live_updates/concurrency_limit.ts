// A limit on the calls that run at once, which leaves the event loop to other requests.

import { setImmediate as yieldToLoop } from "node:timers/promises";
import pLimit from "p-limit";

/**
 * Creates a function that runs calls in order, at most `max` at once. A waiting call starts in a later turn of the
 * event loop, so that other requests are served in between. p-limit alone would start it in the same turn.
 */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(max);
  return (work) =>
    limit.activeCount < max
      ? limit(work)
      : limit(async () => {
          await yieldToLoop();
          return work();
        });
}
