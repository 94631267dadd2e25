// The command tree: server, operator, operations, completions. Only puts the parts together.

import { Argument, type Command } from "commander";
import type { OwnerOperation } from "../../operation/define_operation.ts";
import { createCompletion, SHELLS } from "./completion.ts";
import { addOperationCommands } from "./operation_commands.ts";
import { addOperatorCommands } from "./operator_commands.ts";
import { toKebabCase } from "./option_values.ts";
import { printResult } from "./output.ts";
import { createClientProgram, runCommandLine } from "./root_command.ts";
import { addSendCommand } from "./send_command.ts";

interface CliDeps {
  tools: readonly OwnerOperation[];
  version: string;
  serve(): Promise<void>;
  now(): Date;
}

/** The whole tree, ready to parse. */
export function createCliProgram({ tools, version, serve, now }: CliDeps): Command {
  const program = createClientProgram(version);

  program.commandsGroup("Server and operator (on the server's machine):");
  program
    .command("serve")
    .summary("run the service")
    .description("Run the service until a signal ends it. Settings are read from the environment.")
    .action(serve);
  addOperatorCommands(program, version, now);

  program.commandsGroup("Assistants, scripts and shells:");
  addSendCommand(program, tools, now);
  program
    .command("tools")
    .summary("list the operations")
    .description("List the operations with their scopes and routes.")
    .action(() => printResult({ data: tools.map(listed) }));
  program
    .command("completion")
    .summary("print shell completions")
    .description("Print completions for a shell, for instance: source <(belfry completion bash)")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell: string) => {
      process.stdout.write(createCompletion(shell, program));
    });

  addOperationCommands(program, tools);
  return program;
}

const listed = (tool: OwnerOperation) => ({
  name: tool.name,
  command: toKebabCase(tool.name),
  title: tool.title,
  description: tool.description,
  scope: tool.scope,
  also_requires: Object.keys({ ...tool.alsoRequires, ...tool.mayRequire }),
  method: tool.http.method,
  path: tool.http.path,
  action: tool.http.when?.action ?? null,
});

/** Runs one command line; the exit code. */
export const runCli = (argv: string[], deps: CliDeps): Promise<number> => runCommandLine(createCliProgram(deps), argv);
