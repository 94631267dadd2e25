// The reason why a statement does not use the entity manager: each has its kind, each kind its reason, and their list
// is in docs/contributing/architecture.md.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadAllStatements } from "../../scripts/all_statements.ts";
import { STATEMENT_AREAS } from "../../src/store/db/statement_areas.ts";

const statements = await loadAllStatements();

test("every statement has its kind, and every kind has some", () => {
  expect(statements.length).toBeGreaterThan(100);
  const without = statements.filter(({ path }) => !(path in STATEMENT_AREAS)).map(({ name }) => name);
  expect(without, "give each a path of src/store/db/statement_areas.ts, by createStatementDefiner").toEqual([]);
  const used = new Set(statements.map(({ path }) => path as string));
  expect(
    Object.keys(STATEMENT_AREAS).filter((path) => !used.has(path)),
    "take out of src/store/db/statement_areas.ts what nothing runs on",
  ).toEqual([]);
});

test("every kind has its reason in docs/contributing/architecture.md, and names its statements there", () => {
  const page = readFileSync(`${import.meta.dirname}/../../docs/contributing/architecture.md`, "utf8");
  const rows = new Map(page.split("\n").map((line) => [line.split(" | ")[0]!.slice(2), line]));
  const missing = statements.filter(({ path, name }) => !rows.get(path)?.includes(`\`${name}\``));
  expect(
    missing.map(({ name }) => name),
    "run npm run gen",
  ).toEqual([]);
  for (const [path, why] of Object.entries(STATEMENT_AREAS)) expect(rows.get(path)).toContain(`| ${why} |`);
});
