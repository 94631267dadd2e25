// Lists of the console: order, counts, search of channels, and actions on selected alerts. rules#console-sorting,
// rules#console-bulk, rules#move-plan

import { describe, expect, test } from "vitest";
import { list_alert_writers } from "../../src/identity/session/subject_names.ts";
import { newUuid } from "../../src/model/domain/type_ids.ts";
import { findFilterChannelId, findTypedChannelId } from "../../src/pages/console/list_search.ts";
import {
  createListUrlBuilder,
  readPagedOrSortedRows,
  sortRowsAndCreateHeadings,
} from "../../src/pages/console/list_sorting.ts";
import type { MemberCaller } from "../../src/store/handler_context.ts";

import { signInOwner } from "../support/console_site.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();
const owner = await signInOwner(world);
const base = `/console/${world.workspace.id}/`;

const FROM = { from: "/console/account" };
const bulk = (fields: Record<string, string | string[]>) => owner.post(`${base}alerts/bulk`, fields, FROM);
const planOf = (text: string) => /name="plan" value="([^"]+)"/.exec(text)?.[1] ?? "";
const statusOf = async ({ id, pusher_id }: { id: string; pusher_id: string }) =>
  (await world.rest("get_alert", { pusher_id, alert_id: id })).body;
const titlesOf = (text: string) =>
  [...text.matchAll(/<th\s+role="rowheader"\s+scope="row">.*?<a\s[^>]*>([^<]*)</gs)].map(([, title]) => title);

describe("the order of a list", () => {
  const rows = [
    { n: 2, name: "b10" },
    { n: null, name: "B9" },
    { n: 10, name: "á" },
  ];
  const columns = {
    Number: { value: ({ n }: (typeof rows)[number]) => n, first: "desc" },
    Name: { value: ({ name }: (typeof rows)[number]) => name, first: "asc" },
  } as const;
  const at = (query: string) =>
    sortRowsAndCreateHeadings(
      { url: new URL(`https://x/list?${query}`) },
      rows,
      columns,
      createListUrlBuilder("/list", { q: "x" }),
    );

  test.each([
    ["", [2, null, 10]],
    ["sort=Number", [2, 10, null]],
    ["sort=-Number", [10, 2, null]],
    ["sort=Name", [10, null, 2]],
    ["sort=-Name", [2, null, 10]],
    ["sort=Other", [2, null, 10]],
    ["sort=constructor", [2, null, 10]],
  ])("%j", (query, expected) => {
    expect(at(query).rows.map(({ n }) => n)).toEqual(expected);
  });

  test("a heading turns its own order, and keeps the search", () => {
    const { headings } = at("sort=-Number");
    expect(headings.Number!.sort).toBe("descending");
    expect(String(headings.Number!.content)).toContain('href="/list?q=x&amp;sort=Number"');
    expect(headings.Name!.sort).toBeNull();
    expect(String(at("").headings.Number!.content)).toContain("sort=-Number");
  });
});

test.each([
  ["psh_1", "psh_1"],
  ["Night Trains (@night)", "psh_1"],
  ["@day", "psh_2"],
  ["NIGHT TRAINS", "psh_1"],
  ["day t", "psh_2"],
  ["trains", null],
  ["nothing", null],
])("a filter by %j finds the channel %j", (typed, expected) => {
  const channels = [
    { id: "psh_1", name: "Night Trains", handle: "night" },
    { id: "psh_2", name: "Day Trains", handle: "day" },
  ];
  expect(findFilterChannelId(channels, typed)).toBe(expected);
});

test.each([
  ["psh_1", "psh_1"],
  ["Night (@night)", "psh_1"],
  ["@day", "psh_3"],
  ["TRAINS", "psh_3"],
  ["Renamed (@day)", "psh_3"],
  ["Night", "Several"],
  ["night2", "psh_2"],
  // The handle of one channel and the name of another.
  ["alarm", "Several"],
  ["@alarm", "psh_4"],
  ["Buses (@day)", "Several"],
  ["train", "none"],
  ["", "none"],
])("a permission for %j names the channel %j", (typed, expected) => {
  const channels = [
    { id: "psh_1", name: "Night", handle: "night" },
    { id: "psh_2", name: "NIGHT", handle: "night2" },
    { id: "psh_3", name: "Trains", handle: "day" },
    { id: "psh_4", name: "Ships", handle: "alarm" },
    { id: "psh_5", name: "Alarm", handle: "ferries" },
    { id: "psh_6", name: "Buses (@day)", handle: "buses" },
  ];
  const find = () => findTypedChannelId(channels, typed, "none");
  if (expected.startsWith("psh_")) expect(find()).toBe(expected);
  else expect(find).toThrow(expected);
});

