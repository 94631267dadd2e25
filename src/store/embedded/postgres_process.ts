// One running PostgreSQL server. It is our own child process and ends with our process, even after a crash. Its state
// is read from its postmaster.pid. Remains of an earlier one are cleared. This module does not use the contents of the
// database.

import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { assertDefined } from "../../model/assert.ts";
import type { ClusterFolderState } from "./data_directory.ts";
import type { PostgresBinaries } from "./postgres_binaries.ts";
import { findErrorLine, type ProcessUser, sendSignalAsUser, startProcessAsUser } from "./process_user.ts";

export interface PostgresProcess {
  pid: number;
  /** Resolves when it has ended, on request or not, with its last output. */
  ended: Promise<string>;
  /** Ends it: what is in progress is rolled back, nothing committed is lost. */
  stop(options?: { waitForClients?: boolean }): Promise<void>;
}

/**
 * The shell becomes the server itself, so that we see its end at once. A separate watchdog owns the other end of a pipe
 * of ours. When the pipe closes, our process has ended, and the watchdog ends the server if it is still the same one.
 * The watchdog must not be a child of the server, which would take its violent end for a crash.
 */
const WATCHED = `exec 3<&0 </dev/null
( (cat <&3 >/dev/null; read -r p <"$0/postmaster.pid" && [ "$p" = $$ ] && kill -INT $$) 2>/dev/null & )
exec 3<&-
exec "$@"`;

/** Recovery after a crash may read much; a starting server responds long before. */
const START_MS = 60_000;
const LOOK_MS = 5;
/** A fast shutdown writes what is dirty; after that nothing is waited for. */
const STOP_MS = 6_000;
const CUT_MS = 2_000;

/** The log settings that operators need first, without data of statements: no values reach the log. */
const QUIET = {
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  log_statement: "none",
  logging_collector: "off",
  log_destination: "stderr",
  log_line_prefix: "",
};

/**
 * Starts a server on the cluster and waits until it takes connections. `hear` is given each line that it writes.
 * @throws Error with its last output when it ends instead, or when `signal` gives it up.
 */
export async function startPostmaster(
  { cluster }: ClusterFolderState,
  binaries: PostgresBinaries,
  runner: ProcessUser,
  settings: Record<string, string>,
  hear: (line: string) => void,
  signal: AbortSignal,
): Promise<PostgresProcess> {
  const all = { listen_addresses: "", unix_socket_directories: ".", ...QUIET, ...settings };
  const args = ["-D", cluster, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  // In a container, a server that was killed may have had the same process id.
  const left = readPostmasterStatus(cluster)?.writtenAt;
  const child = startProcessAsUser(runner, "/bin/sh", ["-c", WATCHED, cluster, binaries.postgres, ...args], {
    // The server gets a process group of its own. A Ctrl-C in the terminal reaches only us, and we end the server after
    // our own work.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.on("data", (chunk) => {
      words = (words + chunk).slice(-4_000);
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim()) hear(line.trim());
    });
    stream?.on("error", () => {});
  }
  child.stdin?.on("error", () => {});
  let gone = false;
  const ended = new Promise<string>((resolve) => {
    const end = (said: string) => {
      gone = true;
      // Closing the pipe ends the watchdog, which has nothing left to watch.
      child.stdin?.destroy();
      resolve(said);
    };
    child.once("error", (error: NodeJS.ErrnoException) => end(String(error.code)));
    // Its last output may still be in the pipe.
    child.once("exit", (code, signal) =>
      setTimeout(() => end(`${signal ?? `exit ${code}`}: ${findErrorLine(words)}`), 20),
    );
  });

  const until = performance.now() + START_MS;
  while (!gone && !signal.aborted && performance.now() < until) {
    const status = readPostmasterStatus(cluster);
    if (status?.pid === child.pid && status?.ready && status.writtenAt !== left) break;
    await pause(LOOK_MS);
  }
  const stop: PostgresProcess["stop"] = async ({ waitForClients = false } = {}) => {
    const steps: [NodeJS.Signals, number][] = [
      ...(waitForClients ? ([["SIGTERM", STOP_MS]] as [NodeJS.Signals, number][]) : []),
      ["SIGINT", STOP_MS],
      ["SIGQUIT", CUT_MS],
      ["SIGKILL", CUT_MS],
    ];
    for (const [signal, wait] of steps) {
      if (gone) return;
      const dead = child.exitCode !== null || child.signalCode !== null;
      if (!dead) sendSignalAsUser(runner, assertDefined(child.pid, "the process has started"), signal);
      const waiting = new AbortController();
      await Promise.race([ended, pause(wait, null, { signal: waiting.signal }).catch(() => {})]);
      waiting.abort();
    }
  };
  if (gone) throw new Error(await ended);
  if (signal.aborted || !readPostmasterStatus(cluster)?.ready) {
    await stop();
    if (signal.aborted) throw new Error("the start was aborted");
    throw new Error(`it was not ready after ${START_MS / 1000} seconds: ${findErrorLine(words)}`);
  }
  return { pid: assertDefined(child.pid, "the process is running"), ended, stop };
}

