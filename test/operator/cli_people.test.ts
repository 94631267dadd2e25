// The command line as a person uses it, against a service in this process. It sends alerts, prints tables on a terminal
// and parts of results, watches lists, and logs in with a browser.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { allowConsent } from "../support/oauth_flow.ts";
import {
  CLI,
  createChildEnvironment,
  runBelfry,
  runBelfryShared,
  runProgram,
  temporaryFolder,
} from "../support/processes.ts";
import { isMissing } from "../support/requirements.ts";
import { waitFor } from "../support/wait.ts";
import { createHandle, World } from "../support/world.ts";

const folder = temporaryFolder();
const handle = createHandle();
let world: World;
let listening: ListeningServer;
let url: string;
let pusherId: string;
let visitor: HttpVisitor;

beforeAll(async () => {
  const [host, port] = ["127.0.0.1", await findFreePort("127.0.0.1")];
  url = `http://${host}:${port}`;
  world = await World.open({ settings: { PUBLIC_URL: url } });
  listening = await listenHttp(world.service.app, { host, port });
  const made = await run([
    "create-pusher",
    "--handle",
    handle,
    "--name",
    "N",
    "--category",
    "ai",
    "--description",
    "D",
  ]);
  pusherId = made.json.id;
  visitor = await signInOwner(world, url);
});
afterAll(async () => {
  await listening?.close();
  await world?.close();
  folder.remove();
});

const home = () => ({
  BELFRY_URL: url,
  DATA_DIR: join(folder.path, "none"),
  XDG_STATE_HOME: join(folder.path, "state"),
});
const settings = () => ({ ...home(), BELFRY_API_KEY: world.owner });
const run = (args: string[], input?: string, more: Record<string, string> = {}) =>
  runBelfryShared(args, { ...settings(), ...more }, input);

async function ok(args: string[], input?: string) {
  const result = await run(args, input);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result.json;
}

// rules#cli-send
test("send publishes a text from the command line or from standard input", async () => {
  const urgent = await ok(["send", handle, "The quay floods", "-t", "Flood", "-p", "urgent"]);
  expect(urgent).toMatchObject({ status: "sent", title: "Flood", body: "The quay floods", priority: "urgent" });
  expect(await ok(["send", pusherId, "Only", "a", "title"])).toMatchObject({ title: "Only a title", body: null });
  expect(await ok(["send", handle], "Backup done\n12 GB\n")).toMatchObject({ title: "Backup done", body: "12 GB" });
  expect(await ok(["send", handle, "-", "--title", "Log"], "line 1\nline 2\n")).toMatchObject({
    title: "Log",
    body: "line 1\nline 2",
  });
  // With a title, standard input is not waited for.
  expect(await ok(["send", handle, "-t", "Alone"])).toMatchObject({ title: "Alone", body: null });
  const others = ["--requires-ack", "--source-url", "https://example.org/", "--idempotency-key", "once"];
  const acked = await ok(["send", handle, "Acknowledge", ...others]);
  expect(acked).toMatchObject({ requires_ack: true, source_url: "https://example.org/" });
  expect(await ok(["send", handle, "Acknowledge", ...others])).toMatchObject({ id: acked.id });
});

// rules#cli-send
test("send fits a long text into an alert, and notes it", async () => {
  const { json, stderr } = await run(["send", handle], `${"word ".repeat(40)}\n${"x".repeat(20_000)}`);
  expect([...json.title].length).toBeLessThanOrEqual(120);
  expect(json.body).toContain("word word");
  expect(stderr).toMatch(/The title is longer than .*\n.*The text was longer than/);
});

// rules#cli-send
test("send schedules with --in", async () => {
  const later = await ok(["send", handle, "Later", "--in", "30m"]);
  expect(later).toMatchObject({ status: "scheduled" });
  const minutes = (Date.parse(later.send_at) - Date.parse(later.created_at)) / 60_000;
  expect(minutes).toBeGreaterThan(20);
  expect(minutes).toBeLessThan(40);
});

