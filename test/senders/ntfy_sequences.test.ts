// Sequence ids of ntfy's: a newer message replaces the older one, a scheduled one is moved, and DELETE cancels.

import { describe, expect, test } from "vitest";
import { openSenderWorld } from "../support/sender_channel.ts";

const HOST = "http://alerts.example.org";

const { world, channel, key } = await openSenderWorld({ PUBLIC_URL: HOST });

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  token?: string | null;
}

async function send({ path = at(), method = "POST", headers = {}, body, token = key }: Sent) {
  const answer = await world.service.app.fetch(
    new Request(HOST + path, {
      method,
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      body: body ?? null,
    }),
    "198.51.100.7",
  );
  return { status: answer.status, body: JSON.parse(await answer.text()), notes: answer.headers.get("belfry-notes") };
}

const at = (path = "") => `/ntfy/${channel.handle}${path && `/${path}`}`;
const read = async (id: string, pusher_id = channel.id) =>
  (await world.rest("get_alert", { pusher_id, alert_id: id })).body;
const statesOf = (ids: string[]) => Promise.all(ids.map(async (id) => (await read(id)).status));
/** Publishes a text under a path a few times, and returns the ids. */
async function publish(path: string, times: number, headers: Record<string, string> = {}) {
  const ids: string[] = [];
  for (let i = 0; i < times; i++) ids.push((await send({ path: at(path), body: "m", headers })).body.id);
  return ids;
}
const LATER = { in: "30m" };

// rules#ntfy-sequences
describe("messages with one sequence id", () => {
  const json = (sequence_id: string) => JSON.stringify({ topic: channel.handle, message: "m", sequence_id });
  test.each<[string, () => Sent, string]>([
    ["in the address", () => ({ path: at("disk-1") }), "disk-1"],
    ["in the address of a PUT", () => ({ method: "PUT", path: at("disk-1") }), "disk-1"],
    ["in a header", () => ({ headers: { "x-sequence-id": "disk-1" } }), "disk-1"],
    ["in the short header", () => ({ headers: { sid: "disk-1" } }), "disk-1"],
    ["in the query", () => ({ path: `${at()}?sequence-id=disk-1` }), "disk-1"],
    ["in JSON", () => ({ path: "/ntfy", body: json("disk-1") }), "disk-1"],
    ["that is not a key of ours", () => ({ path: at("Disk_1") }), "Disk_1"],
    ["of 64 characters", () => ({ path: at("X".repeat(64)) }), "X".repeat(64)],
    ["that ntfy itself would refuse", () => ({ headers: { "x-sequence-id": "disk 1!" } }), "disk 1!"],
    ["that is a number", () => ({ path: at("1795612200") }), "1795612200"],
  ])("%s replace each other", async (_, sent, sequenceId) => {
    const request = { body: "92 %", ...sent() };
    const first = await send(request);
    expect(first).toMatchObject({ status: 200, notes: null, body: { sequence_id: sequenceId } });
    const { collapse_key } = await read(first.body.id);
    expect(collapse_key).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/);
    const second = await send(request);
    expect(await read(second.body.id)).toMatchObject({ status: "sent", collapse_key });
  });

  test("in other letter cases do not", async () => {
    const ids = [];
    for (const name of ["Disk", "disk", "DISK"]) ids.push(...(await publish(name, 1)));
    const keys = await Promise.all(ids.map(async (id) => (await read(id)).collapse_key));
    expect(new Set(keys).size).toBe(3);
  });

  test("are scheduled once: a warning that is moved on every minute comes once", async () => {
    const others = await publish("another", 1, LATER);
    const planned = await publish("heartbeat", 4, LATER);
    expect(await statesOf(planned)).toEqual(["cancelled", "cancelled", "cancelled", "scheduled"]);
    // A message that is published at once also replaces a scheduled one.
    const sent = await publish("heartbeat", 1);
    expect(await statesOf([...planned.slice(3), ...sent, ...others])).toEqual(["cancelled", "sent", "scheduled"]);
  });

  test("that are published at once leave one scheduled", async () => {
    const ids = await Promise.all(["", "", "", ""].map(async () => (await publish("race", 1, LATER))[0]!));
    const states = await statesOf(ids);
    expect(states.filter((status) => status === "scheduled")).toHaveLength(1);
    expect(states.filter((status) => status === "cancelled")).toHaveLength(3);
  });

  test("where it is the id of a scheduled message replace that one", async () => {
    const [first = ""] = await publish("", 1, LATER);
    const [second = ""] = await publish(first, 1, { in: "40m" });
    expect(await read(first)).toMatchObject({ status: "cancelled" });
    expect(await read(second)).toMatchObject({ status: "scheduled", collapse_key: first });
  });

  test("leave another channel alone", async () => {
    const elsewhere = await world.pusher();
    const { body: foreign } = await world.rest("create_alert", {
      ...{ pusher_id: elsewhere.id, title: "t", collapse_key: "shared" },
      ...{ send: true, send_at: new Date(Date.now() + 3_600_000).toISOString() },
    });
    await publish("shared", 2, LATER);
    expect(await read(foreign.id, elsewhere.id)).toMatchObject({ status: "scheduled" });
  });
});

