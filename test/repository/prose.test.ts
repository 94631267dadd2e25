// The prose linter finds each habit in pages, comments and texts, and leaves code alone.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RULES } from "../../scripts/prose/habits.ts";
import { findCasesInText } from "../../scripts/prose/main.ts";

const habits = async (file: string, text: string) => (await findCasesInText(file, text)).map(({ habit }) => habit);

test.each([
  ["opening-clause", "# Page\n\nIt starts. What it does is short.\n"],
  ["ever-pronoun", "Whoever calls it gets an answer.\n"],
  ["vague-actor", "It is for somebody.\n"],
  ["speech-verb", "The worker is told.\n"],
  ["stand-lie", "The folder lies here.\n"],
  ["negated-noun", "It is no rule.\n"],
  ["fronted-phrase", "Of two hosts one is used.\n"],
  ["motion-verb", "The row is gone.\n"],
  ["vague-word", "It holds a lock.\n"],
  ["dated-term", "It is made anew.\n"],
  ["long-sentence", `${"Go ".repeat(26)}\n`],
  ["wide-line", `${"Wide line. ".repeat(12)}\n`],
])("%s is found in a page, a comment and a text", async (habit, text) => {
  const line = text.replace(/^# .*\n\n/, "").trim();
  expect(await habits("page.md", text)).toEqual([habit]);
  expect(await habits("code.ts", `// ${line}\nexport {};\n`)).toEqual([habit]);
  expect(await habits("code.ts", `const text = "A first sentence. ${line}";\n`)).toContain(habit);
});

test("a comment of several lines is read as one text, and its place is reported", async () => {
  const [found, ...more] = await findCasesInText("code.ts", "const a = 1;\n/**\n * The row\n * is\n * gone.\n */\n");
  expect(found).toMatchObject({ habit: "motion-verb", line: 5 });
  expect(more).toEqual([]);
});

test("texts of html templates are read without their tags and values", async () => {
  expect(await habits("code.ts", "html`<p hold='x y z'>The door is $" + "{held} here now.</p>`;\n")).toEqual([]);
  expect(await habits("code.ts", "html`<p>The door holds <b>many</b> things.</p>`;\n")).toEqual(["vague-word"]);
});

test("code, SQL, links, questions and usual phrases are not cases", async () => {
  const page = "# How it works\n\nWhat is it? See `told`, [it](held.md).\n\n```sh\nsay what is told\n```\n";
  expect(await habits("page.md", page)).toEqual([]);
  const code = [
    'const sql = "select told, held from alert where gone = $1";',
    "sql`update alert set held = told where gone`;",
    "// The value of `told` is no longer used. By default it is null.",
  ];
  expect(await habits("code.ts", `${code.join("\n")}\n`)).toEqual([]);
});

test("the budgets name rules that exist", () => {
  const budget = JSON.parse(readFileSync(join(import.meta.dirname, "../../scripts/prose/budget.json"), "utf8"));
  expect(Object.keys(budget)).toEqual(Object.keys(RULES));
});