test("channels sort by reach, and sent alerts by time with their counts", async () => {
  const [small, large] = [await world.pusher({ name: "Small" }), await world.pusher({ name: "Large" })];
  const phone = await world.device(large.handle);
  const older = await world.alert(large.id, { title: "Older", send: true, requires_ack: true });
  await world.alert(small.id, { title: "Newer", send: true });
  await world.handset("POST", "/reports", phone, {
    reports: ["read", "ack"].map((kind) => ({ alert_id: older.id, kind })),
  });
  expect(titlesOf((await owner.get(`${base}channels?sort=-Reach`)).text).slice(0, 2)).toEqual(["Large", "Small"]);
  expect(titlesOf((await owner.get(`${base}channels?sort=Reach`)).text).slice(0, 2)).toEqual(["Small", "Large"]);
  const { text } = await owner.get(`${base}sent?order=oldest`);
  expect(titlesOf(text)).toEqual(["Older", "Newer"]);
  expect(text).toContain('aria-sort="ascending"');
  expect(text).toMatch(
    /<td role="cell" data-label="Reads" class="number">1<\/td><td role="cell" data-label="Acks" class="number">1<\/td>/,
  );
  expect(titlesOf((await owner.get(`${base}sent`)).text)).toEqual(["Newer", "Older"]);
});

test("with many channels the filter is a search, in alerts and in the audit log", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, i) => world.pusher({ name: `Line ${i}`, handle: `line-${i}` })));
  const { text } = await owner.get(`${base}sent?channel=large`);
  expect(titlesOf(text)).toEqual(["Older"]);
  expect(text).toContain('<input type="search" id="channel"');
  // The filter in use is named, with a link that removes it.
  expect(text).toMatch(/<p class="lede">Sent alerts from <bdi>Large<\/bdi>\.</);
  expect(text).toMatch(/<a class="chip active" href="[^"?]*sent">.*?Channel:\s*<bdi>Large<\/bdi>/s);
  expect((await owner.get(`${base}sent?channel=nowhere`)).text).toContain("No channel has this name.");
  const audit = await owner.get(`${base}audit?channel=${encodeURIComponent("Line 7 (@line-7)")}`);
  expect(audit.text.match(/Line 7<\/span>/g)).toHaveLength(1);
  expect((await owner.get(`${base}audit?channel=nowhere`)).text).toContain("No matching entries");
});

test("a channel's alerts sort by creation, sent ones by time, and scheduled ones are soonest first", async () => {
  const { id } = await world.pusher();
  for (const [title, seconds] of [
    ["Late", 7200],
    ["Soon", 3600],
  ] as const)
    await world.alert(id, { title, send: true, send_at: timeInSeconds(seconds) });
  await world.alert(id, { title: "First", send: true });
  await world.alert(id, { title: "Second", send: true });
  const titlesAt = async (query: string) => titlesOf((await owner.get(`${base}channels/${id}?${query}`)).text);
  expect(await titlesAt("")).toEqual(["Second", "First", "Soon", "Late"]);
  // The list is ordered by this time, so each row has it.
  const created = (await owner.get(`${base}channels/${id}`)).text;
  expect(created.match(/<td role="cell" data-label="Created"[^>]*><span class="at"><time /g)).toHaveLength(4);
  expect(await titlesAt("order=oldest")).toEqual(["Late", "Soon", "First", "Second"]);
  expect(await titlesAt("status=scheduled")).toEqual(["Soon", "Late"]);
  expect(await titlesAt("status=scheduled&order=newest")).toEqual(["Late", "Soon"]);
  expect(await titlesAt("status=sent&order=oldest")).toEqual(["First", "Second"]);
  const { text } = await owner.get(`${base}channels/${id}?status=sent`);
  expect(text).toMatch(/aria-sort="descending"><a class="sorts" href="[^"]*order=oldest&amp;status=sent"[^>]*>Sent/);
  // No action applies to a sent alert.
  const boxes = async (query: string) =>
    (await owner.get(`${base}channels/${id}?${query}`)).text.match(/name="alert"/g)?.length ?? 0;
  expect([await boxes("status=sent"), await boxes("status=scheduled"), await boxes("")]).toEqual([0, 2, 2]);
});

