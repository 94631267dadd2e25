// The rules of docs/reference/rules and their citations in tests: by name in the rows of test/cases, by `rules#name`
// on the line above any other test. Used by scripts/rule_coverage.ts and test/repository/rule_citations.test.ts.

import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ErrorType } from "../../src/model/api_error.ts";

export const ROOT = join(import.meta.dirname, "../..");

interface DocumentedRule {
  name: string;
  /** The heading above it. */
  chapter: string;
  /** Its text, with its mark. */
  text: string;
  /** The page that documents it, from the root. */
  page: string;
}

const PAGES = globSync("docs/reference/rules/*.md", { cwd: ROOT }).filter((page) => basename(page) !== "README.md");

/** Every rule, page by page. */
export const readRules = (): DocumentedRule[] => PAGES.sort().flatMap(rulesOf);

function rulesOf(page: string): DocumentedRule[] {
  return readFileSync(join(ROOT, page), "utf8")
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const chapter = part.slice(0, part.indexOf("\n"));
      return part
        .split(/^- /m)
        .slice(1)
        .map((item) => {
          const [, name = ""] = /^<a id="([^"]*)"><\/a>\*\*\1\*\*/.exec(item) ?? [];
          return { name, chapter, page, text: item.replace(/\s+/g, " ").trim() };
        });
    });
}

/** A citation of a rule in code and tests. */
const LINK = /(?:\bdocs\/rules\.md|\brules)#([\w-]+)/g;

/** The text after a test's or a group's name, up to the name's end; the title is its second group. */
const TITLE = /\b(?:test|describe)\b[^;]*?\(\s*(["`])((?:\\.|(?!\1).)*)\1/;

/** The number of lines below a link that may belong to its test. */
const REACH = 8;

interface Citation {
  rule: string;
  file: string;
  line: number;
  /** The test or group below it; null without one, when the whole file is meant. */
  title: string | null;
}

/** Every link to a rule in the files of the patterns. */
export function findCitations(...patterns: string[]): Citation[] {
  const itself = new Set(["test/support/rule_citations.ts", "test/repository/rule_citations.test.ts"]);
  return globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules"] })
    .filter((file) => !itself.has(file))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      if (!/rules(?:\.md)?#/.test(text)) return [];
      const lines = text.split("\n");
      return lines.flatMap((line, at) =>
        [...line.matchAll(LINK)].map(([, rule]) => {
          const below = lines.slice(at + 1, at + 1 + REACH).join("\n");
          // A blank line ends what a comment is about.
          const [, , title = null] = TITLE.exec(below.split(/\n\s*\n/)[0]!) ?? [];
          return { rule: rule!, file, line: at + 1, title };
        }),
      );
    });
}

/** The rule that every refusal of a type covers in addition to the one that its row cites. */
export const getRuleOfError = (type: ErrorType): string =>
  type === "server_error" ? "error-server" : `error-${type.replaceAll("_", "-")}`;
