// Reviewers are notified of a waiting draft, on a private channel of the workspace. The notification comes once for
// each draft, never contains it, and lasts only until the decision. rules#reviews-channel

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { open_reviews } from "../../src/identity/session/decline_and_review_aids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import type { MemberCaller } from "../../src/store/handler_context.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { type HttpVisitor, signInOwner } from "../support/console_site.ts";
import { joinNewHandset } from "../support/handsets.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { World } from "../support/world.ts";

let world: World;
let owner: HttpVisitor;
let person: MemberCaller;
let author: string;
let pusher: any;
/** The time of the limits, so that a test of one does not affect the next. */
let minutes = 0;
beforeAll(async () => {
  world = await World.open({ limitNow: () => Date.now() + minutes * 60_000 });
  owner = await signInOwner(world);
  person = await createOwnerSession(world);
  author = await world.key({ name: "Tide robot", scopes: "alerts:read,alerts:write" });
});
afterAll(() => world?.close());
beforeEach(async () => {
  minutes += 2;
  pusher = await world.pusher({ name: "Ferries" });
});

const open = (caller = person) =>
  world.service.dispatcher.runSession(open_reviews, caller, { args: {}, log: SILENT_LOG });
const draft = async (more: object = {}) =>
  (await world.rest("create_alert", { pusher_id: pusher.id, title: "A secret tide", ...more }, author)).body;
const ask = (alert: any, key = author) => world.rest("send_alert", alertArguments(alert), key);
const notices = async (id: string, about?: { id: string }) =>
  (await world.rest("list_alerts", { pusher_id: id, limit: 100, view: "full" })).body.data.filter(
    ({ collapse_key }: any) => !about || collapse_key === about.id,
  );

test("by default nothing is published", async () => {
  const before = await world.sql("select count(*) from alert where status = 'sent'");
  await ask(await draft());
  expect(await world.sql("select count(*) from alert where status = 'sent'")).toEqual(before);
});

test("opened once, private, with an invite, by a manager of the workspace", async () => {
  const ids = await Promise.all([open(), open()]);
  expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  const { id } = ids[0];
  expect((await world.rest("get_pusher", { pusher_id: id })).body).toMatchObject({
    ...{ name: "Reviews", is_public: false, status: "active" },
  });
  expect((await world.rest("list_invites", { pusher_id: id })).body.data).toHaveLength(1);
  const answer = await owner.post(
    `/console/${world.workspace.id}/reviews`,
    {},
    { from: `/console/${world.workspace.id}/drafts` },
  );
  expect([answer.status, answer.headers.get("location")]).toEqual([303, expect.stringContaining(`${id}/invites`)]);
  await expect(open({ ...person, member: { ...person.member, role: "editor" } })).rejects.toThrow(/admin/);
});

test("a phone that joined receives it, once, and reads nothing of the draft", async () => {
  const { id } = await open();
  const { body: channel } = await world.rest("get_pusher", { pusher_id: id });
  const { data } = (await world.rest("list_invites", { pusher_id: id })).body;
  const phone: any = await joinNewHandset(world, channel.handle, data[0].code);
  const alert = await draft({ body: "Nobody shall read this on a bus." });
  const lines = await world.sql("select count(*) from audit_event");
  for (const _ of [1, 2]) await ask(alert);
  await world.rest("wait_for_review", { ...alertArguments(alert), seconds: 0 }, author);
  const [notice, ...more] = await notices(id, alert);
  expect(more).toEqual([]);
  expect(notice).toMatchObject({
    ...{ status: "sent", title: "Ferries: a draft awaits review", body: "“Tide robot” submitted a draft for review." },
    actions: [{ type: "open_url", label: "Review", url: alert.review_url }],
  });
  expect(JSON.stringify(notice)).not.toMatch(/secret tide|on a bus/);
  expect(await world.sql("select count(*) from audit_event")).toEqual(lines);
  expect(world.acts.filter(({ data }) => data.alert_id === notice.id)).toHaveLength(1);
  const inbox = async () => (await world.handset("GET", "/inbox", phone.token)).body;
  expect(JSON.stringify(await inbox())).toContain(notice.id);
  // The version that the person decides about is the author's.
  const { body: now } = await world.rest("get_alert", alertArguments(alert));
  expect(now.updated_at).toBe(alert.updated_at);
});

