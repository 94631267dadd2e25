// The operations from the command line, against a server of `belfry serve`: flags, spellings, JSON, exit codes, help
// and completions. Most commands share a process; a few use processes of their own for output and exit.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import {
  CLI,
  createChildEnvironment,
  runBelfry as runAlone,
  runProgram,
  runBelfryShared as runShared,
} from "../support/processes.ts";
import { isSenderMissing } from "../support/requirements.ts";
import { openStartedService } from "../support/started_service.ts";

const { folder, server } = await openStartedService([CLI, "serve"]);
/** Operations that some test has run, so that the last one can run the others. */
const ran = new Set<string>();

const belfry = (args: string[], settings: Record<string, string> = {}, input?: string) => {
  ran.add((args[0] ?? "").replaceAll("-", "_"));
  return runShared(args, { DATA_DIR: server.dataDir, ...settings }, input);
};

/** The same in a process of its own. */
const belfryAlone = (args: string[], settings: Record<string, string> = {}, input?: string) =>
  runAlone(args, { DATA_DIR: server.dataDir, ...settings }, input);

/** Runs a command that must succeed. */
async function ok(args: string[], input?: string) {
  const result = await belfry(args, {}, input);
  expect(result, result.stderr).toMatchObject({ code: 0, stderr: "" });
  return result.json;
}

const channel = (handle: string) => [
  "--handle",
  handle,
  "--name",
  "Town",
  "--category",
  "cities",
  "--description",
  "News",
];

test("the main task needs no set-up other than the server", async () => {
  expect(await ok(["get-me"])).toMatchObject({ workspace: { name: "My workspace" } });
  const pusher = await ok([
    ...["create-pusher", ...channel("town"), "--lat", "-3.5", "--lon", "4", "--radius-km", "2.5"],
    ...["--tags", "News", "--tags", "weather", "--requested-perms", "notify", "--is-public", "false"],
  ]);
  expect(pusher).toMatchObject({ lat: -3.5, radius_km: 2.5, tags: ["news", "weather"], is_public: false });
  const id = ["--pusher-id", pusher.id];
  expect(await ok(["update_pusher", ...id, "--is-public"])).toMatchObject({ is_public: true });
  expect(await ok(["update-pusher", ...id, "--no-is-public"])).toMatchObject({ is_public: false });
  const cleared = { lat: null, lon: null, radius_km: null, name: "not this" };
  expect(await ok(["update-pusher", ...id, "--name", "This", "--json", JSON.stringify(cleared)])).toMatchObject({
    lat: null,
    name: "This",
  });
  expect(await ok(["get-pusher", ...id])).toMatchObject({ handle: "town", subscribers: 0 });
  const handles = (await ok(["list_pushers"])).data.map(({ handle }: { handle: string }) => handle);
  expect(handles.toSorted()).toEqual(["hello-belfry", "town"]);

  const action = (label: string) => JSON.stringify({ type: "open_url", label, url: "https://example.org/" });
  const compose = ["create-alert", ...id, "--title", "-5 degrees", "--requires-ack", "--idempotency-key", "one"];
  const alert = await ok([...compose, "--actions", action("A"), "--actions", action("B")]);
  expect(alert).toMatchObject({ status: "draft", title: "-5 degrees", requires_ack: true });
  expect(alert.actions.map(({ label }: { label: string }) => label)).toEqual(["A", "B"]);
  expect(await ok([...compose, "--actions", action("A"), "--actions", action("B")])).toEqual(alert);
  const which = [...id, "--alert-id", alert.id];
  const body = "Line one\nLine “two” — ünï";
  expect(await ok(["update-alert", ...which, "--json", "-"], JSON.stringify({ body }))).toMatchObject({ body });
  const tts = { tts_text: "Two", body: "Not this one" };
  expect(await ok(["update-alert", "-", ...which, "--body", body], JSON.stringify(tts))).toMatchObject({
    tts_text: "Two",
    body,
  });
  expect(
    await ok(["update-alert", "-"], JSON.stringify({ pusher_id: pusher.id, alert_id: alert.id, title: "T" })),
  ).toMatchObject({ title: "T" });
  expect(await ok(["send_alert", ...which])).toMatchObject({ status: "sent", note: expect.any(String) });
  expect(await ok(["get-alert", ...which])).toMatchObject({ status: "sent" });
  expect((await ok(["list-alerts", ...id, "--status", "sent", "--limit", "1"])).data).toHaveLength(1);
  expect(await ok(["cancel-alert", ...which])).toMatchObject({ status: "cancelled" });

  const later = await ok(["create_alert", ...id, "--title", "Later", "--send-at", "2099-01-01T00:00:00Z"]);
  const other = [...id, "--alert-id", later.id];
  expect(await ok(["schedule-alert", ...other])).toMatchObject({ status: "scheduled" });
  expect(await ok(["delete-alert", ...other])).toEqual({ deleted: true, id: later.id });
  expect(await ok(["delete-alert", ...which])).toEqual({ deleted: true, id: alert.id });
  expect(await ok(["delete-pusher", ...id])).toEqual({ deleted: true, id: pusher.id });
});

