// The creation of an alert for a message with an id of its sender. Programs deliver a message again, with the same id,
// and send one message to several channels.

import { ApiError } from "../../model/api_error.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import type { ParsedAlert } from "./adapter.ts";
import type { UnpublishedDraftStore, UnpublishedMessageDraft } from "./delete_superseded_drafts.ts";
import { createCollapseKey } from "./formats/format_helpers.ts";
import type { SequenceStore } from "./ntfy_sequences.ts";

interface AlertCreationDeps {
  dispatcher: Pick<Dispatcher, "runOrDraft">;
  create: OwnerOperation;
  drafts: Pick<UnpublishedDraftStore, "find">;
  sequences: Pick<SequenceStore, "channelId">;
}

type Creation = Pick<ParsedAlert, "fields" | "idempotencyKey" | "keepFirst"> & { channel: string; send: boolean };

/** Calls create_alert. `channel` is an id or a handle. @throws ApiError */
function createAlert(
  { fields, idempotencyKey, keepFirst, channel, send }: Creation,
  caller: Caller,
  deps: Pick<AlertCreationDeps, "dispatcher" | "create">,
  log: Log,
) {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
  return deps.dispatcher.runOrDraft(deps.create, caller, {
    args: { ...given, pusher_id: channel, send },
    idempotencyKey: idempotencyKey ?? null,
    keepFirst,
    log,
  });
}

/**
 * Creates the alert of a message, or returns the first alert of this id on the channel, if a repeat has other content.
 * An id is valid for one channel. If the first alert was deleted, the repeat is a new message.
 */
export async function createAlertOnce(
  creation: Creation,
  caller: Caller,
  deps: AlertCreationDeps,
  log: Log,
): Promise<Awaited<ReturnType<typeof createAlert>> | { first: UnpublishedMessageDraft }> {
  const create = (key: string | undefined) => createAlert({ ...creation, idempotencyKey: key }, caller, deps, log);
  let key = creation.idempotencyKey;
  // The plain id first, then the id for this channel.
  for (const isPlain of [true, false])
    try {
      return await create(key);
    } catch (error) {
      const isRepeat = creation.keepFirst && error instanceof ApiError && error.param === "idempotency_key";
      if (!isRepeat || !key) throw error;
      const channel = await deps.sequences.channelId(caller, creation.channel);
      const first = await deps.drafts.find(caller, key);
      if (first?.pusher_id === channel) return { first };
      key = isPlain ? createCollapseKey("message", String(channel), key) : undefined;
    }
  return create(key);
}
