// The Node that runs the service: the one that was started, if it is new enough, else the one that npm installed.
// `belfry mcp` also runs on older ones. docs/decisions/0027-the-package-runs-on-the-users-node.md explains why the
// package does not bundle Node.

import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { printNote } from "./output.ts";

/**
 * Requirements for Node: SQLite, which locks the data folder, hooks for imports, and the minimum version of our
 * packages.
 */
const NEEDED = [22, 19] as const;

export function isNodeNewEnough(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** Runs this command line on a Node of that version, to its end; its exit code. */
export async function runOnNewerNode(version: string): Promise<number> {
  const node = installed() ?? fetched(version);
  if (node === null) {
    printNote(
      `this command needs Node ${NEEDED.join(".")} or newer; this is ${process.versions.node}, and npm did not ` +
        "install a newer one. Only belfry mcp works with this version.",
    );
    return 2;
  }
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
  });
}

function installed(): string | null {
  try {
    const node = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node");
    const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" });
    return isNodeNewEnough(version) ? node : null;
  } catch {
    return null;
  }
}

function fetched(version: string): string | null {
  printNote(`Node ${process.versions.node} is too old. Installing Node ${version} with npm.`);
  try {
    const asked = ["exec", "--yes", `--package=node@${version}`, "--", "node", "-p", "process.execPath"];
    return execFileSync("npm", asked, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || null;
  } catch {
    return null;
  }
}
