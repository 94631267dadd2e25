// Authentication of API keys and access tokens of assistants. An unknown, revoked or expired key has no caller. A token
// may do what it was issued for and what its connection still grants, checked on every request. So disconnecting,
// unticking and restricting take effect at once, and a later consent gives nothing to earlier tokens. A caller follows
// from a member and a credential in one way for keys, assistants and sessions. The last use is recorded without a write
// for each request.

import { getVisibleChannelIds } from "../../model/domain/access_policy.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import type { ValuesOf } from "../../model/fields/sql_types.ts";
import { toIsoMicrosOrNull } from "../../model/fields/timestamp_columns.ts";
import { IMPLICIT_SCOPE, isScope } from "../../model/scopes.ts";
import { createPositionBatcher, LOOKUP_BATCHES } from "../../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import type { MEMBER_COLUMNS } from "../../store/queries/api_keys.ts";
import { findKeys, noteKeyUse } from "../../store/queries/api_keys.ts";
import { findGranted, noteConnectionUse } from "../../store/queries/connections.ts";
import { hexHash, KEY_PREFIX, looksLikeToken } from "./bearer_tokens.ts";
import { parseClientName } from "./client_metadata.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

/** No credential does more than its member may (rules#key-acts-for-its-member). */
export function createCaller(
  member: ValuesOf<typeof MEMBER_COLUMNS.columns>,
  credential: Caller["credential"],
): Caller {
  return {
    workspace: { id: member.workspace_id, name: member.workspace_name, listening: member.listening },
    member: { id: member.member_id, role: member.role, pusherIds: member.pusher_ids },
    credential,
    pusherIds: getVisibleChannelIds(member.pusher_ids, credential.pusherId),
  };
}

/** The minimum time between two records of a credential's last use. */
const EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export interface LastUseOptions {
  now(): Date;
  log: Log;
  /** True while nothing may be written: the next use is written down. */
  isLow?(): boolean;
}

/** The call does not wait for the writing and does not fail with it. */
export function createLastUseRecorder(
  { now, log, isLow }: LastUseOptions,
  write: (id: string) => Promise<unknown>,
): (id: string) => void {
  const notedAt = new Map<string, number>();
  return (id) => {
    const at = now().getTime();
    if (isLow?.()) return;
    if (at - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    if (notedAt.size >= MAX_REMEMBERED) notedAt.clear();
    notedAt.set(id, at);
    write(id).catch((error) => log.warn({ err: error }, "the last use of a credential could not be recorded"));
  };
}

export type Authenticate = (token: string | null) => Promise<Caller | null>;

export function createKeyAuthenticator(orm: Orm, options: LastUseOptions): Authenticate {
  const kysely = getKysely(orm);
  const find = createPositionBatcher((hashes: string[]) => runStatement(kysely, findKeys, { hashes }), LOOKUP_BATCHES);
  const noteUse = createLastUseRecorder(options, (id) => runStatement(kysely, noteKeyUse, { id }));

  return async (token) => {
    if (token === null || !looksLikeToken(KEY_PREFIX, token)) return null;
    const key = await find(hexHash(token));
    if (!key) return null;
    noteUse(key.id);
    return createCaller(key, {
      type: "key",
      id: formatId("key", key.id),
      name: key.name,
      scopes: [...new Set([IMPLICIT_SCOPE, ...key.scopes.filter(isScope)])],
      pusherId: key.pusher_id,
      expiresAt: toIsoMicrosOrNull(key.expires_at),
      asksFirst: key.requires_approval,
    });
  };
}

/** The caller behind an access token for this very resource; null for any other token. */
export function createConnectionAuthenticator(
  options: LastUseOptions & { orm: Orm; library: SignInLibrary },
): (token: string) => Promise<Caller | null> {
  const { orm, library } = options;
  const kysely = getKysely(orm);
  const noteUse = createLastUseRecorder(options, (id) => runStatement(kysely, noteConnectionUse, { id }));

  return async (token) => {
    const read = await library.readAccessToken(token);
    if (!read) return null;
    const [found] = await runStatement(kysely, findGranted, {
      user_id: read.userId,
      client_id: read.clientId,
      grant_id: read.grantId,
    });
    if (!found) return null;
    noteUse(found.id);
    const scopes = found.scopes.filter(isScope).filter((scope) => read.scopes.includes(scope));
    return createCaller(found, {
      type: "oauth",
      id: formatId("con", found.id),
      name: parseClientName(found.name) ?? "assistant",
      scopes: [...new Set([IMPLICIT_SCOPE, ...scopes])],
      pusherId: found.pusher_id,
      expiresAt: read.expiresAt?.replace("Z", "000Z") ?? null,
      asksFirst: found.requires_approval,
    });
  };
}
