// A peer's program, started in a folder of its own and stopped with it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { LoadTarget } from "../load_generators.ts";
import { readCpuTime } from "../process_usage.ts";

const PATIENCE_MS = 15_000;

export interface PeerProgram {
  target: LoadTarget;
  stop(): Promise<void>;
}

/** Resolves once a server responds on the port. */
export async function startProgram(
  file: string,
  args: string[],
  { port, folder, env }: { port: number; folder: string; env: Record<string, string> },
): Promise<PeerProgram> {
  const said = join(folder, "log");
  const log = openSync(said, "a");
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  failed.catch(() => {});
  const gone = once(child, "exit").catch(() => {});
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + PATIENCE_MS;
  const answers = () =>
    fetch(url).then(
      (answer) => answer.arrayBuffer().then(() => true),
      () => false,
    );
  while (!(await Promise.race([answers(), failed]))) {
    if (child.exitCode !== null || performance.now() > until) {
      child.kill("SIGKILL");
      throw new Error(`${file} did not start: ${readFileSync(said, "utf8").slice(-2_000)}`);
    }
    await pause(50);
  }
  return {
    target: { url, cpu: async () => readCpuTime([child.pid!]) },
    async stop() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
