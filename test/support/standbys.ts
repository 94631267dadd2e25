// A PostgreSQL of the system's with hot standbys, as an operator has them, for the tests of what reads from those.
// The package's own PostgreSQL brings no pg_basebackup.

import { execFile, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../src/program/boot/http_server.ts";
import { findDebianPostgres } from "./requirements.ts";

const execute = promisify(execFile);

/** PostgreSQL refuses root; its package brings a user for it. */
const isRoot = userInfo().uid === 0;
const lent = isRoot ? readFileSync("/etc/passwd", "utf8").match(/^postgres:[^:]*:(\d+):(\d+):/m) : null;
const [uid, gid] = [Number(lent?.[1]), Number(lent?.[2])];

const run = async (program: string, ...args: string[]): Promise<string> => {
  const as = lent ? { uid, gid } : {};
  const { stdout } = await execute(join(findDebianPostgres() ?? "", program), args, {
    ...as,
    cwd: "/",
    env: { LC_ALL: "C" },
  });
  return stdout;
};

/** One server of them. */
export class PostgresServer {
  readonly folder: string;
  readonly port: number;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  urlOf(database: string): string {
    return `postgresql://belfry@127.0.0.1:${this.port}/${database}`;
  }

  get pid(): number {
    return Number(readFileSync(join(this.folder, "postmaster.pid"), "utf8").split("\n")[0]);
  }

  async start(...settings: string[]): Promise<void> {
    const all = [
      `port=${this.port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${join(this.folder, "..")}`,
      "fsync=off",
      "shared_buffers=16MB",
      "max_connections=80",
      "wal_retrieve_retry_interval=100ms",
      ...settings,
    ];
    const log = join(this.folder, "..", `${this.port}.log`);
    const flags = all.map((setting) => `-c ${setting}`).join(" ");
    const start = () => run("pg_ctl", "-s", "-w", "-t", "60", "-D", this.folder, "-l", log, "-o", flags, "start");
    // The processes of a killed server can exist for a moment. PostgreSQL does not start until they end.
    for (let left = 100; ; left--) {
      const fault = await start().then(
        () => null,
        (error: Error) => error,
      );
      if (!fault) return;
      if (left === 0) throw new Error(`${fault.message}\n${readFileSync(log, "utf8").slice(-2_000)}`);
      await pause(200);
    }
  }

  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    await run("pg_ctl", "-s", "-w", "-D", this.folder, "-m", mode, "stop");
  }

  async promote(): Promise<void> {
    await run("pg_ctl", "-s", "-w", "-D", this.folder, "promote");
  }

  /** Every process of the server, which continues after SIGCONT, and never after SIGKILL. */
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(this.pid)], { encoding: "utf8" });
    for (const pid of [this.pid, ...stdout.trim().split(/\s+/).map(Number)])
      try {
        process.kill(pid, name);
      } catch {
        // One that has ended in the meantime.
      }
  }

  /** The output of a client program; `args` after the connection. */
  client(program: "createdb" | "pg_dump" | "psql", ...args: string[]): Promise<string> {
    return run(program, "-h", "127.0.0.1", "-p", String(this.port), "-U", "belfry", ...args);
  }
}

/** A primary, and what makes standbys of it. `remove` ends all of them. */
export async function openPrimaryServer() {
  const root = mkdtempSync(join(tmpdir(), "belfry-standbys-"));
  if (lent) chownSync(root, uid, gid);
  chmodSync(root, 0o755);
  const servers: PostgresServer[] = [];
  const add = async (name: string) => {
    const server = new PostgresServer(join(root, name), await findFreePort("127.0.0.1"));
    servers.push(server);
    return server;
  };
  const primary = await add("primary");
  await run("initdb", "-D", primary.folder, "-U", "belfry", "-A", "trust", "-E", "UTF8", "--no-sync");
  await primary.start();
  return {
    primary,
    /** A hot standby that follows at once, or with the given settings. */
    async standby(...settings: string[]): Promise<PostgresServer> {
      const server = await add(`standby${servers.length}`);
      mkdirSync(server.folder, { mode: 0o700 });
      if (lent) chownSync(server.folder, uid, gid);
      await run("pg_basebackup", "-d", primary.urlOf("postgres"), "-D", server.folder, "-R", "-c", "fast", "--no-sync");
      await server.start(...settings);
      return server;
    },
    async remove(): Promise<void> {
      for (const server of servers) {
        if (existsSync(join(server.folder, "postmaster.pid"))) server.signal("SIGCONT");
        await server.stop("immediate").catch(() => {});
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
}
