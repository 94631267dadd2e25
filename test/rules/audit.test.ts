// The audit log is complete, contains only ids, is written in the transaction of its action, and cannot be changed.

import { randomUUID } from "node:crypto";
import type { SqlEntityManager } from "@mikro-orm/sql";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { runOperatorOperation } from "../../src/identity/operator/operator_operations.ts";
import { create_key, revoke_key } from "../../src/identity/session/api_keys.ts";
import { buildUuid, formatId, newUuid } from "../../src/model/domain/type_ids.ts";
import { createAuditLinePerActor, createOperatorActor } from "../../src/operation/audit_lines.ts";
import { parseUuid, SUCCESS_ARGUMENTS } from "../cases/fixtures.ts";

import { signInOwner } from "../support/console_site.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { openWorld } from "../support/open_world.ts";
import { createHandle } from "../support/world.ts";

const world = await openWorld();
await signInOwner(world);
const person = await createOwnerSession(world);

const lines = (): Promise<any[]> =>
  world.sql("select a.*, a.created_at::text from audit_event a order by a.created_at desc, a.id desc");
const count = async () => (await lines()).length;

// rules#audit-log
test.each(OPERATIONS.map((tool) => [tool.name, tool.readOnly] as const))(
  "%s leaves a line exactly when it writes",
  async (name, readOnly) => {
    const args = await SUCCESS_ARGUMENTS[name]!(world);
    const before = await count();
    expect((await world.rest(name, args)).status).toBeLessThan(300);
    const after = await lines();
    expect(after.length - before).toBe(readOnly ? 0 : 1);
    if (readOnly) return;
    const [line] = after;
    expect(line).toMatchObject({ operation: name, transport: "rest", actor_type: "key" });
    expect(line.workspace_id).toBe(parseUuid(world.workspace.id));
    expect(line.subject_id).toMatch(/^(psh|alr|inv|whk|dlv)_/);
    if (!/webhook|redeliver/.test(name)) expect(line.pusher_id).not.toBeNull();
  },
);

// rules#audit-log
test("no field of a call and no secret is in it", async () => {
  const texts = ["A title that", "a body that", "a label that"];
  const pusher = await world.pusher({ name: texts[0], description: texts[1], handle: createHandle() });
  await world.alert(pusher.id, { title: texts[0], body: texts[1], send: true });
  const { body: invite } = await world.rest("create_invite", { pusher_id: pusher.id, label: texts[2] });
  const { body: hook } = await world.rest("create_webhook", await SUCCESS_ARGUMENTS.create_webhook!(world));
  const call = { args: { name: "Robot", scopes: ["alerts:read"], pusher_id: null, life: "7d" }, log: SILENT_LOG };
  const { id, key } = await world.service.dispatcher.runSession(create_key, person, call);
  const [line] = await lines();
  expect(line).toMatchObject({
    actor_type: "session",
    transport: "console",
    operation: "create_key",
    subject_id: id,
    member_id: person.member.id,
  });
  const all = JSON.stringify(await lines());
  for (const secret of [...texts, invite.code, hook.secret, hook.url, key, world.owner, pusher.handle])
    expect(all).not.toContain(secret);
});

// rules#audit-log
test("a refusal, a repeat under a key, and an action of a handset leave none", async () => {
  const pusher = await world.pusher();
  const again = { pusher_id: pusher.id, title: "x", idempotency_key: "once" };
  await world.rest("create_alert", again);
  const before = await count();
  await world.rest("create_alert", again);
  expect((await world.rest("create_alert", { pusher_id: pusher.id, title: "" })).status).toBe(422);
  expect((await world.rest("send_alert", { pusher_id: pusher.id, alert_id: "alr_none" })).status).toBe(404);
  const reader = await world.key({ scopes: "alerts:read" });
  expect((await world.rest("create_alert", { pusher_id: pusher.id, title: "x" }, reader)).status).toBe(403);
  await world.device(pusher.handle);
  expect(await count()).toBe(before);
});

