// The cache of a start: compiled code, which Node stores, and the targets of imports. Resolving a thousand imports
// takes as long as running them. Both are stored next to the packages, where only users who may change the code can
// write. Without them, a start takes longer. Run as a program, it fills both for the first start: `npm ci` does this.

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
// Not by name: an older Node, on which `belfry mcp` runs, has no such exports.
import module from "node:module";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
/**
 * package.json's scripts also name it, so the first files come from the cache, and the type stripper (14 MB) is not
 * loaded.
 */
const FOLDER = join(ROOT, "node_modules/.cache/belfry");
const IMPORTS = join(FOLDER, "imports.json");

/** Address of a module → what it imports → where that leads. */
type Leads = Record<string, Record<string, [url: string, format: string]>>;

/** It covers the modules that are imported afterwards. */
export const enableCompileCache = () => module.enableCompileCache?.(FOLDER);

/** The key of the cache: Node, the tree and the packages. npm writes both files with every change of these. */
const madeFor = () =>
  [process.version, ROOT]
    .concat(["package.json", "node_modules/.package-lock.json"].map((path) => describeFile(join(ROOT, path))))
    .join(" ");

function describeFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.size} ${found.mtimeMs}` : "none";
}

function read(now: string): Leads {
  try {
    const found: { madeFor: string; leads: Leads } = JSON.parse(readFileSync(IMPORTS, "utf8"));
    return found.madeFor === now ? found.leads : {};
  } catch {
    return {};
  }
}

/**
 * Resolves imports from the cache; new ones are resolved and recorded. The returned function ends this and stores the
 * new ones. File contents are never cached, so edits need no further step.
 */
export function cacheModuleResolution(): () => void {
  const now = madeFor();
  let leads = read(now);
  let noted = false;
  const hooks = module.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL: from, conditions } = context;
      // CommonJS requires are resolved as usual.
      if (from === undefined || conditions.includes("require")) return next(specifier, context);
      const [url, format] = leads[from]?.[specifier] ?? [];
      if (url !== undefined) return { url, format, shortCircuit: true };
      const found = next(specifier, context);
      if (found.format) {
        leads[from] = { ...leads[from], [specifier]: [found.url, found.format] };
        noted = true;
      }
      return found;
    },
  });
  return () => {
    hooks.deregister();
    if (noted) write({ madeFor: now, leads });
    leads = {};
  };
}

/** Whole or not at all: several starts may write at once. */
function write(contents: object): void {
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(`${IMPORTS}.${process.pid}`, JSON.stringify(contents));
    renameSync(`${IMPORTS}.${process.pid}`, IMPORTS);
  } catch {
    // The next start looks them up again.
  }
}

if (import.meta.main) {
  enableCompileCache();
  const keep = cacheModuleResolution();
  await import("./run_service.ts");
  await (await import("./composition_root.ts")).preloadMigrations();
  keep();
}
