// Batching by back-pressure: items that arrive while statements run share the next statement. No timer delays items,
// and an idle service does not wait. A timer only releases items behind a hanging statement.

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
export const BURST_BATCHES: BatchOptions = { concurrentAt: 100, lateMs: 250 };

/** For reads by many callers. Most of a statement's cost is fixed, so a second one only pays for many items. */
export const LOOKUP_BATCHES: BatchOptions = { concurrentAt: 16, lateMs: 250 };

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
export function createPositionBatcher<T, Row extends { position: number }>(
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
export function shareReads<A, R>(
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
