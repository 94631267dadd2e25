#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=100 --disable-warning=ExperimentalWarning
// The `belfry` command. `mcp` and `listen`, which other programs start, load nothing else; all other commands take the list of operations, the clock
// and the service, on a Node that is new enough. Through a cache of compiled code, since a command line is started often and lives briefly.

import { endOnSignals } from "./program/boot/early_signals.ts";
import { enableCache } from "./program/boot/start_cache.ts";

enableCache();

const args = process.argv.slice(2);
if (args[0] === "serve") endOnSignals();
const [{ endWithReader }, { default: belfry }] = await Promise.all([
  import("./program/cli/output.ts"),
  import("../package.json", { with: { type: "json" } }),
]);

endWithReader();
process.exitCode = await outcome();

async function outcome(): Promise<number> {
  if (["mcp", "listen", "--version"].includes(args[0] ?? "")) {
    const { createRoot, run } = await import("./program/cli/root.ts");
    return run(createRoot(belfry.version), args);
  }
  const { isNewEnough, runOnNewerNode } = await import("./program/cli/newer_node.ts");
  if (!isNewEnough()) return runOnNewerNode(belfry.devDependencies.node);
  const [{ TOOLS }, { runCli }] = await Promise.all([import("../tools/index.ts"), import("./program/cli/program.ts")]);
  const serve = async () => {
    const { failStart, serveUntilStopped } = await import("./program/boot/serve.ts");
    await serveUntilStopped().catch(failStart);
  };
  return runCli(args, { tools: TOOLS, version: belfry.version, serve, now: () => new Date() });
}
