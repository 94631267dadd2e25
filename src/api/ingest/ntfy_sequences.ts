// Alerts that share a sequence id of ntfy's: a newer one replaces those that are still scheduled, and DELETE cancels
// them.

import { ApiError, unauthorized } from "../../model/api_error.ts";
import { formatId, parseIdOrNull } from "../../model/domain/type_ids.ts";
import { LIMITS } from "../../model/limits.ts";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import type { Dispatcher } from "../../operation/dispatcher.ts";
import type { Caller, Log } from "../../store/handler_context.ts";
import { createCollapseKey } from "./formats/format_helpers.ts";

interface SequenceMember {
  /** alr_… */
  id: string;
  isScheduled: boolean;
}

export interface SequenceStore {
  /** cancel_alert */
  cancel: OwnerOperation;
  /**
   * Alerts of a channel (`psh_…`) with this collapse key or id, newest first: the scheduled ones, and those among the
   * newest LIMITS.ntfy_messages that were sent.
   */
  find(pusherId: string, collapseKey: string, alertId: string | null): Promise<SequenceMember[]>;
  /** The id of a channel (`psh_…`) that the caller sees, by its id or handle, or null. */
  channelId(caller: Caller, channel: string): Promise<string | null>;
}

type Deps = { dispatcher: Pick<Dispatcher, "run">; sequences: SequenceStore };

/** The collapse key of a sequence id: itself where it is one, else a hash of it. */
export const getSequenceCollapseKey = (sequenceId: string): string =>
  /^[a-z0-9][a-z0-9._-]*$/.test(sequenceId) && sequenceId.length <= LIMITS.alert_collapse_key
    ? sequenceId
    : createCollapseKey("ntfy", sequenceId);

const findSequenceMembers = ({ find }: SequenceStore, pusherId: string, sequenceId: string) =>
  find(pusherId, getSequenceCollapseKey(sequenceId), parseIdOrNull("alr", sequenceId) === null ? null : sequenceId);

/** Cancels an alert. Returns whether it is cancelled now. @throws ApiError where the caller may not cancel. */
async function cancel(id: string, pusherId: string, caller: Caller, { dispatcher, sequences }: Deps, log: Log) {
  try {
    await dispatcher.run(sequences.cancel, caller, { args: { pusher_id: pusherId, alert_id: id }, log });
    return true;
  } catch (error) {
    // Another call was faster.
    if (error instanceof ApiError && ["conflict", "not_found"].includes(error.type)) return false;
    throw error;
  }
}

/**
 * Cancels the scheduled alerts of a sequence that are older than the published one, as ntfy does with scheduled
 * messages. A program that keeps moving a warning into the future then warns only when it stops. Does not throw.
 */
export async function cancelReplaced(
  published: { id: string; pusherId: string },
  sequenceId: string | undefined,
  caller: Caller,
  { deps, log, notes }: { deps: Deps; log: Log; notes: string[] },
): Promise<void> {
  if (sequenceId === undefined) return;
  try {
    const members = await findSequenceMembers(deps.sequences, published.pusherId, sequenceId);
    // Ids grow with time. When several are published at once, the last call sees all of them and leaves the newest.
    for (const [i, { id }] of members.filter(({ isScheduled }) => isScheduled).entries())
      if (i > 0 || id < published.id) await cancel(id, published.pusherId, caller, deps, log);
  } catch (error) {
    // The new alert is published all the same.
    if (!(error instanceof ApiError)) log.warn({ err: error }, "a replaced alert could not be cancelled");
    notes.push("An older scheduled message in this sequence could not be cancelled. Cancel it in the console.");
  }
}

const NO_SUCH_SEQUENCE =
  "Channel not found, or this sequence has no alert that can be cancelled. To replace a sent alert, publish a " +
  "message with the same sequence id.";

export const CLEAR_UNSUPPORTED_ERROR = new ApiError(
  "route_not_found",
  "Read states are stored only on devices. To cancel the alert, send DELETE to /TOPIC/ID. To replace it, publish a " +
    "new message with the same sequence id.",
);

/**
 * Cancels the alerts of a sequence: scheduled ones are not sent, and sent ones reach no phone that does not have them
 * yet. Returns the id of the newest one and how many were cancelled. @throws ApiError: 401, 403 without alerts:send,
 * 404 where nothing was there to cancel.
 */
export async function cancelSequence(
  { caller, channel, sequenceId }: { caller: Caller | null; channel: string; sequenceId: string },
  deps: Deps,
  log: Log,
): Promise<{ id: string; cancelled: number }> {
  if (!caller) throw unauthorized();
  const pusherId = await deps.sequences.channelId(caller, channel);
  if (pusherId === null) throw new ApiError("alert_not_found", NO_SUCH_SEQUENCE);
  const members = await findSequenceMembers(deps.sequences, pusherId, sequenceId);
  if (members.length > 1 && caller.credential.asksFirst)
    throw new ApiError(
      "approval_required",
      "This key needs human approval to cancel more than one alert. Cancel them in the console.",
    );
  const ids: string[] = [];
  for (const { id } of members) if (await cancel(id, pusherId, caller, deps, log)) ids.push(id);
  const [id] = ids;
  if (id === undefined) throw new ApiError("alert_not_found", NO_SUCH_SEQUENCE);
  return { id, cancelled: ids.length };
}

/** A member as a row has it. */
export const toSequenceMember = ({ id, planned }: { id: string; planned: boolean }): SequenceMember => ({
  id: formatId("alr", id),
  isScheduled: planned,
});
