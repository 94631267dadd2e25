// Real processes for the tests of the command line: a server on a data directory, and runs of the `belfry` command.

import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { loadSecret } from "../../src/store/secret/server_secret.ts";
import { freePort } from "./free_port.ts";
import { copyCluster } from "./postgres_server.ts";
import { WAIT } from "./wait.ts";

export const ROOT = join(import.meta.dirname, "../..");
export const CLI = join(ROOT, "src/cli.ts");

/** Where the program itself keeps compiled code: what one test file has compiled serves all that follow. */
const COMPILED = join(ROOT, "node_modules/.cache/belfry");
/** A test that fails in the middle leaves none of them behind. */
const running = new Set<ChildProcess>();

/** Nothing of the developer's own settings reaches the processes; HOME is empty (empty_home.ts). */
export function createChildEnvironment(settings: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", HOME = "", npm_config_cache = "" } = process.env;
  const found = { PATH, HOME, npm_config_cache };
  return { ...found, NODE_COMPILE_CACHE: COMPILED, LOG_LEVEL: "warn", SHUTDOWN_DELAY_MS: "0", ...settings };
}

export interface CommandRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON; undefined for any other text. */
  json: any;
  /** The last line of standard error as JSON; undefined for any other text. */
  refusal: any;
}

const jsonOf = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Ended = Pick<CommandRun, "code" | "stdout" | "stderr">;

const read = ({ code, stdout, stderr }: Ended): CommandRun => ({
  code,
  stdout,
  stderr,
  json: jsonOf(stdout),
  refusal: jsonOf(stderr.trim().split("\n").at(-1)!),
});

/** Runs a program to its end. */
export function runProgram(
  command: string,
  args: string[],
  settings: Record<string, string>,
  input?: string,
): Promise<CommandRun> {
  const child = spawn(command, args, { cwd: ROOT, env: createChildEnvironment(settings), stdio: "pipe" });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(read({ code, stdout, stderr })));
  });
}

/** Runs the `belfry` command to its end, in a process of its own. */
export const runBelfry = (args: string[], settings: Record<string, string>, input?: string) =>
  runProgram(process.execPath, [CLI, ...args], settings, input);

interface Host {
  child: ChildProcess;
  /** Rejects when it has ended. */
  gone: Promise<never>;
}

async function startHost(args: string[], onExit: () => void): Promise<Host> {
  const child = fork(join(import.meta.dirname, "command_host.ts"), args, {
    cwd: ROOT,
    env: createChildEnvironment(),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  running.add(child);
  const gone = once(child, "exit").then(() => {
    onExit();
    throw new Error("a command ended its process");
  });
  gone.catch(() => {});
  await Promise.race([once(child, "message"), gone]);
  return { child, gone };
}

/**
 * Runs `belfry` commands in a process that they share, one after the other. The code, the arguments, the environment
 * and standard input are the same, without the second that a process takes to start. Behaviour of a process itself (its
 * exit, its signals, its lock, an embedded database that it starts) needs `runBelfry`. A test in cli.test.ts checks
 * that both give the same output. @param program a package's folder `dist`; the program of this tree when absent
 */
export function commandRunner(dist?: string) {
  let host: Promise<Host> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  return (args: string[], settings: Record<string, string>, input?: string): Promise<CommandRun> => {
    const result = turn.then(async () => {
      host ??= startHost(dist === undefined ? [] : [dist], () => (host = null));
      const { child, gone } = await host;
      child.send({ args, env: createChildEnvironment(settings), input });
      const [ended] = await Promise.race([once(child, "message"), gone]);
      return read(ended as Ended);
    });
    turn = result.catch(() => {});
    return result;
  };
}

/** The commands of this tree, in a process that those of a test file share. */
export const runBelfryShared = commandRunner();

/**
 * A folder for one test file. `endProcesses` kills the servers that still run and the processes that work on the
 * folder; `remove` does the same and deletes the folder.
 */
export function temporaryFolder(): { path: string; endProcesses(): void; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "belfry-cli-"));
  // The user that a service of root lends to its database must get through.
  chmodSync(path, 0o711);
  const endProcesses = () => {
    for (const child of running) child.kill("SIGKILL");
    for (const pid of processesOn(path)) kill(pid);
  };
  return {
    path,
    endProcesses,
    remove: () => {
      endProcesses();
      // A killed process keeps its files until the system has ended it.
      rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}

/** Reports if a process runs. A zombie, which has ended and waits to be reaped, does not. */
export const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

/**
 * The processes that work on a folder, by their command line or their working directory; `watchdogs` are the shells of
 * an embedded server only. Linux only; elsewhere none are found.
 */
export function processesOn(path: string, { watchdogs = false } = {}): number[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        if (watchdogs) return command.startsWith("/bin/sh\0-c\0exec 3<&0") && command.includes(path);
        return command.includes(path) || readlinkSync(`/proc/${pid}/cwd`).startsWith(path);
      } catch {
        // No process, or none any more; a zombie has no working directory.
        return false;
      }
    });
}

/**
 * Gives a data directory the cluster that its first start would make with initdb, and a secret. All else of that start
 * is still missing. For tests of later steps. Returns the directory.
 */
export function prepareCluster(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  loadSecret({ secret: null, dataDir }, false);
  copyCluster(inject("cluster"), dataDir);
  return dataDir;
}

export interface RunningServer {
  url: string;
  dataDir: string;
  /** The key of the first start; empty for a later one. */
  key: string;
  /** Everything that it wrote so far. */
  log(): string;
  pid: number;
  /** Its exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Milliseconds for a start, which is seconds of work. It is the time limit of any wait of a test on a core of its own,
 * multiplied by the number of runnable processes per core.
 */
export const getStartTimeoutMs = () => WAIT.timeout * Math.max(1, loadavg()[0]! / availableParallelism());

/** Starts a server on the data directory and waits until it listens. */
export async function startServer(
  dataDir: string,
  {
    node = process.execPath,
    args = ["src/main.ts"],
    settings = {},
    port,
    wrapped = [],
  }: {
    node?: string;
    args?: string[];
    settings?: Record<string, string>;
    port?: number;
    /** A command that runs it, such as setpriv and its arguments. */
    wrapped?: string[];
  } = {},
): Promise<RunningServer> {
  port ??= await freePort();
  const env = createChildEnvironment({ DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "info", ...settings });
  const [command, ...rest] = [...wrapped, node, ...args];
  const child: ChildProcess = spawn(command!, rest, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  running.add(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  ended.then(() => running.delete(child));
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      log += chunk;
      if (log.includes("Belfry listens on")) resolve();
    };
    child.stdout!.on("data", hear);
    child.stderr!.on("data", hear);
    child.once("exit", () => reject(new Error(`the server ended: ${log}`)));
    setTimeout(() => reject(new Error(`the server does not listen: ${log}`)), getStartTimeoutMs()).unref();
  });
  const credentials = join(dataDir, "credentials.json");
  return {
    url: `http://${settings.HOST ? "127.0.0.1" : "localhost"}:${port}`,
    dataDir,
    key: existsSync(credentials) ? JSON.parse(readFileSync(credentials, "utf8")).key : "",
    log: () => log,
    pid: child.pid!,
    exited: ended,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      await ended;
    },
  };
}

/** The output of a first start: the text of its welcome, and the lines of JSON around it. */
export function readStart(output: string): { log: string; lines: any[] } {
  const [before = "", log = "", after = ""] = output.split(/^─{72}$/m);
  const lines = (before + after).trim().split("\n").filter(Boolean);
  return { log, lines: lines.map((line) => JSON.parse(line)) };
}
