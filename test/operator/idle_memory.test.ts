// The heap of an idle process: shrunk once after it has grown, and never while the process works.

import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { expect, test } from "vitest";
import { releaseMemoryWhenIdle } from "../../src/program/boot/idle_memory.ts";
import { waitFor } from "../support/wait.ts";

const CHECK_MS = 400;
const readHeap = () => getHeapStatistics().total_heap_size;

/** Uses 60 MB and drops them. @returns the size of the heap in between */
function growHeap(): number {
  const used = Array.from({ length: 60 }, () => Array.from({ length: 131_072 }, (_, i) => i + 0.5));
  return used.length === 0 ? 0 : readHeap();
}

// rules#idle-memory
test("an idle process shrinks its heap after a load, and a busy one does not", async () => {
  const lines: string[] = [];
  const log = { debug: (_: object, text: string) => void lines.push(text) } as never;
  const grown = growHeap();
  let checks = 0;
  const counter = setInterval(() => checks++, CHECK_MS);
  const stop = releaseMemoryWhenIdle(log, CHECK_MS);
  try {
    while (checks < 4) await nextTurn();
    expect(lines).toEqual([]);
    await waitFor(() => expect(lines).toEqual(["heap shrunk while idle"]));
    expect(readHeap()).toBeLessThan(grown - 40e6);
    // Without growth it is not worth the pause.
    const seen = checks;
    await waitFor(() => expect(checks).toBeGreaterThan(seen + 3));
    expect(lines).toHaveLength(1);
    growHeap();
    await waitFor(() => expect(lines).toHaveLength(2));
  } finally {
    clearInterval(counter);
    stop();
  }
});
