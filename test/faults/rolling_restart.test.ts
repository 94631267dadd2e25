// Two replicas on one database behind the nginx of docs/how-to/https.md, each a process of its own. They are replaced
// one after the other, by that page's steps, while clients send requests. No request fails, and nothing is done twice.

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pause } from "../support/concurrent_calls.ts";
import { freePort } from "../support/free_port.ts";
import { type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import { startProxy } from "../support/proxies.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor, waitUntil } from "../support/wait.ts";
import { World } from "../support/world.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 1);
const CLIENTS = 12;

/** The worst that a proxy can do to who stops: each request comes on a connection of its own. */
const keepingNone = (lines: string) => lines.replace(/^ *keepalive.*\n/gm, "");

describe.skipIf(isMissing("nginx"))("two replicas behind nginx", () => {
  const folder = temporaryFolder();
  const agent = new Agent({ connections: CLIENTS });
  const replicas: RunningServer[] = [];
  const proxies: ChildProcess[] = [];
  let world: World;
  let ports: number[];

  const start = async (i: number) => {
    const settings = { ...world.settings, SHUTDOWN_DELAY_MS: "1000" };
    replicas[i] = await startServer(join(folder.path, String(i)), { port: ports[i], settings });
    await waitFor(async () => expect((await fetch(`${replicas[i]!.url}/readyz`)).status).toBe(200));
  };
  beforeAll(async () => {
    world = await World.open();
    ports = [await freePort(), await freePort()];
    await start(0);
    await start(1);
  });
  afterAll(async () => {
    for (const proxy of proxies) proxy.kill("SIGTERM");
    await agent.destroy();
    for (const replica of replicas) await replica.stop();
    await world?.close();
    folder.remove();
  });

  test.each([
    { name: "which keeps its connections", edit: undefined },
    { name: "which opens one for each request", edit: keepingNone },
  ])(`$name: replaced ${ROUNDS} times under load, no request fails`, { timeout: 1_800_000 }, async ({ name, edit }) => {
    const { id } = await world.pusher();
    const port = await freePort();
    const place = join(folder.path, name.replaceAll(" ", "_"));
    proxies.push(startProxy("nginx", port, ports, place, edit));
    const ask = async (method: "GET" | "POST", path: string, body: string | null = null) => {
      const answer = await request(`http://127.0.0.1:${port}/api/v1/pushers/${id}${path}`, {
        method,
        body,
        dispatcher: agent,
        headers: { authorization: `Bearer ${world.owner}`, "content-type": "application/json" },
      });
      await answer.body.dump();
      return answer.statusCode;
    };
    await waitFor(async () => expect(await ask("GET", "")).toBe(200));
    const seen = { GET: 0, POST: 0 };
    const failed: string[] = [];
    let going = true;
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      const method = i % 2 ? "POST" : "GET";
      while (going) {
        const made = JSON.stringify({ title: `${name} ${seen.POST + 1}` });
        seen[method]++;
        const outcome = await (method === "GET" ? ask("GET", "") : ask("POST", "/alerts", made)).catch(String);
        if (outcome !== (method === "GET" ? 200 : 201)) failed.push(`${method} ${outcome}`);
        // There is always a pending request; more would only slow the start that all wait for.
        await pause(50);
      }
    });
    for (let round = 0; round < ROUNDS; round++) {
      const before = seen.POST;
      await replicas[round % 2]!.stop();
      await start(round % 2);
      await waitUntil(() => seen.POST >= before + 50);
    }
    going = false;
    await Promise.all(clients);
    // A refused connection is how nginx learns that one is away.
    const errors = readFileSync(join(place, "error.log"), "utf8").replace(/.*Connection refused.*\n/g, "");
    expect(failed, errors).toEqual([]);
    const [rows] = await world.sql(
      "select count(*)::int as all, count(distinct title)::int as titles from alert where title like ?",
      [`${name}%`],
    );
    expect(rows).toEqual({ all: seen.POST, titles: seen.POST });
  });
});
