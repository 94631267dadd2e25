// Assistants that connected by consent: from an access token to a caller. A token may do what it was issued for and what
// its connection still grants, read on every request: disconnecting, unticking and restricting take effect at once, and a
// later consent gives nothing to the tokens of an earlier one.

import { showId } from "../../model/domain/ids.ts";
import { IMPLICIT_SCOPE, isScope } from "../../model/scopes.ts";
import type { Caller } from "../../store/context.ts";
import type { Orm } from "../../store/db/orm.ts";
import { databaseOf, run } from "../../store/db/statement.ts";
import { findGranted, noteConnectionUse } from "../../store/queries/connections.ts";
import { clientName } from "./client_metadata.ts";
import { callerWith, createLastUse, type LastUseOptions } from "./keys.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

/** The caller behind an access token for this very resource; null for any other token. */
export function createConnectionAuthenticator(
  options: LastUseOptions & { orm: Orm; library: SignInLibrary },
): (token: string) => Promise<Caller | null> {
  const { orm, library } = options;
  const kysely = databaseOf(orm);
  const noteUse = createLastUse(options, (id) => run(kysely, noteConnectionUse, { id }));

  return async (token) => {
    const read = await library.readAccessToken(token);
    if (!read) return null;
    const [found] = await run(kysely, findGranted, {
      user_id: read.userId,
      client_id: read.clientId,
      grant_id: read.grantId,
    });
    if (!found) return null;
    noteUse(found.id);
    const scopes = found.scopes.filter(isScope).filter((scope) => read.scopes.includes(scope));
    return callerWith(found, {
      type: "oauth",
      id: showId("con", found.id),
      name: clientName(found.name) ?? "assistant",
      scopes: [...new Set([IMPLICIT_SCOPE, ...scopes])],
      pusherId: found.pusher_id,
      expiresAt: read.expiresAt?.replace("Z", "000Z") ?? null,
      asksFirst: found.asks_first,
    });
  };
}
