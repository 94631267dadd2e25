// belfry import-from: files as ntfy and Gotify write them, with their tables' own names, and the results. Newer and
// older versions have columns more or fewer.

import { chmodSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRecountClean } from "../support/counter_checks.ts";
import { runBelfryShared, temporaryFolder } from "../support/processes.ts";
import { World } from "../support/world.ts";

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

/** A file of SQLite with these tables: columns by the first row. */
function made(name: string, tables: Record<string, Record<string, unknown>[]>): string {
  const path = at(name);
  const db = new DatabaseSync(path);
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0]!);
    db.exec(`create table ${table} (${columns.map((column) => `"${column}"`).join(", ")})`);
    const insert = db.prepare(`insert into ${table} values (${columns.map(() => "?").join(", ")})`);
    for (const row of rows) insert.run(...columns.map((column) => row[column] as string));
  }
  db.close();
  return path;
}

const HOUR_AGO = Math.floor(Date.now() / 1000) - 3600;
const MESSAGE = {
  ...{ id: 1, mid: "LJwtN1x0Owzh", time: HOUR_AGO, expires: HOUR_AGO + 1e6, topic: "Backups_Prod" },
  ...{
    message: "failed · não",
    title: "Job",
    priority: 5,
    tags: "warning,nas",
    click: "https://example.org/x",
    icon: "",
  },
  actions: '[{"id":"a","action":"view","label":"Open","clear":false,"url":"https://example.org/o"}]',
  ...{ attachment_name: "", attachment_type: "", attachment_size: 0, attachment_expires: 0, attachment_url: "" },
  ...{ sender: "127.0.0.1", user: "u_1", content_type: "", encoding: "", published: 1 },
};
const cache = () =>
  made("cache.db", {
    messages: [
      MESSAGE,
      { ...MESSAGE, id: 2, topic: "ab", priority: 0, title: "", tags: "", actions: "", click: "javascript:alert(1)" },
      { ...MESSAGE, id: 3, topic: "ab", content_type: "text/markdown", message: "<script>alert(1)</script> **bold**" },
      { ...MESSAGE, id: 4, topic: "ab", time: HOUR_AGO + 1e6, published: 0 },
      { ...MESSAGE, id: 5, topic: "ab", encoding: "base64" },
      { ...MESSAGE, id: 6, topic: "ab", priority: 77 },
      { ...MESSAGE, id: 7, topic: "upABCDEFGHIJ12" },
      { ...MESSAGE, id: 8, topic: "ab", attachment_url: "https://example.org/p.png", attachment_name: "p.png" },
    ],
  });
const users = () =>
  made("user.db", {
    user: [{ id: "u_1", user: "ada", pass: "$2a$10$hash", role: "user" }],
    user_access: [
      { user_id: "u_1", topic: "Backups\\_Prod", read: 1, write: 1 },
      { user_id: "u_1", topic: "alerts%", read: 1, write: 0 },
      { user_id: "u_1", topic: "quiet", read: 0, write: 1 },
    ],
    user_token: [{ user_id: "u_1", token: "tk_secret", label: "", last_access: 0, expires: 0 }],
  });

const from = (...args: string[]) => runBelfryShared(["import-from", ...args], world.settings);
const channelOf = async (handle: string) =>
  (await world.rest("list_pushers", { limit: 100 })).body.data.find((one: any) => one.handle === handle);
const alertsOf = async (handle: string) => (await world.rest("list_alerts", { pusher_id: handle })).body.data;