// rules#ntfy-sequences
describe("DELETE of a sequence id", () => {
  const remove = (path: string, more: Sent = {}) => send({ method: "DELETE", path: at(path), ...more });

  test("cancels what is scheduled", async () => {
    const [planned = ""] = await publish("gone", 1, LATER);
    expect(await remove("gone")).toMatchObject({
      status: 200,
      body: {
        ...{ id: planned, event: "message_delete", topic: channel.handle, sequence_id: "gone" },
        ...{ time: expect.any(Number), belfry: { state: "cancelled", said: expect.stringMatching(/^1 alert /) } },
      },
    });
    expect(await statesOf([planned])).toEqual(["cancelled"]);
  });

  test("cancels what was sent, by a sequence id in any letters or by the id of a message", async () => {
    const sent = await publish("Gone", 3);
    expect((await remove("Gone")).body.belfry.said).toMatch(/^3 alerts cancelled\./);
    const [byId = ""] = await publish("", 1);
    expect(await remove(byId)).toMatchObject({ status: 200, body: { id: byId } });
    expect(await statesOf([...sent, byId])).toEqual(Array(4).fill("cancelled"));
  });

  test("does nothing to another channel", async () => {
    const elsewhere = await world.pusher();
    const { body: foreign } = await world.rest("create_alert", {
      ...{ pusher_id: elsewhere.id, title: "t", send: true, collapse_key: "theirs" },
    });
    for (const path of ["theirs", foreign.id])
      expect(await remove(path)).toMatchObject({ status: 404, body: { code: 40401 } });
    expect(await send({ method: "DELETE", path: `/ntfy/${elsewhere.handle}/theirs` })).toMatchObject({ status: 404 });
    expect(await read(foreign.id, elsewhere.id)).toMatchObject({ status: "sent" });
  });

  test("by a composing key is refused, and its messages leave what is scheduled", async () => {
    const planned = await publish("kept", 1, LATER);
    const token = await world.key({ scopes: "alerts:write", pusher: channel.id });
    expect(await send({ path: at("kept"), body: "m", headers: LATER, token })).toMatchObject({
      body: { belfry: { state: "draft" } },
    });
    expect(await remove("kept", { token })).toMatchObject({ status: 403, body: { code: 40301 } });
    expect(await statesOf(planned)).toEqual(["scheduled"]);
  });

  test("by a key with required approval cancels one alert at most", async () => {
    const token = await world.key({
      ...{ scopes: "alerts:write,alerts:send", pusher: channel.id, requires_approval: true },
    });
    const ids = await publish("asked", 2);
    expect(await remove("asked", { token })).toMatchObject({ status: 403, body: { code: 40301 } });
    expect(await statesOf(ids)).toEqual(["sent", "sent"]);
    expect(await remove(ids[0]!, { token })).toMatchObject({ status: 200 });
  });

  test.each<[string, () => Sent, number, number, RegExp]>([
    ["that has no alert", () => ({ path: at("never") }), 404, 40401, /with the same sequence id/],
    ["of no channel", () => ({ path: "/ntfy/nowhere/never" }), 404, 40401, /with the same sequence id/],
    ["without a key", () => ({ path: at("gone"), token: null }), 401, 40101, /credential/],
    ["to clear it", () => ({ method: "PUT", path: at("gone/clear") }), 404, 40401, /send DELETE/],
    ["to mark it as read", () => ({ method: "PUT", path: at("gone/read") }), 404, 40401, /send DELETE/],
    ["by another method", () => ({ method: "PATCH", path: at("gone") }), 404, 40401, /DELETE/],
  ])("%s is refused in ntfy's shape", async (_, sent, status, code, way) => {
    const answer = await send({ method: "DELETE", ...sent() });
    expect(answer).toMatchObject({ status, body: { code, error: expect.stringMatching(way) } });
  });
});
