// The configuration of the tests of pure parts: without the databases that vitest.config.ts sets up.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { root: `${import.meta.dirname}/..`, include: ["test/**/*.test.ts"], pool: "forks", testTimeout: 120_000 },
});
