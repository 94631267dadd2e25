// The load that standbys take from the primary: `node bench/replicas.ts [seconds] [clients]`. A primary and two
// standbys of Debian's PostgreSQL run, and a service with none, one and both of them, in turns. It measures the
// processor time of each for an unchanged poll, while nothing is written and while ten drafts a second are written.
// Every process counts, those of replication too.

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { SqlEntityManager } from "@mikro-orm/sql";
import {
  addWorkspaceMember,
  createEmptyWorkspace,
  createKey,
} from "../src/identity/operator/workspaces_members_and_keys.ts";
import { applyPendingMigrations } from "../src/store/db/migrate.ts";
import { createOrm } from "../src/store/db/orm.ts";
import { openPrimaryServer, type PostgresServer as Postgres } from "../test/support/standbys.ts";
import { readCpuTime } from "./process_usage.ts";
import { startServer } from "./start_servers.ts";

const SECRET = "a secret of the bench that is long enough";
const ROUNDS = 3;
const CLIENTS = Number(process.argv[3] ?? 64);
const CHANNELS = 10;
const DEVICES = 200;
const JOINED = 10;
const WRITES_A_SECOND = 10;

/** Microseconds of a server with all its processes; the first one includes processes that ended in the meantime. */
function cpuOfServer({ pid }: Postgres): number {
  const children = readdirSync("/proc").filter((name) => {
    try {
      return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]!.split(" ")[1] === String(pid);
    } catch {
      return false;
    }
  });
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(13, 15).map(Number);
  return children.reduce(
    (sum, child) => sum + (readCpuTime([Number(child)]) ?? 0),
    readCpuTime([pid])! + (user! + system!) * 10_000,
  );
}

/** Each statement alone is a transaction; a server counts those of a connection at most a second later. */
const statementsAt = async (server: Postgres) => {
  await pause(1_100);
  const count = "select xact_commit from pg_stat_database where datname = 'bench'";
  return Number(await server.client("psql", "-d", "postgres", "-Atc", count));
};

async function measure(seconds: number): Promise<void> {
  const servers = await openPrimaryServer();
  const { primary } = servers;
  await primary.client("createdb", "bench");
  const databaseUrl = primary.urlOf("bench");
  const orm = createOrm({ databaseUrl });
  await applyPendingMigrations(orm);
  const em = () => orm.em.fork() as SqlEntityManager;
  const { id: workspace } = await createEmptyWorkspace(em(), { name: "Bench" });
  await addWorkspaceMember(em(), { workspace, email: "bench@example.org", role: "owner" });
  const { key } = await createKey(em(), { workspace, scopes: "all" }, new Date());
  const standbys = [await servers.standby(), await servers.standby()];
  const urls = standbys.map((standby) => standby.urlOf("bench"));
  const services = await Promise.all(
    [0, 1, 2].map((count) =>
      startServer({
        databaseUrl,
        secret: SECRET,
        settings: { DATABASE_READ_URLS: urls.slice(0, count).join(), REDIS_URL: "" },
      }),
    ),
  );
  const call = async (at: string, method: string, path: string, token: string, body?: object, tag?: string) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(tag && { "if-none-match": tag }),
    };
    const answer = await fetch(at + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, tag: answer.headers.get("etag") ?? "", body: await answer.text() };
  };
  const [{ service: first }] = services as [(typeof services)[number]];
  const channels: { id: string; handle: string }[] = [];
  for (let i = 0; i < CHANNELS; i++) {
    const channel = { name: "Bench", category: "community", description: "Bench", handle: `bench-${i}` };
    const { body } = await call(first.url, "POST", "/api/v1/pushers", key, channel);
    channels.push(JSON.parse(body));
  }
  const devices: { token: string; tag: string }[] = [];
  for (let i = 0; i < DEVICES; i++) {
    const facts = { platform: "cli", app_version: "1", locale: "en", timezone: "UTC" };
    const { token } = JSON.parse((await call(first.url, "POST", "/handset/v1/devices", "", facts)).body);
    for (let j = 0; j < JOINED; j++)
      await call(first.url, "PUT", `/handset/v1/subscriptions/bench-${(i + j) % CHANNELS}`, token, {});
    devices.push({ token, tag: "" });
  }
  await em().execute("vacuum analyze");

  let alerts = 0;
  async function round(at: string, sending: boolean) {
    let polls = 0;
    let changed = 0;
    let ended = false;
    const senders = (async () => {
      while (sending && !ended) {
        // No handset sees a draft: the polls stay unchanged, and the log of the database grows.
        const path = `/api/v1/pushers/${channels.at(-1)!.id}/alerts`;
        await call(first.url, "POST", path, key, { title: `Alert ${alerts++}` });
        await pause(1000 / WRITES_A_SECOND);
      }
    })();
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let i = client; !ended; i += CLIENTS) {
        const device = devices[i % DEVICES]!;
        const { status, tag } = await call(at, "GET", "/handset/v1/inbox", device.token, undefined, device.tag);
        if (status !== 304) changed++;
        device.tag = tag || device.tag;
        polls++;
      }
    });
    await pause(seconds * 1000);
    ended = true;
    await Promise.all([...clients, senders]);
    return { polls, changed };
  }

  console.log(
    "| standbys | while | polls/s | statements at the primary | at standbys | primary, µs | standbys, µs | " +
      "service, µs | not 304 |\n|---|---|---|---|---|---|---|---|---|",
  );
  for (let i = -1; i < ROUNDS; i++)
    for (const sending of [false, true])
      for (const [count, { service }] of services.entries()) {
        const spent = async () => [
          await statementsAt(primary),
          (await statementsAt(standbys[0]!)) + (await statementsAt(standbys[1]!)),
          cpuOfServer(primary),
          standbys.reduce((sum, standby) => sum + cpuOfServer(standby), 0),
          (await service.cpu()) ?? 0,
        ];
        const before = await spent();
        const { polls, changed } = await round(service.url, sending);
        const each = (await spent()).map((after, j) => ((after - before[j]!) / polls).toFixed(j < 2 ? 2 : 0));
        const cells = [count, sending ? "writing" : "quiet", (polls / seconds).toFixed(0), ...each, changed];
        // The first one warms up.
        if (i >= 0) console.log(`| ${cells.join(" | ")} |`);
      }
  for (const server of services) await server.stop();
  await orm.close(true);
  await servers.remove();
}

await measure(Number(process.argv[2] ?? 5));
