// How long a test waits for what must come. What has not come by then is not slow: the test fails, and says what it waited for.

import { vi } from "vitest";

/** Options of `vi.waitFor` and `expect.poll`; milliseconds. vitest.config.ts says the same to a poll without any. */
export const WAIT = { timeout: 30_000, interval: 10 };

/** Waits until a condition holds. @throws an Error that names the condition, as it is written */
export const eventually = (holds: () => boolean | Promise<boolean>) =>
  vi.waitFor(async () => {
    if (!(await holds())) throw new Error(`waited in vain for ${holds}`);
  }, WAIT);

/** One turn of the event loop, sockets included; timers that a test has taken over stay as they are. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The machine's own clock, whatever a test makes of its. */
const now = performance.now.bind(performance);

/** Turns the event loop until a condition holds, where `vi.waitFor` would move the test's own clock. */
export async function turnUntil(holds: () => boolean): Promise<void> {
  for (const end = now() + WAIT.timeout; !holds(); await turn())
    if (now() > end) throw new Error(`waited in vain for ${holds}`);
}
