// belfry export and belfry import: what moves answers the same on the other server, whole or not at all, and in
// bounded memory.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { EXPORT_TABLES } from "../../src/identity/operator/export_tables.ts";
import { exportWorkspaces } from "../../src/identity/operator/export_workspaces.ts";
import { Workspace } from "../../src/model/tables/member.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import { parseUuid } from "../support/handsets.ts";
import { CLI, createChildEnvironment, ROOT, runBelfry, runBelfryShared, startServer } from "../support/processes.ts";
import { openConsoleUploads, PNG } from "../support/sample_files.ts";
import { prepareStartedService } from "../support/started_service.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { type Answer, freshDatabase, timeInSeconds, World } from "../support/world.ts";

const { path: folder, at, ends } = openTestFolder();

/** A migrated database without content, with a secret of its own. */
async function otherServer() {
  const { settings, remove } = await freshDatabase();
  ends.push(remove);
  const its = { SECRET: "the other server has a secret of its own", WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" };
  return { ...settings, ...its } as Record<string, string>;
}

const opened = async (settings: Record<string, string>) => {
  const world = await World.open({ settings });
  ends.push(() => world.close());
  return world;
};

const imported = (file: string, settings: Record<string, string>, ...more: string[]) =>
  runBelfryShared(["import", file, ...more], settings);

describe("a workspace in use, by URL", () => {
  let here: World;
  let channel: any;
  let closed: any;
  let sent: any;
  let phone: string;
  let file: string;

  /** @throws when it was refused. */
  async function did(call: Promise<Answer>) {
    const { status, body } = await call;
    if (status >= 300) throw new Error(JSON.stringify(body));
    return body;
  }

  beforeAll(async () => {
    here = await World.open({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1:9" } });
    ends.push(() => here.close());
    channel = await here.pusher({ handle: "harbour-watch", retention_days: 30, lat: 38.7, lon: -9.1, radius_km: 2.5 });
    closed = await here.pusher({ handle: "harbour-crew", is_public: false });
    await did(here.rest("create_invite", { pusher_id: closed.id, label: "Crew", max_uses: 5 }));
    await did(here.rest("create_webhook", { url: "http://127.0.0.1:9/hook", events: ["alert.sent"] }));
    await here.memberKey("editor", [channel.id]);
    const reply = { type: "reply", label: "Coming?", choices: ["Yes", "No"] };
    sent = await here.alert(channel.id, {
      ...{
        title: "Bridge up",
        body: "Until noon · não",
        priority: "urgent",
        requires_ack: true,
        actions: [reply],
        send: true,
      },
    });
    const draft = await here.alert(channel.id, { title: "Draft", html: "<b>bold</b>", layout: "html" });
    await here.alert(channel.id, { title: "Later", send: true, send_at: timeInSeconds(86_400) });
    const off = await here.alert(channel.id, { title: "Off", send: true });
    await did(here.rest("cancel_alert", { pusher_id: channel.id, alert_id: off.id }));
    const daily = { title: "Tide", recurrence: "FREQ=DAILY UTC", send_at: timeInSeconds(90_000) };
    const tide = await here.alert(channel.id, daily);
    await did(here.rest("schedule_alert", { pusher_id: channel.id, alert_id: tide.id }));
    await did(here.rest("update_alert", { pusher_id: channel.id, alert_id: draft.id, body: "Until one · não" }));
    const picture = await openConsoleUploads(here).upload("image", PNG);
    await here.alert(channel.id, { title: "Seen", layout: "image", image_asset_id: picture.id, send: true });
    await here.sql("update pusher set image_asset_id = ?, image_url = ? where id = ?", [
      ...[parseUuid(picture.id), "http://localhost/assets/of/this-server", parseUuid(channel.id)],
    ]);
    phone = await here.device("harbour-watch");
    const left = await here.device("harbour-watch");
    for (const token of [phone, left])
      await did(here.handset("POST", "/reports", token, { reports: [{ alert_id: sent.id, kind: "read" }] }));
    await did(here.handset("DELETE", "/devices/me", left));
    file = at("whole.jsonl");
    const { code, stderr } = await runBelfryShared(["export", "--to", file], here.settings);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("1 uploaded files") });
  });

  /** The responses to keys and handsets, except for the parts that must differ. */
  async function told(world: World) {
    const pushers = await did(world.rest("list_pushers", {}, here.owner));
    const alerts = await did(world.rest("list_alerts", { pusher_id: channel.id }, here.owner));
    const of = { pusher_id: channel.id };
    const answers = {
      pushers: pushers.data.map(({ retention_starts_at: _, image_url: __, ...rest }: any) => rest),
      alerts,
      stats: await did(world.rest("get_alert_stats", { ...of, alert_id: sent.id }, here.owner)),
      series: await did(world.rest("get_pusher_stats", of, here.owner)),
      invites: await did(world.rest("list_invites", { pusher_id: closed.id }, here.owner)),
      inbox: await did(world.handset("GET", "/inbox", phone)),
      found: await did(world.rest("list_alerts", { ...of, query: "bridge" }, here.owner)),
    };
    const text = JSON.stringify(answers).replaceAll(/\/assets\/(ast_\w+)\/[\w-]+/g, "/assets/$1");
    // Credentials stay on their server, so the authors of imported alerts are not known.
    return JSON.parse(text.replaceAll('"via":"key"', '"via":null'));
  }

  // rules#workspace-export
  test("answers the same on another server, where every counter agrees", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const settings = await otherServer();
    const dry = await imported(file, settings, "--dry-run");
    expect(dry).toMatchObject({ code: 0, json: { dry_run: true, imported: [here.workspace.id] } });
    const done = await imported(file, settings);
    expect(done.json).toEqual({ ...dry.json, dry_run: false });
    expect(done.json.rows).toMatchObject({ channel: 2, device: 1, report: 2, file: 1, series: 1, change: 1 });
    const there = await opened(settings);
    await expectRecountClean(there.service.orm);
    expect(await told(there)).toEqual(await told(here));
    // A webhook exists and is silent: its secret is unknown.
    const [hook] = (await there.rest("list_webhooks", {}, here.owner)).body.data;
    expect(hook).toMatchObject({ url: "http://127.0.0.1:9/hook", disabled_at: expect.any(String) });
    const logged = await there.sql(
      "select operation from audit_event where actor_type = 'operator' and operation = 'import'",
    );
    expect(logged).toHaveLength(1);
    // The picture is there when its file is, under an address of this server.
    cpSync(join(here.dataDir, "assets"), join(settings.DATA_DIR!, "assets"), { recursive: true });
    const { body } = await there.rest("get_pusher", { pusher_id: channel.id }, here.owner);
    const drawn = await there.service.app.fetch(new Request(body.image_url));
    expect(drawn.status).toBe(200);
    // The phone continues, and receives alerts that are sent there.
    await there.rest("create_alert", { pusher_id: channel.id, title: "New", send: true }, here.owner);
    expect((await there.handset("GET", "/inbox", phone)).body.data[0].title).toBe("New");

    const again = await imported(file, settings);
    expect(again).toMatchObject({ code: 0, json: { imported: [], already_there: [here.workspace.id], rows: {} } });
    await expectRecountClean(there.service.orm);
  });

  test("another workspace's rows stay out of the file of one", async () => {
    const other = await here.foreignKey();
    await here.pusher({ handle: "not-ours" }, other);
    const one = await runBelfryShared(["export", "--workspace", here.workspace.id], here.settings);
    expect(one.code).toBe(0);
    expect(one.stdout).toContain("harbour-watch");
    expect(one.stdout).not.toContain("not-ours");
    expect(one.stdout).not.toContain("owner@example.com");
    // All of them come at once, and existing ones do not prevent the others.
    const settings = await otherServer();
    await runBelfryShared(["import", "-"], settings, one.stdout);
    const all = await runBelfryShared(["export"], here.settings);
    const { json } = await runBelfryShared(["import", "-"], settings, all.stdout);
    expect(json).toMatchObject({ imported: [expect.any(String)], already_there: [here.workspace.id] });
    const empty = await otherServer();
    const both = await runBelfryShared(["import", "-"], empty, all.stdout);
    expect(both.json.imported.sort()).toEqual([here.workspace.id, ...json.imported].sort());
    const nobody = await runBelfryShared(["export", "--workspace", "wsp_x"], here.settings);
    expect(nobody.refusal.error).toMatchObject({ type: "not_found" });
    const taken = await runBelfryShared(["export", "--to", file], here.settings);
    expect(taken.refusal.error).toMatchObject({ param: "to" });
  });

  test("is of one time, with any concurrent changes", async () => {
    const orm = createOrm({ databaseUrl: here.settings.DATABASE_URL!, databasePoolSize: 1 });
    const before = readFileSync(file, "utf8").trim().split("\n").at(-1);
    let lines = "";
    const alone = { workspace: here.workspace.id, now: new Date() };
    await exportWorkspaces(orm, alone, async (bytes) => {
      const text = String(bytes);
      lines += text;
      if (!text.startsWith('{"kind":"member"')) return;
      await here.alert(channel.id, { title: "Meanwhile", send: true });
      await here.rest("delete_pusher", { pusher_id: (await here.pusher()).id });
    });
    await orm.close(true);
    expect(lines).not.toContain("Meanwhile");
    expect(lines.trim().split("\n").at(-1)).toBe(before);
    const found = await here.rest("list_alerts", { pusher_id: channel.id, query: "meanwhile" });
    expect(found.body.data).toHaveLength(1);
  });

  test("the file contains no secret, and no encrypted one", () => {
    const text = readFileSync(file, "utf8");
    for (const secret of [here.owner, phone, here.settings.SECRET!]) expect(text).not.toContain(secret);
    const hook = text.split("\n").find((line) => line.startsWith('{"kind":"webhook"'))!;
    expect(hook).not.toContain("secret");
  });

  test.each<[string, (lines: string[]) => string, RegExp]>([
    ["a file without its last line", (lines) => lines.slice(0, -1).join("\n"), /is incomplete/],
    ["a file that was cut in a line", (lines) => lines.join("\n").slice(0, -200), /not a JSON object/],
    [
      "a file that lacks a line",
      (lines) => lines.filter((_, i) => i !== 5).join("\n"),
      /has fewer lines|does not belong to a workspace|does not refer to/,
    ],
    ["a file with more behind", (lines) => [...lines, lines[2]].join("\n"), /more lines after its end line/],
    [
      "a row of nobody",
      (lines) => lines.map((line) => line.replace(/("kind":"member".*"workspace_id":")\w{8}/, "$100000000")).join("\n"),
      /^Line 3 of the file \(member\) is not valid: it does not belong to a workspace/,
    ],
    [
      "another kind of line",
      (lines) => [lines[0], '{"kind":"api_key","row":{}}', ...lines.slice(1)].join("\n"),
      /not written by belfry export/,
    ],
    [
      "an invalid row",
      (lines) => [...lines.slice(0, 2), '{"kind":"member","row":[]}', ...lines.slice(2)].join("\n"),
      /not written by belfry export/,
    ],
    [
      "a value that no column takes",
      (lines) => lines.map((line) => line.replace('"role":"owner"', '"role":"king"')).join("\n"),
      /^Line \d+ of the file \(member\) is not valid: role must be one of owner/,
    ],
    [
      "another version's rows",
      (lines) => lines.map((line) => line.replace(/"schema":"\w{4}/, '"schema":"0000')).join("\n"),
      /a different version/,
    ],
    ["no export", () => "hello\n", /not a JSON object/],
    ["nothing", () => "", /was not created by belfry export/],
    ["no text", () => "\u0000\n", /not a JSON object/],
    ["one endless line", () => "x".repeat(17 * 1024 * 1024), /is too long/],
    // rules#workspace-import
  ])("%s is refused, and nothing of it stays", async (name, made, said) => {
    const settings = await otherServer();
    const broken = at(`${name}.jsonl`);
    writeFileSync(broken, made(readFileSync(file, "utf8").trim().split("\n")));
    const { code, refusal } = await imported(broken, settings);
    expect({ code, message: refusal.error.message }).toEqual({ code: 1, message: expect.stringMatching(said) });
    const { json } = await runBelfryShared(["workspaces", "list"], settings);
    expect(json.data).toEqual([]);
  });

  test("a path that is missing or not a file is refused by name", async () => {
    const settings = await otherServer();
    symlinkSync(at("nothing"), at("link"));
    for (const path of [folder, at("nothing"), at("link")])
      expect((await imported(path, settings)).refusal.error, path).toMatchObject({ param: "file" });
  });

  test("a handle that the other server has is named, and nothing comes", async () => {
    const settings = await otherServer();
    const there = await opened(settings);
    await there.pusher({ handle: "harbour-crew" });
    const { refusal } = await imported(file, settings);
    expect(refusal.error).toMatchObject({ type: "conflict", message: expect.stringContaining("harbour-crew.") });
    expect(await there.sql("select 1 from workspace where name = 'Test workspace'")).toHaveLength(1);
  });

  test("every column of what moves moves, or stays behind for a reason", async () => {
    const rows = await here.sql<{ table_name: string; column_name: string }>(
      `select table_name, column_name from information_schema.columns
       where table_schema = 'public' and is_generated = 'NEVER' and table_name = any(string_to_array(?, ' '))`,
      [EXPORT_TABLES.map(({ table }) => table).join(" ")],
    );
    const stays = rows.filter(
      ({ table_name, column_name }) =>
        !EXPORT_TABLES.some(({ table, columns }) => table === table_name && columns.includes(column_name)),
    );
    expect(stays.map(({ table_name, column_name }) => `${table_name}.${column_name}`).sort()).toEqual(LEFT_BEHIND);
  });
});

/** Recreated on import: derived by triggers, encrypted, tied to this server's people and events, or started over. */
const LEFT_BEHIND = [
  "alert.search_vector",
  "alert_counter.acks_pending",
  "alert_counter.replies_pending",
  "alert_counter.visible_pending",
  "asset.attached_at",
  "asset.expires_at",
  "asset.reference_count",
  "channel_state.active",
  "channel_state.changed_at",
  "channel_state.next_due_at",
  "channel_state.subscribers",
  "channel_state.subscribers_pending",
  "channel_state.suspended",
  "device.leave_count",
  "device.subscriptions_revision",
  "device.test_until",
  "member.user_id",
  "pusher.retention_starts_at",
  "pusher.search_ngrams",
  "webhook_endpoint.disabled_at",
  "webhook_endpoint.dropped_count",
  "webhook_endpoint.failure_count",
  "webhook_endpoint.last_delivery_at",
  "webhook_endpoint.last_status",
  "webhook_endpoint.paused_at",
  "webhook_endpoint.previous_secret",
  "webhook_endpoint.previous_secret_until",
  "webhook_endpoint.secret",
  "webhook_endpoint.subscriber_failure_at",
  "workspace.retention_starts_at",
];

describe("more alerts than a heap has room for", () => {
  // Thirty-six million letters in a process that may have sixty-four megabytes: Node itself takes half. The texts are
  // long, since each alert also costs its search terms and its rows, and plain, since markup is parsed on its way in.
  const SMALL = { NODE_OPTIONS: "--max-old-space-size=64" };
  const file = at("many.jsonl");
  let here: World;

  beforeAll(async () => {
    here = await World.open();
    ends.push(() => here.close());
    const { id } = await here.pusher({ handle: "busy" });
    await here.sql(
      `insert into alert (id, pusher_id, status, title, body, sent_at)
       select gen_random_uuid(), (select id from pusher where handle = 'busy'), 'sent', 'Alert ' || i, repeat('x',
         16000),
         now() - i * interval '1 minute'
       from generate_series(1, 2250) i`,
    );
    expect(id).toMatch(/^psh_/);
  });

  test("leave and come in a small heap", async () => {
    const out = await runBelfry(["export", "--to", file], { ...here.settings, ...SMALL });
    expect(out).toMatchObject({ code: 0, json: { lines: { alert: 2_250 } } });
    expect(statSync(file).size).toBeGreaterThan(36_000_000);
    const settings = await otherServer();
    const come = await runBelfry(["import", file], { ...settings, ...SMALL });
    expect(come).toMatchObject({ code: 0, json: { rows: { alert: 2_250 } } });
    const there = await opened(settings);
    await expectRecountClean(there.service.orm);
  });

  test("end when the file cannot be written, and leave the connection", async () => {
    const orm = createOrm({ databaseUrl: here.settings.DATABASE_URL!, databasePoolSize: 1 });
    let written = 0;
    const failing = exportWorkspaces(orm, { now: new Date() }, async (lines) => {
      written += lines.length;
      if (written > 1_000_000) throw new Error("no space left");
    });
    await expect(failing).rejects.toThrow("no space left");
    expect(written).toBeLessThan(10_000_000);
    await orm.em.fork().find(Workspace, {});
    await orm.close(true);
  });

  test("leave nothing when the import is killed half-way", async () => {
    const settings = await otherServer();
    const watcher = await opened(settings);
    const child = spawn(process.execPath, [CLI, "import", "-"], {
      cwd: ROOT,
      env: createChildEnvironment(settings),
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.on("error", () => {});
    // The pipe is full while it reads, so the total input shows its minimum progress.
    const bytes = readFileSync(file);
    for (let from = 0; from < bytes.length / 2; from += 1_000_000)
      if (!child.stdin.write(bytes.subarray(from, from + 1_000_000))) await once(child.stdin, "drain");
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect
      .poll(() =>
        watcher.sql(
          "select 1 from pg_locks where locktype = 'relation' and relation = 'alert'::regclass and mode = " +
            "'RowExclusiveLock'",
        ),
      )
      .toEqual([]);
    expect(await watcher.sql("select 1 from alert")).toEqual([]);
    expect(await watcher.sql("select 1 from pusher")).toEqual([]);
  });
});

test("from one embedded database to another, while the first serves", async () => {
  const server = await startServer(await prepareStartedService(at("first")));
  const settings = { DATA_DIR: server.dataDir };
  const channels = async (url: string) => {
    const headers = { authorization: `Bearer ${server.key}` };
    const { data } = (await (await fetch(`${url}/api/v1/pushers`, { headers })).json()) as any;
    // Another port, another address.
    return data.map(({ url: _, ...rest }: any) => rest);
  };
  const before = await channels(server.url);
  expect(before).toHaveLength(1);
  const written = await runBelfryShared(["export"], settings);
  expect(written.code).toBe(0);
  await server.stop();
  // One that was never started, so nothing of its own is in the way.
  const target = { DATA_DIR: at("second") };
  const come = await runBelfry(["import", "-"], target, written.stdout);
  expect(come).toMatchObject({ code: 0, json: { imported: [expect.stringMatching(/^wsp_/)] } });
  const second = await startServer(target.DATA_DIR);
  expect(await channels(second.url)).toEqual(before);
  await second.stop();
});
