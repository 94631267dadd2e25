import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest_first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global_setup.ts"],
    pool: "forks",
    // One more than the machine has cores, and three at most: there are always some that wait for a deadline or a process.
    maxWorkers: Math.min(3, availableParallelism() + 1),
    sequence: { sequencer: LongestFirst },
    // Ends, not expectations: only what hangs meets them, on a machine that is ten times slower as well.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
