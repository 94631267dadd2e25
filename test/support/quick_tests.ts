// Test files by their needs: a browser, processes of their own, or more than about eight seconds.

import { globSync, readFileSync } from "node:fs";
import { LONGEST } from "./longest_first.ts";

const SUPPORT = "in_browser|processes|proxies|redis_server|small_disk|go_modules";
const NEEDS_MORE = new RegExp(`from "(playwright-core|node:child_process|\\.\\./support/(${SUPPORT})\\.ts)"`);

/** The case tables take long, but they test the most rules. */
const ALWAYS = "test/rules/cases.test.ts";

/**
 * Returns the test files that `npm run test:quick` leaves out, as paths from the repository: those that need a
 * browser or processes, and the longest ones.
 */
export const listSlowTests = () => [
  ...globSync("test/*/*.test.ts").filter((path) => NEEDS_MORE.test(readFileSync(path, "utf8"))),
  ...LONGEST.filter((path) => path !== ALWAYS),
];
