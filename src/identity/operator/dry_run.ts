// One transaction that a dry run undoes at its end: everything was tried, and nothing stays.

import type { SqlEntityManager } from "@mikro-orm/sql";

/** Ends the transaction of a dry run. */
class Undone extends Error {}

/** What `work` answers; it stays, unless it was a dry run. @throws what it throws, and nothing stays. */
export async function inTransaction<T>(
  em: SqlEntityManager,
  dryRun: boolean,
  work: (inside: SqlEntityManager) => Promise<T>,
): Promise<T> {
  let answer: T | undefined;
  try {
    return await em.transactional(async (inside) => {
      answer = await work(inside as SqlEntityManager);
      if (dryRun) throw new Undone();
      return answer;
    });
  } catch (error) {
    if (error instanceof Undone) return answer as T;
    throw error;
  }
}
