// A second start reads compiled code alone: what strips types from TypeScript takes 14 MB and is not even loaded.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../support/processes.ts";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Prints at the end whether the part of Node that strips types was loaded. */
const SAYS = `process.on("exit", () => console.error(process.moduleLoadList.some((name) => name.includes("amaro"))))`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(SAYS)}`;

async function stripped(script: string): Promise<string> {
  const PATH = `${join(process.execPath, "..")}:${process.env.PATH}`;
  const { code, stderr } = await runProgram("sh", ["-c", script], { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE: "" });
  expect(code).toBe(0);
  return stderr.trim();
}

test("the scripts of package.json read no compiler once everything has been compiled", async () => {
  const version = `${scripts.belfry} --version`;
  await stripped(version);
  expect(await stripped(version)).toBe("false");
  // Without the folder in the environment, the first files are stripped each time.
  expect(await stripped("exec node src/cli.ts --version")).toBe("true");
});

test("npm start keeps compiled code where the command keeps it", () => {
  const [folder] = /^NODE_COMPILE_CACHE=\S+ /.exec(scripts.start)!;
  expect(scripts.belfry.startsWith(folder)).toBe(true);
});