describe("lists of pages", () => {
  test.each([
    [30, "sort=N", [1, 2, 3], null],
    [30, "sort=N&page=2", [26, 27, 28], null],
    [30, "", [30, 29, 28], null],
    // The newest 500 are the largest.
    [600, "sort=N", [101, 102, 103], "Only the newest 500 are sorted."],
    [600, "sort=-N", [600, 599, 598], "Only the newest 500 are sorted."],
    [500, "sort=N", [1, 2, 3], null],
  ])("%d rows at ?%s begin with %j", async (count, query, first, note) => {
    const all = Array.from({ length: count }, (_, i) => count - i);
    const read = async ({ limit, before }: { limit: number; before?: string }) => {
      const from = before ? all.indexOf(Number(before)) + 1 : 0;
      const data = all.slice(from, from + limit);
      return { data, meta: { next_before: from + limit < count ? String(data.at(-1)) : null } };
    };
    const visit = { url: new URL(`https://x/list?${query}`) };
    const columns = { N: { value: (n: number) => n, first: "asc" } } as const;
    const list = await readPagedOrSortedRows(visit, read, columns, { path: "/list" });
    expect(list.rows.slice(0, 3)).toEqual(first);
    expect(String(list.note || "").includes(note ?? "Only")).toBe(note !== null);
  });

  /** The cells of a column, from top to bottom. */
  const cellsOf = (text: string, label: string) =>
    [...text.matchAll(new RegExp(`data-label="${label}"[^>]*>(.*?)</td>`, "gs"))].map(([, cell]) =>
      cell!.replace(/<[^>]*>/g, "").trim(),
    );

  const join = async (handle: string, facts: Record<string, string>) => {
    const { body } = await world.handset("POST", "/devices", null, facts);
    await world.handset("PUT", `/subscriptions/${handle}`, body.token, {});
  };

  test("subscribers sort by each fact, within a filter, and by pages", async () => {
    const { id, handle } = await world.pusher();
    const zones = ["Europe/Lisbon", "Asia/Tokyo", "America/Lima"];
    for (const [i, timezone] of zones.entries())
      await join(handle, { platform: "android", app_version: `1.${10 - i}.0`, locale: "en", timezone });
    const list = `${base}channels/${id}/subscribers`;
    const zonesAt = async (query: string) => cellsOf((await owner.get(`${list}?${query}`)).text, "Time zone");
    const cities = ["Lisbon", "Tokyo", "Lima"];
    expect(await zonesAt("")).toEqual(cities.toReversed());
    // The language is the same everywhere, so the breakdown has its value without a bar.
    const { text } = await owner.get(list);
    expect([cellsOf(text, "Language"), cellsOf(text, "State")]).toEqual([
      ["English", "English", "English"],
      ["active", "active", "active"],
    ]);
    expect(text).toContain('<dd><span title="en">English</span></dd>');
    const sorted = (await owner.get(`${list}?sort=Language`)).text;
    expect(cellsOf(sorted, "Language")).toEqual(["English", "English", "English"]);
    expect(sorted).toContain('aria-sort="ascending"');
    expect(await zonesAt("sort=Time zone")).toEqual(cities.toSorted());
    expect(await zonesAt("sort=-Time zone&status=active")).toEqual(cities.toSorted().toReversed());
    expect(await zonesAt("sort=Since")).toEqual(cities);
    expect(await zonesAt("sort=-App")).toEqual(cities);
    expect(await zonesAt("sort=Time zone&status=muted")).toEqual([]);
    expect((await owner.get(`${list}?status=active`)).text).toContain("status=active&amp;sort=Since#list");
    // Updates of a sorted list would cost several calls each.
    const isLive = async (query: string) => (await owner.get(`${list}?${query}`)).text.includes("data-live");
    expect(await Promise.all(["", "sort=Other", "sort=Since", "sort=-App&page=2"].map(isLive))).toEqual([
      ...[true, true, false, false],
    ]);
  });

  // rules#console-lists
  test("a page of subscribers has all facts, also those with one value", async () => {
    const { id, handle } = await world.pusher();
    const device = { platform: "android", app_version: "1.0.0", timezone: "Europe/Lisbon" };
    // "x-desk" is well-formed, and Intl does not accept it.
    await join(handle, { ...device, locale: "x-desk" });
    for (let i = 0; i < 25; i++) await join(handle, { ...device, locale: "pt-BR" });
    const { text } = await owner.get(`${base}channels/${id}/subscribers`);
    expect(cellsOf(text, "Language")).toEqual(Array(25).fill("Portuguese (Brazil)"));
    expect(text).toContain('<th scope="row">x-desk</th>');
    expect(cellsOf(text, "App")).toEqual(Array(25).fill("Android 1.0.0"));
    expect(cellsOf(text, "Time zone")).toEqual(Array(25).fill("Lisbon"));
  });

  test("drafts have the names of their writers, to those who see the channel", async () => {
    const { id } = await world.pusher({ name: "Written" });
    const robot = await world.key({ name: "Robot <b>" });
    const { body: draft } = await world.rest("create_alert", { pusher_id: id, title: "Robot draft" }, robot);
    const written = async (path: string) => cellsOf((await owner.get(base + path)).text, "Written by");
    expect(await written(`drafts?channel=${id}`)).toEqual(["Robot &lt;b&gt;"]);
    expect(await written(`channels/${id}?status=draft`)).toEqual(["Robot &lt;b&gt;"]);
    const caller = await createOwnerSession(world);
    const args = { alert_ids: [draft.id] };
    const writers = async (by: MemberCaller) =>
      (await world.service.dispatcher.runSession(list_alert_writers, by, { args, log: SILENT_LOG })).data;
    expect(await writers(caller)).toEqual([{ alert_id: draft.id, type: "key", name: "Robot <b>" }]);
    expect(await writers({ ...caller, pusherIds: [newUuid()] })).toEqual([]);
    expect(await writers({ ...caller, workspace: { ...caller.workspace, id: newUuid() } })).toEqual([]);
  });

  test("the audit log sorts by each column, and reports how much of it was sorted", async () => {
    const { id } = await world.pusher({ name: "Audited" });
    await world.alert(id, { title: "One" });
    const at = async (query: string) => (await owner.get(`${base}audit?channel=${id}&${query}`)).text;
    const actions = (text: string) => [...text.matchAll(/<\/strong> (created|saved) /g)].map(([, name]) => name);
    const newest = actions(await at(""));
    expect(newest).toHaveLength(2);
    expect(actions(await at("sort=When"))).toEqual(newest.toReversed());
    expect(actions(await at("sort=Action"))).toEqual(newest.toSorted());
    expect(actions(await at("sort=-Action"))).toEqual(newest.toSorted().toReversed());
    expect(actions(await at("sort=Target"))).toEqual(newest);
    expect(await at("sort=When")).not.toContain("are sorted");
  });
});

