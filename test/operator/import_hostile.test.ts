// Manipulated files for `belfry import`: each row passes the rules of create_pusher, create_alert and the other
// operations.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { open_reviews } from "../../src/identity/session/decline_and_review_aids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import { applyPendingMigrations } from "../../src/store/db/migrate.ts";
import { createOrm } from "../../src/store/db/orm.ts";
import { signInOwner } from "../support/console_site.ts";
import { joinNewHandset, parseUuid } from "../support/handsets.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { runBelfryShared } from "../support/processes.ts";
import { openConsoleUploads, PNG } from "../support/sample_files.ts";
import { openTestFolder } from "../support/test_folder.ts";
import { freshDatabase, timeInSeconds, World } from "../support/world.ts";

const { at, ends } = openTestFolder();

type Row = any;
interface Line {
  kind: string;
  row: Row;
}

let here: World;
let phone: string;
let lines: string[];
/** A server with a workspace of its own. Refused input leaves nothing there. */
let there: World;
/** The rows of that workspace. */
const foreign: Record<string, string> = {};
let written = 0;

beforeAll(async () => {
  here = await World.open();
  ends.push(() => here.close());
  const channel = await here.pusher({ handle: "harbour-watch", tags: ["boats"] });
  const closed = await here.pusher({ handle: "harbour-crew", is_public: false });
  const invite = await here.rest("create_invite", { pusher_id: closed.id, label: "Crew" });
  await here.rest("create_webhook", { url: "https://1.1.1.1/x", events: ["alert.sent"] });
  await here.memberKey("editor", [channel.id]);
  const picture = await openConsoleUploads(here).upload("image", PNG);
  await here.alert(channel.id, { title: "Seen", layout: "image", image_asset_id: picture.id, send: true });
  const sent = await here.alert(channel.id, {
    ...{ title: "Bridge", body: "Until noon", html: "<p>Until <b>noon</b></p>", layout: "html", send: true },
    actions: [{ type: "open_url", label: "Read", url: "https://example.com/" }],
  });
  const draft = await here.alert(channel.id, { title: "Draft", body: "Until noon" });
  await here.rest("update_alert", { pusher_id: channel.id, alert_id: draft.id, body: "Until one" });
  const daily = { title: "Tide", recurrence: "FREQ=DAILY UTC", send_at: timeInSeconds(90_000) };
  const tide = await here.alert(channel.id, daily);
  await here.rest("schedule_alert", { pusher_id: channel.id, alert_id: tide.id });
  // A notice of this service itself, which leads to its console by http.
  await signInOwner(here);
  const person = await createOwnerSession(here);
  await here.service.dispatcher.runSession(open_reviews, person, { args: {}, log: SILENT_LOG });
  const author = await here.key({ name: "Robot", scopes: "alerts:read,alerts:write" });
  const asks = await here.rest("create_alert", { pusher_id: channel.id, title: "May I?" }, author);
  await here.rest("send_alert", { pusher_id: channel.id, alert_id: asks.body.id }, author);
  phone = (await joinNewHandset(here, "harbour-crew", invite.body.code)).token;
  await here.handset("PUT", "/subscriptions/harbour-watch", phone, {});
  await here.handset("POST", "/reports", phone, { reports: [{ alert_id: sent.id, kind: "read" }] });
  const { stdout } = await runBelfryShared(["export"], here.settings);
  lines = stdout.trim().split("\n");

  there = await World.open();
  ends.push(() => there.close());
  const theirs = await there.pusher({ handle: "not-yours", is_public: false });
  const code = await there.rest("create_invite", { pusher_id: theirs.id });
  const file = await openConsoleUploads(there).upload("image", PNG);
  const alert = await there.alert(theirs.id, { title: "Theirs", layout: "image", image_asset_id: file.id });
  await joinNewHandset(there, "not-yours", code.body.code);
  foreign.channel = parseUuid(theirs.id);
  foreign.invite = parseUuid(code.body.id);
  foreign.image = parseUuid(file.id);
  foreign.alert = parseUuid(alert.id);
  foreign.workspace = parseUuid(there.workspace.id);
  foreign.hash = (await there.sql("select hash::text as hash from api_key limit 1"))[0].hash;
  foreign.member = (await there.sql("select id from member limit 1"))[0].id;
  foreign.device = (await there.sql("select id::text as id from device limit 1"))[0].id;
});

