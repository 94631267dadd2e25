// A workspace whose only member leaves although it has channels (rules#left-behind). It is explained plainly, done
// completely or not at all, and the operator gives it to a new owner.

import { expect, test } from "vitest";
import { addWorkspaceMember } from "../../src/identity/operator/workspaces_members_and_keys.ts";
import { close_account, leave_workspace } from "../../src/identity/session/workspaces.ts";
import { parseIdOrNull } from "../../src/model/domain/type_ids.ts";
import { HttpVisitor } from "../support/console_site.ts";
import { createMemberSession, SILENT_LOG } from "../support/member_sessions.ts";
import { openWorld } from "../support/open_world.ts";
import { runBelfry } from "../support/processes.ts";
import { timeInSeconds } from "../support/world.ts";

const PASSWORD = "correct horse battery";
const ACCOUNT = "/console/account";

let people = 0;
const world = await openWorld({ settings: { WEBHOOK_ALLOW_HOSTS: "127.0.0.1" } });

const count = async (what: string, ...values: unknown[]) =>
  (await world.sql(`select count(*)::int as n from ${what}`, values))[0].n as number;

/**
 * A person with a workspace of their own, and two channels in it: one with a subscriber and a scheduled alert, one
 * suspended.
 */
async function alone() {
  const email = `alone${++people}@example.org`;
  const em = world.service.orm.em.fork();
  const { id } = await addWorkspaceMember(em, { workspace: world.workspace.id, email, role: "viewer" });
  const visitor = new HttpVisitor(world);
  const link = await world.service.people.newLink(parseIdOrNull("mem", id)!);
  await visitor.join(link, { name: "Ada", email, password: PASSWORD });
  const made = await visitor.post(`${ACCOUNT}/workspaces`, { workspace: "Night ferry" }, { from: ACCOUNT });
  const base = made.headers.get("location")!;
  const workspace = base.split("/")[2]!;
  const key = await world.key({ workspace });
  const channel = await world.pusher({ name: "Pier" }, key);
  const { body: alert } = await world.rest(
    "create_alert",
    { pusher_id: channel.id, title: "Later", send: true, send_at: timeInSeconds(86_400) },
    key,
  );
  const suspended = await world.pusher({ name: "Quay" }, key);
  await world.sql("update pusher set status = 'suspended' where handle = ?", [suspended.handle]);
  const device = await world.device(channel.handle);
  await world.rest("create_webhook", { url: "http://127.0.0.1:9/", events: ["alert.sent"] }, key);
  return { visitor, email, base, workspace, uuid: parseIdOrNull("wsp", workspace)!, key, channel, alert, device };
}
type Alone = Awaited<ReturnType<typeof alone>>;

async function stateOf({ uuid, key, email }: Alone) {
  const statuses = await world.sql("select status from pusher where workspace_id = ? order by created_at", [uuid]);
  return {
    channels: statuses.map(({ status }) => status),
    members: await count("member where workspace_id = ?", uuid),
    endpoints: await count("webhook_endpoint where workspace_id = ?", uuid),
    key: (await world.request("GET", "/api/v1/me", { token: key })).status,
    account: await count(`auth."user" where email = ?`, email),
  };
}
const WHOLE = { channels: ["active", "suspended"], members: 1, endpoints: 1, key: 200, account: 1 };
const BEHIND = { channels: ["paused", "suspended"], members: 0, endpoints: 0, key: 401 };

test("without the tick nothing changes, and the page explains the tick", async () => {
  const own = await alone();
  const { visitor, base, workspace, uuid } = own;
  for (const path of [`${base}settings/leave`, `${ACCOUNT}/close`]) {
    const { text } = await visitor.get(path);
    for (const said of [
      "Leave Night ferry without an owner",
      "channels are paused immediately",
      "One scheduled alert will still be sent",
      "Only the operator",
      workspace,
    ])
      expect(text).toContain(said);
    expect(text).not.toContain("checked");
    for (const leave_behind of [[], ["wsp_another"]]) {
      const refused = await visitor.post(path, { present: PASSWORD, leave_behind });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(`id="behind-${workspace}-wrong"`);
      expect(refused.text).toContain("Nothing was changed");
    }
  }
  // A wrong password also leaves it unchanged.
  const wrong = await visitor.post(`${ACCOUNT}/close`, { present: "not this one", leave_behind: workspace });
  expect(wrong.status).toBe(422);
  // The operations themselves refuse it, for any input of a page.
  const [{ user_id }] = await world.sql("select user_id from member where workspace_id = ?", [uuid]);
  const caller = await createMemberSession(world, user_id, uuid);
  const run = (operation: any, args: object) =>
    world.service.dispatcher.runSession(operation, caller, { args, log: SILENT_LOG } as never);
  await expect(run(leave_workspace, {})).rejects.toMatchObject({ status: 409 });
  await expect(run(close_account, { present: PASSWORD })).rejects.toMatchObject({ status: 409 });
  expect(await stateOf(own)).toEqual(WHOLE);
});

