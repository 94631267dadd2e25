// The lock on a whole workspace.

import { uuid } from "../../model/fields/sql.ts";
import { statementsOf } from "../db/statement.ts";

const defineStatement = statementsOf("locks");

/** Held until the transaction ends, so that what may be there so many times is counted and made in turn. */
export const lockWorkspace = defineStatement("lock_workspace", {
  parameters: { id: uuid },
  columns: { id: uuid },
  text: "select id from workspace where id = $id for no key update",
});
