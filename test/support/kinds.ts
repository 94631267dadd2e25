// What a test file needs beside Node and PostgreSQL, read from what it imports: a browser, processes of its own, or nothing more.

import { globSync, readFileSync } from "node:fs";

const NEEDS_MORE =
  /from "(playwright-core|node:child_process|\.\.\/support\/(in_browser|processes|proxies|redis_server|small_disk|go)\.ts)"/;

/** The test files that need a browser or processes, as paths from the repository. */
export const needMore = () =>
  globSync("test/*/*.test.ts").filter((path) => NEEDS_MORE.test(readFileSync(path, "utf8")));
