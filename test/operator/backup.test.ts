// belfry backup and belfry restore: a copy that answers the same, taken while the service runs, whole or not at all.

import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { beforeAll, describe, expect, test } from "vitest";
import { dataPaths } from "../../src/store/config/data_paths.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import {
  CLI,
  createChildEnvironment,
  prepareCluster,
  ROOT,
  runBelfry,
  runBelfryShared,
  startServer,
} from "../support/processes.ts";
import { type S3Server, s3Settings, startS3Server } from "../support/s3_server.ts";
import { MP3, openConsoleUploads, PNG } from "../support/sample_files.ts";
import { readSchema, readSequences } from "../support/schema_text.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { waitUntil } from "../support/wait.ts";
import { type Answer, freshDatabase, timeInSeconds, World } from "../support/world.ts";

const { at, ends } = openTestFolder();

type Settings = Record<string, string>;

/** @throws when it was refused. */
async function did(call: Promise<Answer>) {
  const { status, body } = await call;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body;
}

/** An empty database without any content, and no secret. */
async function emptyServer(): Promise<Settings> {
  const { settings, remove } = await freshDatabase({ empty: true });
  ends.push(remove);
  const { SECRET: _, ...rest } = settings as Settings;
  return rest;
}

async function withSql<T>(settings: Settings, use: (em: SqlEntityManager) => Promise<T>): Promise<T> {
  const orm = createOrm({ databaseUrl: settings.DATABASE_URL!, databasePoolSize: 2 });
  try {
    return await use(orm.em.fork() as SqlEntityManager);
  } finally {
    await orm.close(true);
  }
}

const tablesOf = (settings: Settings) =>
  withSql(
    settings,
    async (em) =>
      (await em.execute("select from pg_tables where schemaname in ('public', 'auth') and tablename <> 'migration'"))
        .length,
  );

/** Everything that COPY does not carry. */
const restOf = (settings: Settings) => withSql(settings, async (em) => [await readSchema(em), await readSequences(em)]);

/** All rows of all tables but the epoch, which differs on purpose. */
const rowsOf = (settings: Settings) =>
  withSql(settings, async (em) => {
    const tables = await em.execute<{ quoted: string }[]>(
      "select format('%I.%I', schemaname, tablename) as quoted from pg_tables where schemaname in ('public', 'auth') " +
        "and tablename <> 'database_epoch' order by 1",
    );
    const all: Record<string, unknown> = {};
    for (const { quoted } of tables)
      all[quoted] = (await em.execute(`select t::text as row from ${quoted} t order by 1`)).map(({ row }: any) => row);
    return all;
  });

