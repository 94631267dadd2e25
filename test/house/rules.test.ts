// The rules travel with the code: every citation names a rule of docs/rules.md, every rule is cited by a test, and the links
// of the pages work.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { TABLES } from "../cases/tables.ts";
import { citationsIn, ROOT, readRules, ruleOfError } from "../support/rules.ts";

const rules = readRules();
const names = new Set(rules.map(({ name }) => name));

/** Rules that rows stand for, and the row that says so. */
const rows = TABLES.flatMap(({ file, cases }) =>
  cases.flatMap((row) => {
    const { rule, also = [], want, tool, name = "" } = row;
    const at = `test/cases/${file}, ${tool}: ${name}`;
    const ofError = "error" in want ? [ruleOfError(want.error)] : [];
    return [rule, ...also, ...ofError].map((cited) => ({ rule: cited, at }));
  }),
);
const inTests = citationsIn("test/**/*.ts");
const inCode = citationsIn(
  "src/**/*.{ts,js,sql}",
  "tools/*.ts",
  "scripts/*.ts",
  "bench/*.ts",
  "examples/**/*.*",
);

test("every rule has a name of its own, a text, and a line in the page", () => {
  expect(rules.length).toBeGreaterThan(200);
  expect(
    rules.filter(({ name, text }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || text.length < 60),
  ).toEqual([]);
  expect(rules.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) !== at)).toEqual([]);
});

test("every citation names a rule (a new rule is a line in docs/rules.md)", () => {
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

describe("the links of the pages", () => {
  const pages = globSync(["*.md", "docs/**/*.md", "{bench,examples,test}/*.md", ".github/**/*.md"], {
    cwd: ROOT,
  });
  const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

  const anchors = new Map<string, Set<string>>();
  /** What a link to a page may end with: its headings as hosts spell them, and its own anchors. */
  const anchorsOf = (page: string): Set<string> => {
    const known = anchors.get(page);
    if (known) return known;
    const text = textOf(page).replace(/^```[\s\S]*?^```/gm, "");
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
    anchors.set(
      page,
      new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)]),
    );
    return anchors.get(page)!;
  };

  test("there are pages to read", () => expect(pages).toContain("README.md"));

  test.each(pages)("%s", (page) => {
    const text = textOf(page).replace(/^```[\s\S]*?^```/gm, "");
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to!);
    const dead = links.filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false;
      const [file = "", anchor] = link.split("#");
      const to = file === "" ? page : join(dirname(page), file);
      if (!existsSync(join(ROOT, to))) return true;
      return anchor !== undefined && !anchorsOf(to).has(anchor);
    });
    expect(dead).toEqual([]);
    // A page may also speak of a rule as code does.
    const spoken = [...text.matchAll(/docs\/rules\.md#([\w-]+)/g)].map(([, rule]) => rule!);
    expect(spoken.filter((rule) => !names.has(rule))).toEqual([]);
  });
});
