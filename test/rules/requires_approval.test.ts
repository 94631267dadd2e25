// "Ask me before anything is published": a credential with alerts:send and required approval publishes nothing until a
// signed-in person does it. This applies to any operation and transport. rules#asks-first

import { beforeEach, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { SESSION_OPERATIONS } from "../../src/identity/session/index.ts";
import { ALL_SCOPES } from "../../src/model/scopes.ts";
import { makesContentPublic } from "../../src/operation/access_checks.ts";
import type { OwnerOperation } from "../../src/operation/define_operation.ts";
import { alertArguments, createAlertInState, parseUuid } from "../cases/fixtures.ts";
import { signInOwner } from "../support/console_site.ts";
import { createOwnerSession, SILENT_LOG } from "../support/member_sessions.ts";
import { connectAssistant, registerClient } from "../support/oauth_flow.ts";
import { openWorld } from "../support/open_world.ts";
import { createHandle, timeInSeconds } from "../support/world.ts";

let pusher: any;
const world = await openWorld();
const owner = await signInOwner(world);
const person = await createOwnerSession(world);
const asking = await world.key({ requires_approval: true });
beforeEach(async () => {
  pusher = await world.pusher({ is_public: false });
});

const session = (name: string, args: object): Promise<any> =>
  world.service.dispatcher.runSession(SESSION_OPERATIONS.find((one) => one.name === name)!, person as never, {
    args,
    log: SILENT_LOG,
  });

type Args = Record<string, unknown>;
const draft = () => createAlertInState(world, "draft", pusher);
const scheduled = () => createAlertInState(world, "scheduled", pusher);
const repeating = () => createAlertInState(world, "repeating", pusher);
const repeatingDraft = () => createAlertInState(world, "draft", pusher, { recurrence: "FREQ=DAILY UTC" });
const planned = async () =>
  (await world.rest("list_alerts", { pusher_id: pusher.id, status: "scheduled", order: "oldest" })).body.data;
const occurrence = async () => {
  await repeating();
  return (await planned())[0];
};
const opening = () => ({ handle: createHandle(), name: "A", category: "community", description: "B" });

/** Every call that makes something public, by the operation's name and what is special about it. */
const PUBLISHING: [string, string, () => Args | Promise<Args>][] = [
  ["send_alert", "a draft", async () => alertArguments(await draft())],
  ["send_alert", "a scheduled alert", async () => alertArguments(await scheduled())],
  ["schedule_alert", "a draft", async () => alertArguments(await draft(), { send_at: timeInSeconds(7200) })],
  ["schedule_alert", "again", async () => alertArguments(await scheduled(), { send_at: timeInSeconds(7200) })],
  ["create_alert", "send", () => ({ pusher_id: pusher.id, title: "T", send: true })],
  ["create_alert", "send by handle", () => ({ pusher_id: pusher.handle, title: "T", send: true })],
  [
    "create_alert",
    "send and send_at",
    () => ({ pusher_id: pusher.id, title: "T", send: true, send_at: timeInSeconds(7200) }),
  ],
  ["duplicate_alert", "send", async () => alertArguments(await draft(), { send: true })],
  [
    "duplicate_alert",
    "send and cancel_original",
    async () => alertArguments(await scheduled(), { send: true, cancel_original: true }),
  ],
  ["update_alert", "what is scheduled", async () => alertArguments(await scheduled(), { title: "Other" })],
  ["update_alert", "its instant", async () => alertArguments(await scheduled(), { send_at: timeInSeconds(7200) })],
  ["schedule_alert", "what repeats", async () => alertArguments(await repeatingDraft())],
  ["update_alert", "a series", async () => alertArguments(await repeating(), { title: "Other" })],
  [
    "update_alert",
    "its rule",
    async () => alertArguments(await repeating(), { recurrence: "FREQ=DAILY;INTERVAL=2 UTC" }),
  ],
  [
    "update_alert",
    "the begin of a series",
    async () => alertArguments(await repeating(), { send_at: timeInSeconds(7200) }),
  ],
  ["update_alert", "an occurrence", async () => alertArguments(await occurrence(), { title: "Other" })],
  ["schedule_alert", "an occurrence", async () => alertArguments(await occurrence(), { send_at: timeInSeconds(7200) })],
  ["send_alert", "an occurrence", async () => alertArguments(await occurrence())],
  [
    "duplicate_alert",
    "send and cancel_original of a series",
    async () => alertArguments(await repeating(), { send: true, cancel_original: true }),
  ],
  ["move_alerts", "later", async () => ({ pusher_id: (await scheduled()).pusher_id, action: "move", by_minutes: 5 })],
  ["update_pusher", "is_public", () => ({ pusher_id: pusher.id, is_public: true })],
  ["create_pusher", "is_public", () => ({ ...opening(), is_public: true })],
  ["create_pusher", "public by default", opening],
];

/** Operations that need the scope, or have is_public, and publish nothing. */
const HARMLESS: [string, string, () => Args | Promise<Args>][] = [
  ["cancel_alert", "what is scheduled", async () => alertArguments(await scheduled())],
  [
    "duplicate_alert",
    "cancel_original",
    async () => alertArguments(await scheduled(), { cancel_original: true, title: "Right" }),
  ],
  ["update_alert", "a series to draft", async () => alertArguments(await repeating(), { send_at: null })],
  [
    "create_alert",
    "a draft that repeats",
    () => ({ pusher_id: pusher.id, title: "T", send_at: timeInSeconds(7200), recurrence: "FREQ=DAILY UTC" }),
  ],
  [
    "update_alert",
    "the rule of a draft",
    async () => alertArguments(await repeatingDraft(), { recurrence: "FREQ=HOURLY UTC" }),
  ],
  ["delete_alert", "what is scheduled", async () => alertArguments(await scheduled())],
  ["move_alerts", "to cancel", async () => ({ pusher_id: (await scheduled()).pusher_id, action: "cancel" })],
  [
    "move_alerts",
    "dry_run",
    async () => ({ pusher_id: (await scheduled()).pusher_id, action: "move", by_minutes: 5, dry_run: true }),
  ],
  ["update_alert", "to draft", async () => alertArguments(await scheduled(), { send_at: null, title: "Right" })],
  ["update_alert", "a draft", async () => alertArguments(await draft(), { title: "Right" })],
  ["create_alert", "a draft with send_at", () => ({ pusher_id: pusher.id, title: "T", send_at: timeInSeconds(7200) })],
  ["create_pusher", "private", () => ({ ...opening(), is_public: false })],
  ["update_pusher", "a name", () => ({ pusher_id: pusher.id, name: "Other" })],
];

const canPublish = ({ input, scope, alsoRequires, mayRequire }: OwnerOperation) =>
  "is_public" in input.shape || "alerts:send" in { [scope]: 0, ...alsoRequires, ...mayRequire };

test("the table has every operation that can publish", () => {
  const tools = OPERATIONS.filter(canPublish).map(({ name }) => name);
  expect([...new Set([...PUBLISHING, ...HARMLESS].map(([name]) => name))].sort()).toEqual(tools.sort());
});

test("a tool that needs the scope publishes, unless its record declares otherwise", () => {
  const fresh = { ...OPERATIONS.find(({ name }) => name === "cancel_alert")!, publishesNothing: undefined };
  for (const raw of [{}, null, undefined, "x", [], { dry_run: "true" }])
    expect(makesContentPublic(fresh as unknown as OwnerOperation, raw)).toBe(true);
});

/** All public data: alerts that are sent or scheduled, and public channels. */
const seen = async () => [
  await world.sql(
    "select id, title, status, send_at::text from alert where status in ('sent', 'scheduled', 'repeating') order by id",
  ),
  await world.sql("select id from pusher where is_public order by id"),
];

describe.each(PUBLISHING)("%s (%s)", (name, _what, args) => {
  test.each(["rest", "mcp"] as const)("over %s: refused with the way out, and done without the tick", async (way) => {
    const sent = await args();
    const before = await seen();
    const repeated = OPERATIONS.find((tool) => tool.name === name)!.creates ? ["key", "key"] : ["", ""];
    for (const idempotency_key of repeated) {
      const more = way === "mcp" && idempotency_key ? { idempotency_key: `k-${parseUuid(pusher.id)}` } : {};
      const refused = await world[way](name, { ...sent, ...more }, asking);
      // A person has decided about it already, and the call reports that.
      if (refused.status === 200) {
        expect([way, refused.body.decision]).toEqual(["mcp", "scheduled"]);
        continue;
      }
      expect(refused.status).toBe(403);
      const { type, message } = refused.body.error;
      expect(type).toBe("insufficient_scope");
      expect(message).toMatch(/person/);
      expect(message).not.toMatch(/lacks the scope/);
      // One way out.
      expect(message.match(/\/console\/|without send/g), message).toHaveLength(1);
      expect(message).not.toMatch(/set send_at to null|use one that/i);
    }
    expect(await seen()).toEqual(before);
    const { status } = await world[way](name, sent);
    expect(status).toBeLessThan(300);
    expect(await seen()).not.toEqual(before);
  });
});

test.each(HARMLESS)("%s (%s) is done", async (name, _what, args) => {
  const sent = await args();
  const [alerts, open] = await seen();
  const answer = await world.rest(name, sent, asking);
  expect([answer.status < 300, answer.body?.error]).toEqual([true, undefined]);
  const [after, stillOpen] = await seen();
  expect(stillOpen).toEqual(open);
  for (const one of after as unknown[]) expect(alerts).toContainEqual(one);
});

// rules#recurrence
describe("a series", () => {
  const schedule = OPERATIONS.find(({ name }) => name === "schedule_alert")!;
  const approve = (args: object) => world.service.dispatcher.run(schedule, person, { args, log: SILENT_LOG });
  const now = async (alert: any) => (await world.rest("get_alert", alertArguments(alert))).body;

  test("is approved exactly as it was seen", async () => {
    const draft = await repeatingDraft();
    await world.rest("update_alert", alertArguments(draft, { recurrence: "FREQ=HOURLY UTC" }), asking);
    await expect(approve(alertArguments(draft, { expected_updated_at: draft.updated_at }))).rejects.toMatchObject({
      type: "conflict",
    });
    expect([(await now(draft)).status, await planned()]).toEqual(["draft", []]);
    await approve(alertArguments(draft, { expected_updated_at: (await now(draft)).updated_at }));
    const [first, second] = await planned();
    expect(Date.parse(second.send_at) - Date.parse(first.send_at)).toBe(3_600_000);
  });

  test("that is declined is a draft with nothing planned, and comes back only by a person", async () => {
    const series = await repeating();
    await session("decline_alert", alertArguments(series, { review_reply: "Not daily." }));
    expect(await now(series)).toMatchObject({
      ...{ status: "draft", review_reply: "Not daily.", recurrence: series.recurrence, send_at: null },
    });
    expect(await planned()).toEqual([]);
    await world.sql("update alert_series set next_fill_at = now()");
    await world.service.housekeeping.round("due_series");
    expect(await planned()).toEqual([]);
    const again = alertArguments(series, { send_at: timeInSeconds(3600) });
    expect((await world.rest("schedule_alert", again, asking)).status).toBe(403);
    await approve(again);
    expect((await planned()).length).toBeGreaterThan(0);
  });
});

test("over MCP what would have been published is kept, once under an idempotency key", async () => {
  const args = { pusher_id: pusher.id, title: "Once", send: true, idempotency_key: "once" };
  for (const _ of [1, 2]) {
    const { body } = await world.mcp("create_alert", args, asking);
    expect(body.error.message).toMatch(/human approval.*draft alr_\w+.*\/console\//);
  }
  const { data } = (await world.rest("list_alerts", { pusher_id: pusher.id })).body;
  expect(data.map(({ title, status }: any) => [title, status])).toEqual([["Once", "draft"]]);
});

test("get_me shows it with instructions, and only for this credential", async () => {
  const { credential } = (await world.rest("get_me", {}, asking)).body;
  expect([...credential.scopes].sort()).toEqual([...ALL_SCOPES].sort());
  expect(credential.asks_first).toMatch(/review_url.*wait_for_review/);
  expect((await world.rest("get_me")).body.credential.asks_first).toBeNull();
});

test("a batch is refused as a whole", async () => {
  const alert = await draft();
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "send_alert", arguments: alertArguments(alert) },
  };
  const answer = await world.request("POST", "/mcp", {
    token: asking,
    headers: { accept: "application/json, text/event-stream" },
    body: JSON.stringify([message]),
  });
  expect(answer.status).toBe(422);
  expect((await world.rest("get_alert", alertArguments(alert))).body.status).toBe("draft");
});

