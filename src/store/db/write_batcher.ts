// One statement for calls that arrive at the same moment. It is one transaction, but each call has an outcome of its
// own: an item that fails or has to wait is left out and written by itself.

import type { Kysely } from "kysely";
import type { AuditLine } from "../../model/entities/audit_event.ts";
import { createPositionBatcher, SERIAL_BATCHES } from "./batching.ts";
import { findUnavailability } from "./database_errors.ts";
import { isConnectionLost, runStatement, runWithRetries, type Statement } from "./statement.ts";

type OfMany<Item, Row> = Statement<{ items: readonly (Item & { position: number })[] }, Row & { position: number }>;

/** Three statements that do the same with their items: positions count from 1, and a row says which item it is of. */
export interface BatchStatements<Item, Row> {
  /** Leaves out an item that would have to wait for somebody's lock. */
  skipLocked: OfMany<Item, Row>;
  /** Waits for each lock as long as those wait who change a few rows, and then fails for all. */
  lockTimeout: OfMany<Item, Row>;
  /** Waits. */
  single: OfMany<Item, Row>;
  /** Whether an item is too large to go with others. */
  isLarge?(item: Item): boolean;
  lockKey(item: Item): string;
  /** Whose it is: nobody waits together with somebody else's. */
  ownerKey(item: Item): string;
}

/** SQL of what waits: from where it stands its transaction waits for a lock no longer than this many milliseconds. */
export const LOCK_TIMEOUT_SQL = "set_config('lock_timeout', '250', true)";

export type WriteBatcher = <Item, Row>(several: BatchStatements<Item, Row>, item: Item) => Promise<Row | undefined>;

/** What a call adds to a statement that it shares with others and that writes the end of the call itself. */
export interface BatchedCall {
  /** This call's audit line. `answer`: ids and status of what is answered. */
  auditInStatement(answer: Readonly<Record<string, unknown>>): AuditLine;
  /**
   * This call's idempotency key: whose, which, and in base64 the arguments' hash and the sealed answer, of which
   * `answer` is known before. Nulls without one.
   */
  idempotencyInStatement(answer: unknown): Record<"key_of" | "key" | "key_hash" | "key_answer", string | null>;
  /** Runs the statement for one item, with those of other calls where the call has no transaction of its own. */
  run<Item, Row>(several: BatchStatements<Item, Row>, item: Item): Promise<Row | undefined>;
}

/** The only item. */
export const toSingleItem = <Item>(item: Item) => ({ items: [{ ...item, position: 1 }] });

/**
 * What waits at one moment is one statement, and the next begins after it: two at once would hold what the other one
 * wants. What it leaves out waits for its lock as one statement as well, and for a moment so does at once what needs
 * the same: where several processes write to a row, each has one statement in its queue, however many calls it
 * serves. An item of a statement that fails, and one of which nobody knows what became of it, runs again alone: so
 * each must have a key by which the database refuses it (23505) where it was done.
 */
export function createWriteBatcher(kysely: Kysely<unknown>): WriteBatcher {
  const batches = new Map<object, Batch<never, unknown>>();
  return async <Item, Row>(several: BatchStatements<Item, Row>, item: Item) => {
    const alone = async () => (await runWithRetries(kysely, several.single, toSingleItem(item)))[0];
    if (several.isLarge?.(item)) return alone();
    let batch = batches.get(several) as Batch<Item, Row> | undefined;
    if (!batch) {
      batch = batchOf(kysely, several);
      batches.set(several, batch as Batch<never, unknown>);
    }
    try {
      return await batch(item);
    } catch (error) {
      const away = findUnavailability(error);
      if (away !== null && away !== WAITED && !isConnectionLost(error)) throw error;
      return alone();
    }
  };
}

/** The lock did not come in time. */
const WAITED = "55P03";

/** For so long what somebody else held is taken to be held again and again. */
const HELD_MS = 1_000;

type Batch<Item, Row> = (item: Item) => Promise<Row | undefined>;

function batchOf<Item, Row>(kysely: Kysely<unknown>, several: BatchStatements<Item, Row>): Batch<Item, Row> {
  const batched = (statement: OfMany<Item, Row>): Batch<Item, Row> =>
    createPositionBatcher(
      (items: Item[]) =>
        runStatement(kysely, statement, { items: items.map((each, i) => ({ ...each, position: i + 1 })) }),
      SERIAL_BATCHES,
    );
  const together = batched(several.skipLocked);
  const held = new Set<string>();
  const queues = new Map<string, { add: Batch<Item, Row>; length: number }>();

  async function wait(item: Item): Promise<Row | undefined> {
    const owner = several.ownerKey(item);
    const queue = queues.get(owner) ?? { add: batched(several.lockTimeout), length: 0 };
    queues.set(owner, queue);
    queue.length++;
    try {
      return await queue.add(item);
    } finally {
      if (--queue.length === 0) queues.delete(owner);
    }
  }

  return async (item) => {
    const lock = several.lockKey(item);
    if (held.has(lock)) return wait(item);
    const row = await together(item);
    if (row) return row;
    held.add(lock);
    setTimeout(() => held.delete(lock), HELD_MS).unref();
    return wait(item);
  };
}