/** The export with one row changed: the first of its kind, or the one that `which` takes. */
function changed(kind: string, how: (row: Row) => unknown, which: (row: Row) => boolean = () => true): string {
  let done = false;
  const all = lines.map((text) => {
    const line: Line = JSON.parse(text);
    if (done || line.kind !== kind || !which(line.row)) return text;
    done = true;
    how(line.row);
    return JSON.stringify(line);
  });
  expect(done, kind).toBe(true);
  return all.join("\n");
}

async function imported(text: string, settings = there.settings) {
  const file = at(`${++written}.jsonl`);
  writeFileSync(file, text);
  return runBelfryShared(["import", file], settings as Record<string, string>);
}

const set = (fields: Row) => (row: Row) => Object.assign(row, fields);
const isSent = (row: Row) => row.title === "Bridge";
const BIDI = "Harbour \u202egpj.exe";
const FAR = "9999-12-31T00:00:00Z";
const TOMORROW = timeInSeconds(86_400);
const long = (most: number) => "x".repeat(most + 1);
const action = (fields: Row) => ({
  actions: [{ type: "open_url", label: "Read", url: "https://x.example/", ...fields }],
});

// rules#import-rows
describe("a row that no operation would have made is refused by its line, and nothing comes", () => {
  const CASES: [kind: string, fields: Row | ((row: Row) => Row), named?: string][] = [
    ["workspace", { name: `A\n${BIDI}` }],
    ["workspace", { name: long(LIMITS.name) }],
    ["workspace", { retention_days: -1 }],
    ["workspace", { last_event_position: -5 }],
    ["workspace", { created_at: "infinity" }],
    ["member", { role: "root" }],
    ["member", { email: "not an address" }],
    ["member", { email: "Owner@Example.com" }],
    ["member", { name: "The operator" }],
    ["member", { pusher_ids: ["x"] }],
    ["file", { content_type: "text/html" }],
    ["file", { content_type: "image/svg+xml" }],
    ["file", { name: "../../x.png" }],
    ["file", { bytes: LIMITS.image_file + 1 }],
    ["file", { kind: "script" }],
    ["file", { sha256: "\\x00" }],
    ["channel", { handle: "admin" }],
    ["channel", { handle: "Harbour" }],
    ["channel", { handle: "../x" }],
    ["channel", { handle: "harbour\u0000" }],
    ["channel", { handle: "hаrbour" }],
    ["channel", { name: BIDI }],
    ["channel", { name: "\ud800" }],
    ["channel", { name: long(LIMITS.channel_name) }],
    ["channel", { description: "Two\u0007bells" }],
    ["channel", { description: "" }],
    ["channel", { site: "javascript:alert(1)" }],
    ["channel", { site: "http://example.com/" }],
    ["channel", { image_url: "http://example.com/x.png" }],
    ["channel", { image_url: "data:image/svg+xml,x" }],
    ["channel", { image_url: "https://user:secret@example.com/" }],
    ["channel", { tags: ["Boats"] }],
    ["channel", { tags: ["boats", "boats"] }],
    ["channel", { tags: Array.from({ length: LIMITS.channel_tags + 1 }, (_, i) => `t${i}`) }],
    ["channel", { requested_perms: ["notify", "camera"] }],
    ["channel", { category: "phishing" }],
    ["channel", { status: "verified" }],
    ["channel", { lat: 91, lon: 0, radius_km: 1 }],
    ["channel", { lat: 1, lon: null, radius_km: null }],
    ["channel", { gradient_from: "red;background:url(//x)" }],
    ["channel", { initials: long(LIMITS.channel_initials) }],
    ["channel", { is_public: "yes" }],
    ["channel", { created_at: "yesterday" }],
    ["channel", { secret: "x" }],
    ["channel", ({ handle: _, ...row }: Row) => row, "handle"],
    ["invite", { code: "short" }],
    ["invite", { code: '"><script>alert(1)</script>xxxxxxxx' }],
    ["invite", { label: BIDI }],
    ["invite", { max_uses: 0 }],
    ["key", { scopes: ["everything"] }],
    ["key", { hash: "\\xabcd" }],
    ["key", { name: "a\nb" }],
    ["key", { client_program: "unknown" }],
    ["webhook", { url: "http://hooks.example.com/x" }],
    ["webhook", { url: "https://10.0.0.1/x" }],
    ["webhook", { url: "https://127.1/x" }],
    ["webhook", { url: "https://[::ffff:7f00:1]/x" }],
    ["webhook", { url: "https://localhost./x" }],
    ["webhook", { url: "https://metadata.google.internal/x" }],
    ["webhook", { url: "https://user:secret@hooks.example.com/" }],
    ["webhook", { events: ["everything"] }],
    ["webhook", { events: [] }],
    ["webhook", { created_by_name: BIDI }],
    ["webhook", { created_by_id: "<b>" }],
    ["alert", { title: "" }],
    ["alert", { title: "A\u0000" }],
    ["alert", { title: "A\u001b[31m" }],
    ["alert", { title: long(LIMITS.alert_title) }],
    ["alert", { body: long(LIMITS.alert_body) }],
    ["alert", { body: "a\u009bb" }],
    ["alert", { source_url: "javascript:alert(1)" }],
    ["alert", { image_url: "http://example.com/x.png" }],
    ["alert", { audio_url: "ftp://example.com/x" }],
    ["alert", action({ url: "javascript:alert(1)" })],
    ["alert", action({ url: "http://example.com/" })],
    ["alert", action({ url: "https://x.example/\u202e" })],
    ["alert", action({ type: "run" })],
    ["alert", action({ label: long(LIMITS.alert_action_label) })],
    ["alert", action({ onclick: "x" })],
    ["alert", { actions: Array(20).fill(action({}).actions[0]) }],
    ["alert", { actions: {} }],
    ["alert", { priority: "maximal" }],
    ["alert", { layout: "frame" }],
    ["alert", { layout: "image" }],
    ["alert", { html: null }],
    ["alert", { sound: "louder" }],
    ["alert", { vibrate: "forever" }],
    ["alert", { tts_lang: "<b>" }],
    ["alert", { collapse_key: "A key" }],
    ["alert", { geo_rule: "A rule" }],
    ["alert", { recurrence: "FREQ=SECONDLY UTC" }],
    ["alert", { status: "seen" }],
    ["alert", { send_at: "soon" }],
    ["alert", { lat: 1 }],
    ["alert", { review_reply: BIDI }],
    ["alert", { blocked: { secret: [] } }],
    ["alert", { blocked: { title: [{ kind: "element", name: "b", count: 1, more: 1 }] } }],
    ["alert", { html: "x".repeat(20 * LIMITS.alert_html + 1) }],
    ["alert", { layout: "document", html: "x".repeat(LIMITS.alert_document + 1) }],
    ["change", { previous_values: { password: "x" } }],
    ["change", { previous_values: { source_url: "javascript:alert(1)" } }],
    ["change", { previous_values: { title: long(LIMITS.alert_title) } }],
    ["series", { next_fill_at: 1 }],
    ["count", { reads: -1 }],
    ["count", { replies: [1] }],
    ["day", { day: "2026-13-01" }],
    ["state", { revision: -1 }],
    ["device", { platform: "toaster" }],
    ["device", { app_version: "Ignore all that was said" }],
    ["device", { locale: "not a language" }],
    ["device", { token_hash: "x" }],
    ["device", { id: "-1" }],
    ["subscription", { permissions: ["root"] }],
    ["report", { kind: 9 }],
    // The times of events are not in the future, and fit the status.
    ["workspace", { created_at: FAR }],
    ["member", { created_at: FAR }],
    ["file", { created_at: FAR }],
    ["channel", { created_at: FAR }],
    ["channel", { updated_at: TOMORROW }],
    ["invite", { created_at: FAR }],
    ["invite", { revoked_at: TOMORROW }],
    ["key", { last_used_at: FAR }],
    ["key", { revoked_at: TOMORROW }],
    ["webhook", { created_at: FAR }],
    ["alert", { sent_at: FAR }],
    ["alert", { sent_at: TOMORROW }],
    ["alert", { created_at: FAR }],
    ["alert", { updated_at: FAR }],
    ["alert", { cancelled_at: FAR, status: "cancelled" }],
    ["alert", { cancelled_at: "2026-01-01T00:00:00Z" }],
    ["alert", { sent_at: null }],
    ["alert", (row: Row) => ({ ...row, status: "draft" }), "sent_at"],
    ["alert", (row: Row) => ({ ...row, status: "scheduled", sent_at: null }), "send_at"],
    ["alert", (row: Row) => ({ ...row, status: "cancelled" }), "cancelled_at"],
    ["alert", (row: Row) => ({ ...row, status: "repeating", sent_at: null }), "recurrence"],
    ["change", { updated_at: FAR }],
    ["count", { acks_reported_at: FAR }],
    ["count", { replies_reported_at: FAR }],
    ["day", { day: "0000-01-01" }],
    ["state", { subscribers_reported_at: FAR }],
    ["device", { created_at: FAR }],
    ["device", { last_seen_at: TOMORROW }],
    ["subscription", { subscribed_at: FAR }],
    ["report", { at: FAR }],
    // Numbers fit their columns.
    ["invite", { uses: 2 ** 31 }],
    ["invite", { max_uses: 2 ** 31 }],
    ["workspace", { retention_days: 2 ** 31 }],
    ["device", { id: "9223372036854775808" }],
    ["file", { bytes: 2 ** 31 }],
    ["count", { reads: 2 ** 53 }],
  ];
  test.each(CASES.map(([kind, fields, named], i) => [i, kind, fields, named] as const))(
    "%i, %s",
    async (_, kind, fields, named) => {
      const number = lines.findIndex((text) => {
        const line: Line = JSON.parse(text);
        return line.kind === kind && (kind !== "alert" || isSent(line.row));
      });
      const line = JSON.parse(lines[number]!);
      const row = typeof fields === "function" ? fields(line.row) : { ...line.row, ...fields };
      const { code, refusal } = await imported(lines.with(number, JSON.stringify({ kind, row })).join("\n"));
      expect(code).toBe(1);
      const { type, message } = refusal.error;
      expect(type).toBe("invalid_request");
      const begins = `Line ${number + 1} of the file (${kind}) is not valid: `;
      expect(message.startsWith(begins), message).toBe(true);
      // The field is named, but where it is one that no row has, or the text cannot be stored; what was in it never is.
      const [field = "", value] = typeof fields === "function" ? [named] : Object.entries<any>(fields)[0]!;
      const isNamed = !/has an unknown field|NUL characters/.test(message);
      const together = /belong together|exclude|needs/.test(message);
      if (isNamed && !together) expect(message.slice(begins.length)).toMatch(new RegExp(`\\b${field}\\b`, "i"));
      if (typeof value === "string" && value.length > 8) expect(message).not.toContain(value);
      expect(await there.sql("select id::text as id from workspace")).toEqual([{ id: foreign.workspace }]);
    },
  );
});

