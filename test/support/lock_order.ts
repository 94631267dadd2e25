// SQL of tests next to a running service, in the order in which the service locks rows
// (docs/contributing/architecture.md, "Lock order"). A test that locks an alert before its channel could end in a
// deadlock with the service.

import type { SqlEntityManager } from "@mikro-orm/sql";

/** Writes to rows that come after the channel in the lock order. */
const AFTER_CHANNEL = /\b(?:update|delete from|insert into)\s+(?:alert|alert_\w+|pusher|subscription|device|report)\b/i;

/**
 * Runs a statement with `?` parameters. A write locks all channels of the database first, in one transaction with it.
 */
export function executeInLockOrder<Row = any>(
  em: SqlEntityManager,
  text: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  if (!AFTER_CHANNEL.test(text)) return em.execute<Row[]>(text, parameters as never);
  return em.transactional(async (inner) => {
    await inner.execute("select from channel_state order by pusher_id for no key update");
    return inner.execute<Row[]>(text, parameters as never);
  });
}
