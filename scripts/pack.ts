// What `npm pack` ships, made in `dist` before it packs: Node refuses TypeScript below node_modules, so the same files without types,
// line for line, whatever lies beside them, and the docs. The scripts that browsers run are built into one file.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

/** The sources of what browsers run, and their build. */
const FOR_BROWSERS = /^src\/pages\/(web_app\/(browser\/|worker\/|build_scripts\.ts)|public_pages\/near\.js)/;
/** Names of our own files in imports: all stand in double quotes and begin with a dot. */
const OWN = /((?:\bfrom|\bimport|\bimport\() ?")(\.{1,2}\/[^"]+\.ts)"/g;

/** A script of a page may stand beside the module that serves it, under the same name with .js. */
const js = (path: string) =>
  path.replace(/ts$/, existsSync(join(ROOT, path.replace(/ts$/, "js"))) ? "mjs" : "js");

function withoutTypes(path: string): string {
  const text = stripTypeScriptTypes(readFileSync(join(ROOT, path), "utf8"));
  return text.replace(
    OWN,
    (_, before, name) =>
      `${before}${name.slice(0, -2)}${js(join(path, "..", name))
        .split(".")
        .at(-1)}"`,
  );
}

// It is marked as an experiment, and says so.
process.removeAllListeners("warning");
rmSync(DIST, { recursive: true, force: true });
for (const path of globSync("{src,tools}/**/*.*", { cwd: ROOT })) {
  if (FOR_BROWSERS.test(path)) continue;
  const isCode = path.endsWith(".ts");
  const to = join(DIST, isCode ? js(path) : path);
  mkdirSync(dirname(to), { recursive: true });
  if (!isCode) cpSync(join(ROOT, path), to);
  else writeFileSync(to, withoutTypes(path));
}

const WEB_APP = "src/pages/web_app";
writeFileSync(
  join(DIST, WEB_APP, "scripts.json"),
  execFileSync(process.execPath, [join(ROOT, WEB_APP, "build_scripts.ts")]),
);

// The docs, which the service shows as pages.
for (const path of globSync(["*.md", "docs/**/*.{md,png,svg}"], { cwd: ROOT }))
  cpSync(join(ROOT, path), join(DIST, path));

/** The files find it at the same place as in the tree. */
const { name, version, type, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const own = { name, version, type, devDependencies: { node: devDependencies.node } };
writeFileSync(join(DIST, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
