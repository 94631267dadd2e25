// Batching by back-pressure: items that arrive while statements run share the next statement. No timer delays items,
// and an idle service does not wait. A timer only releases items behind a hanging statement.
// A batcher of writes has one statement, and so one transaction, with a result for each call. An item that fails or
// waits is left out and written by itself.

import type { Kysely } from "kysely";
import type { AuditLine } from "../../model/tables/audit_event.ts";
import { findDatabaseUnavailableCode } from "./database_unavailable_errors.ts";
import { isConnectionLost, runStatement, runStatementWithRetries, type Statement } from "./statement.ts";

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

interface BatchOptions {
  inFlight?: number;
  /** The number of waiting items at which another statement starts. */
  concurrentAt?: number;
  /** Items in one statement. */
  max?: number;
  /** Milliseconds after which a statement no longer counts as running, so a hanging one blocks no other. */
  lateMs?: number;
}

/**
 * For repeated changes of the same rows: the next statement would only wait for the locks of the one before it. A
 * statement that takes longer hangs: it waits for a disk, or for a missing response.
 */
export const SERIAL_BATCHES: BatchOptions = { inFlight: 1, lateMs: 250 };

/**
 * For bursts of thousands of single items. A statement costs far more than an item in it, so few large statements
 * finish sooner than many small ones.
 */
export const BURST_BATCH_OPTIONS: BatchOptions = { concurrentAt: 100, lateMs: 250 };

/** For reads by many callers. Most of a statement's cost is fixed, so a second one only pays for many items. */
export const LOOKUP_BATCH_OPTIONS: BatchOptions = { concurrentAt: 16, lateMs: 250 };

/**
 * Collects single items into calls of `run`, which returns a result for each item at its own index. A failure of `run`
 * fails the items of that batch only.
 */
export function createBatcher<T, R>(
  run: (items: T[]) => Promise<R[]>,
  { inFlight = 2, concurrentAt = 1, max = 500, lateMs }: BatchOptions = {},
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let running = 0;
  const mayStart = () => running < inFlight && waiting.length >= (running > 0 ? concurrentAt : 1);

  async function start(): Promise<void> {
    const batch = waiting.slice(0, max);
    waiting = waiting.slice(max);
    running++;
    let counts = true;
    const leave = () => {
      if (counts) running--;
      counts = false;
      while (mayStart()) void start();
    };
    const late = lateMs === undefined ? undefined : setTimeout(leave, lateMs);
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [i, result] of results.entries()) batch[i]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(late);
      leave();
    }
  }

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // One turn of the event loop lets requests that arrived together go together.
      if (mayStart()) queueMicrotask(() => mayStart() && void start());
    });
}

/**
 * Batches items for a statement whose rows have the `position` of their item, from 1. An item without a row gets
 * undefined.
 */
export function createPositionedRowBatcher<T, Row extends { position: number }>(
  run: (items: T[]) => Promise<Row[]>,
  options?: BatchOptions,
): (item: T) => Promise<Row | undefined> {
  return createBatcher(async (items) => {
    const found: (Row | undefined)[] = items.map(() => undefined);
    for (const row of await run(items)) found[row.position - 1] = row;
    return found;
  }, options);
}

interface UnderWay<R> {
  now: Promise<R>;
  next?: Promise<R>;
}

/**
 * Shares simultaneous reads. A caller that arrives during a read gets the next one, which starts after it. So it sees
 * all commits before the call.
 * @param read the repeated read; a failure rejects all callers that share it
 * @param keyOf equal for callers that can share a read
 */
export function shareNextRead<A, R>(
  read: (asked: A) => Promise<R>,
  keyOf: (asked: A) => string = String,
): (asked: A) => Promise<R> {
  const underWay = new Map<string, UnderWay<R>>();

  function start(asked: A, key: string): Promise<R> {
    const reading: UnderWay<R> = { now: read(asked) };
    underWay.set(key, reading);
    const over = () => {
      if (underWay.get(key) === reading && !reading.next) underWay.delete(key);
    };
    reading.now.then(over, over);
    return reading.now;
  }

  return (asked) => {
    const key = keyOf(asked);
    const reading = underWay.get(key);
    if (!reading) return start(asked, key);
    const begin = () => start(asked, key);
    reading.next ??= reading.now.then(begin, begin);
    return reading.next;
  };
}

