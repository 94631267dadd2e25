// Authentication of API keys and access tokens of assistants. An unknown, revoked or expired key has no caller. A token
// may do what it was issued for and what its connection still grants, checked on every request. So disconnecting,
// unticking and restricting take effect at once, and a later consent gives nothing to earlier tokens. A caller follows
// from a member and a credential in one way for keys, assistants and sessions. The last use is recorded without a write
// for each request.
// A bearer secret has a prefix for its kind, 256 random bits in base62 and a checksum. A mistyped one is refused
// without a query. Only the SHA-256 of a token is stored.

import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { getVisibleChannelIds } from "../../model/domain/member_access_rules.ts";
import { formatId } from "../../model/domain/type_ids.ts";
import { type SqlValuesOf, toIsoMicrosOrNull } from "../../model/fields/sql_statement_types.ts";
import { IMPLICIT_SCOPE } from "../../model/scopes.ts";
import { createPositionedRowBatcher, LOOKUP_BATCH_OPTIONS } from "../../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../../store/db/orm.ts";
import { getKysely, runStatement } from "../../store/db/statement.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { type CALLER_MEMBER_COLUMNS, findKeysByHash, noteKeyUse } from "../../store/queries/api_keys.ts";
import { findConnectionOfGrant, noteConnectionUse } from "../../store/queries/connections.ts";
import { parseClientName } from "./client_metadata_fields.ts";
import type { SignInLibrary } from "./sign_in_library.ts";

/** No credential does more than its member may (rules#key-acts-for-its-member). */
export function createCaller(
  member: SqlValuesOf<typeof CALLER_MEMBER_COLUMNS.columns>,
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

interface LastUseOptions {
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
    if (at - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS || isLow?.()) return;
    if (notedAt.size >= MAX_REMEMBERED) notedAt.clear();
    notedAt.set(id, at);
    write(id).catch((error) => log.warn({ err: error }, "the last use of a credential could not be recorded"));
  };
}

export type AuthenticateToken = (token: string | null) => Promise<Caller | null>;

export function createKeyAuthenticator(orm: Orm, options: LastUseOptions): AuthenticateToken {
  const kysely = getKysely(orm);
  const find = createPositionedRowBatcher(
    (hashes: string[]) => runStatement(kysely, findKeysByHash, { hashes }),
    LOOKUP_BATCH_OPTIONS,
  );
  const noteUse = createLastUseRecorder(options, (id) => runStatement(kysely, noteKeyUse, { id }));

  return async (token) => {
    if (token === null || !looksLikeToken(API_KEY_PREFIX, token)) return null;
    const key = await find(hashTokenToHex(token));
    if (!key) return null;
    noteUse(key.id);
    return createCaller(key, {
      type: "key",
      id: formatId("key", key.id),
      name: key.name,
      scopes: [...new Set([IMPLICIT_SCOPE, ...key.scopes])],
      pusherId: key.pusher_id,
      expiresAt: toIsoMicrosOrNull(key.expires_at),
      asksFirst: key.requires_approval,
    });
  };
}

/** The caller behind an access token for this very resource; null for any other token. */
export function createAccessTokenAuthenticator(
  options: LastUseOptions & { orm: Orm; library: SignInLibrary },
): (token: string) => Promise<Caller | null> {
  const { orm, library } = options;
  const kysely = getKysely(orm);
  const noteUse = createLastUseRecorder(options, (id) => runStatement(kysely, noteConnectionUse, { id }));

  return async (token) => {
    const read = await library.readAccessToken(token);
    if (!read) return null;
    const [found] = await runStatement(kysely, findConnectionOfGrant, {
      user_id: read.userId,
      client_id: read.clientId,
      grant_id: read.grantId,
    });
    if (!found) return null;
    noteUse(found.id);
    const scopes = found.scopes.filter((scope) => read.scopes.includes(scope));
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

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 exceeds 2^256. */
const RANDOM_DIGITS = 43;
/** 62^6 exceeds 2^32. */
const CHECK_DIGITS = 6;

export const API_KEY_PREFIX = "bfk_";
export const DEVICE_TOKEN_PREFIX = "bfd_";
export const TRANSFER_CODE_PREFIX = "bft_";
export const OWNER_LINK_CODE_PREFIX = "bfo_";

function base62(value: bigint, digits: number): string {
  let text = "";
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

const checksum = (body: string) => base62(BigInt(crc32(body)), CHECK_DIGITS);

/** A new token and the hash to store. The token itself can be shown once and never recovered. */
export function mintToken(prefix: string): { token: string; hash: Buffer } {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString("hex")}`), RANDOM_DIGITS);
  const token = body + checksum(body);
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** The same in hex, as statements that look for several take it. */
export const hashTokenToHex = (token: string): string => hash("sha256", token, "hex");

/** True if the text has the form and checksum of a token with this prefix. The token may not exist. */
export function looksLikeToken(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_DIGITS + CHECK_DIGITS) return false;
  return text.endsWith(checksum(text.slice(0, -CHECK_DIGITS)));
}

/** Returns the token of an `Authorization: Bearer …` header; null without one, or for another scheme. */
export function getBearerToken(headers: Headers): string | null {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? null;
}
