// The lock on a whole workspace.

import { defineStatement } from "../db/statement.ts";

/** Held until the transaction ends, so that what may be there so many times is counted and made in turn. */
export const lockWorkspace = defineStatement<{ id: string }>(
  "lock_workspace",
  "select id from workspace where id = $1 for no key update",
);
