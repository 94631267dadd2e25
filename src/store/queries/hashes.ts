// What a look-up of several secrets at once begins with (see batchedByPosition in store/db/batch.ts).

import { array, int, text } from "../../model/fields/sql.ts";

/**
 * Hashes in hex → rows, by position. The array stands in a subquery so that the planner does not see its length: with a
 * short one it would take a plan made for that call to be cheaper, and plan anew every time.
 */
export const HASHES = {
  parameters: { hashes: array(text) },
  columns: { position: int },
  selected: "t.position::int as position",
  from: "unnest((select $hashes::text[])) with ordinality t (hash, position)",
  hash: "decode(t.hash, 'hex')",
};