// rules#sent-once
test("a repeated send with --in is scheduled once, and its note names the option", async () => {
  const [first, again] = [
    await ok(["send", handle, "Once", "--in", "2h"]),
    await ok(["send", handle, "Once", "--in", "2h"]),
  ];
  expect(again).toMatchObject({ id: first.id, send_at: first.send_at });
  expect(again.note).toContain("pass a new --idempotency-key");
  const third = await ok(["send", handle, "Once", "--in", "3h"]);
  expect([third.id === first.id, third.note]).toEqual([false, undefined]);
});

// rules#cli-send
test("with --title, a pipe is not read, with a note", async () => {
  const pipe = (...args: string[]) =>
    runProgram("sh", ["-c", `echo piped | "$0" "$@"`, process.execPath, CLI, "send", handle, ...args], settings());
  const alone = await pipe("-t", "Title of a pipe");
  expect(alone.json).toMatchObject({ title: "Title of a pipe", body: null });
  expect(alone.stderr).toContain("standard input was not read");
  const read = await pipe("-t", "Title and pipe", "-");
  expect([read.json.body, read.stderr]).toEqual(["piped", ""]);
});

test.each([
  { args: ["send"], says: "missing required argument 'channel'" },
  { args: ["send", "x", "--in", "soon"], says: "such as 90d" },
  { args: ["send", "x", "t", "--in", "5m", "--send-at", "2099-01-01T00:00:00Z"], says: "cannot be used with" },
  { args: ["send", "x"], input: " \n\u200b\n", says: "The alert has no text." },
  { args: ["send", "x", "t", "--body", "b"], says: "unknown option '--body'" },
  { args: ["list-alerts", "--fields", "id,nope"], says: "nope is not a field. Choose from id," },
  { args: ["list-alerts", "--fields", "id,"], says: "comma-separated list" },
  { args: ["list-alerts", "--fields", "__proto__"], says: "__proto__ is not a field" },
  { args: ["get-alert", "--watch"], says: "unknown option '--watch'" },
  { args: ["list-alerts", "--watch", "0"], says: "whole number, 1 or greater" },
  { args: ["list-alerts", "--watch", "2147484"], says: "at most 86400 seconds" },
])("wrong usage is exit 2: $args", async ({ args, input, says }) => {
  const { code, stdout, stderr } = await run(args, input ?? "");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(says);
});

// rules#cli-names-flags
test("refusals name the options of the command", async () => {
  const refusal = async (args: string[]) => {
    const { code, refusal } = await run(args);
    expect(code).toBe(1);
    return refusal.error;
  };
  expect(await refusal(["get-alert", "--alert-id", "x"])).toMatchObject({
    param: "pusher_id",
    message: expect.stringMatching(/^--pusher-id is required/),
  });
  expect(await refusal(["create-alert", "--pusher-id", handle])).toMatchObject({
    message: expect.stringMatching(/^Nothing was changed\. --title is required/),
  });
  // JSON has the names of the fields.
  expect((await refusal(["get-alert", "--json", '{"alert_id":"x"}'])).message).toMatch(/^pusher_id is required/);
  expect(await refusal(["send", handle, "t", "--send-at", "never"])).toMatchObject({
    param: "send_at",
    message: expect.stringMatching(/^Nothing was sent\. --send-at /),
  });
});

test("fields choose parts of a result", async () => {
  const list = await ok(["list-alerts", "--pusher-id", handle, "--limit", "2", "--fields", "title,status"]);
  expect(Object.keys(list.data[0])).toEqual(["title", "status"]);
  expect(list.meta).toHaveProperty("next_before");
  const me = await ok(["get-me", "--fields", "workspace.name", "--fields", "credential.constructor"]);
  expect(me).toEqual({ "workspace.name": expect.any(String), "credential.constructor": null });
});

test.skipIf(isMissing("jq"))("jq filters a result, and is checked before the call", async () => {
  const names = await run(["list-pushers", "--jq", ".data[].handle"]);
  expect(names).toMatchObject({ code: 0, stdout: `${handle}\n` });
  expect((await run(["get-me", "--jq", "-1 # a comment"])).stdout).toBe("-1\n");
  const other = createHandle();
  const make = ["create-pusher", "--handle", other, "--name", "N", "--category", "ai", "--description", "D"];
  for (const expression of [".id |", ".) | (.", "nope", '"']) {
    const wrong = await run([...make, "--jq", expression]);
    expect(wrong).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--jq: ") });
  }
  expect((await ok(["list-pushers"])).data).toHaveLength(1);
});