// rules#import-rows
describe("a reference to what another workspace has is refused by its line, and nothing comes", () => {
  test.each<[string, string, (row: Row) => unknown, ((row: Row) => boolean)?]>([
    ["workspace", "review_channel_id", (row) => (row.review_channel_id = foreign.channel)],
    ["member", "pusher_ids", (row) => (row.pusher_ids = [foreign.channel])],
    ["file", "member_id", (row) => (row.member_id = foreign.member)],
    ["channel", "image_asset_id", (row) => (row.image_asset_id = foreign.image)],
    ["key", "pusher_id", (row) => (row.pusher_id = foreign.channel)],
    ["webhook", "member_id", (row) => (row.member_id = foreign.member)],
    ["webhook", "pusher_id", (row) => (row.pusher_id = foreign.channel)],
    ["alert", "image_asset_id", (row) => (row.image_asset_id = foreign.image), (row) => row.title === "Seen"],
    ["alert", "series_id", (row) => (row.series_id = foreign.alert)],
    ["alert", "review_notice_id", (row) => (row.review_notice_id = foreign.alert)],
    ["subscription", "invite_id", (row) => (row.invite_id = foreign.invite)],
    ["subscription", "device_id", (row) => (row.device_id = foreign.device)],
  ])("%s.%s", async (kind, field, how, which) => {
    const { code, refusal } = await imported(changed(kind, how, which));
    expect(refusal.error.message).toMatch(
      new RegExp(`^Line \\d+ of the file \\(${kind}\\) is not valid: ${field} (does not refer|refers to a device)`),
    );
    expect(code).toBe(1);
    expect(await there.sql("select id::text as id from workspace")).toEqual([{ id: foreign.workspace }]);
  });

  test.each<[string, (row: Row) => unknown]>([
    ["member", (row) => (row.workspace_id = foreign.workspace)],
    ["channel", (row) => (row.workspace_id = foreign.workspace)],
    ["alert", (row) => (row.pusher_id = foreign.channel)],
    ["invite", (row) => (row.pusher_id = foreign.channel)],
    ["key", (row) => (row.member_id = foreign.member)],
    ["state", (row) => (row.pusher_id = foreign.channel)],
    ["count", (row) => (row.alert_id = foreign.alert)],
    ["change", (row) => (row.alert_id = foreign.alert)],
    ["report", (row) => (row.alert_id = foreign.alert)],
    ["subscription", (row) => (row.pusher_id = foreign.channel)],
  ])("%s of theirs", async (kind, how) => {
    const before = await there.sql("select count(*)::int as n, max(revision)::int as revision from channel_state");
    const { code, refusal } = await imported(changed(kind, how));
    expect({ code, type: refusal.error.type }).toEqual({ code: 1, type: "invalid_request" });
    expect(refusal.error.message).toMatch(/does not belong to a workspace in the file|does not refer to a row/);
    expect(await there.sql("select count(*)::int as n, max(revision)::int as revision from channel_state")).toEqual(
      before,
    );
  });
});

