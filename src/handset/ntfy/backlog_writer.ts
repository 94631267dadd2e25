// Backlogs of connections, written part by part as their clients take them, within one limit of memory for all of them.
// rules#ntfy-bounds

import { LIMITS } from "../../model/limits.ts";
import { shareNextRead } from "../../store/db/batch_concurrent_calls.ts";
import type { StreamConnectionsOptions } from "../live_updates/stream_connection.ts";
import type { ReadNtfyMessagesByIds } from "./message_history.ts";
import type { NtfyListener } from "./ntfy_listener.ts";

/** The interval of checks for clients with unread parts. */
const CHECK_MS = 250;

interface NtfyBacklogWriterDeps extends Pick<StreamConnectionsOptions, "readSendQueues"> {
  readMessages: ReadNtfyMessagesByIds;
  /** Bytes that may wait for all clients together. */
  max?: number;
}

export function createNtfyBacklogWriter({
  readMessages,
  readSendQueues,
  max = LIMITS.ntfy_pages,
}: NtfyBacklogWriterDeps) {
  /** Bytes that wait for each, the connection first that has waited longest. */
  const waiting = new Map<NtfyListener, number>();
  let total = 0;
  /** Connections whose clients have yet to take a part, and what begins the next one. */
  const full = new Map<NtfyListener, () => void>();
  const readQueues = shareNextRead(readSendQueues);

  function add(listener: NtfyListener, bytes: number): void {
    waiting.set(listener, bytes);
    total += bytes;
  }

  function remove(listener: NtfyListener): void {
    total -= waiting.get(listener) ?? 0;
    waiting.delete(listener);
  }

  async function checkFull(): Promise<void> {
    const queues = await readQueues("");
    for (const [listener, begin] of full)
      if (listener.hasRoom(queues)) {
        full.delete(listener);
        begin();
      }
    if (full.size > 0) setTimeout(() => void checkFull(), CHECK_MS).unref();
  }

  /** The system accepts far more than it has to keep: the next part waits until the client has taken the last ones. */
  async function untilRoom(listener: NtfyListener): Promise<void> {
    if (listener.hasRoom(await readQueues(""))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    full.set(listener, resolve);
    if (full.size === 1) setTimeout(() => void checkFull(), CHECK_MS).unref();
    await promise;
  }

  return {
    /**
     * Writes the backlog. Resolves once it is written, or the connection has ended.
     * @param parts ids, the last part first
     * @throws the error of the database
     */
    async write(listener: NtfyListener, parts: string[][]): Promise<void> {
      // Apart, so that messages are not in memory while their client takes them.
      const put = async (ids: readonly string[]) => listener.writeBacklogPart(await readMessages(ids));
      for (let ids = parts.pop(); ids && !listener.ended; ids = parts.pop()) {
        const { bytes, taken } = await put(ids);
        add(listener, bytes);
        for (const [longest] of waiting) {
          if (total <= max) break;
          longest.end("slow");
          remove(longest);
        }
        await taken;
        remove(listener);
        if (parts.length > 0) await untilRoom(listener);
      }
    },
  };
}
