// `npm start` on a folder of its own: the time until the first response, on the first start and again. Also its memory
// at rest and after load, without its database.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readCredentials } from "../src/store/secret/first_credentials_file.ts";
import { loadHttp } from "./load_generators.ts";
import { type ProcessMemory, readProcessMemory } from "./process_usage.ts";
import { ROOT, START_COMMAND } from "./start_servers.ts";

export interface StartFigures {
  /**
   * Seconds from the beginning of the process to its first answer: on an empty folder, and on each start after that.
   */
  first: number;
  again: number[];
  /**
   * The memory of the service's own process, some seconds after each start and after some seconds of load; null where
   * it cannot be read.
   */
  atRest: (ProcessMemory | null)[];
  afterLoad: ProcessMemory | null;
}

const REST_MS = 3_000;
const LOAD_SECONDS = 4;

interface Running {
  url: string;
  seconds: number;
  pid: number;
  end(): Promise<void>;
}

/** As `npm start` does. @param flags of node, besides its own */
export async function startService(folder: string, flags: readonly string[] = []): Promise<Running> {
  const began = performance.now();
  const child = spawn("sh", ["-c", START_COMMAND], {
    cwd: ROOT,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      NODE_OPTIONS: flags.join(" "),
      DATA_DIR: join(folder, "data"),
      PORT: "0",
      SHUTDOWN_DELAY_MS: "0",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const gone = once(child, "exit");
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const url = /"url":"([^"]+)"/.exec(said)?.[1];
      if (url) resolve(url);
    });
    child.once("exit", () => reject(new Error(`the service did not start: ${said}`)));
  });
  const { status } = await fetch(`${url}/readyz`);
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
  return {
    url,
    seconds: (performance.now() - began) / 1000,
    pid: child.pid!,
    async end() {
      child.kill("SIGTERM");
      await gone;
    },
  };
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "belfry-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts once on an empty folder and `times` more. */
export const measureStarts = (times: number): Promise<StartFigures> =>
  inFolder(async (folder) => {
    const first = await startService(folder);
    await first.end();
    const again: number[] = [];
    const atRest: StartFigures["atRest"] = [];
    for (let i = 0; i < times; i++) {
      const running = await startService(folder);
      again.push(running.seconds);
      // The first three are enough for its memory.
      if (i < 3) {
        await pause(REST_MS);
        atRest.push(readProcessMemory(running.pid));
      }
      await running.end();
    }
    const running = await startService(folder);
    await loadHttp(readingMe(folder, running.url), LOAD_SECONDS);
    await pause(REST_MS);
    const afterLoad = readProcessMemory(running.pid);
    await running.end();
    return { first: first.seconds, again, atRest, afterLoad };
  });

function readingMe(folder: string, url: string) {
  const { key } = readCredentials(join(folder, "data"))!;
  return {
    kind: "http" as const,
    target: { url, cpu: async () => null },
    status: 200,
    requests: () => [{ path: "/api/v1/me", headers: { authorization: `Bearer ${key}` } }],
  };
}
