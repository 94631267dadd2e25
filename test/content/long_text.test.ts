// Long texts of alerts: complete for their owner and where a device requests one alert, cut on cards, in lists, feeds
// and messages.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { findFreePort, type ListeningServer, listenHttp } from "../../src/program/boot/http_server.ts";
import { joinChannel, registerHandset, suspend } from "../support/handsets.ts";
import { World } from "../support/world.ts";

const HOST = "127.0.0.1";
const PRINT = LIMITS.card_body;
const emoji = (count: number) => "\u{1f30a}".repeat(count);
const LONGEST = `${emoji(LIMITS.alert_body - 4)}end.`;

let world: World;
let server: ListeningServer;
let port: number;
let pusher: any;
let token: string;
beforeAll(async () => {
  world = await World.open();
  port = await findFreePort(HOST);
  server = await listenHttp(world.service.app, { host: HOST, port });
  pusher = await world.pusher();
  token = (await registerHandset(world)).token;
  await joinChannel(world, token, pusher.handle);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const send = (body: string, more: Record<string, unknown> = {}) =>
  world.alert(pusher.id, { title: "Long", body, send: true, ...more });
const CUT = { body: emoji(PRINT), body_length: LIMITS.alert_body };
const at = (alert: any) => ({ pusher_id: pusher.id, alert_id: alert.id });
const card = (id: string, of = token) => world.handset("GET", `/alerts/${id}`, of);
const cardIn = async (id: string, query = "") =>
  (await world.handset("GET", `/inbox${query}`, token)).body.data.find((row: any) => row.id === id);

// rules#card-text
describe("the alert text", () => {
  test("is whole for its owner, and cut at a whole character in lists, with its length", async () => {
    const alert = await send(LONGEST);
    expect(alert.body).toBe(LONGEST);
    expect(alert).not.toHaveProperty("body_length");
    expect((await world.rest("get_alert", at(alert))).body.body).toBe(LONGEST);
    for (const [tool, args] of [
      ["list_alerts", { pusher_id: pusher.id }],
      ["list_account_alerts", {}],
      ["list_account_alerts", { query: "long" }],
    ] as const) {
      const { body } = await world.rest(tool, args);
      expect(body.data.find(({ id }: any) => id === alert.id)).toMatchObject(CUT);
      const brief = await world.mcp(tool, args);
      const shown = brief.body.data.find(({ id }: any) => id === alert.id);
      expect(shown).toMatchObject({ body_length: LIMITS.alert_body });
      expect([...shown.body]).toHaveLength(LIMITS.brief_text);
    }
  });

  test.each([
    [PRINT, undefined],
    [PRINT + 1, PRINT + 1],
  ])("of %i characters has a length on its card only where it is cut", async (count, body_length) => {
    const { id } = await send(emoji(count));
    for (const query of ["", "?view=lean"]) {
      const shown = await cardIn(id, query);
      expect(shown.body).toBe(emoji(PRINT));
      expect(shown.body_length).toBe(body_length);
    }
    const [listed] = (await world.rest("list_alerts", { pusher_id: pusher.id })).body.data;
    expect(listed.body_length).toBe(body_length);
  });

  test("is whole over MCP where the answer has room for it", async () => {
    const alert = await send("x".repeat(LIMITS.alert_body));
    const whole = await world.mcp("get_alert", at(alert));
    expect(whole.body.body).toBe(alert.body);
    const wide = await world.mcp("get_alert", at(await send(LONGEST)));
    expect(wide.body).toMatchObject({ body_length: LIMITS.alert_body });
  });

  test("is cut in the stream, in feeds and for ntfy's programs", async () => {
    const body = "y".repeat(LIMITS.alert_body);
    const cut = { body: "y".repeat(PRINT), body_length: LIMITS.alert_body };
    const etag = (await world.handset("GET", "/inbox", token)).headers.get("etag")!;
    const stop = new AbortController();
    const stream = await fetch(`http://${HOST}:${port}/handset/v1/inbox/stream`, {
      headers: { authorization: `Bearer ${token}`, "last-event-id": etag },
      signal: stop.signal,
    });
    let { id } = await send(body);
    let text = "";
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/\nfrom: .*\nid: /.test(text)) break;
      if (!text.includes("event: look")) continue;
      // It was sent before the stream followed the channel, so the stream only reports a change.
      text = "";
      ({ id } = await send(body));
    }
    stop.abort();
    expect(JSON.parse(/^data: (.*)$/m.exec(text)![1]!)).toMatchObject({ id, ...cut });
    const get = async (path: string) => (await fetch(`http://${HOST}:${port}${path}`)).text();
    const messages = (await get(`/ntfy/${pusher.handle}/json?poll=1&since=all`)).trim().split("\n");
    expect(JSON.parse(messages.at(-1)!)).toMatchObject({ message: cut.body, body_length: LIMITS.alert_body });
    const feed = JSON.parse(await get(`/c/${pusher.handle}/feed.json`));
    expect(feed.items[0].content_text).toBe(cut.body);
  });

  test("a page of the longest ends at its bytes", async () => {
    const other = await world.pusher();
    await joinChannel(world, token, other.handle);
    await world.sql(
      `insert into alert (id, pusher_id, status, title, body, sent_at)
       select gen_random_uuid(), p.id, 'sent', 'n', repeat('"', ?::int), now() + n * interval '1 microsecond'
       from pusher p, generate_series(1, 150) n where p.handle = ?`,
      [LIMITS.alert_body, other.handle],
    );
    const seen = new Set<string>();
    for (let before = ""; ; ) {
      const { body } = await world.handset("GET", `/inbox?limit=100${before}`, token);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(LIMITS.inbox);
      for (const { id, handle } of body.data) if (handle === other.handle) seen.add(id);
      if (body.meta.next_before === null) break;
      before = `&before=${encodeURIComponent(body.meta.next_before)}`;
    }
    expect(seen.size).toBe(150);
    await world.handset("DELETE", `/subscriptions/${other.handle}`, token);
  });
});

