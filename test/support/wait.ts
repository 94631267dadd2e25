// The time that a test waits for a condition. A busy machine can take a minute for a start, so the limit is far above
// that.

import { vi } from "vitest";

/**
 * Options of `vi.waitFor` and `expect.poll`; milliseconds. vitest.config.ts has the same defaults for a poll without
 * any.
 */
export const WAIT = { timeout: 300_000, interval: 10 };

/** The machine's own clock and timers, unaffected by a test's fake ones. */
const now = performance.now.bind(performance);
const { setTimeout: later, clearTimeout: never } = globalThis;

/**
 * Retries until nothing is thrown, and returns the result: soon at first, then less often, since each try takes time
 * from the awaited work. It also continues where a test has replaced the timers. @throws the error of the last try
 */
export async function waitFor<T>(look: () => T | Promise<T>): Promise<T> {
  if (vi.isFakeTimers()) return vi.waitFor(look, WAIT);
  const begun = now();
  let last: unknown = new Error(`waited in vain for ${look}`);
  let timer: ReturnType<typeof later> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = later(() => reject(last), WAIT.timeout);
  });
  const ended = end.then(undefined, () => true);
  try {
    for (let over = false; !over; ) {
      try {
        return await Promise.race([look(), end]);
      } catch (error) {
        last = error;
      }
      const next = new Promise<false>((resolve) =>
        later(() => resolve(false), Math.min(100, 5 + (now() - begun) / 10)),
      );
      over = await Promise.race([next, ended]);
    }
    throw last;
  } finally {
    never(timer);
  }
}

/** Waits until a condition is true. @throws an Error that names the condition, as it is written */
export const waitUntil = (holds: () => boolean | Promise<boolean>) =>
  waitFor(async () => {
    if (!(await holds())) throw new Error(`waited in vain for ${holds}`);
  });

/** One turn of the event loop, sockets included; timers that a test has taken over stay as they are. */
export const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Turns the event loop until a condition is true, where `vi.waitFor` would move the test's own clock. */
export async function runTicksUntil(holds: () => boolean): Promise<void> {
  for (const end = now() + WAIT.timeout; !holds(); await nextTick())
    if (now() > end) throw new Error(`waited in vain for ${holds}`);
}