// rules#audit-log
test("when the line cannot be written, nothing was done", async () => {
  const pusher = await world.pusher();
  const events = world.acts.length;
  await world.sql("alter table audit_event add constraint nothing_more check (operation <> 'create_alert') not valid");
  const refused = await world.rest("create_alert", { pusher_id: pusher.id, title: "x", send: true });
  await world.sql("alter table audit_event drop constraint nothing_more");
  expect(refused.status).toBe(500);
  expect((await world.rest("list_alerts", { pusher_id: pusher.id })).body.data).toEqual([]);
  expect(world.acts.length).toBe(events);
  expect((await world.rest("create_alert", { pusher_id: pusher.id, title: "x" })).status).toBe(201);
});

// rules#audit-log
test("the operator's commands and our own programs have different actors", async () => {
  const em = () => world.service.orm.em.fork() as SqlEntityManager;
  const pusher = await world.pusher();
  const run = (operation: "suspend_channel" | "create_key" | "revoke_key", args: Record<string, unknown>) =>
    runOperatorOperation(em(), { operation, args }, new Date()) as Promise<any>;
  await run("suspend_channel", { handle: pusher.handle });
  const workspace_id = parseUuid(world.workspace.id);
  const operator = { workspace_id, actor_type: "operator", actor_id: null, transport: "operator" };
  expect((await lines())[0]).toMatchObject({
    ...operator,
    operation: "suspend_channel",
    subject_id: pusher.id,
    status: "suspended",
  });
  const key = await run("create_key", { workspace: world.workspace.id, scopes: "all" });
  expect((await lines())[0]).toMatchObject({ ...operator, operation: "create_key", subject_id: key.id });
  await run("revoke_key", { key: key.id });
  expect((await lines())[0]).toMatchObject({ ...operator, operation: "revoke_key", subject_id: key.id });
  for (const [agent, transport] of [
    ["belfry-cli", "cli"],
    ["curl/8", "rest"],
  ]) {
    await world.request("POST", "/api/v1/pushers", {
      token: world.owner,
      headers: { "user-agent": agent! },
      body: JSON.stringify({ handle: createHandle(), name: "n", category: "ai", description: "d" }),
    });
    expect((await lines())[0]).toMatchObject({ operation: "create_pusher", transport });
  }
  const args = { key_id: (await run("create_key", { workspace: world.workspace.id, scopes: "all" })).id };
  await world.service.dispatcher.runSession(revoke_key, person, { args, log: SILENT_LOG });
  expect((await lines())[0]).toMatchObject({ operation: "revoke_key", transport: "console" });
});

// rules#audit-log
test("the log of a call is defined by its record, not guessed from its result", () => {
  const actor = createOperatorActor(parseUuid(world.workspace.id));
  const body = { id: formatId("wsp", newUuid()), member_id: formatId("mem", newUuid()) };
  expect(createAuditLinePerActor(actor, "any_operation", {}, body)).toEqual([
    expect.objectContaining({ ...actor, operation: "any_operation", subject_id: body.id }),
  ]);
});

// rules#audit-append-only
test("a line is never changed or removed, except after its retention", async () => {
  await world.pusher();
  const before = await lines();
  const refused = { code: "42501" };
  for (const text of [
    "update audit_event set operation = 'nothing'",
    "delete from audit_event",
    "truncate audit_event",
    "do $$ begin perform set_config('belfry.audit_removed_before', 'infinity', true); delete from audit_event; end $$",
  ])
    await expect(world.sql(text)).rejects.toMatchObject(refused);
  expect(await lines()).toEqual(before);
  const old = (days: number) =>
    world.sql(
      `insert into audit_event (id, actor_type, transport, operation, created_at)
       select id, 'operator', 'operator', 'long_ago', now() - ?::int * interval '1 day' from unnest(?::uuid[]) id`,
      [days, `{${Array.from({ length: 1200 }, () => buildUuid(Date.now() - days * 86_400_000, 0, randomUUID()))}}`],
    );
  await old(366);
  await old(364);
  expect(await world.service.housekeeping.round("audit_events")).toBe(1000);
  expect(await world.service.housekeeping.round("audit_events")).toBe(200);
  expect(await world.service.housekeeping.round("audit_events")).toBe(0);
  expect(await count()).toBe(before.length + 1200);
  // A setting of the statement ends with it.
  await expect(world.sql("delete from audit_event where operation = 'long_ago'")).rejects.toMatchObject(refused);
});
