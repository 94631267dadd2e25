// A transaction that commits, or that is undone after it has been tried.

import type { SqlEntityManager } from "@mikro-orm/sql";

/** Ends the transaction of a dry run. */
class Undone extends Error {}

/**
 * Returns the result of `work`, whose changes stay unless it was a dry run. Inside another transaction it is a
 * savepoint. @throws the error of `work`; then no change stays.
 */
export async function runInTransactionOrDryRun<T>(
  em: SqlEntityManager,
  dryRun: boolean,
  work: (inside: SqlEntityManager) => Promise<T>,
): Promise<T> {
  let result: T | undefined;
  try {
    return await em.transactional(async (inside) => {
      result = await work(inside as SqlEntityManager);
      if (dryRun) throw new Undone();
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return result as T;
    throw error;
  }
}
