import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global_setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Ends, not expectations: only what hangs meets them, on a machine that is ten times slower as well.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
