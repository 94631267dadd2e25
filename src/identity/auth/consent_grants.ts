// Grants: one consent of a person each, and the link between tokens of the sign-in library and their connection. The
// library carries a grant's id through codes, refreshes and remembered consents, and signs it into access tokens. This
// file chooses the grant, and ends it.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { type FilterQuery, type InferEntity, LockMode } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { Connection, ConnectionConsent } from "../../model/tables/keys_and_connections.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import {
  findLiveGrant,
  findRememberedGrant,
  lockConnectionOfGrant,
  removeAccessTokensOfGrants,
  removeConnectionWithoutGrants,
  removeConsentsOfGrants,
  removeRefreshTokensOfGrants,
} from "../../store/queries/connections.ts";
import { isLoopbackHost } from "./redirect_uris.ts";

/** The claim of an access token that names its grant. */
export const GRANT_CLAIM = "grant";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Does an answer to this address stay on the person's own machine, where any program may wait for it? */
export function isRedirectToLocalProgram(redirect: string): boolean {
  const url = URL.parse(redirect);
  if (!url) return false;
  if (url.protocol === "https:") return false;
  return url.protocol !== "http:" || isLoopbackHost(url.hostname);
}

async function removeHeld(em: SqlEntityManager, grants: readonly string[]): Promise<void> {
  for (const statement of [removeAccessTokensOfGrants, removeRefreshTokensOfGrants, removeConsentsOfGrants])
    await runStatement(em, statement, { grants });
}

/** Locks connections, ends them with all their credentials, and returns their number. */
export async function endAssistantConnectionsByFilter(
  em: SqlEntityManager,
  which: FilterQuery<InferEntity<typeof Connection>>,
): Promise<number> {
  const lock = { fields: ["id"], lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const connections = (await em.find(Connection, which, lock)).map(({ id }) => id);
  if (connections.length === 0) return 0;
  const grants = await em.find(ConnectionConsent, { connection: { $in: connections } }, { fields: ["id"] });
  await removeHeld(
    em,
    grants.map(({ id }) => id),
  );
  return em.nativeDelete(Connection, { id: { $in: connections } });
}

export type Grants = ReturnType<typeof createConsentGrants>;

export function createConsentGrants(orm: Orm) {
  const kysely = getKysely(orm);
  const deciding = new AsyncLocalStorage<string>();

  return {
    /** Runs the library's part of a decision, whose code and consent then carry this grant. */
    deciding: <T>(grantId: string, work: () => Promise<T>): Promise<T> => deciding.run(grantId, work),

    /**
     * Returns the grant of an authorization request: the one being decided, or the remembered one. Without a live
     * connection, it returns an unknown name, so the library requires consent. The same applies if the redirect is to a
     * program on the person's machine, because any program there could imitate the approved one.
     */
    async referenceOf(userId: string, query: URLSearchParams): Promise<string> {
      const decided = deciding.getStore();
      if (decided) return decided;
      if (isRedirectToLocalProgram(query.get("redirect_uri") ?? "")) return randomUUID();
      const [found] = await runStatement(kysely, findRememberedGrant, {
        user_id: userId,
        client_id: query.get("client_id"),
      });
      return found?.id ?? randomUUID();
    },

    async lives(grantId: string | undefined, userId: string | undefined): Promise<boolean> {
      if (!grantId || !UUID.test(grantId) || !userId) return false;
      return (await runStatement(kysely, findLiveGrant, { grant_id: grantId, user_id: userId })).length > 0;
    },

    /** Ends a grant: every token of it is refused from the next request on. With its last grant a connection ends. */
    async end(grantId: string): Promise<void> {
      if (!UUID.test(grantId)) return;
      await orm.em.fork().transactional(async (em) => {
        const [connection] = await runStatement(em, lockConnectionOfGrant, { grant_id: grantId });
        await removeHeld(em, [grantId]);
        if (!connection) return;
        await em.nativeDelete(ConnectionConsent, { id: grantId });
        await runStatement(em, removeConnectionWithoutGrants, { id: connection.id });
      });
    },
  };
}
