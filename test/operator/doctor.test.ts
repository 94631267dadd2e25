// belfry doctor: problems are reported with a solution and in the exit code, and the check changes nothing.

import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runHealthChecks } from "../../src/identity/operator/health_checks.ts";
import type { HealthFinding } from "../../src/identity/operator/health_finding.ts";
import { loadDatabaseSettings } from "../../src/identity/operator/operator_database.ts";
import { checkPublicUrlReachable } from "../../src/identity/operator/public_address_checks.ts";
import { findFreePort, listenHttp } from "../../src/program/boot/http_server.ts";
import { formatFindings } from "../../src/program/cli/status_doctor_secret_commands.ts";
import { loadSettingsWithProblems } from "../../src/store/config/load_settings.ts";
import { listMigrationNames } from "../../src/store/db/migrate.ts";
import { prepareCluster, runBelfryShared, temporaryFolder } from "../support/processes.ts";
import { s3Settings, startS3Server } from "../support/s3_server.ts";
import { freshDatabase, World } from "../support/world.ts";

const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await world.close();
  folder.remove();
});

/** The findings of a run, and its exit code. */
async function told(settings: Record<string, string>) {
  const { code, json, stderr } = await runBelfryShared(["doctor"], settings);
  expect(stderr).toBe("");
  const { findings, ok } = json as { findings: HealthFinding[]; ok: boolean };
  expect(code).toBe(ok ? 0 : 1);
  expect(ok).toBe(findings.every(({ state }) => state !== "wrong"));
  // Each problem has a solution.
  expect(findings.filter(({ state, way_out }) => /warning|wrong/.test(state) && !way_out)).toEqual([]);
  return { ok, findings, checks: json.checks, of: (check: string) => findings.filter((one) => one.check === check) };
}

// rules#doctor
test("a healthy server is reported as such, part by part", async () => {
  chmodSync(world.dataDir, 0o700);
  await world.pusher();
  const made = await runBelfryShared(["backup", at("kept")], world.settings);
  expect(made.code).toBe(0);
  const { ok, of, checks } = await told({ ...world.settings, BACKUP_TARGET: at("kept") });
  expect(ok).toBe(true);
  for (const check of ["settings", "file modes", "clock", "schema", "secret", "counters", "backups"])
    expect(of(check), check).toMatchObject([{ state: "ok" }]);
  // The server of the tests gives up what the power takes.
  expect(of("database").filter(({ says }) => !/ responds$|can lose acknowledged writes/.test(says))).toEqual([]);
  for (const check of ["redis", "files", "mail", "oidc"]) expect(of(check)).toMatchObject([{ state: "skipped" }]);
  expect(of("service")).toMatchObject([{ state: "warning" }]);
  expect(checks.length).toBeGreaterThan(5);
});

// rules#doctor
test("each fault is found by its name", async () => {
  const deaf = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  const { port } = deaf.address() as { port: number };
  const nobody = await findFreePort("127.0.0.1");
  const provider = await startS3Server();
  provider.failing = 403;
  mkdirSync(join(at("old"), "belfry-20260101T000000Z"), { recursive: true });
  writeFileSync(join(at("old"), "belfry-20260101T000000Z/manifest.json"), "{}");
  await world.sql("update channel_state set published = published + 1");
  const { of } = await told({
    ...world.settings,
    SECRET: "another secret of these tests, long enough",
    PUBLIC_URL: "https://127.0.0.1:1",
    REDIS_URL: `redis://127.0.0.1:${nobody}`,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    ...s3Settings("ASSETS_S3", provider),
    ASSETS_S3_BUCKET: "files",
    BACKUP_TARGET: at("old"),
    WEBHOOK_ALLOW_HOST: "typo.example",
    BACKUP_S3_KEY: "x",
    DATABASE_STATEMENT_TIMEOUT_MS: "soon",
    DATABASE_POOL_SIZE: "500",
    WORKERS: "2",
  });
  await world.sql("update channel_state set published = published - 1");
  expect(of("settings")).toMatchObject([
    { state: "wrong", says: expect.stringMatching(/^WEBHOOK_ALLOW_HOST is not a setting\. Did you mean/) },
    { state: "wrong", says: expect.stringMatching(/^DATABASE_STATEMENT_TIMEOUT_MS must be/) },
    { state: "warning", says: expect.stringMatching(/^BACKUP_S3_KEY is set/) },
  ]);
  expect(of("secret")).toMatchObject([{ state: "wrong", says: expect.stringMatching(/^SECRET does not match/) }]);
  // The workers share 500 connections, and each one listens.
  expect(of("database").map(({ says }) => says)).toContainEqual(
    expect.stringMatching(/^allows \d+ connections, and the service uses up to 502$/),
  );
  expect(of("address")).toMatchObject([{ state: "warning", way_out: expect.stringContaining("TRUSTED_PROXIES") }]);
  expect(of("counters")).toMatchObject([
    { state: "wrong", says: expect.stringMatching(/^channel_state\.published: 1 do/) },
  ]);
  for (const check of ["redis", "mail", "files"]) expect(of(check), check).toMatchObject([{ state: "wrong" }]);
  expect(of("backups")).toMatchObject([{ state: "wrong", says: expect.stringContaining("more than two days old") }]);
  await provider.close();
  deaf.close();
});

