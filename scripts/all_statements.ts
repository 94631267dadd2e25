// Every statement that the service defines, in any file.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnyStatement, listStatements } from "../src/store/db/statement.ts";

const ROOT = join(import.meta.dirname, "..");

/** Tests define some of their own in the same process. */
const OF_TESTS = /^wrong_|_for_a_test$/;

export async function loadAllStatements(): Promise<readonly AnyStatement[]> {
  for (const file of globSync("{src,operations}/**/*.ts", { cwd: ROOT }))
    if (/\bcreateStatementDefiner\(|\bdefineRemovalStatement\(/.test(readFileSync(join(ROOT, file), "utf8")))
      await import(join(ROOT, file));
  return listStatements().filter(({ name }) => !OF_TESTS.test(name));
}