// A result, a refusal, wrong usage, an operator's command and a help text; with and without standard input.
test.each<[string[], string?]>([
  [["list-pushers", "--json", "-"], '{"limit":1}'],
  [["get-pusher", "--pusher-id", "psh_x"]],
  [["create-alert", "-"], "no json"],
  [["keys", "list"]],
  [["create-pusher", "--help"]],
])("a process of its own and the shared one print the same: %j", async (args, input) => {
  const [alone, shared] = await Promise.all([belfryAlone(args, {}, input), belfry(args, {}, input)]);
  expect(shared).toEqual(alone);
});

// rules#cli-every-operation
test("every operation of the list is a command", async () => {
  const { data } = await ok(["tools"]);
  expect(data.map(({ name }: { name: string }) => name)).toEqual(OPERATIONS.map(({ name }) => name));
  expect(data[0]).toMatchObject({ name: "get_me", scope: "account:read", method: "GET", path: "/api/v1/me" });
  for (const { name } of OPERATIONS.filter((tool) => !ran.has(tool.name))) {
    const { code, json, refusal } = await belfry([name.replaceAll("_", "-")]);
    expect([name, code === 0 ? json : refusal?.error?.type]).not.toEqual([name, undefined]);
  }
});

// rules#cli-exit-codes
test("what the service refuses is exit 1 with the envelope", async () => {
  const refused = async (args: string[], settings?: Record<string, string>) => {
    const { code, stdout, refusal } = await belfry(args, settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    return refusal.error;
  };
  expect(await refused(["get-pusher", "--pusher-id", "psh_x"])).toMatchObject({ type: "not_found" });
  expect(await refused(["get-pusher"])).toMatchObject({ type: "invalid_request", param: "pusher_id" });
  expect(await refused(["create-pusher", ...channel("a-b"), "--lat", "north"])).toMatchObject({ param: "lat" });
  expect(await refused(["create-pusher", ...channel("a-b"), "--category", "x"])).toMatchObject({ param: "category" });
  expect(await refused(["list-pushers", "--json", '{"nope":1}'])).toMatchObject({ param: "nope" });
  const ids = { pusher_id: "psh_x", alert_id: "alr_x" };
  // On the wire it would be a send.
  const smuggled = JSON.stringify({ ...ids, action: "send" });
  expect(await refused(["update-alert", "--json", smuggled])).toMatchObject({
    type: "invalid_request",
    param: "action",
  });
  expect(await refused(["get-me", "--key", "bfk_wrong"])).toMatchObject({ type: "unauthorized" });
  expect(await refused(["get-me"], { DATA_DIR: `${folder.path}/none` })).toMatchObject({
    type: "unauthorized",
    message: expect.stringMatching(/--key.*BELFRY_API_KEY.*credentials\.json/),
  });
});

test("the local key is sent to no other address, and an absent server is a server_error", async () => {
  const elsewhere = await belfry(["get-me", "--url", server.url.replace("localhost", "127.0.0.1")]);
  expect(elsewhere.refusal.error.type).toBe("unauthorized");
  const named = await belfry(["get-me"], { DATA_DIR: folder.path, BELFRY_URL: server.url, BELFRY_API_KEY: server.key });
  expect(named.code).toBe(0);
  expect((await belfry(["--url", server.url, "--key", server.key, "get-me"], { DATA_DIR: folder.path })).code).toBe(0);
  for (const args of [
    ["--url", "http://127.0.0.1:1"],
    ["--url", "http://127.0.0.1:59999", "--key", "x"],
  ]) {
    const absent = await belfry(["get-me", ...args]);
    expect(absent).toMatchObject({ code: 1, stdout: "", refusal: { error: { type: "server_error", param: null } } });
  }
});

// rules#cli-one-server
test("a command never mixes two servers: it names the server, or is refused", async () => {
  const other = { DATABASE_URL: "postgres://x@127.0.0.1:1/x", SECRET: "s".repeat(32) };
  const port = new URL(server.url).port;
  // The key in DATA_DIR belongs to the address of the embedded server.
  for (const settings of [other, { ...other, PORT: "1" }, { ...other, PUBLIC_URL: "https://belfry.example" }]) {
    const { code, stdout, stderr } = await belfry(["list-pushers"], settings);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/DATABASE_URL.*a server other than.*BELFRY_API_KEY/);
  }
  const withKey = await belfry(["get-me"], { ...other, PORT: port, BELFRY_API_KEY: server.key });
  expect(withKey).toMatchObject({ code: 0, stderr: expect.stringContaining(`using ${server.url} (`) });
  const elsewhereNamed = { ...other, BELFRY_URL: server.url.replace("localhost", "127.0.0.1") };
  expect(await belfry(["get-me"], elsewhereNamed)).toMatchObject({ refusal: { error: { type: "unauthorized" } } });
  // After a move to DATABASE_URL, the same address accepts the key.
  const moved = await belfry(["get-me"], { ...other, PORT: port });
  expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining(`using ${server.url} (`) });
  expect(await belfry(["get-me"], { ...other, BELFRY_URL: server.url })).toMatchObject({ code: 0, stderr: "" });
  expect(await belfry(["get-me"], { ...other, BELFRY_URL: server.url, BELFRY_API_KEY: server.key })).toMatchObject({
    code: 0,
    stderr: "",
  });

  const elsewhere: Record<string, string>[] = [
    { PORT: "1" },
    { PUBLIC_URL: "https://belfry.example" },
    { HOST: "127.0.0.2", PORT: port },
  ];
  for (const settings of elsewhere) {
    const { code, stdout, stderr } = await belfry(["list-pushers"], settings);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const name of [...Object.keys(settings), server.url, "BELFRY_URL"]) expect(stderr).toContain(name);
  }
  expect(await belfry(["get-me"], { PORT: port })).toMatchObject({ code: 0, stderr: "" });
  expect(await belfry(["get-me"], { PORT: "1", BELFRY_URL: server.url })).toMatchObject({ code: 0, stderr: "" });
  expect(await belfry(["get-me", "--key", server.key])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`using ${server.url}`),
  });
});

