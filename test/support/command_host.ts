// Runs command lines one after the other in one process, for tests of what a command says. Started by processes.ts; what only a real
// process shows is not for it.

import { Readable } from "node:stream";
import { runHere } from "./commands.ts";

export interface Asked {
  args: string[];
  env: Record<string, string>;
  input?: string;
}

process.on("message", async ({ args, env, input = "" }: Asked) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.send!(await runHere(args));
});
process.once("disconnect", () => process.exit());
process.send!("ready");
