// Calls of one moment share a statement, which is one transaction: what each of them writes is written with that of the others,
// or by itself. Nobody waits for what another one asked for, and nobody fails with it.

import type { Kysely } from "kysely";
import { batchedByPosition, ONE_AFTER_ANOTHER } from "./batch.ts";
import { isConnectionLost, run, runAgain, type Statement } from "./statement.ts";
import { unavailability } from "./unavailable.ts";

type OfMany<Item, Row> = Statement<
  { items: readonly (Item & { position: number })[] },
  Row & { position: number }
>;

/** Two statements that do the same with their items: positions count from 1, and a row says which item it is of. */
export interface Several<Item, Row> {
  /** Leaves out an item that would have to wait for somebody's lock. */
  together: OfMany<Item, Row>;
  /** Waits. */
  alone: OfMany<Item, Row>;
}

export type Together = <Item, Row>(several: Several<Item, Row>, item: Item) => Promise<Row | undefined>;

/** The only item. */
export const single = <Item>(item: Item) => ({ items: [{ ...item, position: 1 }] });

/**
 * What waits at one moment is one statement, and the next begins after it: two at once would hold what the other one wants. An item
 * that it leaves out or fails with, and one of which nobody knows what became of it, runs again alone: so each must have a key by
 * which the database refuses it (23505) where it was done.
 */
export function createTogether(kysely: Kysely<unknown>): Together {
  const batches = new Map<object, (item: never) => Promise<unknown>>();
  return async <Item, Row>(several: Several<Item, Row>, item: Item) => {
    type Batch = (item: Item) => Promise<Row | undefined>;
    let batch = batches.get(several) as Batch | undefined;
    if (!batch) {
      const all = (items: Item[]) =>
        run(kysely, several.together, { items: items.map((each, i) => ({ ...each, position: i + 1 })) });
      batch = batchedByPosition(all, ONE_AFTER_ANOTHER);
      batches.set(several, batch);
    }
    const row = await batch(item).catch((error) => {
      if (unavailability(error) !== null && !isConnectionLost(error)) throw error;
    });
    return row ?? (await runAgain(kysely, several.alone, single(item)))[0];
  };
}
