// Go, where it is on the machine: a module of its own in a folder, built with what Go brings along and nothing fetched.

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";

/**
 * Its library is compiled with fewer optimisations: these programs live for a second. The results stay in Go's own
 * cache.
 */
const QUICKLY = { GOFLAGS: "-mod=mod -gcflags=all=-l", CGO_ENABLED: "0" };

/** Makes `folder` the module example.org/tried, with these files by their paths. */
export function writeGoModule(folder: string, files: ReadonlyMap<string, string>): void {
  writeFileSync(join(folder, "go.mod"), "module example.org/tried\n\ngo 1.20\n");
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Go compiles its library first, which takes a busy machine with an empty cache minutes. */
export const GO_TIMEOUT_MS = 900_000;

/**
 * Runs go or gofmt in the module's folder. The thread stays free: a worker that is silent for a minute counts as
 * lost.
 */
export function runGo(
  folder: string,
  [command, ...args]: string[],
): Promise<{ status: number | string; stdout: string; stderr: string }> {
  // Go's cache is in the user's own home. It reads no settings there.
  const own = { HOME: userInfo().homedir, GOENV: "off", GOTOOLCHAIN: "local" };
  const env = { ...process.env, ...QUICKLY, ...own };
  return new Promise((resolve) => {
    execFile(command!, args, { cwd: folder, env, encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? "killed") : 0, stdout, stderr }),
    );
  });
}
