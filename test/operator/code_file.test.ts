// A start reads its code from one file, and never another text than the one that lies in the tree. Tried on a copy of the
// tree, whose files may be changed.

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, temporaryFolder } from "../support/processes.ts";
import { eventually } from "../support/wait.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = temporaryFolder();
const tree = join(folder.path, "tree");
const CODE = join(tree, "node_modules/.cache/belfry/start.code");
/** Some module of the tree that says something. */
const SCOPES = join(tree, "src/model/scopes.ts");

beforeAll(() => {
  for (const part of ["src", "tools", "package.json"])
    cpSync(join(ROOT, part), join(tree, part), { recursive: true });
  mkdirSync(join(tree, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (name !== ".cache") symlinkSync(join(ROOT, "node_modules", name), join(tree, "node_modules", name));
});
afterAll(() => folder.remove());

/** Runs a text in the tree and answers with what it says. */
function said(text: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    cwd: tree,
    env: {},
    encoding: "utf8",
  });
  return stdout || stderr;
}

const write = () =>
  spawnSync(process.execPath, ["src/program/boot/write_code_file.ts"], { cwd: tree, env: {} });

/** As a start does: whether the file is used, what a module of it says, and whether types had to be taken out. */
function start(): { used: boolean; types: boolean; meaning: string } {
  return JSON.parse(
    said(`
    const { useCodeFile } = await import("./src/program/boot/code_file.ts");
    const atFirst = process.moduleLoadList.length;
    const code = useCodeFile();
    await import("./src/program/boot/serve.ts");
    await import("./src/program/boot/parts.ts");
    const { SCOPES } = await import("./src/model/scopes.ts");
    const types = process.moduleLoadList.slice(atFirst).some((name) => name.includes("amaro"));
    console.log(JSON.stringify({ used: code.used, types, meaning: SCOPES["alerts:send"] }));
  `),
  );
}

const PUBLISH = expect.stringMatching(/^Publish, /);
const change = (from: string, to: string) =>
  writeFileSync(SCOPES, readFileSync(SCOPES, "utf8").replace(from, to));

test("without the file, modules are read where they lie; with it, from it alone", () => {
  utimesSync(SCOPES, 1, 1);
  expect(start()).toMatchObject({ used: false, meaning: PUBLISH });
  write();
  expect(start()).toMatchObject({ used: true, types: false, meaning: PUBLISH });
  // Nothing tells this text from the one before, so it is not looked at.
  change("Publish", "Whisper");
  utimesSync(SCOPES, 1, 1);
  expect(start()).toMatchObject({ used: true, meaning: PUBLISH });
  change("Whisper", "Publish");
});

test("a module that changed, a package that npm changed, and a damaged file: it is not used", () => {
  write();
  change("Publish", "Announce");
  expect(start()).toMatchObject({ used: false, meaning: expect.stringMatching(/^Announce, /) });
  change("Announce", "Publish");
  write();
  expect(start().used).toBe(true);
  appendFileSync(join(tree, "package.json"), "\n");
  expect(start().used).toBe(false);
  write();
  expect(start().used).toBe(true);
  truncateSync(CODE, statSync(CODE).size - 1);
  expect(start().used).toBe(false);
  truncateSync(CODE, 20);
  expect(start()).toMatchObject({ used: false, meaning: PUBLISH });
  writeFileSync(CODE, "");
  expect(start().used).toBe(false);
});

test("of two who write it, one does; what an interrupted one began is begun anew", () => {
  rmSync(CODE);
  writeFileSync(`${CODE}.new`, "");
  write();
  expect(existsSync(CODE)).toBe(false);
  utimesSync(`${CODE}.new`, 0, 0);
  write();
  expect(start().used).toBe(true);
});

test("a service that could not use the file has it written anew while it serves", async () => {
  rmSync(CODE, { force: true });
  const server = await startServer(join(folder.path, "data"), { args: [join(tree, "src/main.ts")] });
  try {
    await eventually(() => existsSync(CODE));
    expect(start()).toMatchObject({ used: true, types: false });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});
