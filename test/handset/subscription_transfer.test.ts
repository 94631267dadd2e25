// Subscriptions that outlive a browser's profile: written down and joined again, or moved to another device by a code.

import { describe, expect, test } from "vitest";
import { callConcurrently, countStatuses } from "../support/concurrent_calls.ts";
import { expectRecountClean } from "../support/counter_checks.ts";
import {
  DEVICE_FACTS,
  joinChannel,
  joinNewHandset,
  pseudonym,
  registerHandset,
  suspend,
  waitForSubscriberCount,
} from "../support/handsets.ts";
import { startLongPoll } from "../support/long_polls.ts";
import { openWorld } from "../support/open_world.ts";
import { createHandle } from "../support/world.ts";

const world = await openWorld();

const post = (path: string, token: string, body: object = {}) =>
  world.handset("POST", `/devices/me/${path}`, token, body);
const exported = async (token: string, query = "") =>
  (await world.handset("GET", `/devices/me/export${query}`, token)).body;
const channelsOf = async (token: string) =>
  (await world.handset("GET", "/subscriptions", token)).body.data.map(({ handle, subscription }: any) => ({
    handle,
    ...subscription,
  }));
const codeOf = async (token: string): Promise<string> => (await post("transfer", token)).body.code;

/** A private channel with an invite for this number of devices. */
async function privateChannel(max_uses: number | null = null) {
  const channel = await world.pusher({ is_public: false });
  const { body: invite } = await world.rest("create_invite", { pusher_id: channel.id, max_uses });
  return { ...channel, invite };
}

describe("export and import", () => {
  // rules#export rules#import
  test("take the public channels to another device, with mute and permissions, and name the others", async () => {
    const open = await Promise.all([world.pusher(), world.pusher()]);
    const hidden = await privateChannel();
    const closed = await world.pusher();
    const { token } = await registerHandset(world);
    for (const { handle } of [...open, closed]) await joinChannel(world, token, handle);
    await joinChannel(world, token, hidden.handle, hidden.invite.code);
    const granted = { muted: true, permissions: ["notify", "sound"] };
    await world.handset("PUT", `/subscriptions/${open[0]!.handle}`, token, granted);
    const file = await exported(token);
    expect(file).toEqual({
      version: 1,
      data: [
        { handle: hidden.handle, muted: false, permissions: [] },
        { handle: closed.handle, muted: false, permissions: [] },
        { handle: open[1]!.handle, muted: false, permissions: [] },
        { handle: open[0]!.handle, ...granted },
      ],
      meta: { next_before: null },
    });
    expect(JSON.stringify(file)).not.toContain(hidden.invite.code);

    await suspend(world, closed.handle);
    const other = await registerHandset(world);
    await world.handset("PUT", `/subscriptions/${open[1]!.handle}`, other.token, { muted: true });
    await waitForSubscriberCount(world, open[1]!.id, 2);
    world.events.length = 0;
    const missing = { handle: createHandle() };
    const { status, body } = await post("import", other.token, { ...file, data: [...file.data, missing] });
    expect([status, body]).toEqual([
      200,
      { joined: 1, present: 1, skipped: [hidden.handle, closed.handle, missing.handle] },
    ]);
    expect(await channelsOf(other.token)).toMatchObject([
      { handle: open[0]!.handle, ...granted },
      { handle: open[1]!.handle, muted: true },
    ]);
    await waitForSubscriberCount(world, open[0]!.id, 2);
    expect(world.events).toHaveLength(1);
    expect((await post("import", other.token, file)).body).toMatchObject({ joined: 0, present: 2 });
    expect(world.events).toHaveLength(1);
    await expectRecountClean(world.service.orm);
  });

  // rules#export
  test("each page of an export is a body of the import", async () => {
    const channels = await Promise.all(Array.from({ length: 5 }, () => world.pusher()));
    const { token } = await registerHandset(world);
    for (const { handle } of channels) await joinChannel(world, token, handle);
    const other = await registerHandset(world);
    const sizes = [];
    for (let before = ""; before !== null; ) {
      const page = await exported(token, `?limit=2${before && `&before=${before}`}`);
      sizes.push((await post("import", other.token, page)).body.joined);
      before = page.meta.next_before;
    }
    expect(sizes).toEqual([2, 2, 1]);
    const handles = async (of: string) => (await channelsOf(of)).map(({ handle }: any) => handle).sort();
    expect(await handles(other.token)).toEqual(await handles(token));
  });

  test("an import is bounded, and what is wrong with it is named", async () => {
    const { token } = await registerHandset(world);
    const one = { handle: "nobody-has-this" };
    for (const [body, param] of [
      [{ version: 2, data: [] }, "version"],
      [{ version: 1 }, "data"],
      [{ version: 1, data: [{ ...one, permissions: ["everything"] }] }, "data.0.permissions.0"],
      [{ version: 1, data: [{ ...one, invite: "x" }] }, "data.0.invite"],
      [{ version: 1, data: Array(151).fill(one) }, "data"],
    ] as const) {
      const answer = await post("import", token, body);
      expect([answer.status, answer.body.error.param]).toEqual([422, param]);
    }
    const most = Array.from({ length: 150 }, (_, i) => ({
      handle: `nobody-has-this-${i}`,
      muted: false,
      permissions: ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"],
    }));
    const { status, body } = await post("import", token, { version: 1, data: most, meta: { next_before: null } });
    expect([status, body.joined, body.skipped.length]).toEqual([200, 0, 150]);
    expect((await post("import", token, { version: 1, data: [] })).body).toEqual({
      joined: 0,
      present: 0,
      skipped: [],
    });
  });
});

