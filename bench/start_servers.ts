// Server processes that a run starts: the service in front of a database, and the everything-server of the MCP SDK.

import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "../src/program/boot/http_server.ts";
import type { LoadTarget } from "./load_generators.ts";
import { type ProcessMemory, readCpuTime, readProcessMemory } from "./process_usage.ts";

export const ROOT = join(import.meta.dirname, "..");
/** The files that the bench keeps from one run to the next. */
export const CACHE = `${ROOT}/node_modules/.cache/belfry-bench`;

const { scripts }: { scripts: { start: string } } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8"));
/** The program of `npm start`. */
export const START_COMMAND: string = scripts.start;
/** Its arguments for node. */
export const NODE_FLAGS = /exec node (.*)src\/main/.exec(START_COMMAND)![1]!.split(" ").filter(Boolean);

export interface BenchServer {
  service: LoadTarget;
  plain: LoadTarget;
  memory(): ProcessMemory | null;
  /** Profiles the service while `work` runs; the file in the form of the browser's and editor's tools. */
  profile(file: string, work: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  databaseUrl: string;
  secret: string;
  /** The file of the log; without it no log is written. */
  logTo?: string;
  settings?: Record<string, string>;
  /** Flags of node; those of `npm start` when left out. */
  flags?: string[];
}

export async function startServer({
  databaseUrl,
  secret,
  logTo,
  settings,
  flags = NODE_FLAGS,
}: ServerOptions): Promise<BenchServer> {
  const file = logTo === undefined ? null : openSync(logTo, "a");
  const child = fork(`${import.meta.dirname}/measured_server.ts`, {
    execArgv: flags,
    stdio: ["ignore", "inherit", file ?? "inherit", "ipc"],
    env: {
      ...process.env,
      MALLOC_ARENA_MAX: "1",
      DATABASE_URL: databaseUrl,
      SECRET: secret,
      PUBLIC_URL: "",
      LONG_POLL_LIMIT: "20000",
      LOG_LEVEL: logTo === undefined ? "silent" : "info",
      ...settings,
    },
  });
  if (file !== null) closeSync(file);
  const { url, plainUrl } = await answer<{ url: string; plainUrl: string }>(child);
  const ask = <T>(what: string, into?: string) => {
    child.send({ ask: what, file: into });
    return answer<T>(child);
  };
  const cpu = async () => {
    const { user, system } = await ask<NodeJS.CpuUsage>("cpu");
    return user + system;
  };
  return {
    service: { url, cpu },
    plain: { url: plainUrl, cpu },
    memory: () => readProcessMemory(child.pid!),
    async profile(into, work) {
      await ask("profile");
      await work();
      await ask("profiled", into);
    },
    async stop() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const gone = once(child, "exit", ended).then(
    () => Promise.reject(new Error("the server ended")),
    () => new Promise<never>(() => {}),
  );
  try {
    const [message] = await Promise.race([once(child, "message"), gone]);
    return (message as { answer: T }).answer;
  } finally {
    ended.abort();
  }
}

const EVERYTHING = "@modelcontextprotocol/server-everything";
const EVERYTHING_VERSION = "2026.8.31";

/** Installs the everything-server in the bench's own folder: it is not a dependency of the service. */
export function installEverything(): void {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, "package.json"), '{ "private": true }\n');
  const install = ["install", "--prefix", CACHE, "--no-audit", "--no-fund", "-E"];
  spawnSync("npm", [...install, `${EVERYTHING}@${EVERYTHING_VERSION}`], { stdio: ["ignore", 2, 2] });
}

/** Null where it is not installed: neither by `installEverything` nor where BENCH_EVERYTHING names its folder. */
export async function startEverything(): Promise<(LoadTarget & { stop(): Promise<void> }) | null> {
  const folder = process.env.BENCH_EVERYTHING || join(CACHE, "node_modules", EVERYTHING);
  const program = join(folder, "dist/index.js");
  if (!existsSync(program)) return null;
  const port = await findFreePort("127.0.0.1");
  const child = spawn(process.execPath, [program, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  const gone = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  for (let answered = false; !answered; await pause(50)) {
    if (child.exitCode !== null) throw new Error("the everything-server ended");
    answered = await fetch(url).then(
      () => true,
      () => false,
    );
  }
  return {
    url,
    cpu: async () => readCpuTime([child.pid!]),
    async stop() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
