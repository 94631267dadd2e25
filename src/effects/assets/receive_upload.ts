// Receiving a file: limited while it streams, checked by its content, and never incomplete. The row is written first
// and is invisible until the file is stored. A failure in between deletes both.

import { createHash } from "node:crypto";
import { raw } from "@mikro-orm/core";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { ApiError, conflict, FileStoreError, invalidRequest } from "../../model/api_error.ts";
import { ASSET_KIND_LABELS, type FileStore, MAX_ASSET_BYTES } from "../../model/domain/asset_rules.ts";
import { newUuid } from "../../model/domain/type_ids.ts";
import { formatLimit, LIMITS } from "../../model/limits.ts";
import { Asset, type AssetKind } from "../../model/tables/asset.ts";
import { runStatement } from "../../store/db/statement.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import type { AssetRecord } from "../../store/queries/assets.ts";
import { lockMember } from "../../store/queries/members_and_one_time_links.ts";
import { removeAssetClaimedForRemoval } from "./asset_service.ts";
import { cleanPicture } from "./clean_picture.ts";
import { cleanFileName, type IncomingFile } from "./incoming_file.ts";
import { decodeTextFile, sniffContentType } from "./sniff_content_type.ts";

interface UploadRequest {
  /** Outside of any transaction, since the file comes as slowly as it likes. */
  em: SqlEntityManager;
  store: FileStore;
  log: Log;
  caller: Caller;
  kind: AssetKind;
  file: IncomingFile;
}

/**
 * Receives one file.
 * @throws 409 at the member's quota; 422 for a file above the limit or of another kind, and for an undecodable picture
 * or one with too many pixels
 */
export async function receiveUpload(upload: UploadRequest): Promise<AssetRecord> {
  const { em, store, log, caller, kind, file } = upload;
  // A length that the client announces is refused at once when it is too much. It is not relied on otherwise.
  if (file.announced > MAX_ASSET_BYTES[kind]) throw createUploadTooLargeError(kind);
  await refuseOverQuota(em, caller);
  const sent = await collectBytes(file.chunks, MAX_ASSET_BYTES[kind], kind);
  const { contentType } = checkedKind(sent, kind);
  const bytes = kind === "image" ? await cleanPicture(sent, contentType, MAX_ASSET_BYTES.image) : sent;
  const id = newUuid();
  const text = kind === "html" ? decodeTextFile(bytes) : null;
  const asset = await em.transactional(async (on) => {
    await runStatement(on, lockMember, { id: caller.member.id });
    await refuseOverQuota(on, caller);
    return on.create(Asset, {
      id,
      workspace: caller.workspace.id,
      member: caller.member.id,
      kind,
      content_type: contentType,
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest(),
      name: cleanFileName(file.name, kind),
      text,
    });
  });
  try {
    await store.put(id, bytes);
    asset.stored = true;
    await em.flush();
  } catch (error) {
    // If the store is unavailable, the caller does not wait for a second timeout. The row no longer counts towards the
    // member's quota, and the housekeeping deletes it with any stored content. If this also fails, it expires after a
    // day.
    const cleared =
      error instanceof FileStoreError
        ? em.nativeUpdate(Asset, { id }, { expires_at: raw("clock_timestamp()") })
        : removeAssetClaimedForRemoval(em, store, id);
    await cleared.catch((failed) => log.warn({ err: failed }, "a rejected upload could not be removed"));
    throw error;
  }
  const { content_type, name, expires_at = null, created_at } = asset;
  const own = { id, kind, content_type, bytes: asset.bytes, name, own: true };
  return { ...own, attached_at: null, expires_at, created_at };
}

async function refuseOverQuota(em: SqlEntityManager, { member }: Caller): Promise<void> {
  // Uploads that are under way count.
  const waiting = { member: member.id, expires_at: { $gt: raw("clock_timestamp()") } };
  if ((await em.count(Asset, waiting)) >= LIMITS.waiting_files)
    throw conflict(
      "quota_reached",
      `You have reached the maximum of ${LIMITS.waiting_files} unused files. Use or delete some, or wait until they ` +
        "expire.",
    );
}

/** Returns the error for a file above the limit of its kind. */
function createUploadTooLargeError(kind: AssetKind): ApiError {
  return invalidRequest(
    "file_too_large",
    `A file of kind ${kind} can be at most ${formatLimit(`${kind}_file`)}. Make it smaller.`,
    "file",
  );
}

/**
 * Collects a stream, with at most the limit and its last chunk in memory.
 * @throws 422 above `max` bytes
 */
export async function collectBytes(
  stream: IncomingFile["chunks"],
  max: number,
  kind: AssetKind,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > max) throw createUploadTooLargeError(kind);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidRequest("unreadable_file", "The upload was incomplete. Send the file again.", "file");
  }
  return Buffer.concat(chunks);
}

function checkedKind(bytes: Uint8Array, kind: AssetKind) {
  if (bytes.length === 0) throw invalidRequest("unreadable_file", "The file is empty. Choose another file.", "file");
  const found = sniffContentType(bytes);
  if (found?.kind === kind) return found;
  const is = found ? `is ${found.contentType}` : "has an unsupported type";
  throw invalidRequest(
    "unsupported_file_type",
    `The file's content ${is}; a file of kind ${kind} must be ${ASSET_KIND_LABELS[kind]}.`,
    "file",
  );
}
