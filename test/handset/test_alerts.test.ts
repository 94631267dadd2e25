// A draft on its author's devices, before others see it: its viewers and its duration, its remains, and its push
// notifications (rules#own-devices).

import { afterAll, beforeAll, expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import {
  link_own_device,
  list_own_devices,
  test_alert,
  unlink_own_device,
} from "../../src/identity/session/test_devices.ts";
import { newUuid, parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { LIMITS } from "../../src/model/limits.ts";
import type { MemberCaller } from "../../src/store/handler_context.ts";
import { parseUuid } from "../support/handsets.ts";
import { createMemberSession, SILENT_LOG } from "../support/member_sessions.ts";
import { timeInSeconds, World } from "../support/world.ts";

let world: World;
let author: MemberCaller;
let people = 0;

/** A person with an account, as a member of the first workspace. */
async function somebody(role = "editor"): Promise<MemberCaller> {
  const id = `person${++people}`;
  const email = `${id}@example.org`;
  await world.sql(
    `insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt") values (?, ?, ?, true, now(),
      now())`,
    [id, "Ines", email],
  );
  const em = world.service.orm.em.fork() as never;
  const member = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role });
  await world.sql("update member set user_id = ? where id = ?", [id, parseIdOrNull("mem", member.id)]);
  return createMemberSession(world, id, parseIdOrNull("wsp", world.workspace.id)!, newUuid());
}

beforeAll(async () => {
  world = await World.open();
  author = await somebody();
});
afterAll(() => world.close());

const as = (who: MemberCaller, operation: any, args: object = {}): Promise<any> =>
  world.service.dispatcher.runSession(operation, operation.auth === "person" ? { person: who.person } : who, {
    args,
    log: SILENT_LOG,
  });
const codeFor = async (who = author) => (await as(who, link_own_device)).url.split("#own=")[1];
const link = (token: string, code: string) => world.handset("PUT", "/devices/me/owner", token, { code });
async function ownDevice(handle: string, who = author): Promise<string> {
  await world.sql("delete from test_device where user_id = ?", [who.person.id]);
  const token = await world.device(handle);
  expect((await link(token, await codeFor(who))).status).toBe(200);
  return token;
}
const draft = async (pusher: { id: string }, title = "A draft") => {
  const { body } = await world.rest("create_alert", { pusher_id: pusher.id, title });
  return { pusher_id: pusher.id, alert_id: body.id };
};
const inbox = (token: string, headers = {}, path = "/inbox") => world.handset("GET", path, token, undefined, headers);
const titles = async (token: string) => (await inbox(token)).body.data.map(({ title }: any) => title);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error.message,
  );

// rules#own-devices
test("a draft is shown, marked, on the author's own device alone, and is not counted or reported", async () => {
  const pusher = await world.pusher();
  const [own, other] = [await ownDevice(pusher.handle), await world.device(pusher.handle)];
  await world.rest("create_alert", { pusher_id: pusher.id, title: "Sent before", send: true });
  const path = await draft(pusher);
  const [before, elsewhere] = [await inbox(own), await inbox(other)];
  const events = world.events.length;
  expect(await as(author, test_alert, path)).toEqual({ devices: 1 });
  const shown = await inbox(own);
  expect(shown.headers.get("etag")).not.toBe(before.headers.get("etag"));
  expect(shown.body.data).toMatchObject([
    { title: "A draft", handle: pusher.handle, status: "sent", test_until: expect.any(String) },
    { title: "Sent before" },
  ]);
  expect(shown.body.data[1]).not.toHaveProperty("test_until");
  // It is not an alert of the channel: a client with its id cannot report anything by it.
  const { id } = shown.body.data[0];
  expect(id).not.toBe(path.alert_id);
  const reports = { reports: [id, path.alert_id].flatMap((alert_id) => [{ alert_id, kind: "ack" }]) };
  expect((await world.handset("POST", "/reports", own, reports)).body).toEqual({ accepted: 0 });
  const unchanged = await inbox(other, { "if-none-match": elsewhere.headers.get("etag")! });
  expect(unchanged.status).toBe(304);
  expect(world.events.length).toBe(events);
  const { body } = await world.rest("get_alert", path);
  expect([body.status, body.sent_at]).toEqual(["draft", null]);
  const figures = await world.sql("select published::int from channel_state where pusher_id = ?", [
    parseUuid(pusher.id),
  ]);
  expect(figures).toEqual([{ published: 1 }]);
  const { body: log } = await world.rest("list_audit_events", { pusher_id: pusher.id, limit: 1 });
  expect(log.data[0]).toMatchObject({ operation: "test_alert", subject_id: path.alert_id });
  expect(JSON.stringify(log.data[0])).not.toContain(id);
  // The further pages are as they were.
  const further = await inbox(own, {}, `/inbox?before=${encodeURIComponent(shown.body.data[1].sent_at)}`);
  expect(further.body.data).toEqual([]);
});

