// The start of every command line: the program's name, its version and its server, and the commands `mcp` and
// `listen`. Loads nothing of the service, so that these commands start quickly.

import { Command } from "commander";
import { readWholeNumber } from "./option_values.ts";
import { printError } from "./output.ts";
import { addConnectionOptions, resolveServerUrl, URL_OPTION_HELP } from "./server_connection.ts";

/** The common part of every command line, without anything of the service. */
export function createClientProgram(version: string): Command {
  const program = new Command("belfry")
    .description("Use alert channels from the command line. Results are tables on a terminal, and JSON elsewhere.")
    .version(version)
    // Arguments behind a command's name belong to the command: operations may have a --url of their own.
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ subcommandTerm: (command) => command.name(), showGlobalOptions: false });
  addConnectionOptions(program);
  program.commandsGroup("Assistants, scripts and shells:");
  const mcp = program
    .command("mcp")
    .summary("run an MCP server over stdio")
    .description("Run an MCP server for a local assistant over standard input and output.");
  addConnectionOptions(mcp);
  mcp.action(async (own) => {
    const { serveMcpOverStdio } = await import("./mcp_command.ts");
    await serveMcpOverStdio({ ...program.opts(), ...own });
  });
  program
    .command("listen")
    .summary("forward a channel's alerts to a program")
    .description(
      "Subscribe to a channel and forward each alert, either as a line of JSON on standard output or to a command.",
    )
    .argument("<handle>", "the channel's handle")
    .option("--invite <code>", "an invite to a private channel")
    .option(
      "--exec <command>",
      "a shell command to run for each alert, with BELFRY_TITLE, BELFRY_BODY, BELFRY_PRIORITY, BELFRY_CHANNEL, " +
        "BELFRY_ID, BELFRY_SENT_AT and BELFRY_SOURCE_URL, and the JSON on its standard input",
    )
    .option("--ack", "acknowledge each alert after forwarding it")
    .option("--count <n>", "exit after this many alerts", readWholeNumber)
    .option("--state <file>", "file for the device token and progress; use one per listener")
    .option("--url <url>", URL_OPTION_HELP)
    .action(async (handle: string, own) => {
      const { runListen } = await import("./listen_command.ts");
      await runListen(handle, version, { url: program.opts().url, ...own });
    });
  const serverOnly = (name: string, summary: string, description: string) =>
    program.command(name).summary(summary).description(description).option("--url <url>", URL_OPTION_HELP);
  const serverOf = (own: { url?: string }) => resolveServerUrl({ url: program.opts().url, ...own });
  serverOnly(
    "login",
    "sign in with a browser",
    "Sign in with a browser instead of a key. The tokens are stored for this user.",
  )
    .option("--scopes <list>", "all, or a comma-separated list of scopes", "all")
    .action(async (own) => (await import("./login_command.ts")).logIn(serverOf(own), own.scopes));
  serverOnly("logout", "end the login", "Revoke and remove a login's tokens.").action(async (own) =>
    (await import("./login_command.ts")).logOut(serverOf(own)),
  );
  serverOnly("open", "open the console", "Open the server's console in a browser.").action(async (own) =>
    (await import("./login_command.ts")).openConsole(serverOf(own)),
  );
  return program;
}

/** Runs one command line of the program; the exit code. */
export async function runCommandLine(program: Command, argv: string[]): Promise<number> {
  try {
    await program.parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return printError(error);
  }
}
