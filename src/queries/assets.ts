// Uploaded files where they are listed, served, counted and held against removal. A file is there for callers when it is
// stored and has not expired; a caller that does not see the whole workspace knows only the files of its own member.
// Expiry needs no worker: an expired row is no row. A new row and its end go through the entity manager.

import type { Caller } from "../context.ts";
import { defineStatement } from "../db/statement.ts";
import type { AssetKind } from "../entities/asset.ts";

export interface AssetRecord {
  id: string;
  kind: AssetKind;
  content_type: string;
  bytes: number;
  name: string;
  own: boolean;
  attached_at: string | null;
  expires_at: string | null;
  created_at: string;
}

const THERE = "stored and (expires_at is null or expires_at > clock_timestamp())";

/** $1 workspace, $2 the caller's member, $3 whether the caller knows the files of its own member only. */
const VISIBLE = "workspace_id = $1 and (member_id = $2 or not $3::boolean)";

const COLUMNS = `id, kind, content_type, bytes, name, coalesce(member_id = $2, false) as own,
  attached_at, expires_at, created_at`;

/** The first three parameters of the statements for callers. */
export function assetScope(caller: Caller): [string, string, boolean] {
  return [caller.workspace.id, caller.member.id, caller.pusherIds !== null];
}

/**
 * The kinds of the files among $4 that may be attached. Held until the transaction ends against removal, which locks
 * for update, but not against one another.
 */
export const attachableAssets = defineStatement<{ id: string; kind: AssetKind }>(
  "attachable_assets",
  `select id, kind from asset where ${VISIBLE} and id = any($4::uuid[]) and ${THERE} for key share`,
);

/** A page of the files, newest first. $4 kind or null, $5 strictly before, $6 how many, ties come along. */
export const listAssets = defineStatement<AssetRecord>(
  "list_assets",
  `select ${COLUMNS} from asset where ${VISIBLE} and ${THERE} and kind = coalesce($4::text, kind)
     and created_at < coalesce($5::timestamptz, 'infinity')
   order by created_at desc fetch first $6 rows with ties`,
);

/** What waits for an alert to take it; uploads that are under way count. */
export const countUnattached = defineStatement<{ files: number }>(
  "count_unattached",
  "select count(*)::int as files from asset where member_id = $1 and expires_at > clock_timestamp()",
);

/**
 * The first half of a removal: the row stays until the file is gone, but is not there for anybody. Waits for whoever
 * is attaching it. No row when it is not there or an alert has it. $4 the file.
 */
export const claimAsset = defineStatement<{ id: string }>(
  "claim_asset",
  `update asset set stored = false where id = (
     select id from asset where ${VISIBLE} and id = $4 and ${THERE} and refs = 0 for update) returning id`,
);

/** The same for up to $2 files that had expired at $1; those that somebody holds are left for another time. */
export const claimExpired = defineStatement<{ id: string }>(
  "claim_expired",
  `update asset set stored = false where id in (
     select id from asset where expires_at <= $1 order by expires_at limit $2 for update skip locked) returning id`,
);

/** Whether there is such a file for the caller. $4 the file. */
export const visibleAsset = defineStatement<{ id: string }>(
  "visible_asset",
  `select id from asset where ${VISIBLE} and id = $4 and ${THERE}`,
);

/** For everybody who holds the file's address; whether they do is decided before. */
export const servedAsset = defineStatement<{
  kind: AssetKind;
  content_type: string;
  bytes: number;
  sha256: Uint8Array;
  name: string;
}>("served_asset", `select kind, content_type, bytes, sha256, name from asset where id = $1 and ${THERE}`);
