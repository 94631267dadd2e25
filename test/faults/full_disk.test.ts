// The embedded database on a disk that is really full. Down to the reserve, writes are refused ahead of time. On a
// completely full disk, PostgreSQL ends itself. In every state the service responds, stops on request, loses nothing
// that it acknowledged, and recovers when there is room. A disk of its own needs root; other users see a message.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import { skipForReason } from "../support/requirements.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small_disk.ts";
import { waitFor } from "../support/wait.ts";
import { findOperation } from "../support/world.ts";

/** The cluster, its log, a copy of the programs where the package's own cannot be reached, and room. */
const SIZE_MB = 240;
const RESERVE_MB = 64;
const CLIENTS = 4;
const ROUNDS = Math.ceil(Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 1) / 10);

const folder = temporaryFolder();
const mounted = mountSmallDisk(folder.path, SIZE_MB);
const disk = mounted as SmallDisk;
const none = typeof mounted === "string" ? `no disk of its own: ${mounted}` : null;
afterAll(() => {
  folder.endProcesses();
  if (typeof mounted !== "string") mounted.remove();
  folder.remove();
});

describe.skipIf(skipForReason(none))("on a disk of its own", () => {
  const dataDir = join(folder.path, "disk", "data");
  let server: RunningServer;
  let key: string;
  let pusher_id: string;
  const acknowledged = new Set<string>();
  let titles = 0;

  const start = async (reserveMb: number) => {
    server = await startServer(dataDir, { settings: { MIN_FREE_DISK_MB: String(reserveMb), LOG_LEVEL: "warn" } });
  };

  async function call(tool: string, args: Record<string, unknown>) {
    const { method, path, headers, body } = buildRestRequest(findOperation(tool), args);
    const response = await fetch(server.url + path, {
      method,
      body,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    const answer: any = await response.json();
    return { status: response.status, body: answer, retry: response.headers.get("retry-after") };
  }

  async function write() {
    const title = `alert ${++titles}`;
    const answer = await call("create_alert", { pusher_id, title });
    if (answer.status === 201) acknowledged.add(title);
    return answer;
  }

  const status = async (path: string) => (await fetch(server.url + path)).status;
  const untilReady = () =>
    waitFor(async () =>
      expect([await status("/readyz"), server.log().slice(-2_000)]).toEqual([200, expect.any(String)]),
    );

  async function nothingLost() {
    const found = new Set<string>();
    for (let before: string | null = null, first = true; first || before; first = false) {
      const { body } = await call("list_alerts", { pusher_id, limit: 100, ...(before ? { before } : {}) });
      for (const { title } of body.data) found.add(title);
      before = body.meta.next_before;
    }
    expect([...acknowledged].filter((title) => !found.has(title))).toEqual([]);
  }

  /** Fills the disk while clients write, until PostgreSQL has ended itself, and cannot start, for lack of space. */
  async function fillWholly() {
    let going = true;
    const others: object[] = [];
    const clients = callConcurrently(CLIENTS, async () => {
      while (going) {
        const answer = await write();
        if (answer.status !== 201) others.push({ status: answer.status, type: answer.body.error.type });
      }
    });
    const url = `postgresql://belfry@${encodeURIComponent(join(dataDir, "postgres"))}/belfry`;
    const orm = createOrm({ databaseUrl: url, databasePoolSize: 2 });
    const before = server.log().length;
    const hasEnded = () => /PANIC.*No space left on device[\s\S]*could not be started/.test(server.log().slice(before));
    // Temporary files of the first end are room for a recovery, so the disk is filled until a start fails.
    while (!hasEnded()) {
      disk.fill();
      // The log's own files are used up sooner than by what the clients write.
      const filled = orm.em.execute("select pg_logical_emit_message(false, '', repeat('x', 1000000))");
      await filled.catch(() => pause(50));
    }
    await waitFor(async () => expect(await status("/readyz")).toBe(503));
    await pause(200);
    going = false;
    await clients;
    await orm.close(true).catch(() => {});
    // Temporary responses: retry later, never a server error.
    expect(others.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual({ status: 503, type: "server_error" });
  }

  beforeAll(async () => {
    await start(RESERVE_MB);
    key = server.key;
    const fields = { handle: "on-a-small-disk", name: "N", category: "community", description: "D" };
    pusher_id = (await call("create_pusher", fields)).body.id;
  });

  test("down to the reserve: writes are refused, all else works, and with room it writes again", async () => {
    expect((await write()).status).toBe(201);
    disk.fill(RESERVE_MB / 2);
    await waitFor(async () => expect(await status("/readyz")).toBe(503));
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({
      status: "not ready",
      reason: expect.stringContaining("disk is almost full"),
    });
    expect(await write()).toMatchObject({
      status: 503,
      retry: "30",
      body: {
        error: {
          ...{ type: "server_error", code: "disk_full", param: null },
          message: expect.stringContaining("almost full"),
        },
      },
    });
    expect((await call("list_alerts", { pusher_id })).status).toBe(200);
    expect(await status("/healthz")).toBe(200);
    disk.empty();
    await untilReady();
    expect((await write()).status).toBe(201);
    disk.fill(RESERVE_MB / 2);
    await waitFor(async () => expect(await status("/readyz")).toBe(503));
    await server.stop();
    expect(await server.exited).toBe(0);
    disk.empty();
  });

  test("completely full, PostgreSQL ends: calls are 503, /healthz works, and with room it recovers", async () => {
    // Nothing refuses ahead of time.
    await start(0);
    for (let round = 0; round < ROUNDS; round++) {
      await fillWholly();
      expect(await status("/healthz")).toBe(200);
      expect(await call("list_alerts", { pusher_id })).toMatchObject({
        status: 503,
        retry: "2",
        body: {
          error: {
            ...{ type: "server_error", code: "database_unavailable", param: null },
            message: expect.stringContaining("database"),
          },
        },
      });
      expect((await write()).status).toBe(503);
      disk.empty();
      await untilReady();
      await nothingLost();
      expect((await write()).status).toBe(201);
    }
    await server.stop();
  });

  test("SIGTERM ends it in this state, a start on the full disk is one line, and nothing is lost", async () => {
    await start(0);
    await fillWholly();
    // Within the deadline, in any state of the database: see SHUTDOWN_TIMEOUT_MS.
    await server.stop();
    disk.fill();
    const refused = await start(0).catch((error: Error) => error.message);
    expect(refused).toMatch(/^the server ended: belfry: DATA_DIR \(.*\) .*(No space left on device|is full)[^\n]*\n$/);
    disk.empty();
    await start(RESERVE_MB);
    await untilReady();
    await nothingLost();
    await server.stop();
  });
});
