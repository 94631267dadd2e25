// Signals that reach more than the service. A Ctrl-C is sent to every process of the terminal and passed on by npm. A
// stop of a unit or a container may signal all its processes at once. The service still ends its own work first.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { freePort } from "../support/free_port.ts";
import {
  CLI,
  createChildEnvironment,
  isAlive,
  processesOn,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";

const ROOT = join(import.meta.dirname, "../..");
const folder = temporaryFolder();
afterAll(() => folder.remove());
let inTerminal: ChildProcess | null = null;
afterEach(() => {
  if (inTerminal?.exitCode === null) process.kill(-inTerminal.pid!, "SIGKILL");
  inTerminal = null;
});

/** A process group of its own, as a shell gives to each line that is typed; and all that it writes. */
function type(command: string, args: string[], settings: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: createChildEnvironment({ LOG_LEVEL: "info", ...settings }),
    detached: true,
    stdio: "pipe",
  });
  inTerminal = child;
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.once("exit", (code, signal) => resolve([code, signal])),
  );
  return {
    stdin: child.stdin,
    says: (words: string) => waitFor(() => expect(said).toContain(words)),
    said: () => said,
    ctrlC: () => process.kill(-child.pid!, "SIGINT"),
    ended,
  };
}

const postmaster = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);

/** A request to create a channel: its head is sent, its body follows on demand. */
function beginOpening(port: number, key: string, handle: string) {
  const sent = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    path: "/api/v1/pushers",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.once("response", (response) => resolve(response.resume().statusCode!));
    sent.once("error", reject);
  });
  // Passed to the function that finishes it.
  answered.catch(() => {});
  const body = JSON.stringify({ handle, name: "T", category: "community", description: "D" });
  sent.write(body.slice(0, 10));
  return {
    finish: () => {
      sent.end(body.slice(10));
      return answered;
    },
  };
}

test("one Ctrl-C at npm start: what is in flight is answered, then the database ends, then the service", async () => {
  const dataDir = join(folder.path, "typed");
  const port = await freePort();
  const line = type("npm", ["start"], { DATA_DIR: dataDir, PORT: String(port), SHUTDOWN_DELAY_MS: "100" });
  await line.says("Belfry listens on");
  const { key } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8"));
  const opening = beginOpening(port, key, "typed");
  await waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200));
  const database = postmaster(dataDir);
  line.ctrlC();
  await line.says('"stopping"');
  // The port is closed: the delay is over, and all signals from npm have arrived.
  await waitFor(async () => expect(await fetch(`http://127.0.0.1:${port}`).catch(() => null)).toBeNull());
  expect(isAlive(database)).toBe(true);
  expect(await opening.finish()).toBe(201);
  expect(await line.ended).toEqual([0, null]);
  expect(line.said()).toContain('"stopped"');
  expect(line.said()).not.toContain("the database exited");
  expect(processesOn(dataDir)).toEqual([]);
});

test("SIGTERM to every process at once, the database included: acknowledged data is complete", async () => {
  const dataDir = join(folder.path, "unit");
  const server = await startServer(dataDir, { settings: { SHUTDOWN_DELAY_MS: "100" } });
  const { key } = server;
  const port = Number(new URL(server.url).port);
  expect(await beginOpening(port, key, "acknowledged").finish()).toBe(201);
  // Everything that it started, as systemd does by default.
  for (const pid of [server.pid, ...processesOn(dataDir).filter((pid) => pid !== server.pid)])
    try {
      process.kill(pid, "SIGTERM");
    } catch {} // Ended with its server already.
  expect(await server.exited).toBe(0);
  expect(server.log()).toContain('"stopped"');
  await waitFor(() => expect(processesOn(dataDir)).toEqual([]));
  const again = await startServer(dataDir);
  const channels = await fetch(`${again.url}/api/v1/pushers`, { headers: { authorization: `Bearer ${key}` } });
  expect(((await channels.json()) as any).data.map(({ handle }: any) => handle)).toContain("acknowledged");
  await again.stop();
});

test("Ctrl-C in the shell on the database is the shell's: the database stays until that ends", async ({ skip }) => {
  skip(isMissing("psql"));
  const dataDir = join(folder.path, "shell");
  const line = type(process.execPath, [CLI, "psql"], { DATA_DIR: dataDir, PSQLRC: "/dev/null" });
  line.stdin.on("error", () => {});
  line.stdin.write("select 'be' || 'gun' as seen;\nselect pg_sleep(600);\n");
  await line.says("begun");
  line.ctrlC();
  // psql ends an interrupted script with an exit code; it would end by a signal if we had ended first.
  const [code, signal] = await line.ended;
  expect({ signal, gone: code === null }).toEqual({ signal: null, gone: false });
  expect(processesOn(dataDir)).toEqual([]);
});