describe("a move by a code", () => {
  // rules#move
  test("takes everything along, private channels too, and leaves the other device without any", async () => {
    const open = await world.pusher();
    const both = await world.pusher();
    const hidden = await privateChannel(1);
    const from = await joinNewHandset(world, open.handle, undefined, { locale: "pt" });
    await joinChannel(world, from.token, both.handle);
    await joinChannel(world, from.token, hidden.handle, hidden.invite.code);
    const granted = { muted: true, permissions: ["notify", "quiet"] };
    await world.handset("PUT", `/subscriptions/${hidden.handle}`, from.token, granted);
    const alert = await world.alert(hidden.id, { title: "Only for the crew", send: true });
    await world.handset("POST", "/reports", from.token, { reports: [{ alert_id: alert.id, kind: "ack" }] });
    const before = await channelsOf(from.token);
    const etag = (await world.handset("GET", "/inbox", from.token)).headers.get("etag")!;
    const poll = startLongPoll(world, from.token, etag);
    await poll.held();
    const to = await joinNewHandset(world, both.handle);
    await waitForSubscriberCount(world, both.id, 2);
    world.events.length = 0;

    const made = await post("transfer", from.token);
    expect(made.status).toBe(201);
    expect(made.body.url).toMatch(new RegExp(`/app/#move=${made.body.code}$`));
    const minutes = (Date.parse(made.body.expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(13);
    expect(minutes).toBeLessThanOrEqual(15.1);
    const { status, body } = await post("takeover", to.token, { code: made.body.code });
    expect([status, body]).toEqual([200, { moved: 2 }]);

    expect(await channelsOf(from.token)).toEqual([]);
    const told = await poll.answer;
    expect([told.status, told.body.data]).toEqual([200, []]);
    const after = await channelsOf(to.token);
    expect(after.find((one: any) => one.handle === hidden.handle)).toEqual(before[0]);
    expect(after.map(({ handle }: any) => handle).sort()).toEqual([open.handle, both.handle, hidden.handle].sort());
    const inbox = await world.handset("GET", "/inbox", to.token);
    expect(inbox.body.data.map(({ title }: any) => title)).toEqual(["Only for the crew"]);
    // One subscriber stays one subscriber: of a channel that both had joined, one subscription is deleted.
    await waitForSubscriberCount(world, both.id, 1);
    expect(world.events).toHaveLength(1);
    const list = (await world.rest("list_subscribers", { pusher_id: hidden.id })).body;
    expect(list.data).toMatchObject([{ device: pseudonym(to.id), ...{ locale: DEVICE_FACTS.locale }, muted: true }]);
    expect(list.breakdown).toMatchObject({ total: 1, muted: 1, locale: { en: 1 } });
    const stats = (await world.rest("get_alert_stats", { pusher_id: hidden.id, alert_id: alert.id })).body;
    expect(stats).toMatchObject({ reach: 1, totals: { acks: 1 } });
    await expectRecountClean(world.service.orm);

    // The invite's place moved too: its owner can still revoke it, and no other device got one.
    expect((await joinedBy(hidden)).status).toBe(404);
    await world.rest("revoke_invite", { pusher_id: hidden.id, invite_id: hidden.invite.id, remove_subscribers: true });
    expect((await channelsOf(to.token)).map(({ handle }: any) => handle)).not.toContain(hidden.handle);
    await expectRecountClean(world.service.orm);
  });

  const joinedBy = async ({ handle, invite }: any) =>
    joinChannel(world, (await registerHandset(world)).token, handle, invite.code);

  // rules#move-codes
  test("every code that does not work is the same 404, and moves nothing", async () => {
    const channel = await world.pusher();
    const from = await joinNewHandset(world, channel.handle);
    const to = await registerHandset(world);
    const used = await codeOf(from.token);
    await post("takeover", to.token, { code: used });
    const replaced = await codeOf(to.token);
    const old = await joinNewHandset(world, channel.handle);
    const expired = await codeOf(old.token);
    await world.sql("update device_transfer set expires_at = now() - interval '1 second' where device_id = ?::bigint", [
      old.id,
    ]);
    const gone = await joinNewHandset(world, channel.handle);
    const removed = await codeOf(gone.token);
    await world.handset("DELETE", "/devices/me", gone.token);
    const live = await codeOf(to.token);
    const stranger = await registerHandset(world);
    const answers = await Promise.all([
      ...[used, replaced, expired, removed, "no code", `${live.slice(0, -1)}~`].map((code) =>
        post("takeover", stranger.token, { code }),
      ),
      post("takeover", to.token, { code: live }),
    ]);
    const bytes = new Set(answers.map(({ status, body }) => JSON.stringify([status, body])));
    expect([...bytes]).toHaveLength(1);
    expect(answers[0]!.status).toBe(404);
    expect(answers[0]!.body.error.message).toMatch(/15 minutes/);
    expect(await channelsOf(to.token)).toHaveLength(1);
    // Its own device requested it without success above; it is still valid.
    expect((await post("takeover", stranger.token, { code: live })).body).toEqual({ moved: 1 });
    const kept = await world.sql("select encode(code_hash, 'escape') as code from device_transfer");
    expect(kept.filter(({ code }: any) => code.includes("bft_"))).toEqual([]);
  });

  // rules#move-codes
  test("of many who use one code at once, one gets everything", async () => {
    const channels = await Promise.all([world.pusher(), world.pusher(), privateChannel()]);
    const from = await registerHandset(world);
    for (const one of channels) await joinChannel(world, from.token, one.handle, one.invite?.code);
    const code = await codeOf(from.token);
    const takers = await Promise.all(Array.from({ length: 12 }, () => registerHandset(world)));
    const answers = await callConcurrently(12, (i) => post("takeover", takers[i]!.token, { code }));
    expect(countStatuses(answers)).toEqual({ 200: 1, 404: 11 });
    const counts = await Promise.all(takers.map(async ({ token }) => (await channelsOf(token)).length));
    expect(counts.sort()).toEqual([...Array(11).fill(0), 3]);
    await expectRecountClean(world.service.orm);
  });

  // rules#move-codes
  test("an address tries twenty in a minute, right or wrong", async () => {
    const channel = await world.pusher();
    const code = await codeOf((await joinNewHandset(world, channel.handle)).token);
    const { token } = await registerHandset(world);
    const ask = (address: string, body: object) =>
      world.service.app.fetch(
        new Request("http://localhost/handset/v1/devices/me/takeover", {
          method: "POST",
          headers: { host: "localhost", authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
        address,
      );
    const tried = [];
    for (let i = 0; i < 21; i++) tried.push((await ask("203.0.113.9", { code: "bft_wrong" })).status);
    expect(tried).toEqual([...Array(20).fill(404), 429]);
    const refused = await ask("203.0.113.9", { code });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await ask("203.0.113.10", { code })).status).toBe(200);
  });
});

// rules#channels-of-a-device
test("a device joins at most a thousand channels, by any method", async () => {
  const { id, token } = await registerHandset(world);
  const channel = await world.pusher();
  const more = await world.pusher();
  await world.sql(
    `with made as (
       insert into pusher (id, workspace_id, handle, name, category, description, requested_perms, alert_types, tags,
         search_text, gradient_from, gradient_to, initials)
       select gen_random_uuid(), p.workspace_id, 'many-' || n, 'Many', 'ai', '-', '{}', '{}', '{}', '-', '#000000',
         '#000000', 'M'
       from pusher p, generate_series(1, 999) n where p.handle = ? returning id)
     insert into subscription (device_id, pusher_id, permissions) select ?::bigint, id, '{}' from made`,
    [channel.handle, id],
  );
  expect((await joinChannel(world, token, channel.handle)).status).toBe(200);
  const refused = await joinChannel(world, token, more.handle);
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringMatching(/1000 channels/)]);
  const page = { version: 1, data: [{ handle: more.handle }, { handle: channel.handle }] };
  expect((await post("import", token, page)).status).toBe(409);
  const other = await joinNewHandset(world, more.handle);
  expect((await post("takeover", token, { code: await codeOf(other.token) })).status).toBe(409);
  expect(await channelsOf(other.token)).toHaveLength(1);
  // Joined channels can be adjusted, and everything can be left.
  expect((await world.handset("PUT", `/subscriptions/${channel.handle}`, token, { muted: true })).status).toBe(200);
  expect((await post("takeover", other.token, { code: await codeOf(token) })).status).toBe(409);
  const last = await registerHandset(world);
  expect((await post("takeover", last.token, { code: await codeOf(token) })).body).toEqual({ moved: 1000 });
  expect((await world.handset("DELETE", "/devices/me", last.token)).status).toBe(204);
  await expectRecountClean(world.service.orm);
});
