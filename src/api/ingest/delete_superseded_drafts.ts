// Drafts of messages that could not be published when they arrived. They are deleted when the message comes again and
// is published.

import { ApiError } from "../../model/api_error.ts";
import type { AlertStatus } from "../../model/tables/alert.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import type { ParsedAlert } from "./adapter.ts";
import { createCollapseKey } from "./formats/format_helpers.ts";

export interface UnpublishedMessageDraft {
  /** alr_… */
  id: string;
  /** psh_… */
  pusher_id: string;
  /** When it was saved. */
  updated_at: string;
  /** Now. */
  status: AlertStatus;
  isEdited: boolean;
}

/** The used fields of create_alert's response. */
export interface CreateAlertAnswer {
  id: string;
  pusher_id: string;
  status: string;
  title: string;
  collapse_key: string | null;
}

type Likeness = Pick<CreateAlertAnswer, "pusher_id" | "title"> & { collapse_key: string };

export interface UnpublishedDraftStore {
  /** The draft that the caller saved under an idempotency key; null for none, and for one that was deleted. */
  find(caller: Caller, key: string): Promise<UnpublishedMessageDraft | null>;
  /** The caller's own drafts about the same thing, with the same title, that were not edited. */
  findLike(caller: Caller, alert: Likeness): Promise<UnpublishedMessageDraft[]>;
  /** @throws ApiError where it was edited, sent or deleted in the meantime. */
  remove(caller: Caller, draft: UnpublishedMessageDraft, log: Log): Promise<void>;
}

/**
 * The idempotency key of a draft: one for each id of a sender. A message without an id has one for each text and
 * minute.
 */
export function createDraftIdempotencyKey({ idempotencyKey, fields }: ParsedAlert, channel: string, now: Date): string {
  const minute = now.toISOString().slice(0, 16);
  return createCollapseKey("draft", channel, idempotencyKey ?? JSON.stringify([minute, fields]));
}

export const SAVED_WHILE_INACTIVE =
  "The channel is paused or suspended, so the alert was saved as a draft. Send the draft once the channel is active " +
  "again.";

export const DRAFT_DELETED_AFTER_PUBLISH_NOTE = "The draft that was saved for this message was deleted.";

/**
 * Deletes the drafts of a published message: the one of its id, or without an id those with the same collapse key and
 * title. Returns true if it deleted any. A draft that cannot be deleted stays, and is logged.
 */
export async function deleteDraftsOfPublishedMessage(
  { idempotencyKey }: ParsedAlert,
  draft: UnpublishedMessageDraft | null,
  published: CreateAlertAnswer,
  caller: Caller,
  saved: UnpublishedDraftStore,
  log: Log,
): Promise<boolean> {
  const { collapse_key } = published;
  let deleted = false;
  try {
    const drafts = draft
      ? [draft]
      : idempotencyKey === undefined && collapse_key !== null
        ? await saved.findLike(caller, { ...published, collapse_key })
        : [];
    for (const one of drafts.filter(({ status, isEdited }) => status === "draft" && !isEdited))
      try {
        await saved.remove(caller, one, log);
        deleted = true;
      } catch (error) {
        if (!(error instanceof ApiError && /^(conflict|not_found)$/.test(error.type))) throw error;
      }
  } catch (error) {
    log.warn({ err: error }, "the draft of a published message could not be deleted");
  }
  return deleted;
}