// rules#card-text rules#foreign-is-missing
test("a device fetches the whole card of an alert in its inbox, and every other id is the same 404", async () => {
  const alert = await send(LONGEST, { html: "<p>Waves</p>" });
  const { status, body } = await card(alert.id);
  const { body: cut, body_length, ...rest } = await cardIn(alert.id);
  expect([status, [...cut].length, body_length]).toEqual([200, PRINT, LIMITS.alert_body]);
  expect(body).toEqual({ ...rest, body: LONGEST });

  const foreign = await world.pusher({ is_public: false });
  const elsewhere = await world.alert(foreign.id, { title: "Not yours", send: true });
  const draft = await world.alert(pusher.id, { title: "Draft" });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const planned = await world.alert(pusher.id, { title: "Planned", send: true, send_at: soon });
  const cancelled = await send("Gone");
  await world.rest("cancel_alert", at(cancelled));
  const missing = (await card("alr_01h2xcejqtf2nbrexx3vqjhp41")).body;
  const others = [elsewhere.id, draft.id, planned.id, cancelled.id, pusher.id, "x", alert.id.toUpperCase(), "%00"];
  for (const id of others) {
    const answer = await card(id);
    expect([answer.status, answer.body]).toEqual([404, missing]);
  }
  expect((await card(alert.id, "bfd_nothing")).status).toBe(401);
  const stranger = (await registerHandset(world)).token;
  expect((await card(alert.id, stranger)).body).toEqual(missing);
  await suspend(world, pusher.handle);
  expect((await card(alert.id)).body).toEqual(missing);
  await suspend(world, pusher.handle, false);
  await world.handset("DELETE", `/subscriptions/${pusher.handle}`, token);
  expect((await card(alert.id)).body).toEqual(missing);
});
