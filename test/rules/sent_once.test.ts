// A call that repeats its credential's last publication, without an idempotency key. Over MCP and the command line
// nothing is sent again. Over REST a note reports it. rules#sent-once

import { beforeEach, describe, expect, test } from "vitest";
import { buildRestRequest, CLI_USER_AGENT } from "../../src/operation/build_rest_request.ts";
import { alertArguments } from "../cases/fixtures.ts";
import { openWorld } from "../support/open_world.ts";
import { findOperation, timeInSeconds, World } from "../support/world.ts";

let pusher: any;
const world = await openWorld();
beforeEach(async () => {
  pusher = await world.pusher();
});

type Args = Record<string, unknown>;
type Way = "mcp" | "cli" | "rest";

function call(way: Way, tool: string, args: Args, token = world.owner) {
  if (way !== "cli") return world[way](tool, args, token);
  const { method, path, headers, body } = buildRestRequest(findOperation(tool), args);
  return world.request(method, path, { token, headers: { ...headers, "user-agent": CLI_USER_AGENT }, body });
}

const create = (way: Way, more: Args = {}, key?: string) =>
  call(way, "create_alert", { pusher_id: pusher.id, title: "Tide", body: "Move.", send: true, ...more }, key);
const published = async () =>
  (await world.rest("list_alerts", { pusher_id: pusher.id })).body.data.filter(
    ({ status }: any) => status === "sent" || status === "scheduled",
  );
const events = () => world.acts.filter(({ data }: any) => data.pusher_id === pusher.id);
const lines = async () =>
  (await world.rest("list_audit_events", { pusher_id: pusher.id })).body.data.filter(({ operation }: any) =>
    /^(create|duplicate)_alert$/.test(operation),
  );

describe.each(["mcp", "cli"] as const)("over %s", (way) => {
  test.each<[string, Args]>([
    ["at once", {}],
    ["scheduled", { send_at: timeInSeconds(3600) }],
    ["without a text", { body: null }],
    ["with another priority and button", { priority: "urgent", actions: [] }],
    ["in the full view", { view: "full" }],
  ])("a repeat answers the first alert (%s)", async (_name, more) => {
    const { priority: _, actions: __, ...first } = more;
    const made = await create(way, first);
    expect([made.status, made.body.note]).toEqual([201, undefined]);
    const again = await create(way, more);
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...made.body, note: expect.stringMatching(/so this one was not sent/) });
    expect([(await published()).length, events().length, (await lines()).length]).toEqual([1, 1, 1]);
  });

  test("of simultaneous repeats one is sent", async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => create(way)));
    expect(made.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    expect(made.filter(({ body }) => body.note === undefined)).toHaveLength(1);
    expect(await published()).toHaveLength(1);
  });

  test("a copy is sent once, to each channel and with each text", async () => {
    const first = (await create(way)).body;
    const other = await world.pusher();
    for (const more of [{}, { to_pusher_id: other.id }, { title: "Tide again" }]) {
      const sent = await call(way, "duplicate_alert", alertArguments(first, { send: true, ...more }));
      expect([sent.status, sent.body.note]).toEqual([201, undefined]);
      const repeat = await call(way, "duplicate_alert", alertArguments(first, { send: true, ...more }));
      expect(repeat.body).toMatchObject({ id: sent.body.id, note: expect.any(String) });
    }
  });

  test("for another time it is another alert", async () => {
    const [eight, twenty] = [timeInSeconds(3600), timeInSeconds(7200)];
    const made = [];
    for (const more of [{ send_at: eight }, { send_at: twenty }, {}, { send_at: eight }])
      made.push((await create(way, more)).body);
    expect(made.map(({ note }) => note === undefined)).toEqual([true, true, true, false]);
    expect(made[3].id).toBe(made[0].id);
    expect(await published()).toHaveLength(3);
  });

  test("a time that differs by less than a minute is the same time", async () => {
    const first = { send_at: timeInSeconds(3600) };
    const later = (milliseconds: number) => ({
      send_at: new Date(Date.parse(first.send_at) + milliseconds).toISOString(),
    });
    const { id } = (await create(way, first)).body;
    for (const more of [later(1), later(59_999), later(-59_999)]) expect((await create(way, more)).body.id).toBe(id);
    for (const more of [later(60_000), later(-60_000)]) expect((await create(way, more)).body.note).toBeUndefined();
    expect(await published()).toHaveLength(3);
  });

  test("differences that make it another call", async () => {
    const first = (await create(way)).body;
    const other = await world.key({});
    for (const answer of [
      await create(way, { idempotency_key: `again ${pusher.id}` }),
      await create(way, { title: "Other" }),
      await create(way, { body: "Stay." }),
      await create(way, {}, other),
    ]) {
      expect([answer.status, answer.body.note]).toEqual([201, undefined]);
      expect(answer.body.id).not.toBe(first.id);
    }
    // Drafts are written as often as one likes.
    const drafts = [await create(way, { send: false }), await create(way, { send: false })];
    expect(new Set(drafts.map(({ body }) => body.id)).size).toBe(2);
  });

  test("after the first was cancelled, or a minute later, it is sent", async () => {
    const first = (await create(way)).body;
    await world.rest("cancel_alert", alertArguments(first));
    const second = (await create(way)).body;
    expect([second.note, second.id === first.id]).toEqual([undefined, false]);
    await world.sql("update alert set created_at = created_at - interval '61 seconds'");
    const third = (await create(way)).body;
    expect([third.note, third.id === second.id]).toEqual([undefined, false]);
  });

  test("a correction is sent once, also of two at once", async () => {
    const first = (await create(way)).body;
    const correct = () =>
      call(way, "duplicate_alert", alertArguments(first, { title: "Right", send: true, cancel_original: true }));
    const both = await Promise.all([correct(), correct()]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await correct()).status).toBe(409);
    expect((await published()).map(({ title }: any) => title)).toEqual(["Right"]);
  });
});

test("REST sends it, and reports it", async () => {
  const first = (await create("rest")).body;
  expect(first.note).toBeUndefined();
  const again = (await create("rest")).body;
  expect(again.id).not.toBe(first.id);
  expect(again.note).toContain(first.id);
  const copy = async () => (await world.rest("duplicate_alert", alertArguments(first, { send: true }))).body;
  expect([(await copy()).note, (await copy()).note]).toEqual([undefined, expect.stringMatching(/alr_\w+/)]);
  expect(await published()).toHaveLength(4);
  for (const more of [{ idempotency_key: "k" }, { title: "Other" }, { send: false }])
    expect((await create("rest", more)).body.note).toBeUndefined();
  expect((await create("rest", {}, await world.key({}))).body.note).toBeUndefined();
});

test("a repeat counts against no limit and needs the channel to be seen", async () => {
  const limited = await World.open({ limits: true });
  try {
    const { id } = await limited.pusher();
    const args = { pusher_id: id, title: "Tide", send: true };
    for (let i = 0; i < 40; i++) expect((await limited.mcp("create_alert", args)).status).toBe(201);
    const foreign = await limited.foreignKey();
    expect((await limited.mcp("create_alert", args, foreign)).status).toBe(404);
  } finally {
    await limited.close();
  }
});
