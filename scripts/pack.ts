// The files of the package, made in `dist` before npm packs it. Node refuses TypeScript below node_modules, so the
// compiler turns the program into JavaScript. The scripts for browsers are built into one file. Style sheets, SQL,
// pictures and the docs are copied.

import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const WEB_APP = "src/pages/web_app";

const node = (...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: ROOT, maxBuffer: 16 << 20, stdio: ["ignore", "pipe", "inherit"] });

rmSync(DIST, { recursive: true, force: true });
node("node_modules/typescript/bin/tsc", "-p", "tsconfig.pack.json");
writeFileSync(join(DIST, WEB_APP, "scripts.json"), node(join(WEB_APP, "build_scripts.ts")));

const copied = ["*.md", "docs/**/*.{md,png,svg}", "{src,operations}/**/*.*"];
// A copy must not replace the code that was compiled from a file of the same name.
for (const path of globSync(copied, { cwd: ROOT, exclude: ["**/*.ts", "**/near.js", "**/page_language.js"] }))
  cpSync(join(ROOT, path), join(DIST, path), { force: false, errorOnExist: true });

/** The files find it at the same place as in the tree. */
const { name, version, type, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const own = { name, version, type, devDependencies: { node: devDependencies.node } };
writeFileSync(join(DIST, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
