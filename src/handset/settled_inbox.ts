// What a handset's inbox depends on. Alerts that have come due in it are first written down as sent, before anything is
// shown.

import { unauthorized } from "../model/errors.ts";
import type { Services } from "../store/context.ts";
import { batchedByPosition } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { inboxStates } from "../store/queries/handset.ts";
import type { Settler } from "./settle.ts";

export function createSettledInbox(orm: Orm, { settle }: Pick<Settler, "settle">): Services["settledInbox"] {
  const kysely = databaseOf(orm);
  const stateOf = batchedByPosition((devices: string[]) => run(kysely, inboxStates, { devices }));

  return async ({ id }, found) => {
    if (found.due.length === 0) return found;
    const settled = await settle(found.due);
    const state = await stateOf(id);
    if (!state) throw unauthorized();
    // What has come due since is for the next poll: shown now, it could be taken back.
    return settled ? { ...state, due: [] } : state;
  };
}
