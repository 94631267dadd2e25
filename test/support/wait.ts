// How long a test waits for what must come: the end is met only by what never does, on a machine ten times slower as well.

/** Options of `vi.waitFor`; milliseconds. Below the end that vitest.config.ts gives to a test, so that the reason is told. */
export const WAIT = { timeout: 120_000, interval: 10 };

/** One turn of the event loop, sockets included; timers that a test has taken over stay as they are. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Turns the event loop until a condition holds, where `vi.waitFor` would move the test's own clock. */
export async function turnUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}
