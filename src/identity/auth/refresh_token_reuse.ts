// Reuse of refresh tokens. Each use returns new tokens, and a used one still works for a short time, because clients
// retry and run in parallel. The library treats a second use as theft and ends everything of the client. So it gets a
// copy for a single use, under a secret that only this request knows. The client's own token counts as used once there
// is a response. A crash before that changes nothing, without locks or stored responses, on any number of processes.

import { randomBytes } from "node:crypto";
import { formatId, newUuid } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import { createAuditLinePerActor, writeAuditAndEvents } from "../../operation/audit_lines.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement, type StatementRow } from "../../store/db/statement.ts";
import {
  claimRefreshTokenReplay,
  consumeRefreshToken,
  copyRefreshToken,
  deleteRefreshToken,
  findRefreshToken,
} from "../../store/queries/connections.ts";
import { parseClientName } from "./client_metadata_fields.ts";
import type { Grants } from "./consent_grants.ts";
import { hashOAuthSecret } from "./hash_oauth_secret.ts";
import { OFFLINE_SCOPE } from "./oauth_discovery.ts";
import type { TokenRequest } from "./token_request.ts";

type Stored = StatementRow<typeof findRefreshToken>;

/**
 * Keeps those of the requested scopes that were granted; all that were granted when nothing would be left. A client
 * that narrows its access keeps its way to refresh it.
 */
function narrowScopes(fields: URLSearchParams, granted: readonly string[]): void {
  const kept = (fields.get("scope") ?? "").split(" ").filter((scope) => granted.includes(scope));
  if (granted.includes(OFFLINE_SCOPE)) kept.push(OFFLINE_SCOPE);
  if (kept.some((scope) => scope !== OFFLINE_SCOPE)) fields.set("scope", [...new Set(kept)].join(" "));
  else fields.delete("scope");
}

export function createRefreshTokens({ orm, grants }: { orm: Orm; grants: Grants }) {
  const kysely = getKysely(orm);

  const find = async (token: string): Promise<Stored | undefined> =>
    (await runStatement(kysely, findRefreshToken, { token: hashOAuthSecret(token) }))[0];

  /** Writes into the workspace's audit log that a token came again; `failed`: the connection was ended for it. */
  async function note(stored: Stored, status: "failed" | null): Promise<void> {
    if (stored.connection_id === null) return;
    const actor = {
      workspace_id: stored.workspace_id,
      actor_type: "oauth",
      actor_id: formatId("con", stored.connection_id),
      actor_name: parseClientName(stored.name),
      member_id: stored.member_id,
      transport: "mcp",
    } as const;
    await writeAuditAndEvents(kysely, createAuditLinePerActor(actor, "reuse_refresh_token", {}, { status }), []);
  }

  return {
    find,

    /**
     * Handles a refresh by `library`, once or again within its time; a later use ends the grant (rules#refresh-reuse).
     */
    async refresh(
      { fields, clientId, forward }: TokenRequest,
      library: (request: Request) => Promise<Response>,
    ): Promise<Response> {
      const given = fields.get("refresh_token") ?? "";
      const token = hashOAuthSecret(given);
      const stored = await find(given);
      if (!stored) return library(forward());
      const secret = randomBytes(32).toString("base64url");
      const copy = { id: newUuid(), copy: hashOAuthSecret(secret), seconds: LIMITS.refresh_reuse_seconds };
      const [copied] =
        clientId === null ? [] : await runStatement(kysely, copyRefreshToken, { ...copy, token, client_id: clientId });
      if (!copied) {
        // The grant ends before the library sees the token, because the library would end everything of this client
        // and person.
        if (stored.spent && stored.grant_id) {
          await grants.end(stored.grant_id);
          await note(stored, "failed");
        }
        return library(forward());
      }
      fields.set("refresh_token", secret);
      narrowScopes(fields, stored.scopes);
      const answer = await library(forward());
      if (!answer.ok) {
        await runStatement(kysely, deleteRefreshToken, { id: copy.id });
        return answer;
      }
      const [first] = await runStatement(kysely, consumeRefreshToken, { token, copy: copy.id });
      if (!first && (await runStatement(kysely, claimRefreshTokenReplay, { token })).length > 0)
        await note(stored, null);
      return answer;
    },
  };
}
