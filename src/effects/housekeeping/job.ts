// What a step of the housekeeping is: what goes, by which statement, how much at a time and how often. Knows no step by
// name and no timer.

import { int } from "../../model/fields/sql.ts";
import { statementsOf } from "../../store/db/statement.ts";

const defineStatement = statementsOf("upkeep");

interface Described {
  /** snake_case, the label of its figures. */
  name: string;
  /** One sentence: what goes, and when. */
  removes: string;
  /** Rows, devices or files that one round takes at most: short enough that nobody waits for it. */
  batch: number;
  /** Seconds from the end of one clean-up to the next. A round that found a whole batch is repeated soon. */
  every_seconds: number;
}

/** A step that is one statement on its own. */
export interface StatementStep extends Described {
  statement: ReturnType<typeof removal>;
}

/** A step that needs more than one statement: an order of locks, or a store that is not the database. */
export interface WorkStep extends Described {
  /** Removes at most `batch` and answers how many it removed. */
  work(batch: number): Promise<number>;
}

export type Job = StatementStep | WorkStep;

/**
 * A statement that removes up to `batch` rows of `table` for which the SQL in `where` holds. Rows that another replica is
 * removing, or that somebody is changing, are left for another time, so nothing waits and nothing is done twice.
 */
export function removal(name: string, table: string, where: string) {
  return defineStatement(`remove_${name}`, {
    parameters: { batch: int },
    columns: { removed: int },
    text: `with gone as (
       delete from ${table} where ctid = any (array(
         select ctid from ${table} where ${where} limit $batch::int for update skip locked)) returning 1)
     select count(*)::int as removed from gone`,
  });
}
