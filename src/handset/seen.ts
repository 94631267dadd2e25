// When a device was last seen, to the day: enough to tell one that never comes back, and one small write a device and
// day. No request waits for it; what is lost is written with the next poll.

import type { Log } from "../store/context.ts";
import type { Orm } from "../store/db/orm.ts";
import { databaseOf, run } from "../store/db/statement.ts";
import { noteDevicesSeen } from "../store/queries/handset.ts";

const BATCH = 500;
const MAX_WAITING = 10_000;

export interface Seen {
  /** Writes down that a device is here, with others that are, after the answer. */
  note(deviceId: string): void;
  close(): Promise<void>;
}

/** `isLow`: nothing may be written now. */
export function createSeen(orm: Orm, log: Log, isLow: () => boolean): Seen {
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
    note(deviceId) {
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