const has = (kind: string) => (text: string) => JSON.parse(text).kind === kind;
/** The lines with one more of this kind behind the last one, which differs by `fields`; and its number. */
function oneMore(kind: string, fields: Row): { text: string; line: number } {
  const last = lines.findLastIndex(has(kind));
  const { row } = JSON.parse(lines[last]!);
  const more = JSON.stringify({ kind, row: { ...row, ...fields } });
  return { text: lines.toSpliced(last + 1, 0, more).join("\n"), line: last + 2 };
}

// rules#import-rows
describe("a row that the database rejects is refused by its line and field, and nothing comes", () => {
  const ID = "01890000-0000-7000-8000-000000000000";

  async function expectRefused(text: string, line: number, kind: string, type: string, problem: string) {
    const { code, refusal } = await imported(text);
    expect({ code, error: refusal.error }).toMatchObject({
      code: 1,
      error: { type, message: `Line ${line} of the file (${kind}) is not valid: ${problem}` },
    });
    expect(await there.sql("select id::text as id from workspace")).toEqual([{ id: foreign.workspace }]);
    expect(await there.sql("select id::text as id from alert")).toEqual([{ id: foreign.alert }]);
  }

  const IN_USE = "already in use, on this server or on another line of the file.";
  test.each<[kind: string, fields: () => Row, problem: string]>([
    ["workspace", () => ({}), `id is ${IN_USE}`],
    ["member", () => ({ id: ID }), `workspace_id and email are ${IN_USE}`],
    ["channel", () => ({ id: ID }), `handle is ${IN_USE}`],
    ["invite", () => ({ id: ID }), `code is ${IN_USE}`],
    ["key", () => ({ id: ID }), `hash is ${IN_USE}`],
    ["key", () => ({ id: ID, hash: foreign.hash }), `hash is ${IN_USE}`],
    ["alert", () => ({ id: foreign.alert, title: "Theirs" }), `id is ${IN_USE}`],
    ["series", () => ({}), `alert_id is ${IN_USE}`],
    ["report", () => ({}), `alert_id and device_id and kind are ${IN_USE}`],
  ])("%s, %#", async (kind, fields, problem) => {
    const { text, line } = oneMore(kind, fields());
    await expectRefused(text, line, kind, "conflict", problem);
  });

  test("a file of a page without its text breaks a check", async () => {
    const page = { kind: "html", content_type: "text/html", name: "page.html", text: null };
    const line = lines.findIndex(has("file"));
    const text = changed("file", set(page));
    const problem = "kind and text are not accepted by the database (asset_text).";
    await expectRefused(text, line + 1, "file", "invalid_request", problem);
  });

  test("a row of a channel that the file does not have belongs to nothing", async () => {
    const line = lines.findIndex(has("invite"));
    const text = changed("invite", set({ pusher_id: ID }));
    await expectRefused(text, line + 1, "invite", "invalid_request", "it does not belong to a workspace in the file.");
  });

  test("among many rows the first that is rejected is named", async () => {
    const last = lines.findLastIndex(has("alert"));
    const { row } = JSON.parse(lines[last]!);
    const idAt = (i: number) => `01890000-0000-7000-8000-${String(i).padStart(12, "0")}`;
    const fields = { series_id: null, occurs_at: null };
    const more = Array.from({ length: 1_300 }, (_, i) =>
      JSON.stringify({ kind: "alert", row: { ...row, ...fields, id: idAt(i === 777 || i === 900 ? 5 : i) } }),
    );
    const text = lines.toSpliced(last + 1, 0, ...more).join("\n");
    await expectRefused(text, last + 2 + 777, "alert", "conflict", `id is ${IN_USE}`);
  });
});

