// Assistants that connected by consent: from an access token to a caller. A token may do what it was issued for and what
// its connection still grants, read on every request: disconnecting, unticking and restricting take effect at once, and a
// later consent gives nothing to the tokens of an earlier one.

import type { Caller, Log } from "../context.ts";
import type { Orm } from "../db/orm.ts";
import { ownStatements, run } from "../db/statement.ts";
import { newUuid, showId } from "../domain/ids.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../entities/columns.ts";
import { notFound } from "../errors.ts";
import {
  connect,
  connectionsOfClient,
  findGranted,
  forgetEarlierConsents,
  insertGrant,
  listConnections,
  lockConnection,
  touchConnection,
} from "../queries/connections.ts";
import { IMPLICIT_SCOPE, isScope } from "../scopes.ts";
import { callerWith } from "./caller.ts";
import { clientName } from "./client_name.ts";
import { endConnections } from "./grants.ts";
import type { SignInLibrary } from "./sign_in_library.ts";
import { createTouch } from "./touch.ts";

export type Connections = ReturnType<typeof createConnections>;

export interface Grant {
  /** The grant that the code carries. */
  grantId: string;
  userId: string;
  clientId: string;
  memberId: string;
  /** The one channel that the assistant sees, null for the member's. */
  pusherId: string | null;
  scopes: string[];
}

export function createConnections(options: { orm: Orm; library: SignInLibrary; log: Log; now: () => Date }) {
  const { orm, library, log, now } = options;
  const kysely = ownStatements(orm);
  const touch = createTouch(now, (id) => run(kysely, touchConnection, [id]), log);

  return {
    /** The caller behind an access token for this very resource; null for any other token. */
    async callerOf(token: string): Promise<Caller | null> {
      const read = await library.readAccessToken(token);
      if (!read) return null;
      const [found] = await run(kysely, findGranted, [read.userId, read.clientId, read.grantId]);
      if (!found) return null;
      touch(found.id);
      const scopes = found.scopes.filter(isScope).filter((scope) => read.scopes.includes(scope));
      return callerWith(found, {
        type: "oauth",
        id: showId("con", found.id),
        name: clientName(found.name) ?? "assistant",
        scopes: [...new Set([IMPLICIT_SCOPE, ...scopes])],
        pusherId: found.pusher_id,
        expiresAt: read.expiresAt?.replace("Z", "000Z") ?? null,
      });
    },

    /** What a person has granted a client so far, one entry for each member, the last consented to first. */
    async granted(
      userId: string,
      clientId: string,
    ): Promise<{ scopes: string[]; pusherId: string | null; memberId: string }[]> {
      const rows = await run(kysely, connectionsOfClient, [userId, clientId]);
      return rows.map(({ scopes, pusher_id, member_id }) => ({
        scopes,
        pusherId: pusher_id,
        memberId: member_id,
      }));
    },

    /**
     * Writes down what a person granted, once the library made a code of it. Should this not happen, the code is worth
     * nothing and the client asks again.
     */
    async grant({ grantId, userId, clientId, memberId, pusherId, scopes }: Grant): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const asked = [newUuid(), userId, clientId, memberId, pusherId, scopes];
        const { id } = (await run(em, connect, asked))[0]!;
        await run(em, insertGrant, [grantId, id]);
        await run(em, forgetEarlierConsents, [id, grantId]);
      });
    },

    async list(userId: string, workspaceId: string) {
      const rows = await run(kysely, listConnections, [userId, workspaceId]);
      return rows.map((row) => ({
        ...row,
        name: clientName(row.name),
        last_used_at: toIsoMicrosOrNull(row.last_used_at),
        created_at: toIsoMicros(row.created_at),
      }));
    },

    /** Ends a connection: the next request of the assistant is refused, on every process, and nothing can be refreshed. */
    async disconnect(userId: string, connectionId: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const [own] = await run(em, lockConnection, [userId, connectionId]);
        if (!own) throw notFound("connection");
        await endConnections(em, [own.id]);
      });
    },
  };
}
