import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { useEmptyHome } from "./test/support/empty_home.ts";
import { LongestFirst } from "./test/support/longest_first.ts";
import { listSlowTests } from "./test/support/quick_tests.ts";
import { keepTemporaryInMemory } from "./test/support/temporary_memory.ts";

keepTemporaryInMemory();
useEmptyHome();

export default defineConfig(({ mode }) => ({
  test: {
    include: ["test/*/*.test.ts"],
    // `npm run test:quick`
    exclude: mode === "quick" ? [...configDefaults.exclude, ...listSlowTests()] : configDefaults.exclude,
    globalSetup: ["test/support/global_setup.ts"],
    pool: "forks",
    // Files that follow one another share a process: reading the service's code and its libraries anew costs seconds of CPU.
    isolate: false,
    // Two more than the machine has cores, and four at most: there are always some that wait for a deadline or a process. With six nobody
    // is ever idle, and all of it takes longer.
    maxWorkers: Math.min(4, availableParallelism() + 2),
    // `npm run test:shuffled`: whichever file follows whichever, nothing of it stays. The tests of a file may tell one story.
    sequence: mode === "shuffled" ? { shuffle: { files: true } } : { sequencer: LongestFirst },
    reporters: ["default", "./test/support/slowest_reporter.ts"],
    // What a file has put in the place of something ends with its test, as the next file shares the process.
    restoreMocks: true,
    unstubEnvs: true,
    // Fewer rounds of chance, for the hand.
    env: mode === "quick" ? { BELFRY_TEST_ROUNDS: "2" } : {},
    // The same limit as in test/support/wait.ts.
    expect: { poll: { timeout: 300_000 } },
    // The last limit, for a test that hangs. It is far above what a busy machine needs.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
}));
