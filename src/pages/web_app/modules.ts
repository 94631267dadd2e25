// Which modules a browser may have, and their text: our own TypeScript with the types taken out, and the parts of others as they
// lie in node_modules. All share one address that changes with any of them, so that a graph never mixes two versions.

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Bare names that our modules import: what browser and server share (package.json says where it lies), and parts of others. */
const PARTS = ["#limits", "#ui/ink", "preact", "preact/hooks", "htm", "idb", "qr"];

const BROWSER = new URL("./browser/", import.meta.url);

export interface Modules {
  /** Of the content of everything: what the addresses carry. */
  hash: string;
  /** Name under the hash → text. */
  texts: ReadonlyMap<string, string>;
  /** Bare name → name under the hash. */
  bare: Readonly<Record<string, string>>;
  /** What `main.ts` needs before it runs, itself included: all but what is loaded when somebody wants it. */
  atOnce: readonly string[];
}

export function readModules(): Modules {
  const own = globSync("**/*.ts", { cwd: fileURLToPath(BROWSER) })
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
  const bare = Object.fromEntries(
    PARTS.map((name) => [name, `parts/${name.replace("#", "").replace("/", "-")}.js`]),
  );
  const texts = new Map<string, string>();
  for (const name of own) texts.set(name, withoutTypes(readFileSync(new URL(name, BROWSER), "utf8")));
  for (const [name, as] of Object.entries(bare)) {
    const at = import.meta.resolve(name);
    const text = readFileSync(new URL(at), "utf8");
    texts.set(
      as,
      name.startsWith("#") ? withoutTypes(text) : text.replace(/^\/\/# sourceMappingURL=.*$/m, ""),
    );
  }
  return { hash: hashOf([...texts].flat()), texts, bare, atOnce: reachedFrom("main.ts", texts, bare) };
}

const IMPORTS = /^(?:import\s+(?:[\w$*{},\s]+\sfrom\s+)?|export\s+(?:\*|\{[^}]*\})\s+from\s+)"([^"]+)";?/gm;

/** Names of the modules that `first` imports, and those that these import. */
function reachedFrom(
  first: string,
  texts: ReadonlyMap<string, string>,
  bare: Readonly<Record<string, string>>,
): string[] {
  const reached = new Set([first]);
  for (const name of reached)
    for (const [, from = ""] of (texts.get(name) ?? "").matchAll(IMPORTS)) {
      const other = from.startsWith(".") ? join(dirname(name), from).replaceAll("\\", "/") : bare[from];
      if (other !== undefined && texts.has(other)) reached.add(other);
    }
  return [...reached];
}

/** A module of ours and what it imports as one classic script, what is needed first standing first. */
export function asOneScript(file: URL, done = new Set<string>()): string {
  if (done.has(file.href)) return "";
  done.add(file.href);
  const text = withoutTypes(readFileSync(file, "utf8"));
  const needed = [...text.matchAll(IMPORTS)].map(([, from = ""]) =>
    asOneScript(new URL(from.startsWith(".") ? from : import.meta.resolve(from), file), done),
  );
  return needed.join("") + text.replace(IMPORTS, "").replace(/^export (\{\};)?/gm, "");
}

/** The marks of all texts, short enough for an address. */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest("base64url").slice(0, 12);
}

/** JavaScript of TypeScript without types and without whole-line comments; line numbers stay. */
export function withoutTypes(text: string): string {
  return quietly(() => stripTypeScriptTypes(text))
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/^\s*\/\*\*[\s\S]*?\*\/$/gm, (comment) => comment.replace(/[^\n]/g, ""))
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
