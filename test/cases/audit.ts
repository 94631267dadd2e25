// The audit log as an owner reads it: the contents of a line, pages and filters, and the visible lines of each caller.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import { alertArguments, createAlertInState, NO_PUSHER, TIMESTAMP_PATTERN } from "./fixtures.ts";

const LIST = "audit-list";

let robots = 0;

/** A channel with a short history: opened, an alert written, edited and sent. */
async function lived(world: World, name = "Tide robot") {
  const pusher = await world.pusher();
  const key = await world.key({ name });
  const { body: me } = await world.rest("get_me", {}, key);
  const { body: alert } = await world.rest("create_alert", { pusher_id: pusher.id, title: "Not in the log" }, key);
  const at = { pusher_id: pusher.id, alert_id: alert.id };
  await world.rest("update_alert", { ...at, body: "Nor this" }, key);
  await world.mcp("send_alert", at, key);
  return { pusher, alert, key, me };
}

export const auditCases: TestCase[] = [
  {
    rule: "audit-log",
    tool: "list_audit_events",
    name: "the names of the fields that an edit changed, and none of their values",
    given: async (world) => {
      const pusher = await world.pusher({ city: "Lisbon" });
      const alert = await createAlertInState(world, "draft", pusher, { title: "Ebb at noon", priority: "normal" });
      const edit = (fields: object) => world.rest("update_alert", alertArguments(alert, { ...fields }));
      await edit({ title: "Flood at noon", priority: "normal", body: "Move the carts" });
      await edit({ title: "Flood at noon" });
      await edit({});
      await world.rest("schedule_alert", alertArguments(alert, { send_at: timeInSeconds(7200) }));
      await world.rest("move_alerts", { pusher_id: pusher.id, action: "move", by_minutes: 5 });
      await world.rest("update_pusher", {
        pusher_id: pusher.id,
        handle: pusher.handle,
        name: "Quay",
        city: "Lisbon",
        status: "paused",
      });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: (_world, _given, { body }) => {
      expect(body.data.map(({ operation, changed }: any) => [operation, changed])).toEqual([
        ["update_pusher", ["name", "status"]],
        ["move_alerts", ["send_at"]],
        ["schedule_alert", ["send_at"]],
        ["update_alert", null],
        ["update_alert", []],
        ["update_alert", ["title", "body"]],
        ["create_alert", null],
        ["create_pusher", null],
      ]);
      expect(JSON.stringify(body)).not.toMatch(/Flood|carts|Quay/);
    },
  },
  {
    rule: "audit-log",
    also: [LIST],
    tool: "list_audit_events",
    name: "a line has the actor, the client, the action and the object",
    given: lived,
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: {},
    after: (_world, { pusher, alert, me }, { body }) => {
      const actor = { type: "key", id: me.credential.id, name: "Tide robot", member_id: me.member.id };
      const line = {
        id: expect.stringMatching(/^aud_/),
        pusher_id: pusher.id,
        handle: pusher.handle,
        created_at: expect.stringMatching(TIMESTAMP_PATTERN),
        count: null,
        changed: null,
      };
      const ofAlert = { ...line, actor, subject_id: alert.id };
      expect(body.data.slice(0, 3)).toEqual([
        { ...ofAlert, operation: "send_alert", transport: "mcp", status: "sent" },
        { ...ofAlert, operation: "update_alert", transport: "rest", status: "draft", changed: ["body"] },
        { ...ofAlert, operation: "create_alert", transport: "rest", status: "draft" },
      ]);
      expect(body.data[3]).toMatchObject({ operation: "create_pusher", subject_id: pusher.id, status: "active" });
      expect(body.data).toHaveLength(4);
      expect(JSON.stringify(body)).not.toMatch(/Not in the log|Nor this/);
      expect(body.meta).toEqual({ next_before: null });
    },
  },
  {
    rule: LIST,
    tool: "list_audit_events",
    name: "by actor",
    given: async (world) => {
      const first = await lived(world);
      await world.rest("create_alert", { pusher_id: first.pusher.id, title: "By another key" });
      return first;
    },
    input: ({ me }) => ({ actor: me.credential.id }),
    want: {},
    after: (_world, { me }, { body }) => {
      expect(body.data).toHaveLength(3);
      for (const { actor } of body.data) expect(actor.id).toBe(me.credential.id);
    },
  },
  {
    rule: LIST,
    tool: "list_audit_events",
    name: "by what it was done to",
    given: async (world) => {
      const first = await lived(world);
      await world.rest("create_alert", { pusher_id: first.pusher.id, title: "Another alert" });
      return first;
    },
    input: ({ alert }) => ({ subject_id: alert.id }),
    want: {},
    after: async (world, { alert }, { body }) => {
      const seen = body.data.map(({ operation }: any) => operation);
      expect(seen).toEqual(["send_alert", "update_alert", "create_alert"]);
      for (const { subject_id } of body.data) expect(subject_id).toBe(alert.id);
      const none = await world.rest("list_audit_events", { subject_id: "nonsense" });
      expect([none.status, none.body.data]).toEqual([200, []]);
    },
  },
  ...(
    [
      ["by operation", () => ({ operation: "update_alert" }), ["update_alert"]],
      ["by an operation that no line has", () => ({ operation: "nonsense" }), []],
      ["by the actor's name", ({ name }) => ({ actor: name }), ["send_alert", "update_alert", "create_alert"]],
      ["by a name that no actor has", ({ name }) => ({ actor: `${name}!` }), []],
      // Both are times of lines: from includes its own, to does not.
      ["from a time", ({ edited }) => ({ from: edited }), ["send_alert", "update_alert"]],
      ["up to a time", ({ edited }) => ({ to: edited }), ["create_alert", "create_pusher"]],
      ["in a range", ({ edited, sent }) => ({ from: edited, to: sent }), ["update_alert"]],
      [
        "by all of them",
        ({ edited, name }) => ({ actor: name, from: edited, operation: "send_alert" }),
        ["send_alert"],
      ],
      ["in a range, on a later page", ({ edited, sent }) => ({ to: sent, before: edited, limit: 1 }), ["create_alert"]],
    ] as [name: string, filter: (given: any) => Record<string, unknown>, operations: string[]][]
  ).map(
    ([name, filter, operations]): TestCase => ({
      rule: LIST,
      tool: "list_audit_events",
      name,
      given: async (world) => {
        const { pusher, alert, key } = await lived(world, `Tide robot ${++robots}`);
        const { body } = await world.rest("list_audit_events", { subject_id: alert.id }, key);
        const [sent, edited] = body.data.map(({ created_at }: any) => created_at);
        return { pusher, sent, edited, name: body.data[0].actor.name };
      },
      input: (given) => ({ pusher_id: given.pusher.id, ...filter(given) }),
      want: {},
      after: (_world, _given, { body }) => expect(body.data.map(({ operation }: any) => operation)).toEqual(operations),
    }),
  ),
  {
    rule: LIST,
    tool: "list_audit_events",
    name: "refuses a range that does not end after it begins",
    input: () => ({ from: "2026-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z" }),
    want: { error: "invalid_request", code: "invalid_time_range", param: "from" },
  },
  {
    rule: "handle-for-an-id",
    tool: "list_audit_events",
    name: "an unknown handle in place of a channel's id",
    input: () => ({ pusher_id: "no-such-handle" }),
    want: { error: "not_found", param: null, says: /or its handle\.$/ },
  },
  {
    rule: "handle-for-an-id",
    tool: "list_audit_events",
    name: "a handle in place of a channel's id",
    given: lived,
    input: ({ pusher }) => ({ pusher_id: pusher.handle }),
    want: {},
    after: async (world, { alert, pusher }, { body: named }) => {
      const ofChannel = await world.rest("list_audit_events", { pusher_id: pusher.id });
      expect(named).toEqual(ofChannel.body);
      expect(named.data.length).toBeGreaterThan(0);
      const { status, body } = await world.rest("list_audit_events", { pusher_id: alert.id });
      expect([status, body.error.message]).toEqual([404, "Channel not found."]);
    },
  },
  {
    rule: LIST,
    also: ["pages"],
    tool: "list_audit_events",
    name: "pages go on where the one before ended",
    given: lived,
    input: ({ pusher }) => ({ pusher_id: pusher.id, limit: 2 }),
    want: {},
    after: async (world, { pusher }, { body }) => {
      expect(body.data).toHaveLength(2);
      const rest = { pusher_id: pusher.id, limit: 2, before: body.meta.next_before };
      const next = await world.rest("list_audit_events", rest);
      const seen = [...body.data, ...next.body.data].map(({ operation }: any) => operation);
      expect(seen).toEqual(["send_alert", "update_alert", "create_alert", "create_pusher"]);
    },
  },
  {
    rule: LIST,
    also: ["restricted-sees-its-channels"],
    tool: "list_audit_events",
    name: "a restricted member sees the lines of its channels",
    given: async (world) => {
      const [mine, other] = [await lived(world), await lived(world)];
      return { mine, other, key: await world.memberKey("viewer", [mine.pusher.id]) };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: async (world, { mine, other, key }, { body }) => {
      expect(new Set(body.data.map(({ pusher_id }: any) => pusher_id))).toEqual(new Set([mine.pusher.id]));
      for (const pusher_id of [other.pusher.id, NO_PUSHER]) {
        const { status, body: none } = await world.rest("list_audit_events", { pusher_id }, key);
        expect([status, none]).toEqual([200, { data: [], meta: { next_before: null } }]);
      }
    },
  },
  {
    rule: LIST,
    also: ["foreign-is-missing"],
    tool: "list_audit_events",
    name: "another account's lines are not there",
    given: lived,
    as: (world) => world.foreignKey(),
    input: ({ pusher }) => ({ pusher_id: pusher.id }),
    want: { body: { data: [] } },
  },
  {
    rule: LIST,
    tool: "list_audit_events",
    name: "the history of a deleted channel",
    given: async (world) => {
      const pusher = await world.pusher();
      await world.rest("delete_pusher", { pusher_id: pusher.id });
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { data: [{ operation: "delete_pusher" }, { operation: "create_pusher" }] } },
  },
  ...[
    ["limit", 0],
    ["limit", 101],
    ["before", "yesterday"],
    ["actor", "x".repeat(121)],
    ["who", "x"],
  ].map(
    ([param, value]): TestCase => ({
      rule: "error-invalid-request",
      tool: "list_audit_events",
      name: `refuses ${param} ${String(value).slice(0, 9)}`,
      input: () => ({ [param as string]: value }),
      want: { error: "invalid_request", param: param as string },
    }),
  ),
];
