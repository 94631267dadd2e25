// Runs command lines one after the other in one process, for tests of what a command says: a process of its own costs as
// much as everything that it then does. Started by processes.ts; what only a real process shows is not for it.

import { Readable } from "node:stream";
import { runCli } from "../../src/program/cli/program.ts";
import { TOOLS } from "../../tools/index.ts";

export interface Asked {
  args: string[];
  env: Record<string, string>;
  input?: string;
}

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

process.on("message", async ({ args, env, input = "" }: Asked) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.exitCode = undefined;
  const [stdout, stderr] = [heard(process.stdout), heard(process.stderr)];
  const serve = async () => {
    throw new Error("the service is not started in here");
  };
  const code = await runCli(args, { tools: TOOLS, version: "0.0.0", serve, now: () => new Date() });
  process.exitCode = undefined;
  process.send!({ code, stdout: stdout(), stderr: stderr() });
});
process.once("disconnect", () => process.exit());
process.send!("ready");
