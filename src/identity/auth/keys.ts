// From a bearer key to a caller. A key that is unknown, revoked or expired is no caller at all.

import { showId } from "../../model/domain/ids.ts";
import { toIsoMicrosOrNull } from "../../model/fields/columns.ts";
import { IMPLICIT_SCOPE, isScope } from "../../model/scopes.ts";
import type { Caller } from "../../store/context.ts";
import { batchedByPosition, LOOK_UPS } from "../../store/db/batch.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { findKeys, noteKeyUse } from "../../store/queries/keys.ts";
import { callerWith } from "./caller.ts";
import { createLastUse, type LastUseOptions } from "./last_use.ts";
import { hexHash, KEY_PREFIX, looksLikeToken } from "./tokens.ts";

export type Authenticate = (token: string | null) => Promise<Caller | null>;

export function createKeyAuthenticator(orm: Orm, options: LastUseOptions): Authenticate {
  const kysely = databaseOf(orm);
  const find = batchedByPosition((hashes: string[]) => run(kysely, findKeys, { hashes }), LOOK_UPS);
  const noteUse = createLastUse(options, (id) => run(kysely, noteKeyUse, { id }));

  return async (token) => {
    if (token === null || !looksLikeToken(KEY_PREFIX, token)) return null;
    const key = await find(hexHash(token));
    if (!key) return null;
    noteUse(key.id);
    return callerWith(key, {
      type: "key",
      id: showId("key", key.id),
      name: key.name,
      scopes: [...new Set([IMPLICIT_SCOPE, ...key.scopes.filter(isScope)])],
      pusherId: key.pusher_id,
      expiresAt: toIsoMicrosOrNull(key.expires_at),
      asksFirst: key.asks_first,
    });
  };
}