type OfMany<Item, Row> = Statement<{ items: readonly (Item & { position: number })[] }, Row & { position: number }>;

/** An item locks its channel. Items of different workspaces never wait together. */
interface ChannelItem {
  pusher_id: string;
  workspace_id: string;
}

/**
 * Three statements with the same effect on their items. Positions count from 1, and a row has the position of its item.
 */
interface StatementsByLockMode<Item extends ChannelItem, Row> {
  /** Leaves out items whose locks are not available. */
  skipLocked: OfMany<Item, Row>;
  /** Waits for each lock as long as those wait who change a few rows, and then fails for all. */
  lockTimeout: OfMany<Item, Row>;
  /** Waits. */
  single: OfMany<Item, Row>;
  /** Checks for an item that is too large to share a statement. */
  isLarge?(item: Item): boolean;
}

/** SQL that limits the wait for a lock to this many milliseconds, for the rest of the transaction. */
export const LOCK_TIMEOUT_SQL = "set_config('lock_timeout', '250', true)";

export type WriteBatcher = <Item extends ChannelItem, Row>(
  several: StatementsByLockMode<Item, Row>,
  item: Item,
) => Promise<Row | undefined>;

/** The part of a call in a shared statement that also writes the end of the call. */
export interface AuditedSharedStatementRunner {
  /** This call's audit line. `answer`: ids and status of the response. */
  auditInStatement(answer: Readonly<Record<string, unknown>>): AuditLine;
  /**
   * This call's idempotency key: whose, which, and in base64 the arguments' hash and the sealed answer, of which
   * `answer` is known before. Nulls without one.
   */
  idempotencyInStatement(answer: unknown): Record<"key_of" | "key" | "key_hash" | "key_answer", string | null>;
  /** Runs the statement for one item, with those of other calls where the call has no transaction of its own. */
  run<Item extends ChannelItem, Row>(several: StatementsByLockMode<Item, Row>, item: Item): Promise<Row | undefined>;
}

/** The only item. */
export const wrapItemAsBatchParameters = <Item>(item: Item) => ({ items: [{ ...item, position: 1 }] });

/**
 * Batches simultaneous items into one statement. The next one starts after it, because two at once would wait for each
 * other's locks. Items that were left out wait for their locks in a separate statement, and for a moment further items
 * with the same locks join it directly. So each process has one statement in the queue of a row, for any number of
 * calls. An item of a failed statement, or one with an unknown outcome, runs again alone. So each item must have a key
 * with which the database refuses a repeat (23505).
 */
export function createWriteBatcher(kysely: Kysely<unknown>): WriteBatcher {
  const batches = new Map<object, Batch<never, unknown>>();
  return async <Item extends ChannelItem, Row>(several: StatementsByLockMode<Item, Row>, item: Item) => {
    const alone = async () =>
      (await runStatementWithRetries(kysely, several.single, wrapItemAsBatchParameters(item)))[0];
    if (several.isLarge?.(item)) return alone();
    let batch = batches.get(several) as Batch<Item, Row> | undefined;
    if (!batch) {
      batch = batchOf(kysely, several);
      batches.set(several, batch as Batch<never, unknown>);
    }
    try {
      return await batch(item);
    } catch (error) {
      const away = findDatabaseUnavailableCode(error);
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

function batchOf<Item extends ChannelItem, Row>(
  kysely: Kysely<unknown>,
  several: StatementsByLockMode<Item, Row>,
): Batch<Item, Row> {
  const batched = (statement: OfMany<Item, Row>): Batch<Item, Row> =>
    createPositionedRowBatcher(
      (items: Item[]) =>
        runStatement(kysely, statement, { items: items.map((each, i) => ({ ...each, position: i + 1 })) }),
      SERIAL_BATCHES,
    );
  const together = batched(several.skipLocked);
  const held = new Set<string>();
  const queues = new Map<string, { add: Batch<Item, Row>; length: number }>();

  async function wait(item: Item): Promise<Row | undefined> {
    const owner = item.workspace_id;
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
    const lock = item.pusher_id;
    if (held.has(lock)) return wait(item);
    const row = await together(item);
    if (row) return row;
    held.add(lock);
    setTimeout(() => held.delete(lock), HELD_MS).unref();
    return wait(item);
  };
}
