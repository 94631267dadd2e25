// Whose password is looked at next. A hash takes a processor for a tenth of a second, so few are made at once and so many wait:
// first those who are known, then strangers in the order in which they came. More are told to come back.

import { unavailable } from "../../model/errors.ts";

/** Half of the threads that files and names need, too. */
const AT_ONCE = 2;
const MOST_WAITING = { known: 100, stranger: 16 };
const SECONDS = 3;

/** Known: a browser that signed in before, whoever is signed in, and who holds a link. */
export type Standing = "known" | "stranger";

export function createPasswordTurns() {
  const lines: Record<Standing, (() => void)[]> = { known: [], stranger: [] };
  let running = 0;

  /** @throws 503. */
  async function take(standing: Standing): Promise<void> {
    if (running < AT_ONCE) return void running++;
    const line = lines[standing];
    if (line.length >= MOST_WAITING[standing])
      throw unavailable("Too many passwords are being checked; try again in a few seconds.", SECONDS);
    await new Promise<void>((resolve) => line.push(resolve));
  }

  /** Runs what makes a hash when it is its turn. @throws 503 when too many wait already. */
  return async <T>(standing: Standing, work: () => Promise<T>): Promise<T> => {
    await take(standing);
    try {
      return await work();
    } finally {
      const next = lines.known.shift() ?? lines.stranger.shift();
      // Whoever goes on takes the place of this one.
      if (next) next();
      else running--;
    }
  };
}
