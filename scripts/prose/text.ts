// The prose of a node, at the same offsets as in its source, and its sentences.

import type { AnyTxtNode } from "@textlint/ast-node-types";

/** Code and other things that count as one noun. */
const noun = (length: number) => "x".repeat(length);

const read = new WeakMap<AnyTxtNode, string>();

/** The text that a reader sees, with markup as spaces, so that offsets are those of the source. */
export function extractProse(node: AnyTxtNode): string {
  const prose = read.get(node) ?? readProse(node);
  read.set(node, prose);
  return prose;
}

function readProse(node: AnyTxtNode): string {
  const text = new Array<string>(node.raw.length).fill(" ");
  const put = (at: number, part: string) => {
    for (let i = 0; i < part.length; i++) text[at - node.range[0] + i] = part[i] as string;
  };
  const visit = (child: AnyTxtNode) => {
    if (child.type === "Code") put(child.range[0], noun(child.raw.length));
    else if ("children" in child) for (const inner of child.children) visit(inner);
    else if (child.type === "Str" && "value" in child)
      put(child.range[0], child.value.length === child.raw.length ? child.value : child.raw);
  };
  visit(node);
  return text.join("").replaceAll("\n", " ");
}

export interface Clause {
  at: number;
  words: string;
}

/** The sentences of a text. Abbreviations do not end one. */
export function splitIntoClauses(text: string): Clause[] {
  const ends = /(?<!\b(?:e\.g|i\.e|etc|vs))[.?!]["')»”]*(?:\s+|$)(?=[\p{Lu}"'(«“x]|$)/gu;
  const clauses: Clause[] = [];
  let from = 0;
  const add = (to: number) => {
    const part = text.slice(from, to);
    const words = part.trim().replace(/^["'(«“]+/, "");
    if (words) clauses.push({ at: from + part.search(/\S/), words });
    from = to;
  };
  for (const { index, 0: end } of text.matchAll(ends)) add(index + end.length);
  add(text.length);
  return clauses;
}
