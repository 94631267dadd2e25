// Finds the handset behind a token. Look-ups of requests that arrive together share a statement. The operation's record
// says what is found of a device beside its id. And when a device was last seen, to the day: enough to tell one that never comes back, and
// one small write a device and day. No request waits for it; what is lost is written with the next poll.

import { DEVICE_PREFIX, hexHash, looksLikeToken } from "../identity/auth/tokens.ts";
import { unauthorized } from "../model/errors.ts";
import type { DeviceLookUp, HandsetOperation } from "../operation/tool.ts";
import type { Anyone, DeviceCaller, Log } from "../store/context.ts";
import { batchedByPosition, LOOK_UPS } from "../store/db/batch.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { findDevices, noteDevicesSeen } from "../store/queries/handset.ts";

/**
 * What is found is the caller that the operation's handler is given.
 * @throws 401 for a missing or unknown device token, where one is needed.
 */
export type HandsetAuthenticator = (
  operation: Pick<HandsetOperation, "auth" | "lookUp">,
  token: string | null,
  address: string | null,
) => Promise<Anyone | DeviceCaller>;

export function createHandsetAuthenticator(orm: Orm, seen: Pick<Seen, "note">): HandsetAuthenticator {
  const kysely = databaseOf(orm);
  const finders = new Map<DeviceLookUp<unknown>, ReturnType<typeof finderBy>>();

  const finderBy = (statement: DeviceLookUp<unknown>) =>
    batchedByPosition((hashes: string[]) => run(kysely, statement, { hashes }), LOOK_UPS);

  return async ({ auth, lookUp = findDevices }, token, address) => {
    if (auth === "nothing") return { address };
    if (token === null || !looksLikeToken(DEVICE_PREFIX, token)) throw unauthorized();
    const find = finders.get(lookUp) ?? finderBy(lookUp);
    finders.set(lookUp, find);
    const found = await find(hexHash(token));
    if (!found) throw unauthorized();
    if (found.unseen) seen.note(found.id);
    return { ...found, address };
  };
}

const BATCH = 500;
const MAX_WAITING = 10_000;

/** `isLow`: nothing may be written now. */
export function createSeen(orm: Orm, log: Log, isLow: () => boolean) {
  const kysely = databaseOf(orm);
  const waiting = new Set<string>();
  let writing: Promise<void> | null = null;
  let closed = false;

  async function write(): Promise<void> {
    while (waiting.size > 0 && !closed) {
      const ids = [...waiting].slice(0, BATCH);
      for (const id of ids) waiting.delete(id);
      await run(kysely, noteDevicesSeen, { devices: ids });
    }
  }

  return {
    /** Writes down that a device is here, with others that are, after the answer. */
    note(deviceId: string): void {
      if (closed || isLow() || waiting.size >= MAX_WAITING) return;
      waiting.add(deviceId);
      writing ??= write()
        .catch((error) => log.warn({ err: error }, "when devices were last seen is not written"))
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

export type Seen = ReturnType<typeof createSeen>;
