// All targets in the pages exist: links, the files that code spans name, the rules that they cite. The numbers of
// decisions have no unexplained gap.

import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, readRules } from "../support/rule_citations.ts";

const names = new Set(readRules().map(({ name }) => name));

const pages = globSync(["*.md", "docs/**/*.md", "{bench,examples,test}/*.md", ".github/**/*.md"], { cwd: ROOT });
const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

const anchors = new Map<string, Set<string>>();
/** The possible anchors of a link to a page: its headings as hosts spell them, and its own anchors. */
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
  anchors.set(page, new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)]));
  return anchors.get(page)!;
};

/** Every file and folder of the repository, from the root. */
const tree = globSync("**", { cwd: ROOT, exclude: ["**/node_modules", "**/.git", ".data", ".deps"] }).filter(Boolean);
const top = new Set(tree.filter((path) => !path.includes("/")));
/** Every name of a path: the whole, or without the folders in front, as in `program/boot/http_server.ts`. */
const endings = new Set(
  tree.flatMap((path) => {
    const parts = path.split("/");
    return parts.map((_, at) => parts.slice(at).join("/"));
  }),
);

/**
 * The code spans that mean a file or a folder: texts with the ending of a source file or a slash, or with a folder of
 * the top at their beginning. Addresses (`/api/v1`), examples (`tools/<name>.ts`) and packages (`@scope/name`) are
 * exempt.
 */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)]
    .flatMap(([, span]) => span!.split(/[\s,;()"'=]+/))
    .map((word) => word.replace(/^\.\/|#.*$|[.:]$/g, ""))
    .filter((word) => /^(?!@)[\w.*-]+(\/[\w.@*-]+)*\/?$/.test(word))
    .filter((word) => {
      const [first, ...rest] = word.split("/");
      if (rest.length === 0) return /\w\.(tsx?|mjs|css|md|py|go|php|sh)$/.test(word);
      return /\.([cm]?[jt]s|css|sql|md|py|go|php|sh|svg)$|\/$/.test(word) || top.has(first!);
    })
    .map((word) => word.replace(/\/$/, ""));

/** Files that a command writes into a folder that git ignores exist only afterwards. */
const isThere = (path: string): boolean => {
  if (path.startsWith("coverage/")) return true;
  if (!path.includes("*")) return endings.has(path);
  const wanted = new RegExp(`(^|/)${path.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
  return tree.some((file) => wanted.test(file));
};

test("there are pages to read", () => expect(pages).toContain("README.md"));

describe.each(pages)("%s", (page) => {
  const text = textOf(page).replace(/^```[\s\S]*?^```/gm, "");

  test("its links", () => {
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
    const spoken = [...text.matchAll(/\brules#([\w-]+)/g)].map(([, rule]) => rule!);
    expect(spoken.filter((rule) => !names.has(rule))).toEqual([]);
  });

  test("the files that its code spans name", () => {
    // An entry of the changelog describes the state of its day.
    const gone = page === "CHANGELOG.md" ? [] : pathsIn(text).filter((path) => !isThere(path));
    expect(gone).toEqual([]);
  });
});

describe("the decisions", () => {
  const list = textOf("docs/decisions/README.md");
  const files = readdirSync(join(ROOT, "docs/decisions")).filter((file) => /^\d{4}-/.test(file));

  test("each is in the list, under its own title", () => {
    const missing = files.filter((file) => {
      const [, title] = /^# \d{4}\. (.+)$/m.exec(textOf(`docs/decisions/${file}`)) ?? [];
      return !list.replace(/\s+/g, " ").includes(`- [${file.slice(0, 4)}](${file}): ${title}`);
    });
    expect(missing).toEqual([]);
  });

  test("no number is missing, but those that the list explains", () => {
    const numbers = new Set(files.map((file) => Number(file.slice(0, 4))));
    const last = Math.max(...numbers);
    const gaps = Array.from({ length: last }, (_, at) => at + 1).filter((number) => !numbers.has(number));
    const explained = [...list.matchAll(/^- (\d{4}): \S/gm)].map(([, number]) => Number(number));
    expect(gaps).toEqual(explained);
  });
});
