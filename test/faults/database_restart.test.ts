// The service on its embedded database under load, while its database's server or the service itself is killed
// repeatedly. It recovers, loses no acknowledged data, does nothing twice, and leaves no process behind.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildRestRequest } from "../../src/operation/build_rest_request.ts";
import { callConcurrently, pause } from "../support/concurrent_calls.ts";
import { isAlive, processesOn, type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { findOperation } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 1);
const CLIENTS = 16;
const END_MS = 1_800_000;
/** The first start has opened one, and ten a minute are what a member may open. */
const CHANNELS = 9;

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function call(url: string, key: string, tool: string, args: Record<string, unknown> = {}) {
  const { method, path, headers, body } = buildRestRequest(findOperation(tool), args);
  const response = await fetch(url + path, { method, body, headers: { ...headers, authorization: `Bearer ${key}` } });
  return { status: response.status, body: (await response.json()) as any, headers: response.headers };
}

const readyz = async (url: string) => (await fetch(`${url}/readyz`)).status;
const postmaster = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);

async function openChannels({ url, key }: RunningServer): Promise<string[]> {
  const fields = { name: "K", category: "community", description: "D" };
  const made = await callConcurrently(CHANNELS, (i) =>
    call(url, key, "create_pusher", { ...fields, handle: `killed-${i}` }),
  );
  expect(made.map(({ status }) => status)).toEqual(Array(CHANNELS).fill(201));
  return made.map(({ body }) => body.id);
}

/** Every alert of the channels: title → status. No title is there twice. */
async function everything(url: string, key: string, channels: string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const pusher_id of channels)
    for (let before: string | null = null; ; ) {
      const page = { pusher_id, limit: 100, ...(before ? { before } : {}) };
      const { body } = await call(url, key, "list_alerts", page);
      for (const { title, status } of body.data) {
        expect(found.has(title), title).toBe(false);
        found.set(title, status);
      }
      before = body.meta.next_before;
      if (before === null) break;
    }
  return found;
}

/** The processes that serve one connection each. */
const backends = (dataDir: string): number[] =>
  processesOn(dataDir).filter((pid) => {
    try {
      return /^postgres: belfry belfry \[local\]/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      return false;
    }
  });

/** A server of which a backend was killed also ends, since its memory may be damaged. We start it again. */
const VICTIMS = ["the database", "one backend of it"] as const;

