// The service on its embedded database, whose server is killed again and again while clients send: calls are told to come
// back meanwhile, it recovers by itself, and nothing that was acknowledged is lost.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { requestFor } from "../src/transports/client.ts";
import { atOnce, pause } from "./support/at_once.ts";
import { startServer, temporaryFolder } from "./support/processes.ts";
import { toolNamed } from "./support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 3);
const CLIENTS = 16;

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function call(url: string, key: string, tool: string, args: Record<string, unknown> = {}) {
  const { method, path, headers, body } = requestFor(toolNamed(tool), args);
  const response = await fetch(url + path, {
    method,
    body,
    headers: { ...headers, authorization: `Bearer ${key}` },
  });
  return { status: response.status, body: (await response.json()) as any, headers: response.headers };
}

const readyz = async (url: string) => (await fetch(`${url}/readyz`)).status;
const postmaster = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);

test(`the database killed in ${ROUNDS} rounds while ${CLIENTS} clients send`, async () => {
  const dataDir = join(folder.path, "data");
  const server = await startServer(dataDir, { settings: { LOG_LEVEL: "fatal" } });
  const { url, key } = server;
  const pushers = await atOnce(CLIENTS, async (i) => {
    const fields = { handle: `killed-${i}`, name: "K", category: "community", description: "D" };
    for (;;) {
      const { status, body } = await call(url, key, "create_pusher", fields);
      if (status === 201) return body.id as string;
      // Ten channels a minute: the clients share those that there are.
      if (status === 429) return null;
    }
  });
  const open = pushers.filter((id): id is string => id !== null);
  const acknowledged = new Map<string, string>();
  const refused: number[] = [];
  let going = true;
  let titles = 0;
  const clients = atOnce(CLIENTS, async (i) => {
    while (going) {
      const title = `alert ${++titles}`;
      const pusher_id = open[i % open.length]!;
      const { status, body, headers } = await call(url, key, "create_alert", { pusher_id, title });
      if (status === 201) acknowledged.set(title, body.id);
      else {
        refused.push(status);
        expect({ status, type: body.error.type, retry: headers.get("retry-after") }).toEqual({
          status: 503,
          type: "server_error",
          retry: "2",
        });
        await pause(20);
      }
    }
  });
  clients.catch(() => {});
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.size;
    while (acknowledged.size < before + 20 && going) await pause(20);
    const pid = postmaster(dataDir);
    process.kill(pid, "SIGKILL");
    for (;;) {
      await pause(20);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const now = readdirSync(join(dataDir, "postgres")).includes("postmaster.pid")
        ? postmaster(dataDir)
        : pid;
      if (now !== pid && (await readyz(url)) === 200) break;
    }
  }
  going = false;
  await clients;
  expect(refused.length).toBeGreaterThan(0);
  const found = new Set<string>();
  for (const pusher_id of open)
    for (let before: string | null = null; ; ) {
      const { body } = await call(url, key, "list_alerts", {
        pusher_id,
        limit: 100,
        ...(before ? { before } : {}),
      });
      for (const { id } of body.data) found.add(id);
      before = body.meta.next_before;
      if (before === null) break;
    }
  expect([...acknowledged.values()].filter((id) => !found.has(id))).toEqual([]);
  console.log(
    `${ROUNDS} rounds: ${acknowledged.size} acknowledged, none lost; ${refused.length} calls were told to come back`,
  );
  await server.stop();
}, 1_200_000);
