// The user that PostgreSQL runs as, and how a program is run as that user. PostgreSQL refuses root, and initdb a user
// without a line in /etc/passwd. A service that is root therefore lends it another user.

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { createEmbeddedPostgresError, USE_DATABASE_URL } from "./data_dir_lock_and_errors.ts";

export interface ProcessUser {
  user: string;
  /** Both null when the service's own user runs it. */
  uid: number | null;
  gid: number | null;
  /** It is the user that a service of root lends by itself, and not one whose files it found. */
  lent: boolean;
}

/** Nothing of the service's own environment (secrets, PG… variables) reaches the server. */
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** The user that a service of root lends. Every system has the user `nobody`, who also runs other programs. */
const OWN = "belfry";
export const FALLBACK_USER = "nobody";

interface Account {
  name: string;
  uid: number;
  gid: number;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function accounts(): Account[] {
  return readOrEmpty("/etc/passwd")
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid !== 0);
}

const named = (name: string) => accounts().find((account) => account.name === name);

/** A user of PostgreSQL's own, created if missing; `nobody` where that is impossible (a read-only system). */
function lentAccount(): Account | undefined {
  if (!named(OWN)) {
    const closed = ["--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"];
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
    spawnSync("useradd", ["--system", "--user-group", ...closed, OWN], { env, stdio: "ignore" });
  }
  return named(OWN) ?? named(FALLBACK_USER);
}

/** The name of the service's own user. @throws ConfigError when it has none. */
export function getCurrentOsUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw createEmbeddedPostgresError(
      `the user ${process.getuid?.()} has no entry in /etc/passwd. Run the service as a user that has one, or ` +
        `${USE_DATABASE_URL}`,
    );
  }
}

/**
 * The rights that root needs for a lent user: give it files, access them afterwards, become it. The numbers are
 * Linux's.
 */
const CAPABILITIES = { CHOWN: 0, DAC_OVERRIDE: 1, FOWNER: 3, SETGID: 6, SETUID: 7 };

/** The root of a container may lack some of them. It is refused here, before it fails in the middle of the work. */
function refuseBoundRoot(): void {
  const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(readOrEmpty("/proc/self/status"))?.[1];
  if (held === undefined) return;
  const lacking = Object.entries(CAPABILITIES)
    .filter(([, bit]) => ((BigInt(`0x${held}`) >> BigInt(bit)) & 1n) === 0n)
    .map(([name]) => `CAP_${name}`);
  if (lacking.length === 0) return;
  throw createEmbeddedPostgresError(
    "PostgreSQL cannot run as root, and root here lacks the capabilities needed to switch users: " +
      `${lacking.join(", ")}. Give the container these capabilities, run the service as an ordinary ` +
      `user, or ${USE_DATABASE_URL}`,
  );
}

/**
 * The user that will run PostgreSQL. `owner` is the uid of an existing cluster, null before there is one. `lent` is the
 * user of the last start, who may have another number on this system, or none. `wholly`: all of DATA_DIR is its own,
 * since that user runs the service and root runs only commands. @throws ConfigError without a usable user.
 */
export function chooseProcessUser(owner: number | null, lent: number | null = null, wholly = false): ProcessUser {
  const own = getCurrentOsUserName();
  if (process.getuid?.() !== 0) return { user: own, uid: null, gid: null, lent: false };
  refuseBoundRoot();
  const lends = owner === null || (!wholly && (owner === lent || owner === named(FALLBACK_USER)?.uid));
  const account = lends ? lentAccount() : accounts().find(({ uid }) => uid === owner);
  if (!account)
    throw createEmbeddedPostgresError(
      lends
        ? "PostgreSQL cannot run as root, and this system has neither the user belfry nor nobody. Run the " +
            `service as an ordinary user, or ${USE_DATABASE_URL}`
        : `its files belong to the user ${owner}, who has no entry in /etc/passwd. Create this user, or change ` +
            "the owner of the files.",
    );
  const runner = { user: account.name, uid: account.uid, gid: account.gid, lent: lends };
  const { error } = spawnSync("/bin/true", [], options(runner));
  if (error && !/ENOENT/.test(String((error as NodeJS.ErrnoException).code)))
    throw createEmbeddedPostgresError(
      `root cannot switch to the user ${account.name} (${(error as NodeJS.ErrnoException).code}). Run the ` +
        `service as an ordinary user, or ${USE_DATABASE_URL}`,
    );
  return runner;
}

function options({ uid, gid }: ProcessUser): SpawnOptions {
  // PostgreSQL warns when it cannot reach its working directory, so it starts in the root folder.
  const base = { cwd: "/", env: ENVIRONMENT };
  // Both, since a child with a uid alone would keep root's group.
  return uid === null || gid === null ? base : { ...base, uid, gid };
}

/** Starts a program as the runner. @throws EPERM and EINVAL at once; other refusals come as its error event. */
export function startProcessAsUser(
  runner: ProcessUser,
  program: string,
  args: string[],
  more: SpawnOptions,
): ChildProcess {
  return spawn(program, args, { ...options(runner), ...more });
}

/**
 * Sends a signal to a process of the runner's, as the runner. A lent user's file names the process, so root itself
 * would signal any process that the user writes there. Nothing happens if the process has ended.
 */
export function sendSignalAsUser(runner: ProcessUser, pid: number, signal: NodeJS.Signals): void {
  const name = signal.replace(/^SIG/, "");
  spawnSync("/bin/sh", ["-c", 'kill -s "$0" "$1"', name, String(pid)], options(runner));
}

interface ProcessResult {
  code: number | null;
  output: string;
}

/** Runs a program to its end as the runner. @throws what refused to start it. */
export function runProcessAsUser(
  runner: ProcessUser,
  program: string,
  args: string[],
  input = "",
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    // EPERM and EINVAL are thrown here, EACCES and ENOENT come as an event; both reject.
    const child = startProcessAsUser(runner, program, args, { stdio: "pipe" });
    let output = "";
    child.stdout?.on("data", (chunk) => (output += chunk));
    child.stderr?.on("data", (chunk) => (output += chunk));
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Reports if the runner may execute the file, or pass through the folder. */
export function canExecute(runner: ProcessUser, path: string): boolean {
  if (runner.uid === null) return true;
  const { status } = spawnSync("/bin/sh", ["-c", 'test -x "$0"', path], options(runner));
  return status === 0;
}

/**
 * Runs a program of PostgreSQL's that must succeed. Single-user mode exits with 0 even if a statement failed.
 * @throws what `refuse` makes of the program's complaint.
 */
export async function runPostgresProgram(
  refuse: (said: string) => Error,
  runner: ProcessUser,
  program: string,
  args: string[],
  input?: string,
): Promise<void> {
  const { code, output } = await runProcessAsUser(runner, program, args, input).catch((error) => ({
    code: null,
    output: String(error.code),
  }));
  if (code === 0 && !/^.*?(FATAL|PANIC|ERROR): /m.test(output)) return;
  throw refuse(findErrorLine(output));
}

const COMPLAINT = /^.*?(initdb: error|FATAL|PANIC|ERROR):\s*/m;

/** The line of PostgreSQL's output that explains the error. */
export function findErrorLine(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const found = lines.findLast((line) => COMPLAINT.test(line)) ?? lines.at(-1) ?? "no error message";
  return found.replace(COMPLAINT, "$1: ").trim();
}