// rules#own-devices
test("it ends by itself, after an edit, a send or a deletion, and when its author loses access", async () => {
  const pusher = await world.pusher();
  const own = await ownDevice(pusher.handle);
  const shown = async (title: string) => {
    const path = await draft(pusher, title);
    await as(author, test_alert, path);
    expect(await titles(own)).toContain(title);
    return path;
  };
  await shown("Over");
  await world.sql("update device set test_until = now() where test_until is not null");
  expect(await titles(own)).toEqual([]);
  await world.rest("update_alert", { ...(await shown("Edited")), body: "Another text" });
  expect(await titles(own)).toEqual([]);
  await world.rest("delete_alert", await shown("Deleted"));
  expect(await titles(own)).toEqual([]);
  const path = await shown("Now real");
  await world.rest("send_alert", path);
  const { data } = (await inbox(own)).body;
  expect(data).toMatchObject([{ id: path.alert_id, title: "Now real" }]);
  expect(data[0]).not.toHaveProperty("test_until");
  await shown("Of a guest");
  for (const change of ["role = 'viewer'", "role = 'editor', pusher_ids = '{}'"]) {
    await world.sql(`update member set ${change} where id = ?`, [author.member.id]);
    expect(await titles(own)).toEqual(["Now real"]);
  }
  await world.sql("update member set pusher_ids = null where id = ?", [author.member.id]);
  expect(await titles(own)).toContain("Of a guest");
  await world.handset("DELETE", `/subscriptions/${pusher.handle}`, own);
  expect(await titles(own)).toEqual([]);
});

// rules#own-devices
test("a long poll is answered when a test begins, and waits with it for the next change", async () => {
  const pusher = await world.pusher();
  const own = await ownDevice(pusher.handle);
  const hold = async () => {
    const etag = (await inbox(own)).headers.get("etag")!;
    return { answer: inbox(own, { "if-none-match": etag, prefer: "wait=30" }) };
  };
  const { answer: first } = await hold();
  // Waiting by now, or requested after it: the response is the same.
  await as(author, test_alert, await draft(pusher, "Wakes"));
  expect((await first).body.data).toMatchObject([{ title: "Wakes" }]);
  const { answer: second } = await hold();
  await world.rest("create_alert", { pusher_id: pusher.id, title: "Real", send: true });
  expect((await second).body.data.map(({ title }: any) => title)).toEqual(["Real", "Wakes"]);
  const { answer: third } = await hold();
  const [{ id: device_id }] = (await as(author, list_own_devices)).data;
  await as(author, unlink_own_device, { device_id });
  expect((await third).body.data.map(({ title }: any) => title)).toEqual(["Real"]);
});

