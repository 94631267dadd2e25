// A database that is slow, down, full of other clients' connections or silent. Calls get a 503 within a time limit, and
// recover by themselves afterwards.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/store/config/load_settings.ts";
import { findDatabaseUnavailableCode, toApiError } from "../../src/store/db/database_unavailable_errors.ts";
import { applyPendingMigrations } from "../../src/store/db/migrate.ts";
import { createOrm, type Orm } from "../../src/store/db/orm.ts";
import { openCluster } from "../../src/store/embedded/cluster.ts";
import { callConcurrently } from "../support/concurrent_calls.ts";
import { openWorld } from "../support/open_world.ts";

const envelope = {
  error: {
    type: "server_error",
    code: "database_unavailable",
    message: expect.stringMatching(/^The database is not available/),
    param: null,
  },
};

const em = (orm: Orm) => orm.em.fork() as SqlEntityManager;

const world = await openWorld({
  settings: { DATABASE_LOCK_TIMEOUT_MS: "200", DATABASE_STATEMENT_TIMEOUT_MS: "1000", DATABASE_POOL_SIZE: "3" },
});

describe("with short limits", () => {
  // rules#unavailable
  test("a call that waits for a lock too long is 503 with Retry-After, over every transport", async () => {
    const pusher = await world.pusher();
    const holder = em(world.service.orm);
    await holder.begin();
    try {
      await holder.execute("lock table alert in access exclusive mode");
      const args = { pusher_id: pusher.id, title: "A" };
      for (const answer of [
        await world.rest("create_alert", args),
        await world.rest("list_alerts", { pusher_id: pusher.id }),
      ])
        expect({ ...answer, retry: answer.headers.get("retry-after") }).toMatchObject({
          status: 503,
          body: envelope,
          retry: "2",
        });
      expect((await world.mcp("create_alert", args)).body).toMatchObject(envelope);
    } finally {
      await holder.rollback();
    }
    expect((await world.rest("list_alerts", { pusher_id: pusher.id })).status).toBe(200);
  });

  test("a statement that takes too long is ended, a migration's is not", async () => {
    const slow = em(world.service.orm).execute("select pg_sleep(30)");
    expect(findDatabaseUnavailableCode(await slow.catch((error) => error))).toBe("57014");
    expect(await applyPendingMigrations(world.service.orm)).toEqual([]);
  });

  test("connections that the server ends cost their own statement and nothing else", async () => {
    const gone = em(world.service.orm).execute("select pg_terminate_backend(pg_backend_pid())");
    expect(toApiError(await gone.catch((error) => error)).status).toBe(503);
    expect(await em(world.service.orm).execute("select 1 as one")).toEqual([{ one: 1 }]);
  });
});

test("at the connection limit calls wait for a connection in use instead of failing", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "belfry-limit-"));
  const log = { debug: () => {}, info: () => {}, error: () => {} };
  const server = { fsync: "off", max_connections: "6", max_wal_senders: "0" };
  const cluster = await openCluster(loadConfig({ DATA_DIR: dataDir, DATABASE_URL: "" }), { log, server, sync: false });
  const others = createOrm({ databaseUrl: cluster.url, databasePoolSize: 5 });
  const orm = createOrm({ databaseUrl: cluster.url, databasePoolSize: 12, databaseConnectTimeoutMs: 30_000 });
  try {
    const held = await callConcurrently(5, async () => {
      const manager = em(others);
      await manager.begin();
      await manager.execute("select 1");
      return manager;
    });
    // One connection is left for all of them.
    const answers = await callConcurrently(40, () => em(orm).execute("select 1 as one"), 40);
    expect(answers.filter(([row]: any) => row.one === 1)).toHaveLength(40);
    for (const manager of held) await manager.rollback();
  } finally {
    await others.close(true);
    await orm.close(true);
    await cluster.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a database that accepts connections without responding is given up", async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  const orm = createOrm({ databaseUrl: `postgresql://belfry@127.0.0.1:${port}/belfry`, databaseConnectTimeoutMs: 300 });
  const said = await em(orm)
    .execute("select 1")
    .catch((error) => error);
  expect(toApiError(said)).toMatchObject({ status: 503, headers: { "retry-after": "2" } });
  await orm.close(true);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
