// Limits of one credential or address on a service of three processes: the same as on one process, and free again
// when a process dies.

import { readFileSync } from "node:fs";
import { request as ask, type ClientRequest } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { prepareCluster, type RunningServer, startServer, temporaryFolder } from "../support/processes.ts";
import { waitFor } from "../support/wait.ts";

const WORKERS = 3;
const EACH = 8;
const PER_ADDRESS = 4;

let folder: ReturnType<typeof temporaryFolder>;
let service: RunningServer;
const open = new Set<ClientRequest>();
beforeAll(async () => {
  folder = temporaryFolder();
  service = await startServer(prepareCluster(join(folder.path, "service")), {
    settings: {
      WORKERS: String(WORKERS),
      HOST: "127.0.0.1",
      LONG_POLL_LIMIT_PER_IP: String(PER_ADDRESS),
      TRUSTED_PROXIES: "127.0.0.1",
    },
  });
});
afterEach(() => {
  for (const one of open) one.destroy();
  open.clear();
});
afterAll(async () => {
  await service?.stop();
  folder.remove();
});

interface Asked {
  /** The status of its head; null until that has arrived. */
  status: number | null;
  text: string;
  /** The validator of the answer; empty until its head has come. */
  etag: string;
  isEnded: boolean;
}

/** A request on a connection of its own, so that each may reach another process. */
function call(method: string, path: string, headers: Record<string, string> = {}, body?: object): Asked {
  const asked: Asked = { status: null, text: "", etag: "", isEnded: false };
  const one = ask(service.url + path, { method, agent: false, headers });
  open.add(one);
  one.on("error", () => {});
  one.on("close", () => {
    asked.isEnded = true;
  });
  one.on("response", (response) => {
    asked.status = response.statusCode!;
    asked.etag = response.headers.etag ?? "";
    response.on("error", () => {});
    response.on("data", (chunk) => (asked.text += chunk));
  });
  one.end(body && JSON.stringify(body));
  return asked;
}

async function json(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const asked = call(method, path, headers, body);
  await waitFor(() => expect(asked.isEnded).toBe(true));
  expect(asked.status).toBeLessThan(300);
  return JSON.parse(asked.text);
}

let made = 0;
const newChannel = () =>
  json("POST", "/api/v1/pushers", {
    handle: `leases-${++made}`,
    name: "One",
    category: "community",
    description: "One.",
  });

const workers = (): number[] =>
  readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .map(Number)
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("main.ts\0worker"));

/** Kills all processes that serve, and waits for those that take their place. */
async function killWorkers(): Promise<void> {
  const before = workers();
  for (const pid of before) process.kill(pid, "SIGKILL");
  await waitFor(async () => {
    const now = workers();
    expect([now.length, now.some((pid) => before.includes(pid))]).toEqual([WORKERS, false]);
    await json("GET", "/api/v1/pushers");
  });
}

// rules#leases
test("four calls of a credential wait for a review, on any processes, and four again when these die", async () => {
  const { id } = await newChannel();
  const alert = await json("POST", `/api/v1/pushers/${id}/alerts`, { title: "Tide" });
  const path = `/api/v1/pushers/${id}/alerts/${alert.id}/review`;
  const times = WORKERS * EACH;
  const waitAll = async () => {
    const calls = Array.from({ length: times }, () => call("GET", path, { authorization: `Bearer ${service.key}` }));
    await waitFor(() => expect(calls.filter(({ text }) => text !== "")).toHaveLength(times - LIMITS.review_waits));
    await json("GET", `/api/v1/pushers/${id}`);
    expect(calls.filter(({ isEnded }) => !isEnded)).toHaveLength(LIMITS.review_waits);
  };
  await waitAll();
  await killWorkers();
  await waitAll();
});

// rules#leases
test("an address has as many streams as one process would give it, and another address has its own", async () => {
  const { handle } = await newChannel();
  const listenAll = async (address: string) => {
    const calls = Array.from({ length: WORKERS * PER_ADDRESS }, () =>
      call("GET", `/ntfy/${handle}/json`, { "x-forwarded-for": address }),
    );
    await waitFor(() => expect(calls.filter(({ status }) => status === null)).toEqual([]));
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(PER_ADDRESS);
    expect(calls.filter(({ status }) => status === 503)).toHaveLength((WORKERS - 1) * PER_ADDRESS);
  };
  await listenAll("198.51.100.1");
  await listenAll("198.51.100.2");
  // Their places are free again.
  await waitFor(async () => {
    for (const one of open) one.destroy();
    await listenAll("198.51.100.1");
  });
});

async function newDevice(): Promise<{ authorization: string }> {
  const { token } = await json("POST", "/handset/v1/devices", {
    ...{ platform: "web", app_version: "1.0.0", locale: "en", timezone: "Europe/Vienna" },
  });
  return { authorization: `Bearer ${token}` };
}

// rules#leases, rules#held-bounds
test("a device has four long polls, on any processes, and one more ends the oldest", async () => {
  const device = await newDevice();
  const first = call("GET", "/handset/v1/inbox", device);
  await waitFor(() => expect(first.isEnded).toBe(true));
  const poll = () => {
    const headers = { ...device, "if-none-match": first.etag, prefer: "wait=600" };
    return call("GET", "/handset/v1/inbox", headers);
  };
  const polls = Array.from({ length: WORKERS * EACH }, poll);
  const held = () => polls.filter(({ isEnded }) => !isEnded);
  const ended = polls.length - LIMITS.held_polls;
  await waitFor(() => expect(polls.filter(({ status }) => status === 304)).toHaveLength(ended));
  // Each later poll waits, and ends one of those before it.
  for (let i = 0; i < LIMITS.held_polls; i++) {
    await waitFor(() => expect(held()).toHaveLength(LIMITS.held_polls));
    const newest = poll();
    polls.push(newest);
    await waitFor(() => expect(held()).toHaveLength(LIMITS.held_polls));
    expect(newest.isEnded).toBe(false);
  }
});

// rules#leases, rules#stream-bounds
test("a device has four streams, on any processes, and those of processes that die count no more", async () => {
  const device = await newDevice();
  const openAll = async () => {
    const calls = Array.from({ length: WORKERS * EACH }, () => call("GET", "/handset/v1/inbox/stream", device));
    const newer = () => calls.filter(({ text }) => text.includes('"reason":"newer"'));
    await waitFor(() => expect(newer()).toHaveLength(calls.length - LIMITS.held_polls));
    // The final event of a stream comes before its end.
    const open = () => calls.filter(({ isEnded }) => !isEnded);
    await waitFor(() => expect(open()).toHaveLength(LIMITS.held_polls));
  };
  await openAll();
  await killWorkers();
  await openAll();
});