// rules#own-devices
test("a code links one device, once and for minutes; the newest counts; unlinking ends what it showed", async () => {
  const pusher = await world.pusher();
  const own = await ownDevice(pusher.handle);
  expect((await world.handset("GET", "/devices/me/owner", own)).body).toEqual({ name: "Ines" });
  const [old, code] = [await codeFor(), await codeFor()];
  const others = [await world.device(pusher.handle), await world.device(pusher.handle)];
  expect((await link(others[0]!, old)).status).toBe(404);
  await world.sql("update test_device set expires_at = now() where device_id is null");
  expect((await link(others[0]!, code)).status).toBe(404);
  const once = await codeFor();
  const tried = await Promise.all(others.map((token) => link(token, once)));
  expect(tried.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  expect((await link(others[0]!, "bfo_nonsense")).body.error.message).toBe(
    (await link(others[0]!, once)).body.error.message,
  );
  expect((await as(author, list_own_devices)).data).toHaveLength(2);
  await as(author, test_alert, await draft(pusher));
  expect((await world.handset("DELETE", "/devices/me/owner", own)).status).toBe(204);
  expect(await titles(own)).toEqual([]);
  expect((await world.handset("GET", "/devices/me/owner", own)).body).toEqual({ name: null });
  expect((await world.handset("DELETE", "/devices/me/owner", own)).status).toBe(204);
});

// rules#own-devices
test("a refused test has instructions: no device, none that follows, no draft, too many devices", async () => {
  const pusher = await world.pusher();
  const alone = await somebody();
  const path = await draft(pusher);
  expect(await refusal(as(alone, test_alert, path))).toMatch(/^You do not have any test devices\./);
  await ownDevice((await world.pusher()).handle, alone);
  expect(await refusal(as(alone, test_alert, path))).toMatch(
    /^None of your test devices are subscribed to this channel\./,
  );
  await world.rest("schedule_alert", { ...path, send_at: timeInSeconds(3600) });
  expect(await refusal(as(author, test_alert, path))).toMatch(/^Only drafts can be tested\./);
  for (let n = 1; n < LIMITS.own_devices; n++) await link(await world.device(), await codeFor(alone));
  expect(await refusal(codeFor(alone))).toBe("You have reached the maximum of 5 test devices. Unlink one first.");
});

// rules#own-devices
test("a person's devices are the person's: a viewer tests nothing, and no other person unlinks them", async () => {
  const pusher = await world.pusher();
  const viewer = await somebody("viewer");
  expect(await refusal(as(viewer, test_alert, await draft(pusher)))).toMatch(
    /^This requires the role editor or higher\. Your role is viewer\./,
  );
  const [mine, theirs] = [await ownDevice(pusher.handle), await ownDevice(pusher.handle, await somebody())];
  await as(author, test_alert, await draft(pusher));
  expect([await titles(mine), await titles(theirs)]).toEqual([["A draft"], []]);
  const [{ id }] = (await as(author, list_own_devices)).data;
  expect(await refusal(as(viewer, unlink_own_device, { device_id: id }))).toBe("Device not found.");
  expect((await as(author, list_own_devices)).data).toHaveLength(1);
});

// rules#own-devices
test("twenty tests an hour", async () => {
  const limited = await World.open({ limits: true });
  const before = world;
  world = limited;
  const who = await somebody();
  const pusher = await world.pusher();
  await ownDevice(pusher.handle, who);
  const path = await draft(pusher);
  for (let n = 0; n < LIMITS.tests; n++) await as(who, test_alert, path);
  expect(await refusal(as(who, test_alert, path))).toMatch(/^The limit is 20 calls in 3600 seconds/);
  world = before;
  await limited.close();
});

// rules#publishing-is-one-row
test("a test writes as many rows as the person has devices, for any number of other followers", async () => {
  const pusher = await world.pusher();
  await ownDevice(pusher.handle);
  for (let n = 0; n < 3; n++) await world.device(pusher.handle);
  const touched = async () =>
    (
      await world.sql(
        "select count(*)::int as n from device where test_until is not null and subscriptions_revision > 0",
      )
    )[0].n;
  await world.sql("update device set test_until = null");
  await as(author, test_alert, await draft(pusher));
  expect(await touched()).toBe(1);
});
