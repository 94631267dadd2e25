#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=100 --disable-warning=ExperimentalWarning
// The `belfry` command. `mcp` and `listen`, which other programs start, load nothing else; all other commands take
// the list of operations, the clock and the service, on a Node that is new enough. Through a cache of compiled code,
// since a command line is started often and lives briefly.

import { exitOnSignals } from "./program/boot/early_signals.ts";
import { enableCompileCache } from "./program/boot/start_cache.ts";

enableCompileCache();

const args = process.argv.slice(2);
if (args[0] === "serve") exitOnSignals();
const [{ exitOnClosedPipe }, { default: belfry }] = await Promise.all([
  import("./program/cli/output.ts"),
  import("../package.json", { with: { type: "json" } }),
]);

exitOnClosedPipe();
process.exitCode = await outcome();

async function outcome(): Promise<number> {
  if (["mcp", "listen", "--version"].includes(args[0] ?? "")) {
    const { createRootCommand, runCommandLine } = await import("./program/cli/root_command.ts");
    return runCommandLine(createRootCommand(belfry.version), args);
  }
  const { isNewEnough, runOnNewerNode } = await import("./program/cli/node_version.ts");
  if (!isNewEnough()) return runOnNewerNode(belfry.devDependencies.node);
  const [{ OPERATIONS }, { runCli }] = await Promise.all([
    import("../operations/index.ts"),
    import("./program/cli/command_tree.ts"),
  ]);
  const serve = async () => {
    const { failStart, serveUntilStopped } = await import("./program/boot/run_service.ts");
    await serveUntilStopped().catch(failStart);
  };
  return runCli(args, { tools: OPERATIONS, version: belfry.version, serve, now: () => new Date() });
}
