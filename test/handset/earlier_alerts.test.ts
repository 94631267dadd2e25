// Alerts from before a device joined a channel: at most the newest few of each channel, marked, wherever a device is
// shown alerts. And the changes of a channel that leave the inbox of its subscribers as it is.

import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { joinChannel, parseUuid, registerHandset, suspend } from "../support/handsets.ts";
import { countHeldPolls, startLongPoll } from "../support/long_polls.ts";
import { waitFor } from "../support/wait.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
const MOST = LIMITS.before_joining;

let world: World;
let server: ListeningServer;
let port: number;
beforeAll(async () => {
  world = await World.open();
  port = await findFreePort(HOST);
  server = await listenHttp(world.service.app, { host: HOST, port });
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

/** A channel with alerts that were sent an hour ago and earlier, one each second. */
async function channel(alerts: number, more: Record<string, unknown> = {}) {
  const pusher = await world.pusher(more);
  await world.sql(
    `insert into alert (id, pusher_id, status, title, requires_ack, sent_at)
     select gen_random_uuid(), ?, 'sent', 'Old ' || n, true, now() - interval '1 hour' - n * interval '1 second'
     from generate_series(1, ?::int) n`,
    [parseUuid(pusher.id), alerts],
  );
  return pusher;
}

async function device(...pushers: { handle: string }[]) {
  const { id, token } = await registerHandset(world);
  for (const { handle } of pushers) await joinChannel(world, token, handle);
  return { id, token };
}

const inbox = async (token: string, query = "") =>
  (await world.handset("GET", `/inbox${query}`, token)).body.data as any[];

/** All pages of an inbox. */
async function walk(token: string, limit: number): Promise<any[]> {
  const rows: any[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const query = before ? `&before=${encodeURIComponent(before)}` : "";
    const { body } = await world.handset("GET", `/inbox?limit=${limit}${query}`, token);
    rows.push(...body.data);
    before = body.meta.next_before;
  }
  return rows;
}

const marked = (rows: any[]) => rows.filter(({ before_joining }) => before_joining === true).length;
const titles = (rows: any[]) => rows.map(({ title }) => title);

// rules#before-joining
describe("alerts from before joining", () => {
  test("are the newest few, marked; what is sent from then on is not", async () => {
    const pusher = await channel(25);
    const { token } = await device(pusher);
    const newest = Array.from({ length: MOST }, (_, i) => `Old ${i + 1}`);
    for (const view of ["full", "lean"]) {
      const rows = await inbox(token, `?view=${view}`);
      expect(titles(rows)).toEqual(newest);
      expect(marked(rows)).toBe(MOST);
    }
    await world.alert(pusher.id, { title: "New", send: true });
    const rows = await inbox(token);
    expect(titles(rows)).toEqual(["New", ...newest]);
    expect(rows[0]).not.toHaveProperty("before_joining");
    expect(marked(rows)).toBe(MOST);
  });

  test("end where there are others, for any size of a page", async () => {
    const pusher = await channel(60);
    const { token } = await device(pusher);
    for (const limit of [1, 7, MOST - 1, MOST, MOST + 1, 100]) {
      const rows = await walk(token, limit);
      expect(titles(rows)).toEqual(Array.from({ length: MOST }, (_, i) => `Old ${i + 1}`));
      expect(marked(rows)).toBe(MOST);
    }
  });

  test("are counted for each channel, and alerts of other channels between them are all there", async () => {
    const [one, two] = [await channel(40), await channel(40)];
    const { token } = await device(one);
    // The second channel is followed for a day.
    await joinChannel(world, token, two.handle);
    await world.sql("update subscription set subscribed_at = now() - interval '1 day' where pusher_id = ?::uuid", [
      parseUuid(two.id),
    ]);
    const rows = await walk(token, 9);
    expect(rows.filter(({ handle }) => handle === one.handle)).toHaveLength(MOST);
    expect(rows.filter(({ handle }) => handle === two.handle)).toHaveLength(40);
    expect(marked(rows)).toBe(MOST);
  });

  test("count from the new subscription when a device joins again, and its validator is another one", async () => {
    const pusher = await world.pusher();
    const { token } = await device(pusher);
    await world.alert(pusher.id, { title: "Between", send: true });
    const first = await world.handset("GET", "/inbox", token);
    expect(marked(first.body.data)).toBe(0);
    await world.handset("DELETE", `/subscriptions/${pusher.handle}`, token);
    await joinChannel(world, token, pusher.handle);
    const etag = first.headers.get("etag")!;
    const headers = { "if-none-match": etag };
    const again = await world.request("GET", "/handset/v1/inbox", { token, headers });
    expect([again.status, marked(again.body.data)]).toEqual([200, 1]);
    expect(again.headers.get("etag")).not.toBe(etag);
  });

  // rules#inbox-shared
  test("are of each device, also where pages are read and kept for several at once", async () => {
    const pusher = await channel(10);
    const early = await device(pusher);
    await world.sql("update subscription set subscribed_at = now() - interval '1 day' where pusher_id = ?::uuid", [
      parseUuid(pusher.id),
    ]);
    const devices = [early, await device(pusher), await device(pusher)];
    await world.alert(pusher.id, { title: "Between", send: true });
    devices.push(await device(pusher), await device(pusher));
    const expected = [0, 10, 10, 11, 11];
    for (let round = 0; round < 3; round++) {
      const together = await Promise.all(devices.map(({ token }) => inbox(token)));
      expect(together.map(marked)).toEqual(expected);
      const alone: any[][] = [];
      for (const { token } of devices) alone.push(await inbox(token));
      expect(alone.map(marked)).toEqual(expected);
      expect(together).toEqual(alone);
    }
    // And where they are woken together.
    const held = devices.map(async ({ token }) => {
      const etag = (await world.handset("GET", "/inbox", token)).headers.get("etag")!;
      return startLongPoll(world, token, etag).answer;
    });
    await waitFor(async () => expect(await countHeldPolls(world)).toBe(devices.length));
    await world.alert(pusher.id, { title: "Last", send: true });
    const woken = await Promise.all(held);
    expect(woken.map(({ body }) => marked(body.data))).toEqual(expected);
  });

  test("beyond these few are not read, reported or fetched; of the others the whole card is", async () => {
    const pusher = await channel(MOST + 3);
    const { token } = await device(pusher);
    const ids = await world.sql("select id from alert where pusher_id = ?::uuid order by visible_at desc, id desc", [
      parseUuid(pusher.id),
    ]);
    const all = await world.rest("list_alerts", { pusher_id: pusher.id, limit: 100 });
    const shownId = (title: string) => all.body.data.find((row: any) => row.title === title).id;
    expect(ids).toHaveLength(MOST + 3);
    const last = shownId(`Old ${MOST}`);
    const beyond = shownId(`Old ${MOST + 1}`);
    const card = await world.handset("GET", `/alerts/${last}`, token);
    expect(card.body).toMatchObject({ id: last, title: `Old ${MOST}`, before_joining: true });
    expect((await world.handset("GET", `/alerts/${beyond}`, token)).status).toBe(404);
    const reports = [last, beyond].map((alert_id) => ({ alert_id, kind: "read" }));
    expect((await world.handset("POST", "/reports", token, { reports })).body).toEqual({ accepted: 1 });
  });

  // rules#ntfy-listens
  test("are the same ones for ntfy's programs with the token of the device", async () => {
    const pusher = await channel(25, { is_public: false });
    const invite = await world.rest("create_invite", { pusher_id: pusher.id });
    const { token } = await registerHandset(world);
    await joinChannel(world, token, pusher.handle, invite.body.code);
    const response = await fetch(`http://${HOST}:${port}/ntfy/${pusher.handle}/json?poll=1&since=all`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const messages = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(messages).toHaveLength(MOST);
    expect(marked(messages)).toBe(MOST);
    expect(messages.at(-1).message).toBe("Old 1");
  });
});

// rules#inbox-validator
test("pausing and resuming a channel does not notify its subscribers; suspending it does", async () => {
  const pusher = await world.pusher();
  await world.alert(pusher.id, { title: "There", send: true });
  const { token } = await device(pusher);
  const first = await world.handset("GET", "/inbox", token);
  const etag = first.headers.get("etag")!;
  const stream = Object.assign(connect(port, HOST), { text: "" });
  stream.on("data", (chunk) => {
    stream.text += chunk;
  });
  stream.write(
    `GET /handset/v1/inbox/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nLast-Event-ID: ` +
      `${etag}\r\n\r\n`,
  );
  await waitFor(() => expect(stream.text).toContain("text/event-stream"));
  const poll = startLongPoll(world, token, etag);
  // The stream counts too.
  await poll.held(2);
  const unchanged = () => world.request("GET", "/handset/v1/inbox", { token, headers: { "if-none-match": etag } });
  for (const status of ["paused", "active", "paused"]) {
    await world.rest("update_pusher", { pusher_id: pusher.id, status });
    expect((await unchanged()).status).toBe(304);
  }
  expect(poll.isAnswered()).toBe(false);
  expect(stream.text).not.toContain("event:");
  await suspend(world, pusher.handle);
  expect((await poll.answer).body.data).toEqual([]);
  await waitFor(() => expect(stream.text).toContain("event:"));
  stream.destroy();
  await once(stream, "close");
  // The end of a suspension shows the alerts again, for any earlier state of the channel.
  await suspend(world, pusher.handle, false);
  expect((await unchanged()).status).toBe(200);
});