// rules#app-languages
test("fields for text follow its direction, and fields for numbers and passwords do not", async () => {
  const { id } = await world.pusher();
  const directions = async (path: string) =>
    [...(await owner.get(path)).text.matchAll(/<(?:input|textarea)[^>]* name="(\w+)"[^>]*>/g)].map(
      ([tag, name]) => `${name} ${/ dir="(\w+)"/.exec(tag!)?.[1] ?? "ltr"}`,
    );
  expect(await directions(`${base}channels/${id}/alerts/new?once=${crypto.randomUUID()}`)).toEqual(
    expect.arrayContaining(["title auto", "body auto", "html ltr", "lat ltr"]),
  );
  expect(await directions(`${base}channels/${id}/edit`)).toEqual(expect.arrayContaining(["name auto", "lat ltr"]));
  expect(await directions("/console/account")).toEqual(expect.arrayContaining(["name auto", "present ltr"]));
  expect(await directions(`${base}sent`)).toContain("q auto");
});

test("with many channels a new key searches for one, and an unknown name creates no key", async () => {
  const { text } = await owner.get(`${base}keys`);
  expect(text).toContain('<input type="search" id="pusher" name="pusher" list="pusher-names"');
  const token = /name="form_token" value="([^"]+)"/.exec(text)![1]!;
  const create = (pusher: string) =>
    owner.post(`${base}keys`, { name: "Narrow", preset: "read", life: "7d", pusher }, { token });
  const rows = async () => (await world.sql("select pusher_id from api_key where name = 'Narrow'")).length;
  for (const wrong of ["Line", "nowhere", "@nowhere", "psh_nowhere", "ine 12"]) {
    const refused = await create(wrong);
    expect([wrong, refused.status]).toEqual([wrong, 422]);
    expect(refused.text).toContain("No channel has this name.");
    expect(refused.text).toContain(`value="${wrong}"`);
  }
  expect(await rows()).toBe(0);
  const made = await create("Line 7 (@line-7)");
  expect(made.text).toContain("Your new key");
  expect((await owner.get(`${base}keys`)).text).toMatch(/data-label="Channel">Line 7/);
});

