#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=100 --disable-warning=ExperimentalWarning
// The `belfry` command. Commands without an operation load nothing else; all other commands take
// the list of operations, the clock and the service. Only `mcp` and `--version` run on older versions of Node. Through
// a cache of compiled code, since a command line is started often and lives briefly.

import { existsSync } from "node:fs";
import { extname } from "node:path";
import type { OwnerOperation } from "./operation/define_operation.ts";
import { exitOnEarlySignals } from "./program/boot/early_signals.ts";
import { cacheModuleResolution, enableCompileCache } from "./program/boot/start_cache.ts";

enableCompileCache();

const args = process.argv.slice(2);
if (args[0] === "serve") exitOnEarlySignals();
const [{ exitOnClosedPipe }, { default: belfry }] = await Promise.all([
  import("./program/cli/output.ts"),
  import("../package.json", { with: { type: "json" } }),
]);

exitOnClosedPipe();
process.exitCode = await outcome();

async function outcome(): Promise<number> {
  const command = args[0] ?? "";
  if (!["mcp", "--version"].includes(command)) {
    const { isNodeNewEnough, runOnNewerNode } = await import("./program/cli/run_on_newer_node.ts");
    if (!isNodeNewEnough()) return runOnNewerNode(belfry.devDependencies.node);
  }
  if (["mcp", "listen", "login", "logout", "open", "--version"].includes(command)) {
    const { createClientProgram, runCommandLine } = await import("./program/cli/root_command.ts");
    return runCommandLine(createClientProgram(belfry.version), args);
  }
  const keepImports = cacheModuleResolution();
  const [tools, { runCli }] = await Promise.all([loadOperations(), import("./program/cli/command_tree.ts")]);
  keepImports();
  const serve = async () => {
    const { failStart, serveUntilStopped } = await import("./program/boot/run_service.ts");
    await serveUntilStopped().catch(failStart);
  };
  return runCli(args, { tools, version: belfry.version, serve, now: () => new Date() });
}

/** The operation of this command alone, whose code loads in a third of the time; all for any other command. */
async function loadOperations(): Promise<readonly OwnerOperation[]> {
  const command = args[0] ?? "";
  const name = command === "send" ? "create_alert" : command.replaceAll("-", "_");
  const file = new URL(`../operations/${name}${extname(import.meta.url)}`, import.meta.url);
  const isOperation = /^[a-z_]+_[a-z]+$|^redeliver$/.test(name) && existsSync(file);
  return isOperation ? [(await import(file.href)).default] : (await import("../operations/index.ts")).OPERATIONS;
}
