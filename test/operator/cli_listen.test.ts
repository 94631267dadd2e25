// A machine that listens: `belfry listen` in processes of its own, on a server that is also killed.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request as connect, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../support/free_port.ts";
import {
  CLI,
  createChildEnvironment,
  type RunningServer,
  runBelfry,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { prepareStartedService } from "../support/started_service.ts";
import { waitFor } from "../support/wait.ts";

const ROUNDS = Number(process.env.BELFRY_TEST_KILL_ROUNDS ?? 1);

let folder: ReturnType<typeof temporaryFolder>;
let server: RunningServer;
let port: number;
let dataDir: string;
const start = () => startServer(dataDir, { port });
/** From the first start; later ones have none. */
let key: string;

beforeAll(async () => {
  folder = temporaryFolder();
  port = await freePort();
  dataDir = await prepareStartedService(join(folder.path, "data"));
  server = await start();
  key = server.key;
});
afterAll(async () => {
  await server?.stop();
  folder?.remove();
});

async function rest(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return response.json();
}
const channel = (handle: string, is_public = true) =>
  rest("POST", "/pushers", {
    handle,
    name: handle,
    category: "community",
    description: "Heard by a machine.",
    requested_perms: ["notify"],
    is_public,
  });
const send = (id: string, title: string, more = {}) =>
  rest("POST", `/pushers/${id}/alerts`, { title, send: true, ...more });

/** A listener that runs until it is ended. Its output is kept over all runs on the same folder. */
function listener(args: string[], settings: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [CLI, "listen", ...args], {
    env: createChildEnvironment({ BELFRY_URL: server.url, XDG_STATE_HOME: join(folder.path, "state"), ...settings }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout!.on("data", (chunk) => (out += chunk));
  child.stderr!.on("data", (chunk) => (err += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    titles: (): string[] =>
      out
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).title),
    said: () => err,
    ended,
    end: (signal: NodeJS.Signals = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}
const stateOf = (handle: string) =>
  join(folder.path, "state/belfry", `${new URL(server.url).host.replace(/\W+/g, "-")}-${handle}.json`);
/** It is subscribed, and what is sent from now on is its own. */
const joined = (handle: string) =>
  waitFor(() => expect(JSON.parse(readFileSync(stateOf(handle), "utf8")).since).toBeTruthy());

// rules#listen
test("alerts after it joined are printed as lines, in order; earlier ones are not", async () => {
  const { id } = await channel("listen-lines");
  await send(id, "Before");
  const its = listener(["listen-lines"]);
  await joined("listen-lines");
  for (const title of ["First", "Second; $(touch /never) `x`"]) await send(id, title);
  await waitFor(() => expect(its.titles()).toEqual(["First", "Second; $(touch /never) `x`"]));
  expect(await its.end()).toBe(0);
  expect(statSync(stateOf("listen-lines")).mode & 0o777).toBe(0o600);
});

// rules#listen
test("a command gets the alert as environment and input, confirms on request, and may fail", async () => {
  const { id } = await channel("listen-exec");
  const heard = join(folder.path, "heard");
  const exec =
    `cat >> '${heard}'; printf '%s|%s|%s\\n' "$BELFRY_TITLE" "$BELFRY_PRIORITY" "$BELFRY_CHANNEL" >> ` +
    `'${heard}'; test "$BELFRY_TITLE" != Fails`;
  const its = listener(["listen-exec", "--exec", exec, "--ack", "--count", "3"]);
  await joined("listen-exec");
  const alerts = [];
  for (const title of ["Fails", "$(id)", "Last"]) alerts.push(await send(id, title, { requires_ack: true }));
  expect(await its.ended).toBe(0);
  const lines = readFileSync(heard, "utf8").trim().split("\n");
  expect(lines.filter((_, i) => i % 2 === 0).map((line) => JSON.parse(line).title)).toEqual(["Fails", "$(id)", "Last"]);
  expect(lines[3]).toBe("$(id)|normal|listen-exec");
  expect(its.said()).toContain(`the command exited with 1 for ${alerts[0].id}`);
  const acks = [];
  for (const alert of alerts) acks.push((await rest("GET", `/pushers/${id}/alerts/${alert.id}/stats`)).totals.acks);
  expect(acks).toEqual([0, 1, 1]);
});

// rules#listen
test("a private channel takes an invite, once; a deleted device and an unknown channel are reported", async () => {
  const { id } = await channel("listen-private", false);
  const settings = { BELFRY_URL: server.url, XDG_STATE_HOME: join(folder.path, "state") };
  const none = await runBelfry(["listen", "listen-private"], settings);
  expect([none.code, none.refusal.error.type]).toEqual([1, "not_found"]);
  const { code } = await rest("POST", `/pushers/${id}/invites`, { max_uses: 1 });
  const its = listener(["listen-private", "--invite", code, "--count", "1"]);
  await joined("listen-private");
  await send(id, "For members");
  expect(await its.ended).toBe(0);
  const { token, ...kept } = JSON.parse(readFileSync(stateOf("listen-private"), "utf8"));
  const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  writeFileSync(stateOf("listen-private"), JSON.stringify({ ...kept, token: wrong }));
  const gone = await runBelfry(["listen", "listen-private"], settings);
  expect([gone.code, gone.refusal.error.message]).toEqual([
    1,
    `This device is no longer registered. Remove ${stateOf("listen-private")} to register again.`,
  ]);
  writeFileSync(stateOf("listen-private"), "half of it");
  expect((await runBelfry(["listen", "listen-private"], settings)).code).toBe(2);
  expect((await runBelfry(["listen", "../up"], settings)).code).toBe(2);
  expect(existsSync(join(folder.path, "state/up.json"))).toBe(false);
});

/** A way to the server that lets no stream through. */
async function withoutStreams(spoil: (request: IncomingMessage, response: ServerResponse) => boolean = () => false) {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url!);
    if (spoil(request, response)) return;
    if (request.url!.includes("/stream")) return response.writeHead(404).end();
    const { hostname, port: to } = new URL(server.url);
    const { url: path, method, headers } = request;
    const passed = connect({ hostname, port: to, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return { proxy, asked, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

// rules#listen
test("where there is no stream it polls, and is held", async () => {
  const { id } = await channel("listen-polls");
  const { proxy, asked, url } = await withoutStreams();
  const its = listener(["listen-polls", "--count", "2"], { BELFRY_URL: url });
  await waitFor(() => expect(asked.filter((path) => path.includes("/inbox?"))).toHaveLength(2));
  await send(id, "One");
  await waitFor(() => expect(its.titles()).toEqual(["One"]));
  await send(id, "Two");
  expect([await its.ended, its.titles()]).toEqual([0, ["One", "Two"]]);
  expect(asked.filter((path) => path.includes("/stream"))).toHaveLength(1);
  proxy.close();
});

// rules#listen
test("a response that is cut, or is not JSON, is requested again", async () => {
  const { id } = await channel("listen-cut");
  const spoiled = [
    (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 99 });
      response.write("{", () => response.destroy());
    },
    (response: ServerResponse) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>"),
  ];
  const { proxy, url } = await withoutStreams(({ url: path }, response) => {
    if (!path!.includes("/inbox?")) return false;
    const spoil = spoiled.shift();
    spoil?.(response);
    return spoil !== undefined;
  });
  const its = listener(["listen-cut", "--count", "1"], { BELFRY_URL: url });
  await waitFor(() => expect(its.said()).toContain("The connection to the server was lost. Retrying."));
  await send(id, "After the cut");
  expect([await its.ended, its.titles(), spoiled]).toEqual([0, ["After the cut"], []]);
  proxy.close();
});

// rules#listen
test("a lost stream is followed again without a note, and an error of this machine ends the command", async () => {
  await channel("listen-broken");
  const state = join(folder.path, "broken.json");
  const streams = [
    (response: ServerResponse) => response.write(": hello\n\n", () => response.destroy()),
    (response: ServerResponse, from: string) => {
      // The state file cannot be replaced from now on.
      rmSync(state);
      mkdirSync(state);
      const card = { id: "alr_1", handle: "listen-broken", sent_at: "2999-01-01T00:00:00Z", title: "Once" };
      response.write(`event: alert\nfrom: ${from}\nid: next\ndata: ${JSON.stringify(card)}\n\n`);
    },
  ];
  const { proxy, url } = await withoutStreams(({ url: path, headers }, response) => {
    if (!path!.includes("/stream")) return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    streams.shift()!(response, String(headers["last-event-id"]));
    return true;
  });
  const its = listener(["listen-broken", "--state", state], { BELFRY_URL: url });
  expect(await its.ended).toBe(1);
  expect([its.titles(), streams]).toEqual([["Once"], []]);
  expect(its.said()).toContain("is a folder");
  expect(its.said()).not.toContain("Retrying");
  proxy.close();
});

// rules#listen
test(`listener and server killed ${ROUNDS} times each: every alert comes, in order`, async () => {
  const { id } = await channel("listen-kills");
  const titles: string[] = [];
  const told: string[] = [];
  let its = listener(["listen-kills"]);
  await joined("listen-kills");
  const sendNext = async () => {
    const title = `Alert ${titles.length}`;
    await send(id, title);
    titles.push(title);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await sendNext();
    // In any step of its work.
    await its.end("SIGKILL");
    told.push(...its.titles());
    await sendNext();
    its = listener(["listen-kills"]);
    await sendNext();
    await server.stop("SIGKILL");
    server = await start();
    await sendNext();
    await waitFor(() => expect([...told, ...its.titles()]).toContain(titles.at(-1)));
  }
  await its.end();
  told.push(...its.titles());
  // Killed between the line and its note, it prints the line again.
  expect(told.filter((title, i) => told.indexOf(title) === i)).toEqual(titles);
  expect(told.length - titles.length).toBeLessThanOrEqual(ROUNDS);
});