test.skipIf(isMissing("jq"))("where jq fails after the call, the result is printed whole", async () => {
  for (const expression of [".id|tonumber", 'error("no")', ".title[0]"]) {
    const { code, json, stderr } = await run(["send", handle, `Sent for ${expression}`, "--jq", expression]);
    expect({ code, json }).toMatchObject({ code: 1, json: { status: "sent", title: `Sent for ${expression}` } });
    expect(stderr).toMatch(/^belfry: the call succeeded, but --jq failed: jq: error/);
  }
});

test.skipIf(isMissing("jq"))("an interrupt while jq runs ends a watch without an error", async () => {
  const slow = 'if .data[0].name == "Slow" then until(false; .) else "first" end';
  const watching = start(["list-pushers", "--watch", "1", "--jq", slow], {}, { detached: true });
  const pid = watching.child.pid!;
  const programs = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  try {
    await waitFor(() => expect(watching.stdout()).toBe("first\n"));
    await ok(["update-pusher", "--pusher-id", handle, "--name", "Slow"]);
    await waitFor(() => expect(programs()).not.toBe(""));
    process.kill(-pid, "SIGINT");
    expect([await watching.ended, watching.stdout(), watching.stderr()]).toEqual([0, "first\n", ""]);
  } finally {
    if (watching.child.exitCode === null) process.kill(-pid, "SIGKILL");
    await ok(["update-pusher", "--pusher-id", handle, "--name", "N"]);
  }
});

/** A server of another kind, and a login to it. */
async function withOtherServer(
  answer: RequestListener,
  use: (named: string, login: Record<string, string>) => unknown,
) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const named = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = join(folder.path, `other-${new URL(named).port}`);
  mkdirSync(join(state, "belfry"), { recursive: true });
  const login = `login-${Buffer.from(named).toString("base64url")}.json`;
  writeFileSync(join(state, "belfry", login), JSON.stringify({ url: named, access_token: "token" }));
  writeFileSync(join(state, "belfry/last-login.json"), JSON.stringify({ url: named }));
  try {
    await use(named, { ...home(), BELFRY_URL: named, XDG_STATE_HOME: state });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

// rules#cli-lost-answer
test.each<[string, RequestListener]>([
  ["the connection is cut", ({ socket }) => socket.destroy()],
  [
    "the body is cut",
    ({ socket }, response) =>
      response.writeHead(200, { ...JSON_TYPE, "content-length": 99 }).write("{", () => socket.destroy()),
  ],
  ["a stream ends early", (_, response) => response.writeHead(502, STREAM_TYPE).end(": nothing\n\n")],
  ["a gateway has no answer", (_, response) => response.writeHead(504).end("<h1>Gateway timeout</h1>")],
])("a lost answer is reported as a call that may have succeeded: %s", async (_, answer) => {
  await withOtherServer(answer, async (named, login) => {
    for (const way of [{ ...login, BELFRY_API_KEY: "key" }, login]) {
      const { code, refusal } = await runBelfryShared(["send", "x", "t"], way);
      expect({ code, error: refusal.error.code }).toEqual({ code: 1, error: "no_answer" });
      expect(refusal.error.message).toBe(
        `The response from ${named} was lost or took too long, so the call may have succeeded. Check the result ` +
          "before you retry.",
      );
    }
  });
});

// rules#cli-lost-answer
test("an error of JSON-RPC is passed on, without control characters", async () => {
  const error = { code: -32_602, message: "Bad \u001b[31marguments" };
  const answer: RequestListener = (_, response) =>
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
  await withOtherServer(answer, async (named, login) => {
    const { code, refusal } = await runBelfryShared(["send", "x", "t"], login);
    expect(code).toBe(1);
    expect(refusal.error.message).toBe(`${named} did not complete the call: Bad \ufffd[31marguments`);
  });
});

// rules#cli-lost-answer
test("without a server, nothing can have happened", async () => {
  const { refusal } = await run(["send", "x", "t"], "", {
    BELFRY_URL: `http://127.0.0.1:${await findFreePort("127.0.0.1")}`,
  });
  expect(refusal.error).toMatchObject({ code: "server_unreachable", message: expect.stringMatching(/^No server/) });
});

// rules#cli-one-server
test("an own address or database has priority over the last login", async () => {
  await withOtherServer(
    (_, response) => response.end(),
    async (named, login) => {
      const unnamed = { DATA_DIR: login.DATA_DIR!, XDG_STATE_HOME: login.XDG_STATE_HOME!, PATH: folder.path };
      const own = { PUBLIC_URL: "https://alerts.example.org" };
      const database = { DATABASE_URL: "postgresql://127.0.0.1:1/none" };
      const opened = async (more: Record<string, string>) =>
        (await runBelfryShared(["open"], { ...unnamed, PORT: "", ...more })).json.url;
      expect(await opened({})).toBe(`${named}/console`);
      expect(await opened(own)).toBe("https://alerts.example.org/console");
      expect(await opened({ ...own, ...database })).toBe("https://alerts.example.org/console");
      expect(await opened(database)).not.toBe(`${named}/console`);
      // A login at the address of the settings is used. The other server has no answer.
      const used = await runBelfryShared(["get-me"], { ...unnamed, ...database, PUBLIC_URL: named });
      expect(used.stderr).toContain(`using ${named} (`);
      expect(used.refusal.error.code).not.toBe("invalid_credential");
    },
  );
});

test("without jq, the refusal names another way", async () => {
  const { code, stderr } = await run(["get-me", "--jq", "."], undefined, { PATH: folder.path });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "belfry: --jq requires jq on your PATH. Install it, or use --fields.\n",
  });
});