test.each(VICTIMS)(
  `%s killed in ${ROUNDS} rounds while ${CLIENTS} clients send`,
  { timeout: END_MS },
  async (victim) => {
    const dataDir = join(folder.path, victim.replaceAll(" ", "-"));
    const server = await startServer(dataDir, { settings: { LOG_LEVEL: "fatal" } });
    const { url, key } = server;
    const channels = await openChannels(server);
    const acknowledged: string[] = [];
    const readyAfter: number[] = [];
    const refused: number[] = [];
    let going = true;
    let titles = 0;
    const clients = callConcurrently(CLIENTS, async (i) => {
      while (going) {
        const title = `alert ${++titles}`;
        const pusher_id = channels[i % CHANNELS]!;
        const { status, body, headers } = await call(url, key, "create_alert", { pusher_id, title });
        if (status === 201) {
          acknowledged.push(title);
          await pause(5);
        } else {
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
    clients.catch(() => {
      going = false;
    });
    for (let round = 0; round < ROUNDS && going; round++) {
      const before = acknowledged.length;
      await waitUntil(() => acknowledged.length >= before + 20 || !going);
      const running = postmaster(dataDir);
      const cut = backends(dataDir);
      expect(cut.length).toBeGreaterThan(0);
      const begun = performance.now();
      process.kill(victim === "the database" ? running : cut[round % cut.length]!, "SIGKILL");
      const healths = new Set<number>();
      await waitUntil(async () => {
        healths.add((await fetch(`${url}/healthz`)).status);
        // A call queries the database itself, while a readiness check is valid for a moment.
        return !cut.some(isAlive) && (await call(url, key, "get_me", {})).status === 200;
      });
      expect([...healths]).toEqual([200]);
      expect(postmaster(dataDir)).not.toBe(running);
      readyAfter.push(performance.now() - begun);
    }
    going = false;
    await clients;
    // A new alert whose connection is lost is written again under its id, so a call may be answered in spite of the
    // kill.
    const found = await everything(url, key, channels);
    expect(acknowledged.filter((title) => !found.has(title))).toEqual([]);
    console.log(
      `${victim} killed, ${ROUNDS} rounds: ${acknowledged.length} acknowledged, none lost; ` +
        `${refused.length} calls got a 503; ${summary(readyAfter)}`,
    );
    await server.stop();
  },
);

test(`the service killed in ${ROUNDS} rounds while ${CLIENTS} clients send, and its database with it`, {
  timeout: END_MS,
}, async () => {
  const dataDir = join(folder.path, "own");
  const start = async () => {
    const server = await startServer(dataDir, { settings: { LOG_LEVEL: "fatal" } });
    await waitFor(async () => expect(await readyz(server.url)).toBe(200));
    return server;
  };
  let server = await start();
  const { key } = server;
  const channels = await openChannels(server);
  /** Title → status, as it was acknowledged. */
  const acknowledged = new Map<string, string>();
  const readyAfter: number[] = [];
  let unanswered: Record<string, unknown>[] = [];
  let repeated = 0;
  let titles = 0;
  const create = async (args: Record<string, unknown>) => {
    const { status, body } = await call(server.url, key, "create_alert", args);
    unanswered = unanswered.filter((waiting) => waiting !== args);
    if (status === 201) acknowledged.set(body.title, body.status);
    // Thirty sends a minute and channel, in each life of the service.
    else expect([status, body]).toEqual([429, expect.anything()]);
  };
  for (let round = 0; round < ROUNDS; round++) {
    let going = true;
    const clients = callConcurrently(CLIENTS, async (i) => {
      while (going) {
        const title = `alert ${++titles}`;
        const send = titles % 8 === 0;
        const args = { pusher_id: channels[i % CHANNELS]!, title, send, idempotency_key: title };
        unanswered.push(args);
        // A call that the kill cut off ends its client; anything else is a fault.
        await create(args).catch((error) => {
          if (going || !(error instanceof TypeError)) throw error;
        });
      }
    });
    const faults = clients.then(
      () => null,
      (error) => error,
    );
    const goal = acknowledged.size + 20 + Math.random() * 100;
    await Promise.race([faults, waitFor(() => expect(acknowledged.size).toBeGreaterThan(goal))]);
    const left = postmaster(dataDir);
    going = false;
    await server.stop("SIGKILL");
    expect(await faults).toBe(null);

    const begun = performance.now();
    server = await start();
    readyAfter.push(performance.now() - begun);
    expect(postmaster(dataDir)).not.toBe(left);
    const found = await everything(server.url, key, channels);
    for (const [title, status] of acknowledged) expect([title, found.get(title)]).toEqual([title, status]);
    // A retry under the same key acts once, whether the first call had acted or not.
    const repeats = unanswered;
    repeated += repeats.length;
    await callConcurrently(repeats.length, (i) => create(repeats[i]!), 4);
  }
  const found = await everything(server.url, key, channels);
  for (const [title, status] of acknowledged) expect([title, found.get(title)]).toEqual([title, status]);
  expect(processesOn(dataDir)).not.toEqual([]);
  await server.stop("SIGKILL");
  await waitFor(() => expect(processesOn(dataDir)).toEqual([]));
  console.log(
    `service killed, ${ROUNDS} rounds: ${acknowledged.size} acknowledged, none lost; ${repeated} repeated, none done ` +
      `twice; no process left; ${summary(readyAfter)}`,
  );
});

function summary(times: number[]): string {
  const sorted = times.map(Math.round).toSorted((a, b) => a - b);
  return `ready after ${sorted[sorted.length >> 1]} ms (median), ${sorted.at(-1)} ms (worst)`;
}