// rules#doctor
test("looking makes no database, no folder and no tables", async () => {
  const nothing = { DATA_DIR: at("nothing") };
  expect((await told(nothing)).of("database")).toMatchObject([{ state: "skipped", says: "does not exist yet" }]);
  expect(existsSync(nothing.DATA_DIR)).toBe(false);
  const { settings, remove } = await freshDatabase({ empty: true });
  expect((await told(settings)).of("schema")).toMatchObject([{ state: "skipped" }]);
  expect((await told(settings)).of("schema")).toMatchObject([{ state: "skipped" }]);
  await remove();
  const nobody = `postgresql://belfry@127.0.0.1:${await findFreePort("127.0.0.1")}/belfry`;
  const away = await told({ ...world.settings, DATABASE_URL: nobody });
  expect(away.of("database")).toMatchObject([{ state: "wrong", says: expect.stringContaining("ECONNREFUSED") }]);
  const unreadable = await told({ ...world.settings, DATABASE_URL: "mysql://x/y" });
  expect(unreadable.of("database")).toMatchObject([{ state: "skipped" }]);
});

// rules#doctor
test("files that others may read are closed by --fix, and blocked folders and unknown files are found", async () => {
  const dataDir = prepareCluster(at("embedded"));
  chmodSync(join(dataDir, "secret"), 0o644);
  const open = await told({ DATA_DIR: dataDir });
  expect(open.of("file modes").map(({ says }) => says)).toContain(
    `${join(dataDir, "secret")} can be read or changed by other users`,
  );
  expect(open.of("disk")).toHaveLength(1);
  writeFileSync(at("a-file"), "");
  const blocked = await told({ DATA_DIR: dataDir, BACKUP_TARGET: at("a-file/below"), PORT_FILE: "/x" });
  expect(blocked.of("backups")).toMatchObject([
    { state: "wrong", says: expect.stringContaining("A file exists where the folder") },
  ]);
  expect(blocked.of("settings")).toMatchObject([{ state: "wrong", says: expect.stringMatching(/^PORT_FILE is not/) }]);
  const { json } = await runBelfryShared(["doctor", "--fix"], { DATA_DIR: dataDir });
  expect(json).toMatchObject({ files: [join(dataDir, "secret")], repaired: expect.any(Array) });
  expect(statSync(join(dataDir, "secret")).mode & 0o777).toBe(0o600);
  expect((await told({ DATA_DIR: dataDir })).of("file modes")).toMatchObject([{ state: "ok" }]);
});

// rules#doctor
test("a command without the PUBLIC_URL of the service is reported, because it checks another address", async () => {
  const dataDir = prepareCluster(at("moved"));
  const PUBLIC_URL = "https://alerts.example.org";
  writeFileSync(join(dataDir, "credentials.json"), JSON.stringify({ url: PUBLIC_URL }), { mode: 0o600 });
  expect((await told({ DATA_DIR: dataDir })).of("address")).toMatchObject([
    { state: "warning", says: expect.stringContaining(PUBLIC_URL), way_out: expect.stringContaining("settings") },
  ]);
  const same = await told({ DATA_DIR: dataDir, PUBLIC_URL, TRUSTED_PROXIES: "loopback" });
  expect(same.of("address")).toMatchObject([{ state: "ok" }]);
});