/** Runs the command with a terminal as its output. */
const onTerminal = (args: string[], more: Record<string, string> = {}) =>
  runProgram("script", ["-qec", [process.execPath, CLI, ...args].join(" "), "/dev/null"], {
    ...settings(),
    TERM: "xterm",
    ...more,
  });

// rules#cli-harmless-text
test.skipIf(isMissing("script"))("a terminal gets tables without foreign escape sequences", async () => {
  const hostile = "\u001b]0;owned\u0007\u009b31mred";
  // The service cleans titles of alerts; names of devices' facts and texts of older rows may have anything.
  await world.sql("update alert set body = ? where title = ?", [hostile, "Flood"]);
  const list = ["list-alerts", "--pusher-id", handle, "--fields", "title,body,status"];
  const [colored, plain, refused] = await Promise.all([
    onTerminal(list),
    onTerminal(list, { NO_COLOR: "1" }),
    onTerminal(["get-pusher", "--pusher-id", "psh_x"], { NO_COLOR: "1" }),
  ]);
  expect(colored.stdout).toContain("\u001b[1mtitle");
  expect(colored.stdout).toContain("\u001b[32msent");
  expect(plain.stdout).toMatch(/^title +body +status\r\n/);
  expect(plain.stdout).toContain("red");
  expect(plain.stdout).not.toMatch(/[\u001b\u009b\u0007]/);
  expect(colored.stdout.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\u001b\u009b\u0007]/);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/^belfry: Channel not found/) });
});

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