test("an operation with a --url of its own leaves the server's to the front", async () => {
  const args = ["--url", server.url, "--key", server.key, "create-webhook", "--url", "http://example.org/"];
  const { refusal } = await belfry([...args, "--events", "alert.sent"], { DATA_DIR: folder.path });
  expect(refusal.error).toMatchObject({ type: "invalid_request", param: "url" });
  const help = await belfry(["create-webhook", "--help"]);
  expect(help.stdout).toContain("To set the server, put --url before the command name.");
});

test.each([
  { args: ["no-such-command"], says: "unknown command" },
  { args: ["get-me", "--nope"], says: "unknown option" },
  { args: ["get-me", "stray"], says: "Put each value after its flag, for example --json <value>." },
  { args: ["get-me", "-", "stray"], says: "too many arguments" },
  { args: ["create-alert", "-"], says: "standard input" },
  { args: ["create-alert", "-", "--json", "{}"], says: "not both" },
  { args: ["create-alert", "--json", "{"], says: "--json" },
  { args: ["create-alert", "--json", "[]"], says: "--json" },
  { args: ["create-alert", "--json", "-"], says: "--json" },
  { args: ["create-alert", "--actions", "{"], says: "JSON" },
  { args: ["create-alert", "--title"], says: "argument missing" },
  { args: ["get-me", "--url", "nowhere"], says: "--url" },
  { args: ["mcp", "--url", "nowhere"], says: "--url" },
  { args: ["completion", "tcsh"], says: "bash, zsh, fish" },
  { args: [], says: "Usage: belfry" },
])("wrong usage is exit 2: $args", async ({ args, says }) => {
  const { code, stdout, stderr } = await belfry(args, {}, "no json");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(says);
});