interface PostmasterStatus {
  pid: number;
  ready: boolean;
  /** The time of the last change of the file, in milliseconds. */
  writtenAt: number;
}

/** The contents of a cluster's postmaster.pid; null without a readable one. */
export function readPostmasterStatus(cluster: string): PostmasterStatus | null {
  const file = join(cluster, "postmaster.pid");
  let lines: string[];
  let writtenAt: number;
  try {
    lines = readFileSync(file, "utf8").split("\n");
    writtenAt = statSync(file).ctimeMs;
  } catch {
    return null;
  }
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, ready: lines[7]?.trim() === "ready", writtenAt } : null;
}

/** A server that was left behind gets the second, harder signal after this time. */
const ASKED_MS = 8_000;
/** After this time it is given up, and the start fails. */
const LEFTOVER_MS = 30_000;
/** After this time the file of a dead process that is not reaped is removed. */
const ZOMBIE_MS = 5_000;

/**
 * Clears the remains of an earlier server of the cluster. A server that is still ending is awaited and signalled again.
 * A file whose process is dead, unreaped or another program is removed. The caller owns the lock of the folder, so no
 * Belfry uses the server. @throws Error when it does not end.
 */
export async function cleanUpStalePostmaster(cluster: string, runner: ProcessUser): Promise<void> {
  const begun = performance.now();
  for (let signalsSent = 0; ; ) {
    const left = readPostmasterStatus(cluster);
    if (!left) return;
    const what = whatIs(left.pid, cluster);
    if (what === "gone") return; // PostgreSQL takes over such a file by itself.
    if (what === "foreign") return rmSync(join(cluster, "postmaster.pid"), { force: true });
    const waited = performance.now() - begun;
    if (what === "zombie") {
      // Its process id is in use until it is reaped. PostgreSQL checks nothing more than that.
      if (waited > ZOMBIE_MS) return rmSync(join(cluster, "postmaster.pid"), { force: true });
    } else {
      if (waited > LEFTOVER_MS)
        throw new Error(
          `another PostgreSQL server (process ${left.pid}) is using ${cluster} and did not stop. Stop it.`,
        );
      const signals = ["SIGINT", "SIGQUIT"] as const;
      const signal = signals[signalsSent];
      if (signal && (signalsSent === 0 || waited > ASKED_MS)) {
        sendSignalAsUser(runner, left.pid, signal);
        signalsSent++;
      }
    }
    await pause(20);
  }
}

/** Reports if a process is the server of this cluster, as far as the system shows it. */
function whatIs(pid: number, cluster: string): "server" | "zombie" | "gone" | "foreign" {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // PostgreSQL replaces the file when the process is dead, and when its user may not signal it. Root runs it as
    // another user, and may itself be unable to signal that user's processes.
    if ((error as NodeJS.ErrnoException).code !== "EPERM" || process.getuid?.() !== 0) return "gone";
  }
  if (!existsSync("/proc/self/stat")) return "server";
  try {
    const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
    if (state === "Z" || state === "X") return "zombie";
    return standsIn(pid) === realpathSync(cluster) ? "server" : "foreign";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : "server";
  }
}

/**
 * The cluster that a process would be the server of: its working directory, or where that is not shown, what it was
 * given.
 */
function standsIn(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    // Another user's process needs CAP_SYS_PTRACE, which a container's root seldom has; the command line is public.
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  }
  const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const named = args[args.indexOf("-D") + 1] ?? "";
  return existsSync(named) ? realpathSync(named) : null;
}