function start(args: string[], more: Record<string, string> = {}, how: { detached?: boolean } = {}) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: createChildEnvironment({ ...settings(), ...more }),
    ...how,
  });
  children.push(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

test("watch prints each change until a signal ends it", async () => {
  const watching = start(["list-pushers", "--watch", "1", "--fields", "name"]);
  await waitFor(() => expect(watching.stdout().trim().split("\n")).toHaveLength(1));
  await waitFor(() => expect(JSON.parse(watching.stdout()).data).toEqual([{ name: "N" }]));
  await ok(["update-pusher", "--pusher-id", handle, "--name", "Other"]);
  await waitFor(() => expect(watching.stdout().trim().split("\n")).toHaveLength(2));
  expect(JSON.parse(watching.stdout().trim().split("\n")[1]!).data).toEqual([{ name: "Other" }]);
  watching.child.kill("SIGINT");
  expect(await watching.ended).toBe(0);
});

test("watch ends with a refusal that stays", async () => {
  const { code, refusal } = await run(["get-pusher-stats", "--pusher-id", "psh_x", "--watch"]);
  expect({ code, type: refusal.error.type }).toEqual({ code: 1, type: "not_found" });
});

/** A folder with a program in the browser's place, which writes down the address. */
function browser() {
  const bin = join(folder.path, "bin");
  const opened = join(folder.path, "opened");
  mkdirSync(bin, { recursive: true });
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { PATH: `${bin}:${process.env.PATH}`, opened };
}

test("open opens the console", async () => {
  const { PATH, opened } = browser();
  expect(await runBelfry(["open"], { ...home(), PATH })).toMatchObject({
    code: 0,
    json: { url: `${url}/console`, opened: true },
  });
  await waitFor(() => expect(readFileSync(opened, "utf8")).toBe(`${url}/console`));
  const without = await runBelfry(["open"], { ...home(), PATH: folder.path });
  expect(without).toMatchObject({ code: 0, json: { opened: false } });
});

/** The address that a login shows. */
async function loginAddress(login: ReturnType<typeof start>): Promise<URL> {
  await waitFor(() => expect(login.stderr()).toContain("sign in at http"));
  return new URL(/sign in at (\S+)/.exec(login.stderr())![1]!);
}

/** Allows a login at its address, as the person does. Returns the redirect to the login. */
async function allow(address: URL, more: Record<string, string[]> = {}): Promise<URL> {
  const asked = await visitor.get(address.pathname + address.search);
  return (await allowConsent(visitor, asked.headers.get("location")!, more)).next;
}

// rules#cli-login
test("login signs in with a browser, refreshes its token and ends with logout", async () => {
  const { PATH } = browser();
  const anonymous = { ...home(), PATH, BELFRY_API_KEY: "" };
  const before = await runBelfryShared(["get-me"], anonymous);
  expect(before).toMatchObject({ code: 1, refusal: { error: { message: expect.stringContaining("belfry login") } } });

  const login = start(["login"], anonymous);
  const address = await loginAddress(login);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    code_challenge_method: "S256",
    response_type: "code",
  });
  const next = await allow(address);
  const forged = new URL(next);
  forged.searchParams.set("state", "other");
  expect((await fetch(forged)).status).toBe(404);
  expect(await (await fetch(next)).text()).toContain("You are signed in.");
  expect(await login.ended, login.stderr()).toBe(0);
  const scope = address.searchParams.get("scope");
  expect(JSON.parse(login.stdout())).toEqual({ url, logged_in: true, scope });
  expect(login.stdout() + login.stderr()).not.toContain(next.searchParams.get("code"));

  const state = join(folder.path, "state/belfry");
  const [file] = readdirSync(state).filter((name) => name.startsWith("login-"));
  const path = join(state, file!);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
  const me = await runBelfryShared(["get-me"], anonymous);
  expect(me.json).toMatchObject({ credential: { type: "oauth" } });
  const asMember = (args: string[]) => runBelfryShared(args, anonymous);
  const sent = await asMember(["send", handle, "From a person"]);
  expect(sent.json).toMatchObject({ status: "sent", title: "From a person" });
  const list = await asMember(["list-alerts", "--pusher-id", handle, "--limit", "1"]);
  expect(list.json.data).toEqual((await ok(["list-alerts", "--pusher-id", handle, "--limit", "1"])).data);
  const missing = await asMember(["create-alert", "--pusher-id", handle]);
  expect(missing.refusal.error.message).toMatch(/^Nothing was changed\. --title is required/);
  // Without any setting, the server of the last login is used.
  const { BELFRY_URL: _, ...unnamed } = anonymous;
  const other = await runBelfryShared(["get-me"], { ...unnamed, PORT: "" });
  expect(other).toMatchObject({ code: 0, stderr: `belfry: using ${url} (from belfry login)\n` });

  // A refused access token is replaced, once for all later commands.
  const stored = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...stored, access_token: "expired" }));
  expect((await runBelfryShared(["get-me"], anonymous)).code).toBe(0);
  const renewed = JSON.parse(readFileSync(path, "utf8"));
  expect(renewed.access_token).not.toBe("expired");
  expect(renewed.refresh_token).not.toBe(stored.refresh_token);
  expect(statSync(path).mode & 0o777).toBe(0o600);

  // Another login has another client, and revokes the earlier one.
  const second = start(["login", "--scopes", " alerts:read, pushers:read"], anonymous);
  const secondAddress = await loginAddress(second);
  expect(secondAddress.searchParams.get("client_id")).not.toBe(stored.client_id);
  expect((await fetch(await allow(secondAddress))).status).toBe(200);
  expect(await second.ended, second.stderr()).toBe(0);
  expect(JSON.parse(second.stdout()).scope).toBe("offline_access pushers:read alerts:read");
  const last = JSON.parse(readFileSync(path, "utf8"));
  const expectEnded = async (login: object) => {
    writeFileSync(path, JSON.stringify({ ...login, access_token: "expired" }));
    expect(await runBelfryShared(["get-me"], anonymous)).toMatchObject({
      code: 1,
      refusal: { error: { type: "unauthorized", message: expect.stringContaining("Run belfry login again.") } },
    });
  };
  await expectEnded(renewed);

  // A login that the server did not revoke is removed, and reported.
  writeFileSync(path, JSON.stringify({ ...last, revocation_endpoint: `${url}/none` }));
  const message = expect.stringContaining("End the connection in the console.");
  expect(await runBelfryShared(["logout"], anonymous)).toMatchObject({ code: 1, refusal: { error: { message } } });
  expect(existsSync(path)).toBe(false);
  // The second time, nothing is left to revoke.
  for (const _ of [1, 2]) {
    writeFileSync(path, JSON.stringify(last));
    const ended = await runBelfryShared(["logout"], anonymous);
    expect(ended).toMatchObject({ code: 0, json: { url, logged_in: false } });
    expect(existsSync(path)).toBe(false);
  }
  await expectEnded(last);
});

