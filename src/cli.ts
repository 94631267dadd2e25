#!/usr/bin/env -S node --max-semi-space-size=16
// The `belfry` command: hands the list of operations, the clock and the service to the command tree. Loads the rest
// through a cache of compiled code, since a command line is started often and lives briefly.

import { enableCache } from "./program/boot/start_cache.ts";

enableCache();

const [{ TOOLS }, { runCli }, { endWithReader }, { default: belfry }] = await Promise.all([
  import("../tools/index.ts"),
  import("./program/cli/program.ts"),
  import("./program/cli/output.ts"),
  import("../package.json", { with: { type: "json" } }),
]);

endWithReader();
process.exitCode = await runCli(process.argv.slice(2), {
  tools: TOOLS,
  version: belfry.version,
  serve: async () => {
    const { failStart, serveUntilStopped } = await import("./program/boot/serve.ts");
    await serveUntilStopped().catch(failStart);
  },
  now: () => new Date(),
});
