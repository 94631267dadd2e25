// Backlogs of connections, written part by part as their clients take them, within one limit of memory for all of them.
// docs/rules.md#ntfy-bounds

import { LIMITS } from "../../model/limits.ts";
import type { ReadMessages } from "./heard.ts";
import type { Listener } from "./listener.ts";

/** `max`: bytes that may wait for all clients together. */
export function createBacklogs(max: number = LIMITS.ntfy_pages) {
  /** Bytes that wait for each, the connection first that has waited longest. */
  const waiting = new Map<Listener, number>();
  let total = 0;

  function add(listener: Listener, bytes: number): void {
    waiting.set(listener, bytes);
    total += bytes;
  }

  function remove(listener: Listener): void {
    total -= waiting.get(listener) ?? 0;
    waiting.delete(listener);
  }

  return {
    /** `parts`: of ids, the last one first. Resolves when all of it is taken, or the connection has ended. @throws what the database says. */
    async write(listener: Listener, parts: string[][], read: ReadMessages): Promise<void> {
      // Apart, so that messages are not in memory while their client takes them.
      const put = async (ids: readonly string[]) => listener.page(await read(ids));
      for (let ids = parts.pop(); ids && !listener.ended; ids = parts.pop()) {
        const { bytes, taken } = await put(ids);
        add(listener, bytes);
        for (const [longest] of waiting) {
          if (total <= max) break;
          longest.end(true);
          remove(longest);
        }
        await taken;
        remove(listener);
      }
    },
  };
}
