// Finds the handset behind a token. Look-ups of requests that arrive together share a statement. The operation's record
// says what is found of a device beside its id.

import { DEVICE_PREFIX, hexHash, looksLikeToken } from "../identity/auth/tokens.ts";
import { unauthorized } from "../model/errors.ts";
import type { DeviceLookUp, HandsetOperation } from "../operation/tool.ts";
import type { Anyone, DeviceCaller } from "../store/context.ts";
import { batchedByPosition, LOOK_UPS } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { findDevices } from "../store/queries/handset.ts";
import type { Seen } from "./seen.ts";

/**
 * What is found is the caller that the operation's handler is given.
 * @throws 401 for a missing or unknown device token, where one is needed.
 */
export type HandsetAuthenticator = (
  operation: Pick<HandsetOperation, "auth" | "lookUp">,
  token: string | null,
  address: string | null,
) => Promise<Anyone | DeviceCaller>;

export function createHandsetAuthenticator(orm: Orm, seen: Pick<Seen, "note">): HandsetAuthenticator {
  const kysely = databaseOf(orm);
  const finders = new Map<DeviceLookUp<unknown>, ReturnType<typeof finderBy>>();

  const finderBy = (statement: DeviceLookUp<unknown>) =>
    batchedByPosition((hashes: string[]) => run(kysely, statement, { hashes }), LOOK_UPS);

  return async ({ auth, lookUp = findDevices }, token, address) => {
    if (auth === "nothing") return { address };
    if (token === null || !looksLikeToken(DEVICE_PREFIX, token)) throw unauthorized();
    const find = finders.get(lookUp) ?? finderBy(lookUp);
    finders.set(lookUp, find);
    const found = await find(hexHash(token));
    if (!found) throw unauthorized();
    if (found.unseen) seen.note(found.id);
    return { ...found, address };
  };
}
