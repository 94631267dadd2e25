// Authentication of handsets by their token. Look-ups of simultaneous requests share a statement, and the operation's
// record defines the fields that are read with the id. The last day of activity is stored, to find unused devices, with
// one small write for each device and day. Requests do not wait for it, and a lost write is repeated with the next
// poll.

import { DEVICE_TOKEN_PREFIX, hashTokenToHex, looksLikeToken } from "../identity/auth/bearer_authentication.ts";
import { unauthorized } from "../model/api_error.ts";
import type { DeviceTokenLookupStatement, HandsetOperation } from "../operation/define_operation.ts";
import { createPositionedRowBatcher, LOOKUP_BATCH_OPTIONS } from "../store/db/batch_concurrent_calls.ts";
import type { Orm } from "../store/db/orm.ts";
import { getKysely, runStatement } from "../store/db/statement.ts";
import type { AnonymousCaller, DeviceCaller, Log } from "../store/handler_context.ts";
import { findDevicesByTokenHash, noteDevicesSeen } from "../store/queries/subscriptions_and_directory.ts";

/**
 * The result is the caller for the operation's handler.
 * @throws 401 for a missing or unknown device token, if one is required
 */
export type HandsetAuthenticator = (
  operation: Pick<HandsetOperation, "auth" | "lookUp">,
  token: string | null,
  address: string | null,
) => Promise<AnonymousCaller | DeviceCaller>;

export function createHandsetAuthenticator(orm: Orm, seen: Pick<LastSeenRecorder, "note">): HandsetAuthenticator {
  const kysely = getKysely(orm);
  const finders = new Map<DeviceTokenLookupStatement<unknown>, ReturnType<typeof finderBy>>();

  const finderBy = (statement: DeviceTokenLookupStatement<unknown>) =>
    createPositionedRowBatcher((hashes: string[]) => runStatement(kysely, statement, { hashes }), LOOKUP_BATCH_OPTIONS);

  return async ({ auth, lookUp = findDevicesByTokenHash }, token, address) => {
    if (auth === "nothing") return { address };
    if (token === null || !looksLikeToken(DEVICE_TOKEN_PREFIX, token)) throw unauthorized();
    const find = finders.get(lookUp) ?? finderBy(lookUp);
    finders.set(lookUp, find);
    const found = await find(hashTokenToHex(token));
    if (!found) throw unauthorized();
    if (found.unseen) seen.note(found.id);
    return { ...found, address };
  };
}

const BATCH = 500;
const MAX_WAITING = 10_000;

/** `isLow`: nothing may be written now. */
export function createLastSeenRecorder(orm: Orm, log: Log, isLow: () => boolean) {
  const kysely = getKysely(orm);
  const waiting = new Set<string>();
  let writing: Promise<void> | null = null;
  let closed = false;

  async function write(): Promise<void> {
    while (waiting.size > 0 && !closed) {
      const ids = [...waiting].slice(0, BATCH);
      for (const id of ids) waiting.delete(id);
      await runStatement(kysely, noteDevicesSeen, { devices: ids });
    }
  }

  return {
    /** Writes down that a device is here, with others that are, after the answer. */
    note(deviceId: string): void {
      if (closed || isLow() || waiting.size >= MAX_WAITING) return;
      waiting.add(deviceId);
      writing ??= write()
        .catch((error) => log.warn({ err: error }, "the last activity of devices could not be recorded"))
        .finally(() => {
          writing = null;
        });
    },
    async close() {
      closed = true;
      await writing;
    },
  };
}

type LastSeenRecorder = ReturnType<typeof createLastSeenRecorder>;
