// A folder for the files of one test file, and the ends of what its tests opened.

import { join } from "node:path";
import { afterAll } from "vitest";
import { temporaryFolder } from "./processes.ts";

/**
 * Makes a folder that is removed after the tests of the file. `at` is a path in it. Functions in `ends` run before
 * that, the last first.
 */
export function openTestFolder() {
  const folder = temporaryFolder();
  const ends: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    folder.remove();
  });
  return { path: folder.path, at: (name: string) => join(folder.path, name), ends };
}
