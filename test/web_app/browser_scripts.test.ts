// The scripts that browsers run, as the bundler builds them: which files there are, their size, and the report of a
// build that fails.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildAppFiles } from "../../src/pages/web_app/app_files.ts";
import { LANGUAGES } from "../../src/pages/web_app/browser/texts/languages.ts";
import { loadBrowserScripts } from "../../src/pages/web_app/browser_scripts.ts";
import { ROOT, runProgram, temporaryFolder } from "../support/processes.ts";

const LANGUAGE_FILES = Object.keys(LANGUAGES).map((language) => `${language}.js`);

test("the app is one script, and one language's texts and QR codes are loaded when they are needed", async () => {
  const { app } = await loadBrowserScripts();
  expect(Object.keys(app).sort()).toEqual(["main.js", "qr.js", ...LANGUAGE_FILES].sort());
  // A minified static import has no blank before its specifier.
  const imports = Object.values(app).flatMap((text) => text.match(/\b(?:from|import\(?)["'`]\.[^"'`]+/g) ?? []);
  expect(imports.map((found) => found.replace(/["'`]/, "")).sort()).toEqual(
    ["qr.js", ...LANGUAGE_FILES].map((file) => `import(./${file}`).sort(),
  );
});

test("the worker caches the app without its languages, and has the address of each", async () => {
  const files = await buildAppFiles();
  const constants = files.get("/sw.js")!.plain.slice(0, 6_000);
  const text = Buffer.from(constants).toString();
  const shell: string[] = JSON.parse(/const SHELL = (\[.*?\]);/.exec(text)![1]!);
  const languages: Record<string, string> = JSON.parse(/const LANGUAGE_FILES = (\{.*?\});/.exec(text)![1]!);
  expect(Object.keys(languages)).toEqual(Object.keys(LANGUAGES));
  for (const path of Object.values(languages)) {
    expect(files.has(path), path).toBe(true);
    expect(shell).not.toContain(path);
  }
  expect(shell.some((path) => path.endsWith("/main.js"))).toBe(true);
  // The app as a reader of the largest language transfers it, the limit of issue 39.
  const bytes = (path: string) => files.get(path)!.gzip?.length ?? files.get(path)!.plain.length;
  const shared = shell.filter((path) => /\.(js|css)$|\/app\/$/.test(path)).map(bytes);
  const largest = Math.max(...Object.values(languages).map(bytes));
  expect(shared.reduce((sum, size) => sum + size, largest)).toBeLessThan(120_000);
});

test("the scripts stay below their sizes as browsers fetch them", async () => {
  const { app, "sw.js": worker, "near.js": near } = await loadBrowserScripts();
  const bytes = (text: string) => gzipSync(text, { level: 9 }).length;
  expect(bytes(app["main.js"]!)).toBeLessThan(62_000);
  for (const file of LANGUAGE_FILES) expect(bytes(app[file]!), file).toBeLessThan(10_000);
  expect(bytes(worker)).toBeLessThan(13_000);
  expect(bytes(near)).toBeLessThan(1_700);
});

test("the worker and the search for channels nearby are classic scripts", async () => {
  const { "sw.js": worker, "near.js": near } = await loadBrowserScripts();
  for (const text of [worker, near]) expect(() => new Script(text)).not.toThrow();
});

test("a tree without the packages for development explains how to get the scripts", async () => {
  const tree = temporaryFolder();
  try {
    const path = "src/pages/web_app/browser_scripts.ts";
    for (const file of [path, "src/pages/web_app/build_scripts.ts", "src/store/db/lazy.ts", "package.json"])
      cpSync(join(ROOT, file), join(tree.path, file));
    const program = `(await import(${JSON.stringify(
      join(tree.path, path),
    )})).loadBrowserScripts().catch((error) => console.log(error.message))`;
    const { stdout } = await runProgram(process.execPath, ["--input-type=module", "-e", program], {});
    expect(stdout).toBe(
      "The scripts for browsers could not be built. Run npm ci without --omit=dev, or use the package built with npm " +
        "pack.\n",
    );
  } finally {
    tree.remove();
  }
});