describe("a server in use, by URL", () => {
  let here: World;
  /** After every refusal, nothing stays. */
  let empty: Settings;
  let channel: any;
  let sent: any;
  let phone: string;
  let image: any;
  let backup: string;
  /** From the time of the backup. */
  let rows: Record<string, unknown>;
  let schema: unknown;
  let before: any;
  let etag: string;

  const told = async (world: World) => ({
    pushers: await did(world.rest("list_pushers", {}, here.owner)),
    alerts: await did(world.rest("list_alerts", { pusher_id: channel.id }, here.owner)),
    found: await did(world.rest("list_alerts", { pusher_id: channel.id, query: "nao noon" }, here.owner)),
    stats: await did(world.rest("get_alert_stats", { pusher_id: channel.id, alert_id: sent.id }, here.owner)),
    webhooks: await did(world.rest("list_webhooks", {}, here.owner)),
    inbox: await did(world.handset("GET", "/inbox", phone)),
  });

  beforeAll(async () => {
    here = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" } });
    ends.push(() => here.close());
    channel = await here.pusher({ handle: "harbour-kept", lat: 38.7, lon: -9.1, radius_km: 2.5 });
    await did(here.rest("create_webhook", { url: "http://127.0.0.1:9/hook", events: ["alert.sent"] }));
    sent = await here.alert(channel.id, {
      title: "Bridge \\N up \\.",
      body: "Until\tnoon · não\n\\.\n",
      requires_ack: true,
      send: true,
    });
    const daily = { title: "Tide", recurrence: "FREQ=DAILY UTC", send_at: timeInSeconds(90_000) };
    const tide = await here.alert(channel.id, daily);
    await did(here.rest("schedule_alert", { pusher_id: channel.id, alert_id: tide.id }));
    image = await openConsoleUploads(here).upload("image", PNG);
    await here.alert(channel.id, { title: "Seen", layout: "image", image_asset_id: image.id, send: true });
    phone = await here.device("harbour-kept");
    await did(here.handset("POST", "/reports", phone, { reports: [{ alert_id: sent.id, kind: "read" }] }));
    // Events get their numbers when they are read.
    await did(here.rest("list_events", {}));
    const polled = await here.handset("GET", "/inbox", phone);
    etag = polled.headers.get("etag")!;
    before = await told(here);
    expect(before.found.data).toMatchObject([{ id: sent.id }]);
    rows = await rowsOf(here.settings);
    schema = await restOf(here.settings);
    const { code, json, stderr } = await runBelfryShared(["backup", at("kept")], here.settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(json).toMatchObject({ files: 1, missing_files: [], secret: true, removed: [] });
    backup = json.backup;
    empty = await emptyServer();
    // Later data is not in it.
    await here.alert(channel.id, { title: "Too late", send: true });
  });

  // rules#backup
  test("is restored row for row, answers the same, and its validators are others", async () => {
    const settings = await emptyServer();
    const { code, json, stderr } = await runBelfryShared(["restore", backup], settings);
    expect({ code, json }).toMatchObject({ code: 0, json: { files: 1, migrations: [] } });
    expect(stderr).toContain(`set SECRET to the contents of ${backup}/secret`);
    expect(stderr).toMatch(/the data is from 2\S+Z\. If keys were revoked or members removed after that, revoke or/);
    expect(stderr).not.toContain(here.settings.SECRET);
    expect(await rowsOf(settings)).toEqual(rows);
    expect(await restOf(settings)).toEqual(schema);
    const SECRET = readFileSync(join(backup, "secret"), "utf8").trim();
    expect(SECRET).toBe(here.settings.SECRET);

    const there = await World.open({ settings: { ...settings, SECRET, WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" } });
    ends.push(() => there.close());
    expect(await told(there)).toEqual(before);
    await expectRecountClean(there.service.orm);
    const polled = await there.handset("GET", "/inbox", phone, undefined, { "if-none-match": etag });
    expect(polled.status).toBe(200);
    expect(polled.headers.get("etag")).not.toBe(etag);
    const drawn = await there.service.app.fetch(new Request(image.url));
    expect([drawn.status, Buffer.from(await drawn.arrayBuffer())]).toEqual([200, PNG]);
    // Triggers and sequences go on where they were.
    await did(there.rest("create_alert", { pusher_id: channel.id, title: "New", send: true }, here.owner));
    expect((await told(there)).inbox.data[0].title).toBe("New");
    await expectRecountClean(there.service.orm);
  });

  // rules#backup
  test("folder and files are its owner's alone", async () => {
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(backup)) expect(statSync(join(backup, name)).mode & 0o777, name).toBe(0o600);
  });

  // rules#restore
  test("a server that is not empty is only replaced on request, and then completely", async () => {
    const settings = await emptyServer();
    const other = { ...settings, SECRET: "the other server has a secret of its own" };
    const world = await World.open({ settings: other });
    await world.pusher({ handle: "goes-away" });
    const running = await runBelfryShared(["restore", backup, "--replace"], settings);
    expect(running.refusal.error).toMatchObject({
      type: "conflict",
      message: expect.stringMatching(/Stop all Belfry/),
    });
    await world.leave();
    const held = await rowsOf(settings);
    const refused = await runBelfryShared(["restore", backup], settings);
    expect(refused).toMatchObject({ code: 1, refusal: { error: { type: "conflict" } } });
    expect(refused.refusal.error.message).toContain("--replace");
    // Its own secret is not the backup's.
    const wrong = await runBelfryShared(["restore", backup, "--replace"], other);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^belfry: SECRET does not match the backup/),
    });
    expect(await rowsOf(settings)).toEqual(held);
    expect((await runBelfryShared(["restore", backup, "--replace"], settings)).code).toBe(0);
    expect(await rowsOf(settings)).toEqual(rows);
    expect(await restOf(settings)).toEqual(schema);
  });

  // rules#restore
  test.each<[string, (copy: string) => void, RegExp]>([
    [
      "a piece is changed",
      (copy) => flip(join(copy, "rows-alert-000001.gz")),
      /is damaged: rows-alert-000001\.gz has been modified/,
    ],
    [
      "a piece is missing",
      (copy) => rmSync(join(copy, "rows-pusher-000001.gz")),
      /is damaged: rows-pusher-000001\.gz is missing/,
    ],
    [
      "a file is changed",
      (copy) => flip(join(copy, readdirSync(copy).find((name) => name.startsWith("file-"))!)),
      /is damaged: file-/,
    ],
    [
      "the manifest is cut",
      (copy) => writeFileSync(join(copy, "manifest.json"), readFileSync(join(copy, "manifest.json")).subarray(0, 99)),
      /is damaged: its manifest\.json is not valid JSON/,
    ],
    [
      "rows are left out of the manifest",
      (copy) => change(copy, (said) => said.tables.pop()),
      /tables, columns or sequences that do not match its Belfry version/,
    ],
    [
      "a sequence is not one of its tables",
      (copy) => change(copy, (said) => said.sequences.push({ name: "pg_catalog.x", last: "1" })),
      /tables, columns or sequences that do not match its Belfry version/,
    ],
    [
      "rows are counted otherwise",
      (copy) => change(copy, (said) => (said.tables.find(({ name }: any) => name === "alert").rows = 99)),
      /is damaged: alert does not have the expected number of rows/,
    ],
    [
      "it is something else",
      (copy) => writeFileSync(join(copy, "manifest.json"), '{"name": "belfry"}'),
      /is not a Belfry backup/,
    ],
    ["its format is newer", (copy) => change(copy, (said) => (said.format = 2)), /was made by a version newer/],
    [
      "its schema is newer",
      (copy) => change(copy, (said) => said.migrations.push("Migration20991231000000_later")),
      /was made by a version newer/,
    ],
    [
      "its schema is of before a release",
      (copy) => change(copy, (said) => (said.migrations = said.migrations.slice(0, 2))),
      /was made by a build older than 0\.1\.0\. Restore it with that build/,
    ],
    [
      "it was interrupted",
      (copy) => rmSync(join(copy, "manifest.json")),
      /is not a complete backup: it has no manifest\.json/,
    ],
    [
      "it is the folder around",
      (copy) => renameSync(copy, join(at("around"), "belfry-20260101T000000Z")),
      /contains backups\. Specify one of them: belfry-20260101T000000Z/,
    ],
  ])("is refused by name when %s, and nothing stays", async (what, spoil, says) => {
    const settings = empty;
    const around = what === "it is the folder around";
    const copy = around ? join(at("around"), "x") : at(`copy of ${what}`);
    cpSync(backup, copy, { recursive: true });
    spoil(copy);
    const { code, refusal } = await runBelfryShared(["restore", around ? at("around") : copy], settings);
    expect(code).toBe(1);
    expect(refusal.error.message).toMatch(says);
    expect(await tablesOf(settings)).toBe(0);
  });
  // rules#backup
  test("can be read through without a server", async () => {
    const settings = { DATA_DIR: at("no server") };
    expect(await runBelfryShared(["restore", "--check", backup], settings)).toMatchObject({
      code: 0,
      json: { check: true },
    });
    const copy = at("unwhole");
    cpSync(backup, copy, { recursive: true });
    flip(join(copy, "secret"));
    expect((await runBelfryShared(["restore", "--check", copy], settings)).refusal.error.message).toContain(
      "secret has been modified",
    );
    expect(existsSync(at("no server"))).toBe(false);
  });

  test("without the secret it takes the one that is set, and no other", async () => {
    const { json } = await runBelfryShared(["backup", at("closed"), "--without-secret"], here.settings);
    expect(json.secret).toBe(false);
    expect(existsSync(join(json.backup, "secret"))).toBe(false);
    const settings = await emptyServer();
    const tried = (SECRET?: string) =>
      runBelfryShared(["restore", json.backup], SECRET ? { ...settings, SECRET } : settings);
    expect((await tried()).stderr).toMatch(/^belfry: SECRET is missing/);
    expect((await tried("another secret of these tests, as long")).refusal.error.message).toMatch(
      /^SECRET does not match/,
    );
    expect(await tablesOf(settings)).toBe(0);
    expect((await tried(here.settings.SECRET)).code).toBe(0);
  });

  test("a file that the store lost is reported, and the rest is kept", async () => {
    const lost = await openConsoleUploads(here).upload("audio", MP3);
    rmSync(join(here.dataDir, "assets", parseUuid(lost.id)));
    const { code, json, stderr } = await runBelfryShared(["backup", at("lossy")], here.settings);
    expect(code).toBe(0);
    expect(json).toMatchObject({ files: 1, missing_files: [parseUuid(lost.id)] });
    expect(stderr).toContain("1 uploaded file was missing");
  });

  describe("in a bucket", () => {
    let provider: S3Server;
    beforeAll(async () => {
      provider = await startS3Server();
      ends.push(() => provider.close());
    });

    // rules#backup
    test("is kept, found, restored and removed; what was interrupted counts as none", async () => {
      const s3 = s3Settings("BACKUP_S3", provider);
      const settings = { ...here.settings, ...s3, BACKUP_TARGET: "s3://kept/of/harbour" };
      const first = (await runBelfryShared(["backup"], settings)).json;
      expect(first.backup).toMatch(/^s3:\/\/kept\/of\/harbour\/belfry-\d{8}T\d{6}Z$/);
      const other = await emptyServer();
      const back = await runBelfryShared(["restore", first.backup], { ...other, ...s3 });
      expect(back).toMatchObject({ code: 0, json: { rows: first.rows, files: first.files } });

      provider.objects.set("/kept/of/harbour/belfry-20250101T000000Z/secret", Buffer.from("left"));
      provider.objects.set("/kept/of/others/belfry-20250101T000000Z/manifest.json", Buffer.from("theirs"));
      const refused = await runBelfryShared(["restore", "s3://kept/of/harbour/belfry-20250101T000000Z"], {
        ...other,
        ...s3,
      });
      expect(refused.refusal.error.message).toContain("is not a complete backup");
      provider.listed = 3;
      await waitUntil(() => !first.backup.includes(new Date().toISOString().slice(11, 19).replaceAll(":", "")));
      const second = (await runBelfryShared(["backup", "--keep", "1"], settings)).json;
      expect(second.removed).toEqual(["belfry-20250101T000000Z", first.backup.split("/").at(-1)]);
      const left = new Set([...provider.objects.keys()].map((key) => key.split("/").slice(0, -1).join("/")));
      expect([...left].sort()).toEqual(
        [second.backup.replace("s3:/", ""), "/kept/of/others/belfry-20250101T000000Z"].sort(),
      );

      provider.failing = 503;
      const away = await runBelfryShared(["backup"], settings);
      expect(away.refusal.error.message).toMatch(/Backup storage failed: \w.* 503/);
    });

    test("needs its store", async () => {
      const { code, stderr } = await runBelfryShared(["backup", "s3://kept"], here.settings);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^belfry: BACKUP_S3_ENDPOINT is missing/),
      });
      expect((await runBelfryShared(["backup"], here.settings)).code).toBe(2);
    });
  });
});

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(path, bytes);
}

