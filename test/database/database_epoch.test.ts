// The prefix of inbox validators. It survives restarts. No earlier validator matches after the database was restored or
// may have lost data.

import { cpSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openServiceWithoutListening } from "../../src/program/boot/service.ts";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { DATABASE_EPOCH_SQL } from "../../src/store/queries/database_epoch.ts";
import { startDatabaseProxy } from "../support/database_proxy.ts";
import { DEVICE_FACTS } from "../support/handsets.ts";
import { startLongPoll } from "../support/long_polls.ts";
import { withDatabase } from "../support/postgres_server.ts";
import { prepareCluster, runBelfryShared, temporaryFolder } from "../support/processes.ts";
import { lacksReplicaPostgres } from "../support/requirements.ts";
import { openPrimaryServer } from "../support/standbys.ts";
import { waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const folder = temporaryFolder();
let world: World;
let channel: { id: string; handle: string };
let token: string;
beforeAll(async () => {
  world = await World.open();
  channel = await world.pusher({ is_public: true });
  token = await world.device(channel.handle);
});
afterAll(async () => {
  await world?.close();
  folder.remove();
});

const poll = (at: World, etag?: string, by = token) =>
  at.handset("GET", "/inbox", by, undefined, etag ? { "if-none-match": etag } : {});
const tagAt = async (at: World, by = token) => (await poll(at, undefined, by)).headers.get("etag")!;

// rules#inbox-epoch
test("the operator's command ends every validator, wakes who waits and leaves all else", async () => {
  const etag = await tagAt(world);
  const feed = `/c/${channel.handle}/feed.atom`;
  const feedTag = (await world.request("GET", feed)).headers.get("etag")!;
  const held = startLongPoll(world, token, etag);
  await held.held();
  const { code, json } = await runBelfryShared(["database", "promoted"], world.settings);
  expect([code, json]).toEqual([0, { inboxes: "reloaded" }]);
  expect((await held.answer).status).toBe(200);
  const again = await tagAt(world);
  expect(again).not.toBe(etag);
  expect((await poll(world, again)).status).toBe(304);
  expect((await world.request("GET", feed, { headers: { "if-none-match": feedTag } })).status).toBe(200);
});

// rules#inbox-epoch
test("another process has the same validators, and a copy of the database others", async () => {
  const etag = await tagAt(world);
  const other = await world.replica();
  expect((await poll(other, etag)).status).toBe(304);
  await other.leave();
  await world.leave();
  const { url } = inject("database");
  const name = `${new URL(world.settings.DATABASE_URL!).pathname.slice(1)}_copy`;
  const admin = createOrm({ databaseUrl: url, databasePoolSize: 1 });
  const em = admin.em.fork() as SqlEntityManager;
  await em.execute(`create database ${name} template ${name.slice(0, -5)} strategy file_copy`);
  const copy = await world.replica({ DATABASE_URL: withDatabase(url, name) });
  expect((await poll(copy, etag)).status).toBe(200);
  await copy.leave();
  await em.execute(`drop database ${name} with (force)`);
  await admin.close(true);
  const back = await world.replica();
  expect((await poll(back, etag)).status).toBe(304);
  await back.leave();
});

// rules#inbox-epoch
test("a restart of the embedded database keeps validators, its files brought back from a copy do not", async () => {
  const dataDir = prepareCluster(join(folder.path, "data"));
  const config = loadConfig({ DATA_DIR: dataDir, DATABASE_URL: "", REDIS_URL: "", LOG_LEVEL: "silent" });
  let device = "";
  let etag = "";
  const ask = async () => {
    const service = await openServiceWithoutListening(config);
    const send = async (method: string, path: string, body?: object) => {
      const headers = { host: "localhost", "content-type": "application/json", "if-none-match": etag };
      const init = { method, headers: { ...headers, authorization: `Bearer ${device}` } };
      const text = body && JSON.stringify(body);
      return service.app.fetch(
        new Request(`http://localhost/handset/v1${path}`, { ...init, ...(text && { body: text }) }),
      );
    };
    if (device === "")
      device = ((await (await send("POST", "/devices", DEVICE_FACTS)).json()) as { token: string }).token;
    const answer = await send("GET", "/inbox");
    await answer.text();
    etag = answer.headers.get("etag")!;
    await service.close();
    return answer.status;
  };
  expect([await ask(), await ask()]).toEqual([200, 304]);
  // As `cp -a` brings a backup back: the same files with the same times.
  renameSync(dataDir, `${dataDir}.gone`);
  cpSync(`${dataDir}.gone`, dataDir, { recursive: true, preserveTimestamps: true });
  expect([await ask(), await ask()]).toEqual([200, 304]);
});

describe.skipIf(lacksReplicaPostgres())("a standby", () => {
  let servers: Awaited<ReturnType<typeof openPrimaryServer>>;
  beforeAll(async () => {
    servers = await openPrimaryServer();
  });
  afterAll(() => servers?.remove());

  // rules#inbox-epoch
  test("that takes over a running server's database refuses all earlier validators from the start", async () => {
    const { primary } = servers;
    await primary.client("createdb", "belfry");
    const proxy = await startDatabaseProxy(primary.urlOf("belfry"));
    const old = await World.open({ settings: { DATABASE_URL: proxy.url } });
    const { handle } = await old.pusher();
    const device = await old.device(handle);
    const etag = await tagAt(old, device);
    const standby = await servers.standby();
    const epochAt = (server: typeof primary) =>
      server.client("psql", "-d", "belfry", "-Atc", `select ${DATABASE_EPOCH_SQL} as epoch`);
    expect(await epochAt(standby)).toBe(await epochAt(primary));

    await primary.stop();
    await primary.start();
    await waitUntil(async () => (await poll(old, etag, device)).status === 304);

    await primary.stop("immediate");
    await standby.promote();
    proxy.leadTo(standby.urlOf("belfry"));
    const answers = new Set<number>();
    await waitUntil(async () => {
      const { status } = await poll(old, etag, device);
      answers.add(status);
      return status === 200;
    });
    expect(answers.has(304)).toBe(false);
    await old.close();
    await proxy.close();
  });
});