test.each<[string, (alert: any) => Promise<unknown>]>([
  ["sent", (alert) => world.rest("send_alert", alertArguments(alert))],
  ["scheduled", (alert) => world.rest("schedule_alert", alertArguments(alert, { send_at: "2999-01-01T00:00:00Z" }))],
  ["deleted", (alert) => world.rest("delete_alert", alertArguments(alert))],
  [
    "declined",
    async (alert) => {
      const { pathname } = new URL(alert.review_url);
      const form = { act: "decline", version: alert.updated_at, review_reply: "No." };
      expect((await owner.post(pathname, form, { from: pathname })).status).toBe(303);
    },
  ],
])("it is over when the draft is %s", async (_how, decide) => {
  const { id } = await open();
  const alert = await draft();
  await ask(alert);
  expect((await notices(id, alert))[0].status).toBe("sent");
  await decide(alert);
  expect((await notices(id, alert))[0].status).toBe("cancelled");
});

test("an edit ends nothing and sends no second notification", async () => {
  const { id } = await open();
  const alert = await draft();
  await ask(alert);
  await world.rest("update_alert", alertArguments(alert, { title: "Other" }), author);
  await ask(alert);
  expect((await notices(id, alert)).map(({ status }: any) => status)).toEqual(["sent"]);
});

test("a draft whose review is awaited is reported first, and so is a key with required approval", async () => {
  const { id } = await open();
  const alert = await draft();
  await world.rest("wait_for_review", { ...alertArguments(alert), seconds: 0 }, author);
  expect(await notices(id, alert)).toHaveLength(1);
  const other = await draft();
  await ask(other, await world.key({ requires_approval: true }));
  expect(await notices(id, other)).toHaveLength(1);
  // Over MCP the draft that was kept is the one.
  const kept = await world.mcp("create_alert", { pusher_id: pusher.id, title: "Kept", send: true }, author);
  const [, draftId] = /draft (alr_\w+)/.exec(kept.body.error.message)!;
  expect(await notices(id, { id: draftId! })).toHaveLength(1);
});

test("a person's own view reports nothing, and a caller who does not see the draft emits nothing", async () => {
  const { id } = await open();
  const alert = await draft();
  const before = (await notices(id)).length;
  await ask(alert, await world.foreignKey());
  const elsewhere = await world.pusher();
  await ask(alert, await world.key({ scopes: "alerts:write", pusher: elsewhere.id }));
  expect(await notices(id)).toHaveLength(before);
});

test("a draft on that channel itself makes no other, and a public or paused channel emits nothing", async () => {
  const { id } = await open();
  const own = (await world.rest("create_alert", { pusher_id: id, title: "Own" }, author)).body;
  await ask(own);
  expect(await notices(id, own)).toEqual([]);
  for (const [shut, again] of [
    [{ status: "paused" }, { status: "active" }],
    [{ is_public: true }, { is_public: false }],
  ]) {
    await world.rest("update_pusher", { pusher_id: id, ...shut });
    const alert = await draft();
    expect((await ask(alert)).status).toBe(403);
    await world.rest("update_pusher", { pusher_id: id, ...again });
    expect(await notices(id, alert)).toEqual([]);
  }
});

test("few a minute; the refused call has the same result without it", async () => {
  const { id } = await open();
  const before = (await notices(id)).length;
  for (let i = 0; i < LIMITS.review_notices + 3; i++) expect((await ask(await draft())).status).toBe(403);
  expect((await notices(id)).length - before).toBe(LIMITS.review_notices);
});

test("many calls at once about one draft: one alert", async () => {
  const { id } = await open();
  const alert = await draft();
  await Promise.all(Array.from({ length: 5 }, () => ask(alert)));
  expect(await notices(id, alert)).toHaveLength(1);
});

test("where the channel was deleted another one is opened", async () => {
  const { id } = await open();
  const { data } = (await world.rest("list_invites", { pusher_id: id })).body;
  await world.rest("revoke_invite", { pusher_id: id, invite_id: data[0].id, remove_subscribers: true });
  expect((await world.rest("delete_pusher", { pusher_id: id })).status).toBe(204);
  expect((await ask(await draft())).status).toBe(403);
  expect((await open()).id).not.toBe(id);
});
