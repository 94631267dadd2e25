// A start resolves imports from its cache, and reads the current text. Tested on a copy of the tree, whose files may be
// changed.

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, temporaryFolder } from "../support/processes.ts";
import { waitUntil } from "../support/wait.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = temporaryFolder();
const tree = join(folder.path, "tree");
const CACHE = join(tree, "node_modules/.cache/belfry");
const IMPORTS = join(CACHE, "imports.json");
/** Some module of the tree, another one in its place, and one that imports it and prints its value. */
const SCOPES = join(tree, "src/model/scopes.ts");
const PLANTED = join(tree, "src/model/planted.ts");
const SAYS = join(tree, "src/model/says.ts");

beforeAll(() => {
  for (const part of ["src", "operations", "package.json"])
    cpSync(join(ROOT, part), join(tree, part), { recursive: true });
  mkdirSync(join(tree, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (name !== ".cache") symlinkSync(join(ROOT, "node_modules", name), join(tree, "node_modules", name));
  writeFileSync(PLANTED, readFileSync(SCOPES, "utf8").replace("Publish", "Whisper"));
  writeFileSync(SAYS, `import { SCOPES } from "./scopes.ts";\nconsole.log(SCOPES["alerts:send"]);\n`);
});
afterAll(() => folder.remove());

/** Like a start: imports, stores the cache, and returns the module's value. */
function said(): string {
  const text = `
    const { cacheModuleResolution } = await import("./src/program/boot/start_cache.ts");
    const keep = cacheModuleResolution();
    await import("./src/model/says.ts");
    keep();`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    cwd: tree,
    env: {},
    encoding: "utf8",
  });
  return stdout || stderr;
}

/** Nothing but what is known leads from the module to the planted one. */
function plant(): void {
  const known = JSON.parse(readFileSync(IMPORTS, "utf8"));
  known.leads[pathToFileURL(SAYS).href]["./scopes.ts"][0] = pathToFileURL(PLANTED).href;
  writeFileSync(IMPORTS, JSON.stringify(known));
}

test("imports resolve to their earlier files, and the text is the current one", () => {
  expect(said()).toMatch(/^Publish, /);
  plant();
  expect(said()).toMatch(/^Whisper, /);
  writeFileSync(PLANTED, readFileSync(PLANTED, "utf8").replace("Whisper", "Announce"));
  expect(said()).toMatch(/^Announce, /);
});

test("after npm changed a package, and where the file is damaged, they are looked up and stored again", () => {
  const damage = [
    () => appendFileSync(join(tree, "package.json"), "\n"),
    () => truncateSync(IMPORTS, 20),
    () => writeFileSync(IMPORTS, ""),
    () => rmSync(IMPORTS),
  ];
  for (const harm of damage) {
    said();
    plant();
    harm();
    expect(said()).toMatch(/^Publish, /);
    plant();
    expect(said()).not.toMatch(/^Publish, /);
  }
});

test("where nothing can be written, a start does without", () => {
  rmSync(CACHE, { recursive: true });
  writeFileSync(CACHE, "");
  expect(said()).toMatch(/^Publish, /);
  rmSync(CACHE);
});

test("npm ci fills it for the first start, and a service that found it empty fills it itself", async () => {
  const holds = () => Object.keys(JSON.parse(readFileSync(IMPORTS, "utf8")).leads).length;
  spawnSync(process.execPath, ["src/program/boot/start_cache.ts"], { cwd: tree, env: {} });
  expect(holds()).toBeGreaterThan(500);
  rmSync(IMPORTS);
  const server = await startServer(join(folder.path, "data"), { args: [join(tree, "src/main.ts")] });
  try {
    // The greeting comes before the last import is over.
    await waitUntil(() => existsSync(IMPORTS));
    expect(holds()).toBeGreaterThan(500);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

// A program cannot set its own heap and arenas, which exist before its first line
// (docs/contributing/testing.md#memory). Linux before 5.1 cuts a first line at 127 characters.
test("every kind of start has the same heap layout", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const [command] = readFileSync(join(ROOT, "src/cli.ts"), "utf8").split("\n");
  const flags = [scripts.start, scripts.belfry, command].map((line) => /node (--max-\S+ --heap-\S+)/.exec(line)?.[1]);
  expect(flags).toEqual(Array(3).fill("--max-semi-space-size=16 --heap-growing-percent=100"));
  expect(command?.length).toBeLessThan(127);
  const deployed = ["Dockerfile", "belfry.service"].map((file) => readFileSync(join(ROOT, "deploy", file), "utf8"));
  for (const start of [scripts.start, scripts.belfry, ...deployed]) expect(start).toMatch(/[ =]MALLOC_ARENA_MAX=1\b/);
});
