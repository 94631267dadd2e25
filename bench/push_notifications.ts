// The cost of push notifications to many handsets: `node bench/push_notifications.ts [10000]`. Sends on a channel with
// this number of endpoints at one push service, which responds at once, in a process of its own. Measures the time to
// the first and last notification, and the server's processor time and memory. Also measures other requests' latency
// before and during the send.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../src/identity/operator/workspaces_members_and_keys.ts";
import { applyPendingMigrations } from "../src/store/db/migrate.ts";
import { createOrm } from "../src/store/db/orm.ts";
import { openTestServer, withDatabase } from "../test/support/postgres_server.ts";
import { insertPushHandsets } from "../test/support/push_handsets.ts";
import { startServer } from "./start_servers.ts";

const RECEIVER = "--receiver";
const SECRET = "a secret of the bench that is long enough";
const CLIENTS = 4;
const ROUNDS = 3;
/** Milliseconds for which requests are measured without push notifications. */
const QUIET_MS = 4_000;
const PATIENCE_MS = 120_000;

/** In a process of its own: receives every push notification, and reports their times. */
async function receive(): Promise<void> {
  let times: number[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    times.push(Date.now());
    request.resume();
    response.writeHead(201).end();
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.on("message", () => {
    process.send!({ times, connections });
    times = [];
  });
  process.on("disconnect", () => process.exit(0));
  process.send!({ port: (server.address() as AddressInfo).port });
}

async function ask<T>(child: ChildProcess, message?: string): Promise<T> {
  const answer = once(child, "message");
  if (message) child.send(message);
  return (await answer)[0] as T;
}

const at = (times: number[], share: number) => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

async function measure(count: number): Promise<void> {
  const postgres = await openTestServer();
  const orm = createOrm({ databaseUrl: postgres.url });
  const name = `bench_wake_ups_${process.pid}`;
  await (orm.em.fork() as SqlEntityManager).execute(`create database ${name}`);
  const databaseUrl = withDatabase(postgres.url, name);
  const own = createOrm({ databaseUrl });
  await applyPendingMigrations(own);
  const em = () => own.em.fork() as SqlEntityManager;
  const { id: workspace } = await createEmptyWorkspace(em(), { name: "Bench" });
  await addWorkspaceMember(em(), { workspace, email: "bench@example.org", role: "owner" });
  const { key } = await createKey(em(), { workspace, scopes: "all" }, new Date());
  const receiver = fork(import.meta.filename, [RECEIVER]);
  const { port } = await ask<{ port: number }>(receiver);
  const server = await startServer({
    databaseUrl,
    secret: SECRET,
    settings: { WEB_PUSH_ALLOW_HOSTS: `127.0.0.1:${port}` },
  });
  const { url, cpu } = server.service;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const post = async (path: string, body: object) =>
    (await (await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
      id: string;
    };
  const channel = { name: "Bench", category: "community", description: "Bench", requested_perms: ["notify"] };
  const pusher = await post("/pushers", { ...channel, handle: "bench" });
  const sql = (text: string, parameters: unknown[] = []) => em().execute(text, parameters);
  await insertPushHandsets({ settings: { SECRET }, sql }, pusher.id, count, (n) => `http://127.0.0.1:${port}/${n}`);
  await sql("vacuum analyze");

  /** Sends, and returns the times of the push notifications from the beginning of the send. */
  async function wake(title: string): Promise<{ times: number[]; connections: number }> {
    const began = Date.now();
    await post(`/pushers/${pusher.id}/alerts`, { title, send: true });
    const times: number[] = [];
    for (;;) {
      await pause(50);
      const told = await ask<{ times: number[]; connections: number }>(receiver, "times");
      times.push(...told.times.map((time) => time - began));
      if (times.length >= count) return { times, connections: told.connections };
      if (Date.now() - began > PATIENCE_MS) throw new Error(`${times.length} of ${count} came`);
    }
  }

  /** Milliseconds that requests of others take while something happens. */
  async function meanwhile(happens: () => Promise<unknown>): Promise<number[]> {
    const taken: number[] = [];
    let asking = true;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (asking) {
        const began = performance.now();
        await (await fetch(`${url}/api/v1/me`, { headers })).arrayBuffer();
        taken.push(performance.now() - began);
        await pause(10);
      }
    });
    await happens();
    asking = false;
    await Promise.all(clients);
    return taken;
  }

  const megabytes = () => server.memory()?.rss.toFixed(0);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const pair = (all: number[]) => `${ms(at(all, 0.5))} / ${ms(at(all, 0.99))}`;
  await wake("Warm up");
  console.log(
    "| devices | first / last | server's CPU | memory before → after | connections | GET me, p50 / p99 | meanwhile |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (let round = 0; round < ROUNDS; round++) {
    const rss = megabytes();
    const before = (await cpu()) ?? 0;
    const { times, connections } = await wake(`Round ${round}`);
    const spent = (((await cpu()) ?? 0) - before) / 1000;
    const quiet = await meanwhile(() => pause(QUIET_MS));
    const busy = await meanwhile(() => wake(`Round ${round}, with others`));
    const held = `${rss} → ${megabytes()} MB`;
    const span = `${ms(at(times, 0))} / ${ms(at(times, 1))}`;
    console.log(
      `| ${[count, span, `${spent.toFixed(0)} ms`, held, connections, pair(quiet), pair(busy)].join(" | ")} |`,
    );
  }
  await server.stop();
  receiver.disconnect();
  await own.close(true);
  await (orm.em.fork() as SqlEntityManager).execute(`drop database ${name} with (force)`);
  await orm.close(true);
  await postgres.close();
}

if (process.argv.includes(RECEIVER)) await receive();
else await measure(Number(process.argv[2] ?? 10_000));
