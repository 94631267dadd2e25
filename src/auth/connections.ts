// Assistants that connected by consent: from an access token to a caller. The token proves who asks; what it may do is
// read from the connection on every request, so that disconnecting, unticking or restricting takes effect at once.

import { verifyJwsAccessToken } from "better-auth/oauth2";
import type { Caller, Log } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { ownStatements, run } from "../db/statement.ts";
import { newUuid, showId } from "../domain/ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../entities/columns.ts";
import { notFound } from "../errors.ts";
import {
  connect,
  findConnection,
  listConnections,
  removeAccessTokens,
  removeConnection,
  removeConsents,
  removeRefreshTokens,
  touchConnection,
} from "../queries/people.ts";
import { IMPLICIT_SCOPE, isScope } from "../scopes.ts";
import { callerWith } from "./caller.ts";
import { AUTH_PATH, type SignInLibrary } from "./sign_in_library.ts";
import { createTouch } from "./touch.ts";

export type Connections = ReturnType<typeof createConnections>;

export interface Grant {
  userId: string;
  clientId: string;
  memberId: string;
  /** The one channel that the assistant sees, null for the member's. */
  pusherId: string | null;
  scopes: string[];
}

export function createConnections(options: {
  orm: Orm;
  library: SignInLibrary;
  publicUrl: string;
  log: Log;
  now: () => Date;
}) {
  const { orm, library, publicUrl, log, now } = options;
  const kysely = ownStatements(orm);
  const audience = `${publicUrl}/mcp`;
  const jwksCacheKey = {};
  const touch = createTouch(now, (id) => run(kysely, touchConnection, [id]), log);

  return {
    /** The caller behind an access token for this very resource; null for any other token. */
    async callerOf(token: string): Promise<Caller | null> {
      const claims = await verifyJwsAccessToken(token, {
        jwksFetch: () => library.api.getJwks() as never,
        jwksCacheKey,
        verifyOptions: { issuer: publicUrl + AUTH_PATH, audience },
      }).catch(() => null);
      const clientId = claims?.azp ?? claims?.client_id;
      if (typeof claims?.sub !== "string" || typeof clientId !== "string") return null;
      // A token bound to a key of its client is worth nothing without the proof, which is not asked for here.
      if (claims.cnf !== undefined) return null;
      const [found] = await run(kysely, findConnection, [claims.sub, clientId]);
      if (!found) return null;
      touch(found.id);
      const expires = typeof claims.exp === "number" ? new Date(claims.exp * 1000).toISOString() : null;
      return callerWith(found, {
        type: "oauth",
        id: showId("con", found.id),
        name: found.name ?? "assistant",
        scopes: [...new Set([IMPLICIT_SCOPE, ...found.scopes.filter(isScope)])],
        pusherId: found.pusher_id,
        expiresAt: expires?.replace("Z", "000Z") ?? null,
      });
    },

    /** The scopes that a person has granted a client so far; none before the first consent. */
    async granted(
      userId: string,
      clientId: string,
    ): Promise<{ scopes: string[]; pusherId: string | null; memberId: string } | null> {
      const [found] = await run(kysely, findConnection, [userId, clientId]);
      return found ? { scopes: found.scopes, pusherId: found.pusher_id, memberId: found.member_id } : null;
    },

    /** Writes down what a person granted. */
    async grant({ userId, clientId, memberId, pusherId, scopes }: Grant): Promise<void> {
      await run(kysely, connect, [newUuid(), userId, clientId, memberId, pusherId, scopes]);
    },

    async list(userId: string, workspaceId: string) {
      const rows = await run(kysely, listConnections, [userId, workspaceId]);
      return rows.map((row) => ({
        ...row,
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
        created_at: toIsoMicros(row.created_at),
      }));
    },

    /** Ends a connection: the next request of the assistant is refused, on every process, and nothing can be refreshed. */
    async disconnect(userId: string, connectionId: string): Promise<void> {
      await orm.em.fork().transactional(async (inside) => {
        const [gone] = await run(inside, removeConnection, [userId, connectionId]);
        if (!gone) throw notFound("connection");
        const both = [userId, gone.client_id];
        await run(inside, removeAccessTokens, both);
        await run(inside, removeRefreshTokens, both);
        await run(inside, removeConsents, both);
      });
    },
  };
}
