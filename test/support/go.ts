// Go, where it is on the machine: a module of its own in a folder, built with what Go brings along and nothing fetched.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What one test has compiled of Go's library serves those that follow. */
const CACHE = join(import.meta.dirname, "../../node_modules/.cache/go");

export const GO_IS_HERE = spawnSync("go", ["version"]).status === 0;

/** Makes `folder` the module example.org/tried, with these files by their paths. */
export function goModule(folder: string, files: ReadonlyMap<string, string>): void {
  writeFileSync(join(folder, "go.mod"), "module example.org/tried\n\ngo 1.20\n");
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Runs go, gofmt or what was built in the module's folder. */
export function runGo(
  folder: string,
  [command, ...args]: string[],
  settings: Record<string, string> = {},
): SpawnSyncReturns<string> {
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local", GOCACHE: CACHE, ...settings };
  return spawnSync(command!, args, { cwd: folder, env, encoding: "utf8" });
}
