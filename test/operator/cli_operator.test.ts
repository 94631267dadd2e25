// The operator's commands: with a running server, without one, and on PostgreSQL. Those that start an embedded
// database, take its lock or meet a killed server are processes of their own; the others share one.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { redactDatabaseUrl } from "../../src/store/config/database_url.ts";
import { lockDataDir } from "../../src/store/db/data_dir_lock.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { MailServer } from "../support/mail_server.ts";
import { withDatabase } from "../support/postgres_server.ts";
import {
  type CommandRun,
  isAlive,
  processesOn,
  type RunningServer,
  runBelfry,
  runBelfryShared,
  startServer,
  temporaryFolder,
} from "../support/processes.ts";
import { skipForReason } from "../support/requirements.ts";
import { prepareStartedService } from "../support/started_service.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** A data directory after its first start. */
const dataDirectory = (...path: string[]) => prepareStartedService(join(folder.path, ...path));

/** The whole of an operator's work; `settings` contain the database. */
async function story(settings: Record<string, string>) {
  const done = async (...args: string[]) => {
    const { code, json, stderr } = await runBelfryShared(args, settings);
    // With a key of its own and no address, a command prints the server that it uses.
    const said = stderr.replace(/^belfry: using http:\S+ .*\n/, "");
    expect({ code, said }, args.join(" ")).toEqual({ code: 0, said: "" });
    return json;
  };
  const refused = async (...args: string[]) => {
    const { code, stdout, refusal } = await runBelfryShared(args, settings);
    expect({ code, stdout }, args.join(" ")).toEqual({ code: 1, stdout: "" });
    return refusal.error;
  };
  const workspace = await done("workspaces", "create", "--name", "Second");
  expect(workspace.id).toMatch(/^wsp_/);
  expect((await done("workspaces", "list")).data[0]).toEqual({ ...workspace, has_owner: false });
  const within = ["--workspace", workspace.id];
  const member = await done("members", "add", ...within, "--email", "a@example.org", "--role", "owner");
  expect(member).toMatchObject({ workspace_id: workspace.id, role: "owner", pusher_ids: null });
  expect(await refused("members", "add", ...within, "--email", "a@example.org", "--role", "viewer")).toMatchObject({
    type: "conflict",
  });
  expect((await done("members", "list", ...within)).data).toEqual([member]);
  const link = await done("members", "link", ...within);
  expect(link).toMatchObject({ member_id: member.id, email: "a@example.org", mailed: false });
  expect(link.link).toMatch(/^http:\/\/localhost:\d+\/console\/welcome#[\w-]{43}$/);
  // Its checks of settings, and so its exit code, are tested in doctor.test.ts.
  const checks = (await runBelfryShared(["doctor"], settings)).json.checks as { name: string; wrong: number }[];
  expect(checks.length).toBeGreaterThan(5);
  expect(checks.filter(({ wrong }) => wrong > 0)).toEqual([]);
  const key = await done("keys", "create", ...within, "--scopes", "alerts:read,pushers:read", "--expires-in", "90d");
  expect(key).toMatchObject({ scopes: ["alerts:read", "pushers:read"], workspace_id: workspace.id });
  expect(key.key).toMatch(/^bfk_/);
  const { key: _, ...shown } = key;
  expect((await done("keys", "list", ...within)).data).toEqual([shown]);
  const revoked = await done("keys", "revoke", key.id);
  const nothingLeft = { webhooks: [], scheduled_alerts: [], ended_webhooks: 0 };
  expect(revoked).toEqual({ id: key.id, revoked_at: expect.stringMatching(/Z$/), ...nothingLeft });
  expect(await done("keys", "revoke", key.id)).toEqual(revoked);
  expect(await refused("keys", "revoke", "key_x")).toMatchObject({ type: "not_found" });
  expect(await refused("keys", "create", ...within, "--scopes", "everything")).toMatchObject({ param: "scopes" });
  expect(await refused("channels", "suspend", "nobody")).toMatchObject({ type: "not_found" });
  return { done, refused };
}

describe("on the embedded database", () => {
  let server: RunningServer | null = null;
  /**
   * A command whose data directory another process has locked; it retries for a long time, so it begins before all
   * others.
   */
  let whileHeld: Promise<CommandRun>;
  beforeAll(() => {
    const dataDir = join(folder.path, "held");
    const unlock = lockDataDir(join(dataDir, "instance.lock"));
    whileHeld = runBelfry(["keys", "list"], { DATA_DIR: dataDir }).finally(unlock);
  });
  afterEach(async () => {
    await server?.stop();
    server = null;
  });

  // rules#operator-on-the-database
  test("with the running server, on its database", async () => {
    server = await startServer(await dataDirectory("beside"));
    const settings = { DATA_DIR: server.dataDir };
    const { done } = await story(settings);
    const migrated = await runBelfryShared(["migrate"], settings);
    expect(migrated).toMatchObject({ code: 0, json: { migrations: [] } });
    expect(migrated.stderr).toContain("already");

    // The operator's changes apply from the next request on.
    const whole = await runBelfryShared(["keys", "create", "--scopes", "all"], settings);
    expect(whole.refusal.error).toMatchObject({ param: "workspace" });
    const [{ id: first }] = (await done("workspaces", "list")).data.slice(-1);
    const key = await done("keys", "create", "--workspace", first, "--scopes", "all", "--name", "probe");
    const as = ["--key", key.key];
    const fields = ["--handle", "shown", "--name", "N", "--category", "ai", "--description", "D"];
    const channel = await done("create-pusher", ...as, ...fields);
    expect(channel).toMatchObject({ status: "active" });
    const narrow = ["keys", "create", "--workspace", first, "--scopes", "all", "--pusher"] as const;
    for (const name of ["shown", channel.id])
      expect(await done(...narrow, name)).toMatchObject({ pusher_id: channel.id });
    for (const name of ["another", "psh_x"])
      expect((await runBelfryShared([...narrow, name], settings)).refusal.error.code).toBe("channel_not_found");
    const role = ["members", "add", "--workspace", first, "--email", "r@example.org", "--role", "x"];
    expect((await runBelfryShared(role, settings)).refusal.error.message).toMatch(/^--role /);
    expect(await done("channels", "suspend", "shown")).toMatchObject({ handle: "shown", status: "suspended" });
    expect((await done("list-pushers")).data[0]).toMatchObject({ status: "suspended" });
    expect(await done("channels", "restore", "shown")).toMatchObject({ status: "active" });
    await done("keys", "revoke", key.id);
    expect((await runBelfryShared(["get-me", ...as], settings)).refusal.error.type).toBe("unauthorized");

    // The secret of a link is in no request, and would not be in the log if it were in one.
    const { link } = await done("members", "link", "--workspace", first);
    const secret = new URL(link).hash.slice(1);
    for (const asked of [link, link.replace("#", "?token="), `${link}?x=1`])
      expect((await fetch(asked)).status).toBe(200);
    // Lines of requests are written together, a moment later.
    const { log } = server;
    await expect.poll(() => log().match(/"path":"\/console\/welcome"/g)?.length).toBe(3);
    expect(server.log()).not.toContain(secret);

    // Neither arguments nor keys are in the log.
    expect(server.log()).not.toMatch(/a@example\.org|probe/);
    expect(server.log()).not.toContain(key.key);
  });

  test("without a server, under the lock; a start afterwards finds what was made", async () => {
    const dataDir = join(folder.path, "without");
    const first = await runBelfry(["migrate"], { DATA_DIR: dataDir });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.json.migrations.length).toBeGreaterThan(0);
    const directly = async (...args: string[]) => (await runBelfry(args, { DATA_DIR: dataDir })).json;
    const workspace = await directly("workspaces", "create", "--name", "Made before");
    await directly("members", "add", "--email", "a@example.org", "--role", "owner");
    // Only one can own the lock; the other one waits for it.
    const create = ["keys", "create", "--scopes", "pushers:read"];
    const [key, other] = await Promise.all([directly(...create), directly(...create)]);
    expect([key.workspace_id, other.workspace_id]).toEqual([workspace.id, workspace.id]);
    const unknown = await runBelfry(["keys", "revoke", "key_x"], { DATA_DIR: dataDir });
    expect(unknown).toMatchObject({ code: 1, stdout: "", refusal: { error: { type: "not_found" } } });

    server = await startServer(dataDir);
    const me = await runBelfryShared(["get-me", "--key", key.key], { DATA_DIR: dataDir, BELFRY_URL: server.url });
    expect(me.json).toMatchObject({ workspace: { id: workspace.id }, credential: { id: key.id } });
    expect((await runBelfryShared(["keys", "list"], { DATA_DIR: dataDir })).json.data).toHaveLength(2);
  });

  test("after a kill -9 a command works at once, and so does the next start", async () => {
    const killed = await startServer(await dataDirectory("killed"));
    await killed.stop("SIGKILL");
    const settings = { DATA_DIR: killed.dataDir };
    expect((await runBelfry(["keys", "create", "--scopes", "all"], settings)).json.key).toMatch(/^bfk_/);
    server = await startServer(killed.dataDir);
    expect((await runBelfryShared(["keys", "list"], settings)).json.data).toHaveLength(2);
    // It listens on another port now, and the command finds it.
    expect(server.url).not.toBe(killed.url);
    expect((await runBelfryShared(["get-me"], settings)).code).toBe(0);
  });

  test.skipIf(skipForReason(existsSync("/proc/self/stat") ? null : "this system shows no processes in /proc"))(
    "after a kill -9 a command does not lean on the database that is about to go",
    async () => {
      const killed = await startServer(await dataDirectory("leaving"));
      const settings = { DATA_DIR: killed.dataDir };
      const { folder: cluster } = (await runBelfryShared(["status"], settings)).json;
      const left = Number(readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")[0]);
      // A busy machine lets the watchdog, who would end it, take its time.
      const watchdogs = processesOn(killed.dataDir, { watchdogs: true });
      expect(watchdogs).not.toEqual([]);
      for (const pid of watchdogs) process.kill(pid, "SIGSTOP");
      try {
        await killed.stop("SIGKILL");
        expect((await runBelfry(["keys", "create", "--scopes", "all"], settings)).json.key).toMatch(/^bfk_/);
        expect(isAlive(left)).toBe(false);
      } finally {
        for (const pid of watchdogs) process.kill(pid, "SIGKILL");
      }
    },
  );

  /** Reads the database with the output of `belfry status`, as an external tool would. */
  async function lookIn({ DATABASE_URL }: { DATABASE_URL: string }) {
    const orm = createOrm({ databaseUrl: DATABASE_URL, databasePoolSize: 2 });
    try {
      return await (orm.em.fork() as SqlEntityManager).execute("select count(*)::int as keys from api_key");
    } finally {
      await orm.close(true);
    }
  }

  test("status shows the location of the database, with a DATABASE_URL for any tool while it runs", async () => {
    server = await startServer(await dataDirectory("status"));
    const settings = { DATA_DIR: server.dataDir };
    const running = await runBelfryShared(["status"], settings);
    expect(running).toMatchObject({
      code: 0,
      stderr: "",
      json: { database: "embedded", running: true, folder: join(server.dataDir, "postgres") },
    });
    expect(await lookIn(running.json)).toEqual([{ keys: 1 }]);
    // rules#service-state
    const { service, state, ...where } = running.json;
    expect(service).toEqual({ url: server.url, status: "ready" });
    expect(state).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: expect.stringMatching(/^v\d+/),
      postgres: expect.stringMatching(/^\d+/),
      due_alerts: 0,
      waits: { webhooks: 0, wake_ups: 0, held_polls: 0, streams: 0, calls_without_connection: 0 },
      housekeeping: expect.any(Array),
    });
    expect(state.database_bytes).toBeGreaterThan(1e6);
    await server.stop();
    server = null;
    const stopped = await runBelfryShared(["status"], settings);
    expect(stopped).toMatchObject({ code: 0, json: { ...where, running: false, service: null, state: null } });
    await expect(lookIn(stopped.json)).rejects.toMatchObject({ code: "ENOENT" });
    const byUrl = { DATABASE_URL: inject("database").url };
    const elsewhere = await runBelfryShared(["status"], byUrl);
    expect(elsewhere).toMatchObject({
      code: 0,
      json: { database: "by URL", DATABASE_URL: redactDatabaseUrl(byUrl.DATABASE_URL) },
    });
  });

  test("psql is a shell on it, with the service and without it, below a path too long for a socket", async () => {
    const there = spawnSync("psql", ["--version"]).status === 0;
    const dataDir = await dataDirectory("long-".repeat(20), "shell-".repeat(15));
    const shell = async () => {
      const args = { DATA_DIR: dataDir, PSQLRC: "/dev/null" };
      const said = await runBelfry(["psql"], args, "\\pset format unaligned\nselect 'in' || 'side' as seen;\n");
      // A person without a client gets instructions to connect.
      if (!there) return expect(said.refusal.error.message).toMatch(/psql is not on the PATH.*belfry status/);
      expect(said.stdout).toMatch(/^seen\ninside$/m);
      expect(said.code).toBe(0);
    };
    await shell();
    server = await startServer(dataDir);
    await shell();
    const { code, json, stderr } = await runBelfryShared(["keys", "list"], { DATA_DIR: dataDir });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(json.data).toHaveLength(1);
  });

  test("a lock without a database is reported clearly", async () => {
    const { code, refusal } = await whileHeld;
    expect({ code, type: refusal.error.type }).toEqual({ code: 1, type: "conflict" });
    expect(refusal.error.message).toContain("Another Belfry process is using the data directory");
  });
});