test("a person's own session needs no approval", async () => {
  const alert = await draft();
  const send = OPERATIONS.find(({ name }) => name === "send_alert")!;
  const { body } = await world.service.dispatcher.run(send, person, { args: alertArguments(alert), log: SILENT_LOG });
  expect(body).toMatchObject({ status: "sent" });
});

describe("changed by a person", () => {
  const me = async (key: string) => (await world.rest("get_me", {}, key)).body.credential;
  const lastLine = async () =>
    (
      await world.sql(
        "select operation, subject_id, changed from audit_event order by created_at desc, id desc limit 1",
      )
    )[0];

  test("a key's, from its next call on, with a line in the audit log", async () => {
    const key = await world.key({});
    const { id } = await me(key);
    const alert = await draft();
    await session("update_key", { key_id: id, requires_approval: true });
    expect(await lastLine()).toEqual({ operation: "update_key", subject_id: id, changed: ["requires_approval"] });
    expect((await world.rest("send_alert", alertArguments(alert), key)).status).toBe(403);
    await session("update_key", { key_id: id, requires_approval: false });
    expect((await world.rest("send_alert", alertArguments(alert), key)).status).toBe(200);
    const foreign = await me(await world.foreignKey());
    await expect(session("update_key", { key_id: foreign.id, requires_approval: true })).rejects.toThrow(
      /Key not found/,
    );
  });

  test("an earlier publication under an idempotency key is not returned again, and nothing is published", async () => {
    const key = await world.key({});
    const { id } = await me(key);
    const args = { pusher_id: pusher.id, title: "Before", send: true, idempotency_key: "before" };
    expect((await world.mcp("create_alert", args, key)).body.status).toBe("sent");
    await session("update_key", { key_id: id, requires_approval: true });
    expect((await world.mcp("create_alert", args, key)).status).toBe(403);
    expect((await world.rest("list_alerts", { pusher_id: pusher.id })).body.data).toHaveLength(1);
  });

  // rules#asks-first
  test.each<[string, Record<string, string[]>, boolean]>([
    ["ticked", { requires_approval: ["yes"] }, true],
    ["unticked", {}, false],
  ])("an assistant's on the consent page: %s", async (_how, choice, asks) => {
    const client = (await registerClient(world)).body;
    const scope = "account:read alerts:read alerts:write alerts:send";
    const { access_token } = (await connectAssistant(world, owner, client, { scope }, choice)).tokens.body;
    const alert = await draft();
    // No challenge: more scopes would not help.
    const sent = await world.mcp("send_alert", alertArguments(alert), access_token);
    expect(sent.headers.get("www-authenticate")).toBeNull();
    expect((await world.rest("get_alert", alertArguments(alert))).body.status).toBe(asks ? "draft" : "sent");
    const { id } = (await world.mcp("get_me", {}, access_token)).body.credential;
    await session("update_connection", { connection_id: id, requires_approval: !asks });
    expect(await lastLine()).toEqual({
      operation: "update_connection",
      subject_id: id,
      changed: ["requires_approval"],
    });
    const created = { pusher_id: pusher.id, title: "Then", send: true };
    const { status, body } = await world.mcp("create_alert", created, access_token);
    expect(status).toBe(asks ? 201 : 403);
    if (!asks) expect(body.error.message).toContain("/console/");
  });
});
