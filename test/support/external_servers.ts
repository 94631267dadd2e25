// Real external servers for tests, each on a free port, to be stopped at the end. The output of a test stays in its
// folder.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free_port.ts";
import { WAIT } from "./wait.ts";

export interface ExternalServer {
  port: number;
  pid: number;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program and resolves once something listens on the port. */
async function startExternalServer(port: number, program: string, args: string[]): Promise<ExternalServer> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = once(child, "exit");
  await waitUntilListening(port, child, () => `${program} does not listen: ${said}`);
  return {
    port,
    pid: child.pid!,
    signal: (name) => child.kill(name),
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      await ended;
    },
  };
}

/**
 * Resolves once something listens there. @throws Error with `why` where the child ends, or nothing does for as long as
 * a test waits.
 */
export async function waitUntilListening(port: number, child: ChildProcess, why: () => string): Promise<void> {
  for (const end = performance.now() + WAIT.timeout; performance.now() < end && child.exitCode === null; ) {
    const socket = connect(port, "127.0.0.1");
    const open = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    await sleep(50);
  }
  throw new Error(why());
}

/** A pgbouncer in front of a PostgreSQL on a port of this machine. */
export async function startPgbouncer(
  folder: string,
  { mode, to, user, connectQuery }: { mode: string; to: number; user: string; connectQuery?: string },
): Promise<ExternalServer> {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  const port = await freePort();
  writeFileSync(join(folder, "users"), `"${user}" ""\n`);
  const told = connectQuery ? ` connect_query='${connectQuery}'` : "";
  writeFileSync(
    join(folder, "ini"),
    `[databases]
* = host=127.0.0.1 port=${to}${told}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = ${mode}
default_pool_size = ${mode === "session" ? 20 : 4}
${process.getuid?.() === 0 ? "user = nobody" : ""}
`,
  );
  return startExternalServer(port, "pgbouncer", ["-q", join(folder, "ini")]);
}

export const startNats = (port: number) =>
  startExternalServer(port, "nats-server", ["-a", "127.0.0.1", "-p", String(port)]);
