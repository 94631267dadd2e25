// Runs command lines one after the other in one process, for tests of a command's output. Started by processes.ts; it
// is not for behaviour that only a real process shows.

import { join } from "node:path";
import { Readable } from "node:stream";
import { type CommandModules, runInProcess } from "./in_process_commands.ts";

interface CommandRequest {
  args: string[];
  env: Record<string, string>;
  input?: string;
}

/** A package's folder `dist`; the program is that of the tree where none is given. */
const [, , dist] = process.argv;
const packed = async (path: string) => import(join(dist!, path));
const program: CommandModules | undefined = dist
  ? { ...(await packed("src/program/cli/command_tree.js")), ...(await packed("operations/index.js")) }
  : undefined;

process.on("message", async ({ args, env, input = "" }: CommandRequest) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.send!(await runInProcess(args, program));
});
process.once("disconnect", () => process.exit());
process.send!("ready");