test("left behind: paused like any channel, and the subscribers keep it", async () => {
  const own = await alone();
  const { visitor, base, workspace, uuid, channel, alert, device } = own;
  expect((await visitor.post(`${base}settings/leave`, { leave_behind: workspace })).status).toBe(303);
  expect(await stateOf(own)).toEqual({ ...BEHIND, account: 1 });
  expect((await visitor.get(base)).status).toBe(404);
  expect(await count("alert where id = ? and status = 'scheduled'", parseIdOrNull("alr", alert.id))).toBe(1);
  const card = await world.handset("GET", `/channels/${channel.handle}`, device);
  expect(card.body).toMatchObject({ name: "Pier", subscription: expect.any(Object) });
  const lines = await world.sql(
    `select operation, actor_type, actor_name, status, pusher_id, transport from audit_event
      where workspace_id = ? and operation in ('update_pusher', 'leave_workspace') order by created_at, operation desc`,
    [uuid],
  );
  const told = { actor_type: "session", actor_name: "Ada", transport: "console" };
  expect(lines).toEqual([
    { ...told, operation: "update_pusher", status: "paused", pusher_id: parseIdOrNull("psh", channel.id) },
    { ...told, operation: "leave_workspace", status: null, pusher_id: null },
  ]);
});

test("an account closes with it, and the operator hands the workspace to a new owner", async () => {
  const own = await alone();
  const { visitor, workspace, channel } = own;
  const closed = await visitor.post(`${ACCOUNT}/close`, { present: PASSWORD, leave_behind: workspace });
  expect(closed.headers.get("location")).toBe("/console/sign-in");
  expect(await stateOf(own)).toEqual({ ...BEHIND, account: 0 });

  const listed = await runBelfry(["workspaces", "list"], world.settings);
  const row = (id: string) => listed.json.data.find((one: any) => one.id === id);
  expect([row(workspace).has_owner, row(world.workspace.id).has_owner]).toEqual([false, true]);
  const [email, where] = [`heir${people}@example.org`, ["--workspace", workspace, "--email"]];
  const added = await runBelfry(["members", "add", ...where, email, "--role", "owner"], world.settings);
  expect(added.json).toMatchObject({ workspace_id: workspace, role: "owner" });
  const { json } = await runBelfry(["members", "link", ...where, email], world.settings);
  const heir = new HttpVisitor(world);
  expect((await heir.join(json.link, { name: "Rui", email, password: PASSWORD })).status).toBe(303);
  const edit = `/console/${workspace}/channels/${channel.id}/edit`;
  expect((await heir.post(edit, { act: "resume" })).status).toBe(303);
  const key = await world.key({ workspace });
  const sent = await world.rest("create_alert", { pusher_id: channel.id, title: "On", send: true }, key);
  expect(sent.body).toMatchObject({ status: "sent" });
  const { text } = await heir.get(`/console/${workspace}/audit`);
  for (const said of ["Ada", "The operator"]) expect(text).toContain(said);
});

test("with another member the box is missing: one of them is made an owner first", async () => {
  const own = await alone();
  const { visitor, base, workspace } = own;
  const em = world.service.orm.em.fork();
  await addWorkspaceMember(em, { workspace, email: `guest${people}@example.org`, role: "editor" });
  for (const path of [`${base}settings/leave`, `${ACCOUNT}/close`]) {
    const { text } = await visitor.get(path);
    expect(text).toContain("Make someone else an owner under");
    expect(text).not.toContain("leave_behind");
    const fields = { present: PASSWORD, leave_behind: workspace };
    expect((await visitor.post(path, fields, { from: ACCOUNT })).status).toBe(409);
  }
  expect(await stateOf(own)).toEqual({ ...WHOLE, members: 2 });
});

test("two at once: one leaves, none is left in it without an owner, and no channel is left active", async () => {
  for (let round = 0; round < 4; round++) {
    const own = await alone();
    const { visitor, base, workspace, uuid } = own;
    const token = await visitor.token(ACCOUNT);
    const leave = () => visitor.post(`${base}settings/leave`, { leave_behind: workspace }, { token });
    const close = () => visitor.post(`${ACCOUNT}/close`, { present: PASSWORD, leave_behind: workspace }, { token });
    const add = () =>
      visitor.post(`${base}members`, { email: `late${people}@example.org`, role: "viewer", sees: "all" }, { token });
    const answers = await Promise.all(round % 2 === 0 ? [leave(), close()] : [add(), leave()]);
    for (const { status } of answers) expect(status).toBeLessThan(500);
    const members = await world.sql("select role from member where workspace_id = ?", [uuid]);
    if (members.length === 0) expect(await stateOf(own)).toMatchObject(BEHIND);
    else {
      expect(members.map(({ role }) => role)).toContain("owner");
      expect((await stateOf(own)).channels).toEqual(WHOLE.channels);
    }
  }
});
