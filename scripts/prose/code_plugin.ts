// A textlint plugin that reads the comments and the texts of TypeScript and JavaScript as paragraphs.

import type { TxtDocumentNode, TxtParagraphNode, TxtStrNode } from "@textlint/ast-node-types";
import type { TextlintKernelPlugin, TextlintMessage } from "@textlint/kernel";
import { parseSync } from "rolldown/utils";

interface Span {
  start: number;
  end: number;
}

/** A node of the parser, as far as it is read here. */
interface Syntax extends Span {
  type: string;
  value?: unknown;
  expressions?: Syntax[];
  tag?: { name?: string };
  quasi?: Syntax;
}

const blank = (text: string) => text.replace(/[^\n]/g, " ");
const mask = (text: string, pattern: RegExp) => text.replace(pattern, blank);

/** Code in backquotes, as one noun of the same length. */
const withoutCode = (text: string) => text.replace(/`[^`\n]*`/g, (code) => "x".repeat(code.length));

const SQL_VERBS =
  "select|insert|update|delete|with|create|alter|drop|truncate|lock|copy|set|and|or|where|order by|from|join|left " +
  "join|" +
  "on|values|returning|begin|commit|listen|notify|explain|vacuum|analyze|grant|revoke|comment|do";
const SQL_START = new RegExp(`^\\s*(?:${SQL_VERBS})\\b[^.?!]*[(=*$;,]`);
const SQL_PART = /\b(?:select\b[\s\S]*\bfrom|insert into|returns? (?:trigger|void)|coalesce\(|::\w)\b/;
const isSql = (text: string) => SQL_START.test(text) || SQL_PART.test(text);
/** A text of at least three words that is not SQL. */
const isProse = (text: string) => /\p{L}{2,}[,;:]? \p{L}+[,;:]? \p{L}+/u.test(text) && !isSql(text);

/** Calls `visit` with every node. The texts of a tagged template other than html (SQL, CSS) are code. */
function walk(value: unknown, visit: (node: Syntax) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) if (each && typeof each === "object") walk(each, visit);
    return;
  }
  const node = value as Syntax;
  const isCode = node.type === "TaggedTemplateExpression" && node.tag?.name !== "html";
  visit(node);
  for (const key in node) {
    const inner = node[key as keyof Syntax];
    if (inner === null || typeof inner !== "object") continue;
    walk(isCode && key === "quasi" ? node.quasi?.expressions : inner, visit);
  }
}

/** The texts of string and template literals, with the offsets of the source. */
function textsIn(source: string, program: unknown): Span[] {
  const texts: (Span & { text: string })[] = [];
  walk(program, (node) => {
    const { type, start, end } = node;
    if (type === "Literal" && typeof node.value === "string") {
      texts.push({ start: start + 1, end: end - 1, text: mask(source.slice(start + 1, end - 1), /\\./g) });
    } else if (type === "TemplateLiteral") {
      let text = source.slice(start + 1, end - 1);
      for (const each of node.expressions ?? []) {
        const [from, to] = [each.start - start - 1, each.end - start - 1];
        text = text.slice(0, from) + "x".repeat(to - from) + text.slice(to);
      }
      text = text.replace(/\$\{\s*(x+)\s*\}/g, (all) => "x".repeat(all.length));
      texts.push({ start: start + 1, end: end - 1, text: mask(text, /<\/?[a-z!][^<>]*>|\\./gi) });
    }
  });
  return texts.filter(({ text }) => isProse(text));
}

/** Comments, where lines below one another are one comment. */
function commentsIn(source: string, comments: readonly (Span & { type: string })[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of comments) {
    const last = joined.at(-1);
    const isLine = source.startsWith("//", start);
    const isNext = last !== undefined && start - last.end < 100 && /^\n[ \t]*$/.test(source.slice(last.end, start));
    if (isNext && isLine) last.end = end;
    else joined.push({ start, end });
  }
  return joined.map(({ start, end }) => {
    const text = mask(source.slice(start, end), /^[ \t]*(?:\/\/+|\/\*+|\*(?!\/))|\*\/$/gm);
    return {
      start,
      end,
      text: mask(
        withoutCode(text),
        /docs\/\S+|\brules#\S+|https?:\S+|@ts-\S+|biome-ignore[^\n]*|@(?:param|returns|throws|example)\b/g,
      ),
    };
  });
}

/** A tag, a blank line or a point of a list begins a paragraph of its own. */
function paragraphsOf({ start, text }: Span & { text?: string }): (Span & { text: string })[] {
  const parts: (Span & { text: string })[] = [];
  let at = 0;
  for (const part of (text ?? "").split(/(\n(?=[ \t]*(?:\n|-|\d+\.|@|\|)))/)) {
    if (part.trim()) parts.push({ start: start + at, end: start + at + part.length, text: part });
    at += part.length;
  }
  return parts;
}

function documentOf(source: string, file: string): TxtDocumentNode {
  const { program, comments } = parseSync(file, source);
  const lines = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const placeOf = (at: number) => {
    let [line, after] = [0, lines.length];
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if ((lines[middle] ?? 0) <= at) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: at - (lines[line] ?? 0) };
  };
  const place = ({ start, end }: Span) => ({
    raw: source.slice(start, end),
    range: [start, end] as const,
    loc: { start: placeOf(start), end: placeOf(end) },
  });
  const parts = [...commentsIn(source, comments), ...textsIn(source, program)].flatMap(paragraphsOf);
  const children = parts
    .sort((a, b) => a.start - b.start)
    .map((part): TxtParagraphNode => {
      const text: TxtStrNode = { type: "Str", value: part.text, ...place(part) };
      return { type: "Paragraph", children: [text], ...place(part) };
    });
  return { type: "Document", children, ...place({ start: 0, end: source.length }) };
}

class CodeProcessor {
  availableExtensions() {
    return [".ts", ".js", ".mjs"];
  }
  processor() {
    return {
      preProcess: (text: string, file = "code.ts") => documentOf(text, file),
      postProcess: (messages: TextlintMessage[], filePath = "code.ts") => ({ messages, filePath }),
    };
  }
}

export const codePlugin: TextlintKernelPlugin = { pluginId: "code", plugin: { Processor: CodeProcessor } };
