// The scripts that browsers run, as the bundler builds them: which files there are, their size, and the report of a
// build that fails.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { browserScripts } from "../../src/pages/web_app/browser_scripts.ts";
import { ROOT, runProgram, temporaryFolder } from "../support/processes.ts";

test("the app is one script, and German texts and QR codes are loaded when they are needed", async () => {
  const { app } = await browserScripts();
  expect(Object.keys(app).sort()).toEqual(["de.js", "main.js", "qr.js"]);
  // A minified static import has no blank before its specifier.
  const imports = Object.values(app).flatMap((text) => text.match(/\b(?:from|import\(?)["'`]\.[^"'`]+/g) ?? []);
  expect(imports.map((found) => found.replace(/["'`]/, "")).sort()).toEqual(["import(./de.js", "import(./qr.js"]);
});

test("the scripts stay below their sizes as browsers fetch them", async () => {
  const { app, "sw.js": worker, "near.js": near } = await browserScripts();
  const bytes = (text: string) => gzipSync(text, { level: 9 }).length;
  expect(bytes(app["main.js"]!)).toBeLessThan(62_000);
  expect(bytes(app["de.js"]!)).toBeLessThan(7_000);
  expect(bytes(worker)).toBeLessThan(11_000);
  expect(bytes(near)).toBeLessThan(1_700);
});

test("the worker and the search for channels nearby are classic scripts", async () => {
  const { "sw.js": worker, "near.js": near } = await browserScripts();
  for (const text of [worker, near]) expect(() => new Script(text)).not.toThrow();
});

test("a tree without the packages for development says how to get the scripts", async () => {
  const tree = temporaryFolder();
  try {
    const path = "src/pages/web_app/browser_scripts.ts";
    for (const file of [path, "src/pages/web_app/build_scripts.ts", "src/store/db/lazy.ts", "package.json"])
      cpSync(join(ROOT, file), join(tree.path, file));
    const program = `(await import(${JSON.stringify(join(tree.path, path))})).browserScripts().catch((error) => console.log(error.message))`;
    const { stdout } = await runProgram(process.execPath, ["--input-type=module", "-e", program], {});
    expect(stdout).toBe(
      "The scripts for browsers could not be built. Run npm ci without --omit=dev, or run the package that npm pack makes.\n",
    );
  } finally {
    tree.remove();
  }
});