test("the address of clients: another program, a proxy without WebSockets, and open metrics", async () => {
  const service = await findFreePort("127.0.0.1");
  const listening = await listenHttp(world.service.app, { host: "127.0.0.1", port: service });
  const checked = async (headers: Record<string, string>, foreign = false) => {
    // A proxy that passes only the headers of its choice.
    const proxy = createHttpServer(async (request, response) => {
      if (foreign) return response.end("hello");
      const answer = await fetch(`http://127.0.0.1:${service}${request.url}`, { headers });
      response.writeHead(answer.status, { "content-type": "text/plain" }).end(await answer.text());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as { port: number };
    const findings = await checkPublicUrlReachable(`http://127.0.0.1:${port}`);
    proxy.close();
    return findings.map(({ check, state, says }) => [check, state, says.replace(/ at .*| the address.*/, "")]);
  };
  expect(await checked({}, true)).toEqual([["service", "warning", "a different program is responding"]]);
  expect(await checked({})).toEqual([
    ["service", "ok", "is responding"],
    ["websocket", "warning", "the proxy"],
  ]);
  const direct = await checkPublicUrlReachable(`http://localhost:${service}`);
  expect(direct.map(({ check, state }) => [check, state])).toEqual([
    ["service", "ok"],
    ["websocket", "ok"],
  ]);
  // Another form of the address, in place of a public one.
  const open = await checkPublicUrlReachable(`http://[::ffff:127.0.0.1]:${service}`);
  expect(open.at(-1)).toMatchObject({ check: "metrics", state: "warning" });
  await listening.close();
});

test.each([
  ["https://belfry.lan", 1],
  ["https://belfry", 1],
  ["https://alerts.example.org", 0],
  ["http://localhost:8787", 0],
])("with the address %s, %d warning names WEB_PUSH_CONTACT", async (PUBLIC_URL, count) => {
  const findings = (await told({ ...world.settings, PUBLIC_URL })).of("push");
  expect(findings).toHaveLength(count);
  for (const found of findings)
    expect(found).toMatchObject({ state: "warning", way_out: expect.stringContaining("WEB_PUSH_CONTACT") });
});

test("a schema of another version and a clock that differs", async () => {
  for (const [name, value] of Object.entries(world.settings)) vi.stubEnv(name, value);
  const look = async (ahead: number) =>
    (await runHealthChecks(loadDatabaseSettings(), () => new Date(Date.now() - ahead))).findings;
  const clock = async (ahead: number) => (await look(ahead)).find(({ check }) => check === "clock");
  expect([await clock(10_000), await clock(-60_000)]).toMatchObject([{ state: "warning" }, { state: "wrong" }]);
  const [last] = await world.sql("delete from migration where id = (select max(id) from migration) returning name");
  const schema = async () => (await look(0)).find(({ check }) => check === "schema");
  expect(await schema()).toMatchObject({ state: "warning", says: expect.stringMatching(/^1 migrations/) });
  await world.sql("insert into migration (name) values (?), ('Migration20991231000000_later')", [last.name]);
  expect(await schema()).toMatchObject({ state: "wrong", says: expect.stringContaining("newer version of Belfry") });
  await world.sql("delete from migration where name like '%later'");
  const [fold = ""] = listMigrationNames();
  await world.sql("delete from migration where name >= ?", [fold]);
  expect(await schema()).toMatchObject({ state: "wrong", says: expect.stringContaining("older than 0.1.0") });
  for (const name of listMigrationNames()) await world.sql("insert into migration (name) values (?)", [name]);
  expect(await schema()).toMatchObject({ state: "ok" });
  vi.unstubAllEnvs();
});

test("several settings are judged, each by its name", () => {
  expect(loadSettingsWithProblems({ PORT: "x", HOST: "::1" })).toMatchObject({
    config: { host: "::1" },
    wrong: [expect.stringMatching(/^PORT /)],
  });
});

test("on a terminal a line each, with the way out below", () => {
  const table = formatFindings([
    { check: "settings", state: "ok", says: "all settings are valid", way_out: null },
    { check: "disk", state: "wrong", says: "9 MB are free", way_out: "make room" },
  ]);
  expect(table).toBe(
    `ok       settings  all settings are valid\nWRONG    disk      9 MB are free\n${" ".repeat(19)}→ make room\n`,
  );
});