test.each([
  ["keys", "create"],
  ["keys", "create", "--scopes", "all", "--expires-in", "90"],
  ["keys", "create", "--scopes", "all", "--expires-in", "0d"],
  ["keys", "revoke"],
  ["keys", "nothing"],
  ["keys"],
  ["workspaces", "create"],
  ["channels", "suspend"],
])("wrong usage is exit 2: %s %s", async (...args: string[]) => {
  expect(await runBelfryShared(args, { DATA_DIR: join(folder.path, "unused") })).toMatchObject({ code: 2, stdout: "" });
  expect(existsSync(join(folder.path, "unused"))).toBe(false);
});

describe("on PostgreSQL by URL", () => {
  const { url } = inject("database");
  const name = `belfry_cli_${process.pid}`;
  const databaseUrl = withDatabase(url, name);
  const admin = async (sql: string) => {
    const orm = createOrm({ databaseUrl: url, databasePoolSize: 2 });
    await (orm.em.fork() as SqlEntityManager).execute(sql);
    await orm.close(true);
  };
  beforeAll(() => admin(`create database ${name}`));
  afterAll(() => admin(`drop database if exists ${name} with (force)`));

  test("directly, with no other setting", async () => {
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: join(folder.path, "unused") };
    expect((await runBelfryShared(["migrate"], settings)).json.migrations.length).toBeGreaterThan(0);
    expect((await runBelfryShared(["migrate"], settings)).json).toEqual({ migrations: [] });
    const { refusal } = await runBelfryShared(["keys", "create", "--scopes", "all"], settings);
    expect(refusal.error).toMatchObject({ type: "not_found", code: "workspace_not_found" });
    expect(refusal.error.message).toContain("workspaces create");
    await story(settings);
    expect(existsSync(settings.DATA_DIR)).toBe(false);
  });

  test("a link is made for an address, and mailed where the settings require it", async () => {
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: join(folder.path, "unused") };
    const done = async (args: string[], more = {}) => {
      const { code, json, stderr } = await runBelfryShared(args, { ...settings, ...more });
      expect(code, stderr).toBe(0);
      return { ...json, stderr };
    };
    const { id } = await done(["workspaces", "create", "--name", "Mailing"]);
    const email = "mailed@example.org";
    const member = await done(["members", "add", "--workspace", id, "--email", email, "--role", "owner"]);
    const link = ["members", "link", "--email", "Mailed@example.org"];
    const mails = await MailServer.open();
    const sent = await done(link, { SMTP_URL: mails.url });
    expect(sent).toMatchObject({ member_id: member.id, email, mailed: true });
    expect(mails.linkTo(email)).toBe(sent.link);
    // A mail server that is away changes nothing else.
    mails.close();
    const unsent = await done(link, { SMTP_URL: mails.url });
    expect(unsent).toMatchObject({ member_id: member.id, mailed: false });
    expect(unsent.stderr).toContain("the e-mail was not sent (");
    expect(unsent.link).toMatch(/welcome#[\w-]{43}$/);

    const unknown = await runBelfryShared(["members", "link", "--email", "nobody@example.org"], settings);
    expect(unknown).toMatchObject({ code: 1, refusal: { error: { type: "not_found" } } });
    const both = await runBelfryShared([...link, "--member", member.id], settings);
    expect(both.refusal.error.message).toContain("not both");
    const named = await runBelfryShared(["workspaces", "create", "--name", "Two\nlines"], settings);
    expect(named.refusal.error).toMatchObject({ type: "invalid_request", param: "name" });
  });

  test("a database that cannot be reached is a server_error", async () => {
    const settings = { DATABASE_URL: "postgresql://belfry@127.0.0.1:1/belfry" };
    const { code, refusal } = await runBelfryShared(["keys", "list"], settings);
    expect({ code, type: refusal.error.type }).toEqual({ code: 1, type: "server_error" });
    expect(refusal.error.message).toContain("(ECONNREFUSED). Check DATABASE_URL");
  });
});
