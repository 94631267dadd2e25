import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { needMore } from "./test/support/kinds.ts";
import { LongestFirst } from "./test/support/longest_first.ts";

export default defineConfig(({ mode }) => ({
  test: {
    include: ["test/*/*.test.ts"],
    // `npm run test:quick`
    exclude: mode === "quick" ? [...configDefaults.exclude, ...needMore()] : configDefaults.exclude,
    globalSetup: ["test/support/global_setup.ts"],
    pool: "forks",
    // Files that follow one another share a process: reading the service's code and its libraries anew costs seconds of CPU.
    isolate: false,
    // Two more than the machine has cores, and four at most: there are always some that wait for a deadline or a process.
    maxWorkers: Math.min(4, availableParallelism() + 2),
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/support/slowest.ts"],
    // Ends, not expectations: only what hangs meets them, on a machine that is ten times slower as well.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
}));