/** Serves the metadata of an authorization server. `write` gets the valid addresses of this server. */
async function serveMetadata(write: (valid: Record<string, string>) => object) {
  const server = createServer((_, response) => {
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const valid = Object.fromEntries(ADDRESSES.map((name) => [name, `${at}/${name}`]));
    response.end(JSON.stringify({ client_id: "c", scopes_supported: [], ...write(valid) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, named: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
const ENDPOINTS = ["authorization", "token", "registration", "revocation"].map((name) => `${name}_endpoint`);
const ADDRESSES = ["resource", "issuer", ...ENDPOINTS];

// rules#cli-login
test("a server that names another one in its metadata is refused before the browser opens", async () => {
  let [foreign, other] = ["", ""];
  const { server, named } = await serveMetadata((valid) => ({ ...valid, [foreign]: other }));
  const cases = ADDRESSES.map((name) => [name, "https://elsewhere.example/"] as const);
  const { port } = new URL(named);
  const more = [
    url,
    "",
    `https://127.0.0.1:${port}/`,
    `http://127.0.0.2:${port}/`,
    `http://localhost:${port}@x.example/`,
  ];
  try {
    for ([foreign, other] of [...cases, ...more.map((address) => ["token_endpoint", address] as const)]) {
      const { code, stderr } = await runBelfryShared(["login", "--url", named], home());
      expect({ foreign, other, code }).toEqual({ foreign, other, code: 1 });
      expect(stderr).toContain("gives a different address");
      expect(stderr).not.toContain("sign in at");
    }
  } finally {
    server.close();
  }
});

// rules#cli-login
test.each([
  { args: ["--url", "http://192.0.2.1"], says: "which requires https" },
  { args: ["--scopes", "alerts:read,all"], says: 'must be "all" or a comma-separated list of account:read' },
  { args: ["--scopes", ""], says: 'must be "all"' },
])("login refuses $args before it connects", async ({ args, says }) => {
  const { code, stderr } = await runBelfryShared(["login", ...args], home());
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

// rules#cli-login
test("login prints no escape sequences, and accepts each name of the loopback address", async () => {
  const { PATH } = browser();
  const { server, named } = await serveMetadata((valid) => ({
    ...valid,
    authorization_endpoint: `${valid.authorization_endpoint}\u001b]0;owned\u0007?a=b`,
    token_endpoint: valid.token_endpoint!.replace("127.0.0.1", "localhost"),
  }));
  try {
    const login = start(["login", "--url", named], { ...home(), PATH });
    const address = await loginAddress(login);
    expect(address.searchParams.get("a")).toBe("b");
    expect(login.stderr()).not.toMatch(/[\u001b\u0007]/);
    login.child.kill();
    await login.ended;
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

// rules#cli-login
test("commands that refresh one login at once keep it, and do not restore an ended one", async () => {
  const stateHome = join(folder.path, "parallel");
  mkdirSync(join(stateHome, "belfry"), { recursive: true });
  let [refreshes, ended, isEarly] = [0, false, false];
  const path = () => join(stateHome, `belfry/login-${Buffer.from(named).toString("base64url")}.json`);
  const server = createServer((request, response) => {
    if (request.url === "/token") {
      refreshes++;
      if (ended) rmSync(path());
      else refreshElsewhere();
      response.end(JSON.stringify({ access_token: "new", refresh_token: "r3" }));
      return;
    }
    if (isEarly) refreshElsewhere();
    const isValid = request.headers.authorization === "Bearer stored";
    response.writeHead(isValid ? 200 : 401).end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const named = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = { token_endpoint: `${named}/token`, revocation_endpoint: `${named}/revoke` };
  const login = { url: named, client_id: "c", resource: named, access_token: "old", refresh_token: "r1", ...endpoints };
  const refreshElsewhere = () =>
    writeFileSync(path(), JSON.stringify({ ...login, access_token: "stored", refresh_token: "r2" }));
  writeFileSync(path(), JSON.stringify(login));
  try {
    const anonymous = { ...home(), BELFRY_URL: named, BELFRY_API_KEY: "", XDG_STATE_HOME: stateHome };
    await runBelfryShared(["get-me"], anonymous);
    expect(JSON.parse(readFileSync(path(), "utf8"))).toMatchObject({ access_token: "stored", refresh_token: "r2" });
    expect(refreshes).toBe(1);
    // Before the first answer.
    isEarly = true;
    writeFileSync(path(), JSON.stringify(login));
    await runBelfryShared(["get-me"], anonymous);
    expect(refreshes).toBe(1);
    [isEarly, ended] = [false, true];
    writeFileSync(path(), JSON.stringify(login));
    expect(await runBelfryShared(["get-me"], anonymous)).toMatchObject({ code: 1 });
    expect(readdirSync(join(stateHome, "belfry"))).toEqual([]);
  } finally {
    server.close();
  }
});

// rules#cli-login
test("a declined login stores nothing", async () => {
  const { PATH } = browser();
  const state = join(folder.path, "declined");
  const login = start(["login", "--scopes", "alerts:read"], { ...home(), PATH, XDG_STATE_HOME: state });
  const address = await loginAddress(login);
  expect(address.searchParams.get("scope")).toBe("offline_access alerts:read");
  const next = await allow(address, { decision: ["deny"] });
  // An invalid request target is answered. A connection that the browser opened in advance does not delay the end.
  const [invalid, unused] = [1, 2].map(() => connect(Number(next.port), "127.0.0.1")) as [Socket, Socket];
  unused.on("error", () => {});
  let answer = "";
  invalid.on("data", (chunk) => (answer += chunk)).write("GET // HTTP/1.1\r\nhost: x\r\n\r\n");
  await waitFor(() => expect(answer).toMatch(/^HTTP\/1.1 400 /));
  expect(await (await fetch(next)).text()).toContain("not completed");
  expect(await login.ended).toBe(1);
  expect(login.stderr()).toContain("The sign-in was declined");
  expect(existsSync(state)).toBe(false);
});