// rules#moving-in
describe("ntfy", () => {
  const files = () => [at("user.db"), at("cache.db")];
  beforeAll(() => {
    users();
    cache();
  });

  test("a dry run reports the result of everything, and leaves nothing", async () => {
    const { code, json, stderr } = await from("ntfy", ...files(), "--dry-run");
    expect(code).toBe(0);
    expect(json).toEqual({
      dry_run: true,
      channels: [
        { from: "Backups_Prod", handle: "backups_prod", state: "new", messages: 1, left_out: 0 },
        { from: "quiet", handle: "quiet", state: "new", messages: 0, left_out: 0 },
        { from: "ab", handle: "ntfy-ab", state: "new", messages: 4, left_out: 0 },
      ],
      notes: expect.arrayContaining([expect.stringContaining("UnifiedPush"), expect.stringContaining("patterns")]),
    });
    expect(stderr).toContain("Backups_Prod  backups_prod  new");
    expect(await world.sql("select 1 from pusher")).toEqual([]);
    expect(await world.sql("select 1 from api_key where client_program = 'ntfy'")).toEqual([]);
  });

  test("topics are private channels with keys that publish there as ntfy's programs do", async () => {
    const keysTo = at("keys.jsonl");
    const { code, json, stdout } = await from("ntfy", ...files(), "--keys-to", keysTo);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/bfk_|tk_secret/);
    expect(statSync(keysTo).mode & 0o777).toBe(0o600);
    const keys = readFileSync(keysTo, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(keys.map(({ from: topic }) => topic)).toEqual(["Backups_Prod", "quiet", "ab"]);
    expect(await channelOf("backups_prod")).toMatchObject({ name: "Backups_Prod", is_public: false });
    const answer = await world.request("POST", "/ntfy/backups_prod", {
      token: keys[0].key,
      headers: { title: "Now", "content-type": "text/plain" },
      body: "again",
    });
    expect(answer).toMatchObject({ status: 200, body: { belfry: { state: "sent" } } });
    const elsewhere = await world.service.app.fetch(
      new Request("http://localhost/ntfy/quiet", {
        ...{ method: "POST", body: "x" },
        headers: { authorization: `Bearer ${keys[0].key}`, host: "localhost" },
      }),
    );
    expect(elsewhere.status).toBe(404);
    const taken = await from("ntfy", ...files(), "--keys-to", keysTo);
    expect(taken.refusal.error).toMatchObject({ param: "keys_to" });
    expect(json.channels).toHaveLength(3);
    await expectRecountClean(world.service.orm);
  });

  test("past messages are alerts of their own time, checked like any other", async () => {
    const [now, kept] = await alertsOf("backups_prod");
    expect(now.title).toBe("Now");
    expect(kept).toMatchObject({
      ...{ status: "sent", title: "⚠️ Job", body: "failed · não\n\nTags: nas", priority: "urgent" },
      ...{
        source_url: "https://example.org/x",
        sent_at: expect.stringContaining(new Date(HOUR_AGO * 1000).toISOString().slice(0, 19)),
      },
      actions: [{ type: "open_url", label: "Open", url: "https://example.org/o" }],
    });
    const searched = await world.rest("list_alerts", { pusher_id: "backups_prod", query: "failed" });
    expect(searched.body.data).toHaveLength(1);
    const others = await alertsOf("ntfy-ab");
    expect(others).toHaveLength(4);
    expect(JSON.stringify(others)).not.toMatch(/<script|javascript:/);
    expect(others.map((one: any) => one.image_url)).toContain("https://example.org/p.png");
  });

  test("a device that joins afterwards sees them as past: none is newer than the joining", async () => {
    const { id } = await channelOf("backups_prod");
    const invite = (await world.rest("create_invite", { pusher_id: id })).body;
    const phone = await world.device();
    const { body } = await world.handset("PUT", "/subscriptions/backups_prod", phone, { invite: invite.code });
    const inbox = (await world.handset("GET", "/inbox", phone)).body.data;
    expect(inbox).toHaveLength(2);
    for (const one of inbox) expect(Date.parse(one.sent_at)).toBeLessThan(Date.parse(body.subscribed_at));
  });

  test("a second run leaves what is there alone", async () => {
    const before = await world.sql("select count(*)::int as n from alert");
    const { json } = await from("ntfy", ...files());
    expect(json.channels.map(({ state }: any) => state)).toEqual(Array(3).fill("already exists"));
    expect(json.channels.some((one: any) => "key" in one)).toBe(false);
    expect(await world.sql("select count(*)::int as n from alert")).toEqual(before);
  });

  test("handles of other workspaces and equal ones get a number", async () => {
    const other = await world.foreignKey();
    await world.pusher({ handle: "theirs" }, other);
    const path = made("clash.db", {
      messages: ["Theirs", "Same.One", "same-one", "admin", "_".repeat(64), "x".repeat(64)].map((topic, id) => ({
        ...MESSAGE,
        id,
        topic,
      })),
    });
    const within = ["--workspace", world.workspace.id];
    const { json } = await from("ntfy", path, "--dry-run", ...within);
    const handles = json.channels.map(({ handle }: any) => handle);
    expect(handles).toEqual(
      expect.arrayContaining(["theirs-2", "same-one", "same-one-2", "ntfy-channel", "x".repeat(30)]),
    );
    expect(handles).not.toContain("admin");
    const none = await from("ntfy", path, "--messages", "0", "--dry-run", ...within);
    expect(none.json.channels[0]).toMatchObject({ messages: 0, left_out: 1 });
  });
});

test("newer files of ntfy contain the result of a message", async () => {
  const newer = { ...MESSAGE, topic: "newer", event: "message" };
  const path = made("newer.db", {
    messages: [
      { ...newer, id: 1, mid: "a1", sequence_id: "a1", message: "alone" },
      { ...newer, id: 2, mid: "b1", sequence_id: "job", message: "begun" },
      { ...newer, id: 3, mid: "b2", sequence_id: "job", message: "done", time: HOUR_AGO + 60 },
      { ...newer, id: 4, mid: "c1", sequence_id: "c1", message: "deleted" },
      { ...newer, id: 5, mid: "c2", sequence_id: "c1", message: "", event: "message_delete", time: HOUR_AGO + 90 },
    ],
  });
  const { json } = await from("ntfy", path, "--workspace", world.workspace.id);
  expect(json.channels).toMatchObject([{ handle: "newer", messages: 3, left_out: 1 }]);
  const bodies = (await alertsOf("newer")).map(({ body, collapse_key }: any) => [body.split("\n")[0], collapse_key]);
  expect(bodies).toEqual([["done", "job"], ...bodies.slice(1)]);
  expect(bodies.slice(1).sort()).toEqual([
    ["alone", null],
    ["begun", "job"],
  ]);
});