test("help names every argument, what is required and which values there are", async () => {
  const { code, stdout } = await belfry(["create_pusher", "--help"]);
  expect(code).toBe(0);
  const help = stdout.replace(/\s+/g, " ");
  expect(help).toContain("--handle <text> (required) Public and permanent");
  expect(help).toMatch(/--category <value> \(required\) Topic\. \(choices: "cities", "travel"/);
  expect(help).toMatch(/--requested-perms <value> .*\(repeat the flag to pass more\) \(choices: "notify"/);
  expect(help).toContain("--is-public [boolean]");
  expect(help).toContain("--idempotency-key <text>");
  expect((await belfry(["get-pusher", "--help"])).stdout).not.toContain("--idempotency-key");
});

test("a reader that closes the pipe is not a failure", async () => {
  const command = `"${process.execPath}" "${CLI}" tools | true; echo "\${PIPESTATUS[0]}"`;
  expect(await runProgram("bash", ["-c", command], {})).toMatchObject({ stdout: "0\n", stderr: "" });
});

test("a run ends as soon as it is done", async () => {
  const started = performance.now();
  expect(await belfryAlone(["get-me"])).toMatchObject({ code: 0, stderr: "" });
  // Long before the 75 seconds that the server keeps an idle connection, and the run with it if it waited for that.
  expect(performance.now() - started).toBeLessThan(60_000);
});

const completions = `${folder.path}/completions`;
beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"])
    writeFileSync(`${completions}.${shell}`, (await belfry(["completion", shell])).stdout);
});

/** Each prints the completions of the line `$LINE`, one in a line, with the script that is at `$SCRIPT`. */
const SHELLS = [
  [
    "bash",
    `source <(cat "$SCRIPT"); read -ra COMP_WORDS <<< "$LINE"; [[ $LINE == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _belfry; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  [
    "zsh",
    `compdef() { }; compadd() { shift; print -l -- "$@" }; _files() { }; source "$SCRIPT"
    words=("\${(@s: :)LINE}"); CURRENT=$#words; _belfry`,
  ],
  ["fish", `source $SCRIPT; complete -C $LINE | string split -f1 \\t`],
] as const;

const LINES = [
  { line: "belfry cre", has: ["create-alert", "create-pusher"] },
  { line: "belfry keys ", has: ["create", "list", "revoke"] },
  { line: "belfry keys create --e", has: ["--expires-in"] },
  { line: "belfry create_alert --pri", has: ["--priority"] },
  { line: "belfry create-alert --title x --priority ", has: ["normal", "important", "urgent"] },
  { line: "belfry send town -p ", has: ["normal", "important", "urgent"] },
  { line: "belfry list-alerts --wa", has: ["--watch"] },
  { line: "belfry completion ", has: ["bash", "zsh", "fish"] },
];

for (const [shell, script] of SHELLS)
  test.skipIf(isSenderMissing(shell)).each(LINES)(`${shell} completes: $line`, async ({ line, has }) => {
    const settings = { LINE: line, SCRIPT: `${completions}.${shell}` };
    const { stdout, stderr } = await runProgram(shell, ["-c", script], settings);
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual(expect.arrayContaining(has));
  });

test("completions are registered for the command", async () => {
  const read = (shell: string) => readFileSync(`${completions}.${shell}`, "utf8");
  expect(read("bash")).toMatch(/^complete .*-F _belfry belfry$/m);
  expect(read("zsh")).toMatch(/^#compdef belfry\n/);
  expect(read("fish")).toMatch(/complete -c belfry -n '__fish_seen_subcommand_from keys; and .*' -a revoke/);
});

// rules#one-server-a-folder
test("a second server on one data directory is refused in one line", async () => {
  const child = spawn(process.execPath, [CLI, "serve"], {
    env: createChildEnvironment({ DATA_DIR: server.dataDir, PORT: "0" }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
  expect(stderr).toMatch(/^belfry: Another Belfry process is using the data directory .*\n$/);
});
