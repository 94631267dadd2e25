// Covers rules#error-codes. The catalogue of error codes against the code that uses it and the page that lists it.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseApiError } from "../../src/model/api_error.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/model/error_codes.ts";
import { ROOT } from "../support/rule_citations.ts";

const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Reserved by the specification; nothing sends it yet. */
const RESERVED = ["payment_required"];

test("every code is used by the program", () => {
  const text = globSync("{src,operations}/**/*.ts", { cwd: ROOT, exclude: ["src/model/error_codes.ts"] })
    .map(read)
    .join("\n");
  const isUsed = (code: string) =>
    text.includes(`"${code}"`) ||
    (code.endsWith("_not_found") && text.includes(`notFound("${code.replace("_not_found", "")}")`));
  expect(codes.filter((code) => !isUsed(code) && !RESERVED.includes(code))).toEqual([]);
});

test("a code is snake_case, and is not the name of a type with another meaning", () => {
  expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
});

test("each cause and each cure is a sentence without names of the code", () => {
  const sentences = Object.values(ERROR_CODES).flatMap(({ cause, cure }) => [cause, cure]);
  expect(sentences.filter((text) => !/^[A-Z`].*\.$/.test(text) || text.split(/\s+/).length > 25)).toEqual([]);
});

test("the page lists every code once, under its type", () => {
  const sections = read("docs/reference/errors.md").split(/^## /m).slice(1);
  const listed = sections.flatMap((section) => {
    const type = /^`(\w+)`/.exec(section)?.[1];
    return [...section.matchAll(/<a id="(\w+)">/g)].map(([, code]) => `${type} ${code}`);
  });
  expect(listed.sort()).toEqual(codes.map((code) => `${ERROR_CODES[code].type} ${code}`).sort());
});

test("a client keeps the code of a newer server, and the type of an older one in its place", () => {
  const sent = (error: object) => parseApiError({ error: { type: "conflict", message: "No.", param: null, ...error } });
  expect(sent({ code: "invented_later" })).toMatchObject({ type: "conflict", code: "invented_later", status: 409 });
  expect(sent({})).toMatchObject({ type: "conflict", code: "conflict", status: 409 });
  const problems = [
    { param: "title", code: "too_long", message: "title is too long." },
    { param: "body", code: "too_long", message: "body is too long." },
  ];
  expect(sent({ code: "too_long", problems })?.toEnvelope().error.problems).toEqual(problems);
  expect(sent({ code: "too_long", problems: "all" })?.toEnvelope().error.problems).toBeUndefined();
});
