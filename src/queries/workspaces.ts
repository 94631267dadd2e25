// The lock on a whole workspace.

import { defineStatement } from "../db/statement.ts";
import { uuid } from "../fields/sql.ts";

/** Held until the transaction ends, so that what may be there so many times is counted and made in turn. */
export const lockWorkspace = defineStatement("lock_workspace", {
  parameters: { id: uuid },
  columns: { id: uuid },
  text: "select id from workspace where id = $id for no key update",
});
