// A program of its own: imports what a start imports, notes where each import led, and writes it with all texts to the file
// that code_file.ts reads. `npm ci` runs it, and a start whose file is not there or not current. So code is compiled, too.

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import {
  CODE_FILE,
  type Contents,
  DIGITS,
  type Entry,
  type Lead,
  MADE_FOR,
  PACKAGES,
  pathOf,
  seen,
} from "./code_file.ts";
import { enableCache } from "./compile_cache.ts";

/** After so long whoever began to write it is gone. */
const GIVEN_UP_MS = 60_000;
const LEAST_URGENT = 19;

/** What a start imports by itself, and what only the first one needs. */
async function importAll(): Promise<void> {
  await import("./serve.ts");
  const { readMigrator } = await import("./parts.ts");
  await readMigrator();
}

/** The file that is written, for this process alone; null while another one writes it. */
function begin(): number | null {
  const path = `${CODE_FILE}.new`;
  mkdirSync(dirname(path), { recursive: true });
  const begun = statSync(path, { throwIfNoEntry: false });
  if (begun && Date.now() - begun.mtimeMs > GIVEN_UP_MS) rmSync(path, { force: true });
  try {
    return openSync(path, "wx");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    throw error;
  }
}

const file = begin();
if (file !== null) {
  setPriority(LEAST_URGENT);
  enableCache();
  const packages = PACKAGES.map(seen);
  const leads = new Map<string, Record<string, Lead>>();
  const own = new Set<string>();
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const { url, format } = found;
      // What CommonJS requires is read as ever.
      if (context.parentURL === undefined || context.conditions.includes("require") || !format) return found;
      if (format.startsWith("module")) own.add(url);
      if (!specifier.startsWith(".") && !("type" in context.importAttributes)) {
        const of = leads.get(context.parentURL) ?? {};
        leads.set(context.parentURL, { ...of, [specifier]: [url, format.replace("-typescript", "")] });
      }
      return found;
    },
  });
  await importAll();

  const modules: Entry[] = [];
  const texts: Buffer[] = [];
  for (const url of own) {
    const path = pathOf(url);
    if (path === null) continue;
    const was = seen(path)!;
    const read = readFileSync(new URL(url), "utf8");
    const text = path.endsWith(".ts") ? stripTypeScriptTypes(read) : read;
    const bytes = Buffer.from(text);
    modules.push([path, was, bytes.length, bytes.length === text.length, leads.get(url)]);
    texts.push(bytes);
  }
  const contents: Contents = { madeFor: MADE_FOR, packages, modules };
  const list = Buffer.from(JSON.stringify(contents));
  writeSync(file, String(list.length).padStart(DIGITS, "0"));
  writeSync(file, list);
  for (const text of texts) writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${CODE_FILE}.new`, CODE_FILE);
}
