// What a start reads, in one file beside the packages: where each import leads and the text of each module, without types.
// Looking a thousand files up takes longer than running them. The file is used when all of them are as they were when it was
// written (write_code_file.ts); else the start reads them one by one, and has it written anew once it serves.

import { spawn } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../../..");
const ROOT_URL = `${pathToFileURL(ROOT).href}/`;
/** Which Node and which tree it is of: no other one reads it. */
export const MADE_FOR = `${process.version} ${ROOT_URL}`;

export const CODE_FILE = join(ROOT, "node_modules/.cache/belfry/start.code");

/** What says which packages there are: npm writes it with every change of them. */
export const PACKAGES = ["package.json", "node_modules/.package-lock.json"];

/** As the file was: any change of it changes one of them. */
export type Seen = [size: number, mtimeMs: number];

/** A module's path below the tree, how long its text is, and what its imports by a package's name lead to. */
export type Entry = [path: string, seen: Seen, bytes: number, ascii: boolean, leads?: Record<string, Lead>];
export type Lead = [url: string, format: string];

/** The file begins with the length of this in so many digits; then comes this as JSON, then all texts in the order of the modules. */
export const DIGITS = 8;

export interface Contents {
  madeFor: string;
  packages: (Seen | null)[];
  modules: Entry[];
}

interface Module {
  start: number;
  bytes: number;
  ascii: boolean;
  leads: Record<string, Lead> | undefined;
}

/** The path below the tree that a module's address names; null where they are not spelled alike, or it lies elsewhere. */
export function pathOf(url: string): string | null {
  const path = url.startsWith(ROOT_URL) ? url.slice(ROOT_URL.length) : "";
  return /^[\w@./+-]+$/.test(path) ? path : null;
}

/** Null: there is no such file. `path`: below the tree. */
export function seen(path: string): Seen | null {
  const found = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false });
  return found ? [found.size, found.mtimeMs] : null;
}

const same = (a: Seen | null, b: Seen | null) => a?.[0] === b?.[0] && a?.[1] === b?.[1];

/** The modules by their address, and what reads their text; null when they are not what the file says. */
function open(): { modules: Map<string, Module>; text(of: Module): string; close(): void } | null {
  let file: number | null = null;
  try {
    file = openSync(CODE_FILE, "r");
    const descriptor = file;
    // One buffer for all: texts that are no longer needed then take no memory.
    let buffer = Buffer.alloc(2 ** 19);
    const at = (start: number, bytes: number, encoding: BufferEncoding) => {
      if (buffer.length < bytes) buffer = Buffer.alloc(bytes);
      if (readSync(descriptor, buffer, 0, bytes, start) !== bytes) throw new Error("the file ends early");
      return buffer.toString(encoding, 0, bytes);
    };
    const length = Number(at(0, DIGITS, "latin1"));
    const { madeFor, packages, modules }: Contents = JSON.parse(at(DIGITS, length, "utf8"));
    if (madeFor !== MADE_FOR || !PACKAGES.every((path, i) => same(seen(path), packages[i]!)))
      throw new Error("other");
    const found = new Map<string, Module>();
    let start = DIGITS + length;
    for (const [path, was, bytes, ascii, leads] of modules) {
      if (!same(seen(path), was)) throw new Error("changed");
      found.set(ROOT_URL + path, { start, bytes, ascii, leads });
      start += bytes;
    }
    if (start !== fstatSync(file).size) throw new Error("cut");
    return {
      modules: found,
      text: (of) => at(of.start, of.bytes, of.ascii ? "latin1" : "utf8"),
      close: () => closeSync(descriptor),
    };
  } catch {
    if (file !== null) closeSync(file);
    return null;
  }
}

export interface CodeFile {
  /** Whether modules come from the file. */
  used: boolean;
  /** What is imported from now on is read where it lies. A file that could not be used is written anew, by a process beside this one. */
  served(): void;
}

/** From now on imports are answered from the file, where it can be used. */
export function useCodeFile(): CodeFile {
  const found = open();
  if (!found) return { used: false, served: writeBeside };
  const { modules, text, close } = found;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const from = context.parentURL;
      // What CommonJS requires is read as ever.
      if (from === undefined || context.conditions.includes("require")) return next(specifier, context);
      if (specifier.startsWith(".")) {
        const { href } = new URL(specifier, from);
        if (modules.has(href)) return { url: href, format: "module", shortCircuit: true };
        return next(specifier, context);
      }
      const leads = modules.get(from)?.leads;
      if (!leads || !Object.hasOwn(leads, specifier)) return next(specifier, context);
      const [url, format] = leads[specifier]!;
      return { url, format, shortCircuit: true };
    },
    load(url, context, next) {
      const module = modules.get(url);
      if (!module) return next(url, context);
      return { format: "module", source: text(module), shortCircuit: true };
    },
  });
  return {
    used: true,
    served() {
      hooks.deregister();
      modules.clear();
      close();
    },
  };
}

/** Nobody waits for it, and what it cannot do costs the next start some tenths of a second. */
function writeBeside(): void {
  try {
    mkdirSync(dirname(CODE_FILE), { recursive: true });
    accessSync(dirname(CODE_FILE), constants.W_OK);
  } catch {
    return;
  }
  const writer = spawn(process.execPath, [join(import.meta.dirname, "write_code_file.ts")], {
    cwd: ROOT,
    env: {},
    detached: true,
    stdio: "ignore",
  });
  writer.on("error", () => {});
  writer.unref();
}
