// Uploaded files: listing, serving, and protection from deletion. A file exists for callers if it is stored and has not
// expired. A caller without access to the whole workspace sees only the files of its own member. Expired rows count as
// missing, so expiry needs no job. The entity manager inserts and deletes rows.

import {
  array,
  boolean,
  bytea,
  int,
  nullable,
  type SqlParametersOf,
  type SqlValuesOf,
  text,
  textEnum,
  timestamptz,
  uuid,
} from "../../model/fields/sql_statement_types.ts";
import { ASSET_KINDS } from "../../model/tables/asset.ts";
import { createStatementDefiner } from "../db/statement.ts";
import type { Caller } from "../handler_context.ts";

const defineStatement = createStatementDefiner("claims");
const defineLock = createStatementDefiner("locks");
const defineList = createStatementDefiner("lists");
const defineForPage = createStatementDefiner("pages");

const ASSET = {
  id: uuid,
  kind: textEnum(ASSET_KINDS),
  content_type: text,
  bytes: int,
  name: text,
  own: boolean,
  attached_at: nullable(timestamptz),
  expires_at: nullable(timestamptz),
  created_at: timestamptz,
};

export type AssetRecord = SqlValuesOf<typeof ASSET>;

/** The file as the caller's member sees it. */
const COLUMNS = `id, kind, content_type, bytes, name, coalesce(member_id = $member_id, false) as own,
  attached_at, expires_at, created_at`;

const THERE = "stored and (expires_at is null or expires_at > clock_timestamp())";

/** `only_own`: the caller knows the files of its own member only. */
const VISIBLE = {
  parameters: { workspace_id: uuid, member_id: uuid, only_own: boolean },
  text: "workspace_id = $workspace_id and (member_id = $member_id or not $only_own::boolean)",
};

/** Returns the part of the workspace's files that the caller sees. */
export function buildAssetScopeParameters(caller: Caller): SqlParametersOf<typeof VISIBLE.parameters> {
  return { workspace_id: caller.workspace.id, member_id: caller.member.id, only_own: caller.pusherIds !== null };
}

/**
 * Returns the kinds of attachable files, and locks them until the end of the transaction. Deletion locks for update, so
 * it waits; other attachments do not.
 */
export const lockAttachableAssets = defineLock("lock_attachable_assets", {
  parameters: { ...VISIBLE.parameters, ids: array(uuid) },
  columns: { id: uuid, kind: textEnum(ASSET_KINDS) },
  text: `select id, kind from asset where ${VISIBLE.text} and id = any($ids) and ${THERE} for key share`,
});

/** A page of the files, newest first; `kind` and `id` null are any, `before` null the newest, and ties come along. */
export const listAssets = defineList.reading("list_assets", {
  parameters: {
    ...VISIBLE.parameters,
    kind: nullable(textEnum(ASSET_KINDS)),
    id: nullable(uuid),
    before: nullable(timestamptz),
    limit: int,
  },
  columns: ASSET,
  text: `select ${COLUMNS} from asset where ${VISIBLE.text} and ${THERE} and kind = coalesce($kind, kind)
      and ($id::uuid is null or id = $id)
      and created_at < coalesce($before::timestamptz, 'infinity')
    order by created_at desc fetch first ($limit::int) rows with ties`,
});

/**
 * The first step of a deletion: the row stays until the file is deleted, but is invisible. It waits for attachments. No
 * row if the file is missing or in use.
 */
export const claimAssetForRemoval = defineStatement("claim_asset_for_removal", {
  parameters: { ...VISIBLE.parameters, id: uuid },
  columns: { id: uuid },
  text: `update asset set stored = false where id = (
    select id from asset where ${VISIBLE.text} and id = $id and ${THERE} and reference_count = 0 for update)
      returning id`,
});

/** The same for expired files; locked ones are skipped. */
export const claimExpiredAssetsForRemoval = defineStatement("claim_expired_assets_for_removal", {
  parameters: { at: timestamptz, limit: int },
  columns: { id: uuid },
  text: `update asset set stored = false where id in (
    select id from asset where expires_at <= $at order by expires_at limit $limit::int for update skip locked)
    returning id`,
});

/** Checks that the caller sees the file. */
export const findVisibleAsset = defineStatement.reading("find_visible_asset", {
  parameters: { ...VISIBLE.parameters, id: uuid },
  columns: { id: uuid },
  text: `select id from asset where ${VISIBLE.text} and id = $id and ${THERE}`,
});

/** For all clients with the file's URL, which is checked before. */
export const findServedAsset = defineForPage.reading("served_asset", {
  parameters: { id: uuid },
  columns: { kind: textEnum(ASSET_KINDS), content_type: text, bytes: int, sha256: bytea, name: text },
  text: `select kind, content_type, bytes, sha256, name from asset where id = $id and ${THERE}`,
});
