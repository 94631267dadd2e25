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
    // Files that follow one another share a process: loading the service's code and its libraries again takes seconds
    // of CPU.
    isolate: false,
    // Two more than the machine has cores, and four at most: some always wait for a deadline or a process. With six, no
    // process is ever idle, and the whole suite takes longer.
    maxWorkers: Math.min(4, availableParallelism() + 2),
    // `npm run test:shuffled`: a file leaves nothing for the next one, in any order. The tests of a file may depend on
    // each other.
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