describe("selected alerts", () => {
  test("are cancelled by the plan that the page shows", async () => {
    const { id } = await world.pusher();
    const planned = await world.alert(id, { title: "Planned", send: true, send_at: timeInSeconds(7200) });
    const draft = await world.alert(id, { title: "Draft" });
    const asked = await bulk({ alert: [planned.id, draft.id], act: "cancel" });
    expect(asked.text).toContain("<h1>Cancel 1 alert?</h1>");
    expect(asked.text).toContain("It is a draft, so it has no send time.");
    expect((await statusOf(planned)).status).toBe("scheduled");
    const done = await bulk({ plan: planOf(asked.text), act: "cancel" });
    expect([done.status, done.headers.get("location")]).toEqual([303, `${base}cancelled`]);
    expect([(await statusOf(planned)).status, (await statusOf(draft)).status]).toEqual(["cancelled", "draft"]);
    // Another alert that changes after the page: nothing happens.
    const other = await world.alert(id, { title: "Other", send: true, send_at: timeInSeconds(7200) });
    const page = await bulk({ alert: other.id, act: "cancel" });
    await world.rest("update_alert", { pusher_id: id, alert_id: other.id, title: "Changed" });
    const late = await bulk({ plan: planOf(page.text), act: "cancel" });
    expect(late.text).toContain("Nothing was changed");
    expect((await statusOf(other)).status).toBe("scheduled");
  });

  test("move by an amount, and a wrong amount is named", async () => {
    const { id } = await world.pusher();
    const alert = await world.alert(id, { title: "Tide", send: true, send_at: timeInSeconds(7200) });
    const form = await bulk({ alert: alert.id, act: "move" });
    expect(form.text).toContain("<h1>Move 1 alert</h1>");
    const move = { alert: alert.id, act: "move", unit: "hours", direction: "later" };
    for (const amount of ["", "0", "0.001", "x", "9999"]) {
      const { status, text } = await bulk({ ...move, amount });
      expect([amount, status, text.includes("Enter a duration")]).toEqual([amount, 422, true]);
    }
    const asked = await bulk({ ...move, amount: "2" });
    expect((await bulk({ plan: planOf(asked.text), act: "move" })).status).toBe(303);
    const moved = Date.parse((await statusOf(alert)).send_at) - Date.parse(alert.send_at);
    expect(moved).toBe(7_200_000);
    const early = await bulk({ ...move, amount: "2", unit: "days", direction: "earlier" });
    expect(early.text).toContain("Its new time is in the past.");
    expect(planOf(early.text)).toBe("");
  });

  test("are deleted after a question; sent ones stay, and none of another workspace is shown", async () => {
    const { id } = await world.pusher();
    const draft = await world.alert(id, { title: "Old draft" });
    const sent = await world.alert(id, { title: "Record", send: true });
    const asked = await bulk({ alert: [draft.id, sent.id], act: "delete" });
    expect(asked.text).toContain("<h1>Delete 1 alert?</h1>");
    const done = await bulk({ alert: `${id}/${draft.id}`, sure: "yes", act: "delete" });
    expect(done.headers.get("location")).toBe(`${base}alerts`);
    expect((await world.rest("get_alert", { pusher_id: id, alert_id: draft.id })).status).toBe(404);
    expect((await statusOf(sent)).status).toBe("sent");
    for (const alert of ["alr_01h455vb4pex5vsknk084sn02q", "x", draft.id])
      expect([alert, (await bulk({ alert, act: "cancel" })).status]).toEqual([alert, 404]);
    expect((await bulk({ act: "cancel" })).headers.get("location")).toBe(`${base}alerts`);
    expect((await bulk({ plan: "pln_x", act: "cancel" })).status).toBe(404);
  });
});
