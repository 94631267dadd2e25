// The rules travel with the code: every citation names a rule, and every rule is cited by a test.

import { expect, test } from "vitest";
import { CASE_TABLES } from "../cases/case_tables.ts";
import { findCitations, getRuleOfError, readRules } from "../support/rule_citations.ts";

const rules = readRules();
const names = new Set(rules.map(({ name }) => name));

/** Rules that rows cover, and the row of each. */
const rows = CASE_TABLES.flatMap(({ file, cases }) =>
  cases.flatMap((row) => {
    const { rule, also = [], want, tool, name = "" } = row;
    const at = `test/cases/${file}, ${tool}: ${name}`;
    const ofError = "error" in want ? [getRuleOfError(want.error)] : [];
    return [rule, ...also, ...ofError].map((cited) => ({ rule: cited, at }));
  }),
);
const inTests = findCitations("test/**/*.ts");
const inCode = findCitations(
  "src/**/*.{ts,js,sql}",
  "operations/*.ts",
  "scripts/*.ts",
  "bench/*.ts",
  "examples/**/*.*",
);

test("every rule has a name of its own, a text, and a line in the page", () => {
  expect(rules.length).toBeGreaterThan(200);
  expect(rules.filter(({ name, text }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || text.length < 60)).toEqual([]);
  expect(rules.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) !== at)).toEqual([]);
});

test("every citation names a rule (a new rule is a line in docs/reference/rules)", () => {
  const unknown = [
    ...rows.map(({ rule, at }) => ({ rule, at })),
    ...[...inTests, ...inCode].map(({ rule, file, line }) => ({ rule, at: `${file}:${line}` })),
  ].filter(({ rule }) => !names.has(rule));
  expect(unknown).toEqual([]);
});

test("every rule is cited by a row or by a link above a test", () => {
  const cited = new Set([...rows, ...inTests].map(({ rule }) => rule));
  expect([...names].filter((name) => !cited.has(name))).toEqual([]);
});
