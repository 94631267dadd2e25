// The lean view of the inbox: the full one without fields that have default values, and nothing else.

import { expect, test } from "vitest";
import { ALERT_FIELD_DEFAULTS } from "../../src/pages/web_app/browser/generated_fields.ts";
import { startLongPoll } from "../support/long_polls.ts";
import { openWorld } from "../support/open_world.ts";

const world = await openWorld();

const BLANKS = { ...ALERT_FIELD_DEFAULTS, status: "sent", image_asset_url: null, audio_asset_url: null };

const read = async (token: string, query: string, headers = {}) => {
  const { status, body, headers: got } = await world.handset("GET", `/inbox${query}`, token, undefined, headers);
  return { status, body, etag: got.get("etag")! };
};

// rules#inbox-lean
test("it leaves out fields with their default value, on a first page and on a later one", async () => {
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  await world.alert(pusher.id, { send: true, title: "Plain" });
  await world.alert(pusher.id, {
    send: true,
    title: "Set",
    body: "",
    priority: "urgent",
    requires_ack: true,
    lat: 0,
    lon: 0,
    radius_km: 1,
    actions: [{ type: "open_url", label: "Open", url: "https://example.org" }],
  });
  const { body: full } = await read(token, "");
  const { body: lean } = await read(token, "?view=lean");
  expect(lean.data.map((row: object) => ({ ...BLANKS, ...row }))).toEqual(full.data);
  const [set, plain] = lean.data;
  expect(Object.keys(plain)).toEqual(["id", "handle", "sent_at", "title"]);
  expect(set).toMatchObject({ priority: "urgent", requires_ack: true, lat: 0, lon: 0 });
  for (const [name, blank] of Object.entries(BLANKS)) expect(set[name]).not.toEqual(blank);
  const before = encodeURIComponent((await read(token, "?limit=1")).body.meta.next_before);
  const later = await read(token, `?limit=1&view=lean&before=${before}`);
  expect(later.body.data).toEqual([plain]);
  expect((await read(token, "?view=full")).body).toEqual(full);
  expect((await read(token, "?view=brief")).status).toBe(422);
});

test("each view has its own validator, for each form of the request, and a long poll keeps its view", async () => {
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  await world.alert(pusher.id, { send: true });
  const { etag } = await read(token, "?view=lean");
  expect((await read(token, "?limit=50&view=lean")).etag).toBe(etag);
  expect((await read(token, "?view=lean&limit=50")).etag).toBe(etag);
  expect((await read(token, "")).etag).not.toBe(etag);
  expect((await read(token, "", { "if-none-match": etag })).status).toBe(200);
  for (const query of ["?view=lean", "?view=lean&limit=50"]) {
    const known = (await read(token, query)).etag;
    const held = startLongPoll(world, token, known, { query });
    await held.held();
    await world.alert(pusher.id, { send: true, title: "News" });
    const { status, body } = await held.answer;
    expect([status, body.data[0].title, body.data[0].body]).toEqual([200, "News", undefined]);
  }
});

test("fifty alerts of a title and a sentence take at most 22 kB", async () => {
  const pusher = await world.pusher();
  const token = await world.device(pusher.handle);
  for (let i = 0; i < 50; i++)
    await world.alert(pusher.id, {
      send: true,
      title: `Ferry ${i} does not run`,
      body:
        "The river is too high for the ferry this morning; buses leave from the square every ten minutes until " +
        "it runs again.",
    });
  const bytes = async (query: string) => JSON.stringify((await read(token, query)).body).length;
  const [full, lean] = [await bytes(""), await bytes("?view=lean")];
  console.log(`fifty alerts: ${full} bytes, lean ${lean}`);
  expect(lean).toBeLessThanOrEqual(22_000);
  expect(lean).toBeLessThan(full * 0.6);
});
