// An alert's version over REST: the ETag of what answers an alert, If-Match on what changes it, and several writers
// at once.

import { describe, expect, test } from "vitest";
import { alertArguments, createAlertInState, readAlert } from "../cases/fixtures.ts";
import { parseUuid } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

const world = await openWorld();

const pathOf = (alert: { id: string; pusher_id: string }) => `/api/v1/pushers/${alert.pusher_id}/alerts/${alert.id}`;

const send = (alert: { id: string; pusher_id: string }, tag: string, body: object | null) =>
  world.request(body ? "PATCH" : "DELETE", pathOf(alert), {
    token: world.owner,
    headers: { "if-match": tag },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

// rules#expected-version
test("a caller with the present version of an alert does not get it again, unless it came due since", async () => {
  const draft = await createAlertInState(world, "draft");
  const read = (tag: string, alert = draft) =>
    world.request("GET", pathOf(alert), { token: world.owner, headers: { "if-none-match": tag } });
  const tag = `"${draft.updated_at}"`;
  const same = await read(`"other", W/${tag}`);
  expect([same.status, same.body, same.headers.get("etag")]).toEqual([304, null, tag]);
  const { body: sent } = await world.rest("send_alert", alertArguments(draft));
  expect((await read(tag)).body.status).toBe("sent");
  expect((await read(`"${sent.updated_at}"`)).status).toBe(304);
  const foreign = await world.foreignKey();
  const hidden = await world.request("GET", pathOf(draft), {
    token: foreign,
    headers: { "if-none-match": `"${sent.updated_at}"` },
  });
  expect(hidden.status).toBe(404);

  const { body: planned } = await world.rest("create_alert", {
    pusher_id: draft.pusher_id,
    title: "Soon",
    send: true,
    send_at: timeInSeconds(3600),
  });
  const planned_tag = `"${planned.updated_at}"`;
  expect((await read(planned_tag, planned)).status).toBe(304);
  await world.sql("update alert set send_at = now() - interval '1 second' where id = ?", [parseUuid(planned.id)]);
  const due = await read(planned_tag, planned);
  expect([due.status, due.body.status, due.headers.get("etag")]).toEqual([200, "sent", planned_tag]);
});

// rules#expected-version
test("an edit of a channel requires the named version, and a resource without versions refuses one", async () => {
  const pusher = await world.pusher();
  const path = `/api/v1/pushers/${pusher.id}`;
  const edit = (tag: string, name: string) =>
    world.request("PATCH", path, { token: world.owner, headers: { "if-match": tag }, body: JSON.stringify({ name }) });
  const tag = (await world.rest("get_pusher", { pusher_id: pusher.id })).headers.get("etag")!;
  expect(tag).toBe(`"${pusher.updated_at}"`);
  const changed = await edit(tag, "First");
  expect([changed.status, changed.headers.get("etag")]).toEqual([200, `"${changed.body.updated_at}"`]);
  const late = await edit(tag, "Second");
  expect([late.status, late.body.error.type]).toEqual([409, "conflict"]);
  expect((await edit("*", "Third")).body.name).toBe("Third");
  const argument = { pusher_id: pusher.id, name: "Fourth", expected_updated_at: pusher.updated_at };
  for (const over of ["rest", "mcp"] as const) expect((await world[over]("update_pusher", argument)).status).toBe(409);
  const removed = await world.request("DELETE", path, { token: world.owner, headers: { "if-match": tag } });
  expect([removed.status, removed.body.error.type]).toEqual([422, "invalid_request"]);
  expect((await world.rest("get_pusher", { pusher_id: pusher.id })).body.name).toBe("Third");
});

// rules#expected-version
test("every answer that shows one alert has its version as ETag", async () => {
  const draft = await createAlertInState(world, "draft");
  const args = alertArguments(draft);
  for (const [tool, more] of [
    ["get_alert", {}],
    ["duplicate_alert", {}],
    ["update_alert", { title: "Another" }],
    ["update_alert", { title: "A third", view: "brief" }],
    ["schedule_alert", { send_at: timeInSeconds(3600) }],
    ["send_alert", {}],
    ["cancel_alert", {}],
  ] as const) {
    const { headers, body } = await world.rest(tool, { ...args, ...more });
    expect([tool, headers.get("etag")]).toEqual([tool, `"${body.updated_at}"`]);
  }
  const made = await world.rest("create_alert", { pusher_id: draft.pusher_id, title: "x" });
  expect(made.headers.get("etag")).toBe(`"${made.body.updated_at}"`);
  const list = await world.rest("list_alerts", { pusher_id: draft.pusher_id });
  expect(list.headers.get("etag")).toBeNull();
});

// rules#expected-version
describe("If-Match", () => {
  const VERBS: [name: string, state: "draft" | "scheduled", body: object | null][] = [
    ["an edit", "draft", { title: "New" }],
    ["send", "draft", { action: "send" }],
    ["schedule", "draft", { action: "schedule" }],
    ["cancel", "scheduled", { action: "cancel" }],
    ["a deletion", "draft", null],
  ];
  test.each(VERBS)("%s", async (_, state, body) => {
    const alert = await createAlertInState(world, state);
    const old = `"${alert.updated_at}"`;
    const { headers } = await world.rest("update_alert", alertArguments(alert, { body: "somebody else" }));
    const before = await readAlert(world, alert);
    for (const tag of [old, '"nothing"', "nothing", "", '"', `${old.slice(0, -2)}"`]) {
      const refused = await send(alert, tag, body);
      expect([tag, refused.status, refused.body.error.type]).toEqual([tag, 409, "conflict"]);
    }
    expect(await readAlert(world, alert)).toEqual(before);
    const now = headers.get("etag")!;
    expect((await send(alert, `${old}, W/${now}`, body)).status).toBe(body ? 200 : 204);
  });

  test("a star is any version, and both spellings must match", async () => {
    const alert = await createAlertInState(world, "draft");
    expect((await send(alert, "*", { title: "1" })).status).toBe(200);
    const { body, headers } = await world.rest("get_alert", alertArguments(alert));
    const tag = headers.get("etag")!;
    const stale = { title: "2", expected_updated_at: alert.updated_at };
    expect((await send(alert, tag, stale)).status).toBe(409);
    const fresh = { title: "2", expected_updated_at: body.updated_at };
    expect((await send(alert, `"${alert.updated_at}"`, fresh)).status).toBe(409);
    expect((await send(alert, tag, fresh)).status).toBe(200);
  });

  test("a missing alert is 404 all the same", async () => {
    const alert = await createAlertInState(world, "draft");
    await world.rest("delete_alert", alertArguments(alert));
    expect((await send(alert, `"${alert.updated_at}"`, { title: "x" })).status).toBe(404);
  });
});

// rules#expected-version
test("of many that edit the same version at once exactly one does", async () => {
  const alert = await createAlertInState(world, "draft");
  const titles = Array.from({ length: 12 }, (_, i) => `Writer ${i}`);
  const answers = await Promise.all(
    titles.map((title) =>
      world.rest("update_alert", alertArguments(alert, { title, expected_updated_at: alert.updated_at })),
    ),
  );
  const won = titles.filter((_, i) => answers[i]!.status === 200);
  expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(11);
  expect([(await readAlert(world, alert)).title]).toEqual(won);
});

// rules#expected-version
test("the version grows though the clock steps back", async () => {
  const alert = await createAlertInState(world, "draft");
  await world.sql("update alert set updated_at = '2999-01-01T00:00:00.000001Z'");
  const { body } = await world.rest("update_alert", alertArguments(alert, { title: "Later" }));
  expect(body.updated_at).toBe("2999-01-01T00:00:00.000002Z");
});
