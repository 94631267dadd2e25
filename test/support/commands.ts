// A command line that is run in this process, and what it says: a process of its own costs as much as everything that it then does.
// One at a time, since there is one standard output.

import { runCli } from "../../src/program/cli/program.ts";
import { TOOLS } from "../../tools/index.ts";

/** The modules of a program that run a command line. */
export interface Program {
  runCli: typeof runCli;
  TOOLS: typeof TOOLS;
}

/** The program of this tree. */
const TREE: Program = { runCli, TOOLS };

/** Collects what is written to a stream until it is given back. */
function heard(stream: NodeJS.WriteStream): () => string {
  let text = "";
  const write = stream.write;
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
export async function runHere(
  args: string[],
  { runCli, TOOLS: tools } = TREE,
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
