// Where every command line begins: the program's name, its version and its server, and the command `mcp`. Loads nothing of the
// service, so that an assistant that starts it need not wait.

import { Command } from "commander";
import { addConnectionOptions } from "./connection.ts";
import { report } from "./output.ts";

/** What every command line begins with, and `mcp`, which needs nothing of the service and is started often. */
export function createRoot(version: string): Command {
  const program = new Command("belfry")
    .description("Alert channels from the command line. Results are JSON on standard output.")
    .version(version)
    // What stands behind a command's name is the command's: operations may have a --url of their own.
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name(), showGlobalOptions: false });
  addConnectionOptions(program);
  program.commandsGroup("Assistants, scripts and shells:");
  const mcp = program
    .command("mcp")
    .summary("serve the operations over stdio (MCP)")
    .description("Serve the operations to a local assistant over standard input and output (MCP).");
  addConnectionOptions(mcp);
  mcp.action(async (own) => {
    const { serveMcp } = await import("./mcp_command.ts");
    await serveMcp({ ...program.opts(), ...own });
  });
  return program;
}

/** Runs one command line of the program; the exit code. */
export async function run(program: Command, argv: string[]): Promise<number> {
  try {
    await program.parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
}
