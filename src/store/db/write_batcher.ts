// A batcher of writes: one statement, and so one transaction, for simultaneous calls, each with its own outcome. An
// item that fails or has to wait is left out and written by itself.

import type { Kysely } from "kysely";
import type { AuditLine } from "../../model/entities/audit_event.ts";
import { createPositionBatcher, SERIAL_BATCHES } from "./batch_concurrent_calls.ts";
import { findUnavailability } from "./database_errors.ts";
import { isConnectionLost, runStatement, runWithRetries, type Statement } from "./statement.ts";

type OfMany<Item, Row> = Statement<{ items: readonly (Item & { position: number })[] }, Row & { position: number }>;

/**
 * Three statements with the same effect on their items. Positions count from 1, and a row has the position of its item.
 */
export interface BatchStatements<Item, Row> {
  /** Leaves out items whose locks are not available. */
  skipLocked: OfMany<Item, Row>;
  /** Waits for each lock as long as those wait who change a few rows, and then fails for all. */
  lockTimeout: OfMany<Item, Row>;
  /** Waits. */
  single: OfMany<Item, Row>;
  /** Checks for an item that is too large to share a statement. */
  isLarge?(item: Item): boolean;
  lockKey(item: Item): string;
  /** The owner of an item. Items of different owners never wait together. */
  ownerKey(item: Item): string;
}

/** SQL that limits the wait for a lock to this many milliseconds, for the rest of the transaction. */
export const LOCK_TIMEOUT_SQL = "set_config('lock_timeout', '250', true)";

export type WriteBatcher = <Item, Row>(several: BatchStatements<Item, Row>, item: Item) => Promise<Row | undefined>;

/** The part of a call in a shared statement that also writes the end of the call. */
export interface BatchedCall {
  /** This call's audit line. `answer`: ids and status of the response. */
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
 * Batches simultaneous items into one statement. The next one starts after it, because two at once would wait for each
 * other's locks. Items that were left out wait for their locks in a separate statement, and for a moment further items
 * with the same locks join it directly. So each process has one statement in the queue of a row, for any number of
 * calls. An item of a failed statement, or one with an unknown outcome, runs again alone. So each item must have a key
 * with which the database refuses a repeat (23505).
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

/** The time for which a locked row is assumed to be locked again. */
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
