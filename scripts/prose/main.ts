// `npm run prose`: the check of our English in docs, comments, texts and tests.
// Each habit has a budget for each folder.
//   --count        the cases of each habit in docs, code and tests
//   --list HABIT   every case of a habit; more arguments are the beginnings of paths
//   --update       lowers the budgets to the cases of today

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import { codePlugin } from "./code_plugin.ts";
import { RULES } from "./habits.ts";

const ROOT = join(import.meta.dirname, "../..");
const BUDGET = join(import.meta.dirname, "budget.json");
const FILES = [
  "{README,CONTRIBUTING,SECURITY,CHANGELOG}.md",
  "{docs,skills,examples,bench,test}/**/*.md",
  "{src,operations,scripts,bench,examples,test}/**/*.{ts,js,mjs}",
  ".ci/*.mjs",
];
/** Written by a program, or data that is not ours. */
const EXEMPT = [
  /(?:^|\/)(?:node_modules|snapshots|kept)\//,
  /browser\/fields\.ts$/,
  /typed_client\/client\.ts$/,
  // The languages of the app other than English.
  /browser\/texts\/(?!en\b)[a-z]{2}\b/,
  // These files name the habits.
  /prose\/habits\.ts$/,
  /repository\/prose\.test\.ts$/,
];

interface Case {
  habit: string;
  file: string;
  line: number;
  message: string;
}

/** The part of the tree that has a budget of its own: "src/handset", "docs/decisions", "test/console", "tools". */
function folderOf(file: string): string {
  const parts = file.split("/");
  if (parts.length === 1) return "(top)";
  return parts.length === 2 || !/^(?:src|docs|test)$/.test(parts[0] ?? "")
    ? (parts[0] ?? "")
    : parts.slice(0, 2).join("/");
}

const groupOf = (file: string) =>
  file.startsWith("test/") && !file.endsWith(".md") ? "tests" : file.endsWith(".md") ? "docs" : "code";

const kernel = new TextlintKernel();
const rules = Object.entries(RULES).map(([ruleId, rule]) => ({ ruleId, rule }));
const plugins = [{ pluginId: "markdown", plugin: markdown.default ?? markdown }, codePlugin];

/** Tables that a program writes are checked at their source. The name of a rule is an identifier. */
const withoutGenerated = (text: string): string =>
  text
    .replace(/<!-- (generated|path)(?::\w+)? -->[\s\S]*?<!-- \/\1 -->/g, (part) => part.replace(/[^\n]/g, " "))
    .replace(/(?<=<\/a>\*\*)[a-z0-9-]+(?=\*\*)/g, (name) => "x".repeat(name.length));

/** Every case in the text of a file. The name decides how it is parsed. */
export async function findCasesInText(file: string, text: string): Promise<Case[]> {
  const { messages } = await kernel.lintText(file.endsWith(".md") ? withoutGenerated(text) : text, {
    ext: extname(file),
    filePath: file,
    plugins,
    rules,
  });
  return messages.map(({ ruleId, line, message }) => ({ habit: ruleId, file, line, message }));
}

async function findCases(): Promise<Case[]> {
  const files = [...new Set(globSync(FILES, { cwd: ROOT }))]
    .filter((file) => !EXEMPT.some((pattern) => pattern.test(file)))
    .sort();
  const found: Case[] = [];
  for (const file of files) found.push(...(await findCasesInText(file, readFileSync(join(ROOT, file), "utf8"))));
  return found;
}

type Budget = Record<string, Record<string, number>>;

function countBy(cases: readonly Case[]): Budget {
  const budget: Budget = {};
  for (const habit of Object.keys(RULES)) {
    const counts: Record<string, number> = {};
    for (const { file } of cases.filter((one) => one.habit === habit)) {
      const folder = folderOf(file);
      counts[folder] = (counts[folder] ?? 0) + 1;
    }
    budget[habit] = Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return budget;
}

const total = (counts: Record<string, number> = {}) => Object.values(counts).reduce((sum, count) => sum + count, 0);

function printCounts(cases: readonly Case[]): void {
  const rows = Object.keys(RULES).map((habit) => {
    const of = cases.filter((one) => one.habit === habit);
    const count = (group: string) => of.filter(({ file }) => groupOf(file) === group).length;
    return { habit, docs: count("docs"), code: count("code"), tests: count("tests"), all: of.length };
  });
  console.table(Object.fromEntries(rows.map(({ habit, ...counts }) => [habit, counts])));
  const habits = rows.filter(({ habit }) => !/^(?:long-sentence|wide-line)$/.test(habit));
  const sum = (group: "docs" | "code" | "tests") => habits.reduce((all, row) => all + row[group], 0);
  console.log(`The ten habits: ${sum("docs") + sum("code")} in docs and code, ${sum("tests")} in tests.`);
}

/** Cases beyond the budget of their habit and folder. */
function overBudget(cases: readonly Case[], budget: Budget): Case[] {
  return Object.entries(countBy(cases)).flatMap(([habit, counts]) =>
    Object.entries(counts).flatMap(([folder, count]) => {
      const allowed = budget[habit]?.[folder] ?? 0;
      if (count <= allowed) return [];
      console.error(`${folder} has ${count} cases of ${habit}, and may have ${allowed}.`);
      return cases.filter((one) => one.habit === habit && folderOf(one.file) === folder);
    }),
  );
}

/**
 * The budgets of today. Cases may move between folders, but their sum may not rise.
 * @throws on a rise
 */
function lowered(now: Budget, before: Budget): Budget {
  const risen = Object.keys(now).filter((habit) => before[habit] && total(now[habit]) > total(before[habit]));
  if (risen.length > 0) throw new Error(`More cases than before: ${risen.join(", ")}. Rewrite these first.`);
  return now;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: "boolean" }, update: { type: "boolean" }, list: { type: "string" } },
  });
  const cases = await findCases();
  const budget: Budget = JSON.parse(readFileSync(BUDGET, "utf8"));
  const print = (some: readonly Case[]) => {
    for (const { file, line, habit, message } of some) console.log(`${file}:${line} ${habit}: ${message}`);
  };
  if (values.count) printCounts(cases);
  else if (values.list !== undefined)
    print(
      cases.filter(
        ({ habit, file }) =>
          (values.list === "all" || habit === values.list) &&
          (positionals.length === 0 || positionals.some((start) => file.startsWith(start))),
      ),
    );
  else if (values.update) writeFileSync(BUDGET, `${JSON.stringify(lowered(countBy(cases), budget), null, 2)}\n`);
  else {
    const over = overBudget(cases, budget);
    print(over.slice(0, 60));
    process.exitCode = over.length > 0 ? 1 : 0;
  }
}