// rules#import-rows
test("an event may be a little later than the import, as clocks differ", async () => {
  const fresh = await freshDatabase();
  ends.push(fresh.remove);
  const text = changed("alert", set({ sent_at: timeInSeconds(200) }), isSent);
  expect((await imported(text, fresh.settings as Record<string, string>)).code).toBe(0);
});

// rules#import-rows
test("texts and markup pass the sanitiser, and what they lose is reported", async () => {
  const HTML = '<p onclick="x()">Until <b>noon</b><script>alert(1)</script><a href="javascript:x()">go</a></p>';
  const text = changed(
    "alert",
    set({
      ...{ title: `Bridge ${BIDI}`, body: "Zero\u200bwidth", html: HTML, asset_html: null },
      actions: [{ type: "open_url", label: "Re\u2060ad", url: "https://example.com/" }],
    }),
    isSent,
  );
  const fresh = await freshDatabase();
  ends.push(fresh.remove);
  const settings = fresh.settings as Record<string, string>;
  const { code } = await imported(text, settings);
  expect(code).toBe(0);
  const world = await World.open({ settings });
  ends.push(() => world.close());
  const { data } = (await world.rest("list_alerts", { pusher_id: "harbour-watch", view: "full" }, here.owner)).body;
  const { id } = data.find(({ title }: Row) => title.startsWith("Bridge"));
  const { body } = await world.rest("get_alert", { pusher_id: "harbour-watch", alert_id: id }, here.owner);
  expect(body).toMatchObject({
    title: "Bridge Harbour gpj.exe",
    body: "Zerowidth",
    html: "<p>Until <b>noon</b>go</p>".replace("go", body.html.includes("<a") ? "<a>go</a>" : "go"),
    actions: [{ label: "Read" }],
  });
  expect(body.blocked.map(({ kind, name }: Row) => `${kind} ${name}`)).toEqual(
    expect.arrayContaining(["element script", "attribute onclick", "url javascript", "character bidi-control"]),
  );
  // Handsets, the public page and its feeds show the same.
  const inbox = await world.handset("GET", "/inbox", phone);
  const shown = [JSON.stringify(inbox.body)];
  for (const path of ["", "/feed.xml", "/feed.json"].map((rest) => `/c/harbour-watch${rest}`)) {
    const answer = await world.service.app.fetch(new Request(`http://localhost${path}`));
    shown.push(await answer.text());
  }
  for (const answer of shown) expect(answer).not.toMatch(/alert\(1\)|javascript:x|onclick="x|\u202e|\u200b|\u2060/);
  expect(shown[0]).toContain("Bridge Harbour gpj.exe");
});

test("unchanged rows are imported as they were", async () => {
  const fresh = await freshDatabase();
  ends.push(fresh.remove);
  const settings = { ...fresh.settings, SECRET: here.settings.SECRET } as Record<string, string>;
  expect(await imported(lines.join("\n"), settings)).toMatchObject({ code: 0 });
  const again = (await runBelfryShared(["export"], settings)).stdout.trim().split("\n");
  const steady = (text: string) => /"kind":"(workspace|member|file|invite|key|alert|change|device|report)"/.test(text);
  expect(again.filter(steady)).toEqual(lines.filter(steady));
});

// rules#import-rows
test("a notice about a draft leads to the console of the server that reads, and to no other host", async () => {
  const isNotice = ({ actions }: Row) => actions?.[0]?.label === "Review";
  const url: string = JSON.parse(lines.find((text) => isNotice(JSON.parse(text).row ?? {}))!).row.actions[0].url;
  expect(url).toMatch(/^http:/);
  const path = url.replace(/^http:\/\/[^/]+/, "");
  const to = (address: string) => changed("alert", (row) => (row.actions[0].url = address), isNotice);
  for (const address of [`http://evil.example/x${path}`, `http://evil.example${path}?x`, "javascript:alert(1)"])
    expect((await imported(to(address))).refusal.error.message).toContain("actions.0.url");
  const fresh = await freshDatabase();
  ends.push(fresh.remove);
  const settings = { ...fresh.settings, PUBLIC_URL: "https://new.example.org" } as Record<string, string>;
  expect((await imported(to(`http://evil.example${path}`), settings)).code).toBe(0);
  const { stdout } = await runBelfryShared(["export"], settings);
  expect(stdout).toContain(`https://new.example.org${path}`);
  expect(stdout).not.toContain("evil.example");
});

test("data of a released version passes the rules", async () => {
  const kept = (name: string) => readFileSync(join(import.meta.dirname, "../database/released_versions", name), "utf8");
  const old = await freshDatabase({ empty: true });
  ends.push(old.remove);
  const settings = { ...old.settings, SECRET: JSON.parse(kept("0.1.0.json")).secret } as Record<string, string>;
  const orm = createOrm({ databaseUrl: settings.DATABASE_URL!, databasePoolSize: 2 });
  const client = await (await orm.driver.getConnection().getNativeClient()).connect();
  await client.query(kept("0.1.0.sql"));
  client.release();
  await applyPendingMigrations(orm);
  await orm.close(true);
  const { stdout } = await runBelfryShared(["export"], settings);
  const fresh = await freshDatabase();
  ends.push(fresh.remove);
  // Its webhooks were sent to this machine.
  const allowed = { ...fresh.settings, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } as Record<string, string>;
  const { code, json, stderr } = await imported(stdout, allowed);
  expect(stderr).not.toContain("is not valid");
  expect({ code, json }).toMatchObject({ code: 0, json: { rows: { alert: expect.any(Number) } } });
});
