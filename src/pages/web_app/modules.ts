// One script of a module and all that it imports: our own TypeScript with the types taken out, and the parts of others as they lie in
// node_modules. A browser asks once for what would be seventy files, and a graph never mixes two versions. Each module keeps a scope of its
// own, and what is needed first stands first, so no two may import each other.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename } from "node:path";

interface Script {
  /** Classic, but where something is exported from it. */
  text: string;
  /** What it loads when somebody wants it: the name, beside its own, under which it asks → the module. */
  later: ReadonlyMap<string, URL>;
}

/** In an installed package ours lie below node_modules as well, and are still TypeScript where a browser is all that runs them. */
const OTHERS = /\/node_modules\/.*\.m?js$/;
const IMPORTS = /^import\s*(?:(\w+|\{[^}]*\})\s*from\s*)?"([^"]+)";?/gm;
const LATER = /\bimport\("([^"]+)"\)/g;
/** What others have made small is all in one line. */
const DEFAULT = /(^|;)export default /gm;
const LISTS = /(^|[;}])export\s*\{([^}]*)\};?/gm;
const NAMED = /^export ((?:async )?function|const|class) (\w+)/gm;

/** @param exported whether it is a module that exports what the first one does, or says nothing to others */
export function asOneScript(first: URL, { exported = false } = {}): Script {
  const names = new Map<string, string>();
  const later = new Map<string, URL>();
  let text = "";
  const add = (file: URL): string => {
    const known = names.get(file.href);
    if (known) return known;
    const name = `module$${names.size}`;
    names.set(file.href, name);
    const given: string[] = [];
    const to = (from: string) => new URL(from.startsWith(".") ? from : import.meta.resolve(from), file);
    const body = moduleText(file)
      .replace(IMPORTS, (_, wanted: string | undefined, from: string) => {
        const imported = add(to(from));
        if (!wanted) return "";
        const taken = wanted.startsWith("{") ? wanted.replaceAll(" as ", ": ") : `{ default: ${wanted} }`;
        return `const ${taken} = ${imported};`;
      })
      .replace(LATER, (_, from: string) => {
        const asked = `${basename(from, ".ts")}.js`;
        later.set(asked, to(from));
        return `import("./${asked}")`;
      })
      .replace(DEFAULT, (_, before: string) => {
        given.push("default: default$");
        return `${before}const default$ = `;
      })
      .replace(LISTS, (_, before: string, list: string) => {
        given.push(...list.split(",").map((one) => one.replace(/(\S+)\s+as\s+(\S+)/, "$2: $1")));
        return before;
      })
      .replace(NAMED, (_, kind: string, its: string) => {
        given.push(its);
        return `${kind} ${its}`;
      });
    const all = given.map((one) => one.trim()).filter(Boolean);
    text += `const ${name} = (() => {\n"use strict";\n${body.trim()}\nreturn { ${all.join(", ")} };\n})();\n`;
    if (exported && file === first)
      for (const one of all.map((pair) => pair.replace(/:.*/, "")))
        text +=
          one === "default" ? `export default ${name}.default;\n` : `export const { ${one} } = ${name};\n`;
    return name;
  };
  add(first);
  return { text, later };
}

/** A module that a page loads and all that it may load later, by the names that these have beside it. */
export function scriptsOf(first: URL): Map<string, string> {
  const scripts = new Map<string, string>();
  const add = (name: string, file: URL) => {
    const { text, later } = asOneScript(file, { exported: file !== first });
    scripts.set(name, text);
    for (const [other, at] of later) if (!scripts.has(other)) add(other, at);
  };
  add(`${basename(first.pathname, ".ts")}.js`, first);
  return scripts;
}

/** What a browser is sent of a module's own text. */
export function moduleText(file: URL): string {
  const text = readFileSync(file, "utf8");
  return OTHERS.test(file.pathname) ? text.replace(/^\/\/# sourceMappingURL=.*$/m, "") : withoutTypes(text);
}

/** The marks of all texts, short enough for an address. */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest("base64url").slice(0, 12);
}

/** JavaScript of TypeScript without types and without whole-line comments. */
function withoutTypes(text: string): string {
  return quietly(() => stripTypeScriptTypes(text))
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, "")
    .replace(/[ \t]+$/gm, "");
}

/** The function is marked as an experiment, and says so once; whoever starts a server can do nothing about it. */
function quietly<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