test("Gotify: applications, with their messages", async () => {
  const application = { id: 1, token: "A.secret", user_id: 1, name: "Câmera do porto", description: "About it" };
  const message = { id: 1, application_id: 1, message: "**done** [x](https://example.org)", title: "T", priority: 8 };
  const extras = Buffer.from(
    '{"client::display":{"contentType":"text/markdown"},' +
      '"client::notification":{"click":{"url":"https://example.org/c"}}}',
  );
  const path = made("gotify.db", {
    applications: [application],
    messages: [
      { ...message, extras, date: "2026-01-02 02:45:11.972010976+00:00" },
      { ...message, id: 2, extras: null, message: "plain", priority: 0, date: "2026-01-03 02:45:11+00:00" },
      { ...message, id: 3, extras: null, date: "not a date" },
      { ...message, id: 4, extras: "{", date: "2099-01-03 02:45:11+00:00" },
    ],
  });
  const { json, code } = await from("gotify", path, "--public", "--workspace", world.workspace.id);
  expect({ code, ...json }).toMatchObject({
    code: 0,
    channels: [
      {
        from: "Câmera do porto",
        handle: "camera-do-porto",
        messages: 2,
        left_out: 2,
        key: expect.stringMatching(/^bfk_/),
      },
    ],
  });
  expect(await channelOf("camera-do-porto")).toMatchObject({ description: "About it", is_public: true });
  const [newest, oldest] = await alertsOf("camera-do-porto");
  expect(newest).toMatchObject({ body: "plain", sent_at: "2026-01-03T02:45:11.000000Z" });
  expect(oldest).toMatchObject({ priority: "important", source_url: "https://example.org/c" });
  const whole = await world.rest("get_alert", { pusher_id: oldest.pusher_id, alert_id: oldest.id });
  expect(whole.body.html).toContain("<strong>done</strong>");
  const { status } = await world.request("POST", `/gotify/message?token=${json.channels[0].key}`, {
    body: JSON.stringify({ message: "m" }),
  });
  expect(status).toBe(200);
});

describe("a hostile or wrong file", () => {
  const cacheOf = (name: string) =>
    made(name, { messages: Array.from({ length: 400 }, (_, id) => ({ ...MESSAGE, id })) });

  test.each<[string, () => string, RegExp]>([
    ["no database", () => wrote("text", "hello, I am a text"), /not an SQLite database/],
    ["an empty file", () => wrote("empty", ""), /not an SQLite database/],
    ["only its first bytes", () => wrote("head", "SQLite format 3\0"), /cannot be read by SQLite|not an ntfy database/],
    ["one that was cut", () => cut(cacheOf("hostile.db")), /cannot be read by SQLite/],
    ["a link", () => linked(at("cache.db")), /is a link/],
    ["a folder", () => folder.path, /link, folder or device/],
    ["nothing", () => at("nothing.db"), /ENOENT/],
    ["another program's database", () => made("other.db", { notes: [{ id: 1 }] }), /not an ntfy database/],
    ["a view in place of a table", () => viewed(), /not an ntfy database/],
    [
      "a public server's",
      () =>
        made("many.db", { messages: Array.from({ length: 1001 }, (_, id) => ({ ...MESSAGE, id, topic: `t${id}` })) }),
      /seems to come from a public server/,
    ],
  ])("%s is refused by name", async (_, path, said) => {
    const { code, refusal } = await from("ntfy", path(), "--workspace", world.workspace.id);
    expect({ ...refusal.error, code }).toMatchObject({ code: 1, param: "file", message: expect.stringMatching(said) });
  });

  function wrote(name: string, text: string) {
    writeFileSync(at(name), text);
    return at(name);
  }

  function cut(path: string) {
    truncateSync(path, 8192);
    return path;
  }

  function linked(path: string) {
    symlinkSync(path, at("linked.db"));
    return at("linked.db");
  }

  function viewed() {
    const db = new DatabaseSync(at("view.db"));
    db.exec(
      "create view messages as with recursive n(i) as (select 1 union all select i + 1 from n) select i as topic " +
        "from n",
    );
    db.close();
    return at("view.db");
  }

  test("one of another user", { skip: process.getuid?.() === 0 }, async () => {
    const path = cacheOf("locked.db");
    chmodSync(path, 0);
    expect((await from("ntfy", path)).refusal.error.message).toMatch(/EACCES/);
  });

  test("names that control a terminal or hide appear nowhere", async () => {
    const path = made("names.db", {
      applications: [{ id: 1, name: "A\u001b[2J\u202eB", description: "x\u0000y" }],
      messages: [{ ...MESSAGE, id: 1, application_id: 1 }],
    });
    const { json, stderr } = await from("gotify", path, "--workspace", world.workspace.id);
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
    expect((await channelOf(json.channels[0].handle)).name).toBe("A [2J B");
  });
});
