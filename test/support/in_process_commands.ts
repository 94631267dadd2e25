// Runs a command line in this process, and returns its output: starting a process costs as much as everything that it
// then does. One at a time, since there is one standard output.

import { OPERATIONS } from "../../operations/index.ts";
import { runCli } from "../../src/program/cli/command_tree.ts";

/** The modules of a program that run a command line. */
export interface CommandModules {
  runCli: typeof runCli;
  OPERATIONS: typeof OPERATIONS;
}

/** The program of this tree. */
const TREE: CommandModules = { runCli, OPERATIONS };

/** Collects everything written to a stream until it is restored. */
function heard(stream: NodeJS.WriteStream): () => string {
  let text = "";
  const write = stream.write;
  // Tests may run in a terminal, where results are tables.
  stream.isTTY = false;
  stream.write = ((chunk: string | Uint8Array) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  }) as typeof stream.write;
  return () => {
    stream.write = write;
    return text;
  };
}

/** Runs it with the settings and the standard input that this process has now. */
export async function runInProcess(
  args: string[],
  { runCli, OPERATIONS: tools } = TREE,
): Promise<{ code: number; stdout: string; stderr: string }> {
  process.exitCode = undefined;
  const [stdout, stderr] = [heard(process.stdout), heard(process.stderr)];
  const serve = async () => {
    throw new Error("the service is not started in here");
  };
  const code = await runCli(args, { tools, version: "0.0.0", serve, now: () => new Date() });
  process.exitCode = undefined;
  return { code, stdout: stdout(), stderr: stderr() };
}