function change(copy: string, how: (manifest: any) => unknown): void {
  const path = join(copy, "manifest.json");
  const said = JSON.parse(readFileSync(path, "utf8"));
  how(said);
  writeFileSync(path, JSON.stringify(said));
}

describe("an embedded server", () => {
  // rules#backup
  test("is kept while it runs, killed or not, and comes up elsewhere with its secret", async () => {
    const running = await startServer(prepareCluster(at("first")));
    const settings = { DATA_DIR: at("first") };
    // Killed once it has begun: the remains are not a backup.
    const killed = spawn(process.execPath, [CLI, "backup", at("killed")], {
      cwd: ROOT,
      env: createChildEnvironment(settings),
      stdio: "ignore",
    });
    const gone = new Promise((resolve) => killed.once("exit", resolve));
    await waitUntil(() => existsSync(at("killed")) && readdirSync(at("killed")).length > 0);
    killed.kill("SIGKILL");
    await gone;
    const [left] = readdirSync(at("killed"));
    if (left?.endsWith(".part"))
      expect(
        (await runBelfryShared(["restore", "--check", join(at("killed"), left)], settings)).refusal.error.message,
      ).toContain("is not a complete backup");

    const { json } = await runBelfryShared(["backup", at("embedded")], settings);
    expect(json).toMatchObject({ secret: true });
    const over = await runBelfryShared(["restore", json.backup, "--replace"], settings);
    expect(over).toMatchObject({ code: 1, refusal: { error: { type: "conflict" } } });
    await running.stop();

    const second = { DATA_DIR: at("second") };
    const { restoring, secret } = dataPaths(second.DATA_DIR);
    // One that fails leaves a folder in which no service starts, and in which it can be tried again.
    const damaged = at("damaged");
    cpSync(json.backup, damaged, { recursive: true });
    flip(join(damaged, "rows-workspace-000001.gz"));
    expect((await runBelfry(["restore", damaged], second)).refusal.error.message).toContain("is damaged");
    expect(existsSync(second.DATA_DIR)).toBe(false);
    flip(join(damaged, "rows-workspace-000001.gz"));
    change(damaged, (said) => (said.tables.find(({ name }: any) => name === "workspace").rows = 99));
    expect((await runBelfry(["restore", damaged], second)).refusal.error.message).toContain("is damaged");
    expect(existsSync(restoring)).toBe(true);
    const started = await runBelfry(["serve"], { ...second, PORT: "0" });
    expect(started).toMatchObject({ code: 1, stderr: expect.stringMatching(/contains an incomplete restore/) });
    const done = await runBelfry(["restore", json.backup], second);
    expect(done).toMatchObject({ code: 0, json: { rows: json.rows } });
    expect(existsSync(restoring)).toBe(false);
    expect(readFileSync(secret, "utf8")).toBe(readFileSync(dataPaths(settings.DATA_DIR).secret, "utf8"));
    const copy = await startServer(second.DATA_DIR);
    const asked = await fetch(`${copy.url}/api/v1/pushers`, { headers: { authorization: `Bearer ${running.key}` } });
    expect(asked.status).toBe(200);
    await copy.stop();
  });
});
