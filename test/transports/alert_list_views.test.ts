// Lists of alerts as assistants read them: short rows, titles, totals, and lists by the reports of devices.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseUuid } from "../support/handsets.ts";
import { estimateTokens } from "../support/token_estimate.ts";
import { timeInSeconds, World } from "../support/world.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

const list = async (args: Record<string, unknown>, tool = "list_alerts") => {
  const { status, body } = await world.mcp(tool, args);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

/** Sent alerts by SQL, one a minute, the first one the oldest. */
const insertSent = (pusherId: string, count: number, title = "No. ") =>
  world.sql(
    `insert into alert (id, pusher_id, title, body, status, requires_ack, sent_at, created_at)
     select gen_random_uuid(), ?, ? || n, 'The ferry is forty minutes late; wait on pier 3.', 'sent', n % 2 = 0, at, at
     from generate_series(1, ?) n,
       lateral (select timestamptz '2026-01-01 00:00:00Z' + n * interval '1 minute' as at) t`,
    [parseUuid(pusherId), title, count],
  );

describe("rows", () => {
  // rules#lean-rows
  test("of one channel and of all: without values of the query and defaults, in whole seconds", async () => {
    const pusher = await world.pusher();
    const draft = await world.alert(pusher.id, { title: "Draft", body: "Text" });
    const sent = await world.alert(pusher.id, { title: "Sent", priority: "urgent", send: true });
    const { data } = await list({ pusher_id: pusher.handle });
    expect(data).toEqual([
      { id: sent.id, status: "sent", title: "Sent", priority: "urgent", sent_at: expect.stringMatching(TIME) },
      { id: draft.id, status: "draft", title: "Draft", body: "Text", created_at: expect.stringMatching(TIME) },
    ]);
    expect((await list({ pusher_id: pusher.id, status: "draft" })).data[0]).not.toHaveProperty("status");
    const [row] = (await list({ limit: 1 }, "list_account_alerts")).data;
    expect(row).toMatchObject({ id: sent.id, handle: pusher.handle, status: "sent" });
    // REST also has the handle, and keeps its shape.
    const rest = await world.rest("list_alerts", { pusher_id: pusher.id });
    expect(rest.body.data[0]).toMatchObject({
      handle: pusher.handle,
      pusher_id: pusher.id,
      updated_at: sent.updated_at,
    });
  });

  test("a cut text has its length", async () => {
    const { id } = await world.pusher();
    await world.alert(id, { body: "x".repeat(300) });
    expect((await list({ pusher_id: id })).data[0]).toMatchObject({ body_length: 300 });
  });

  test("a page of 50 is at most 4,500 tokens", async () => {
    const { id } = await world.pusher();
    await insertSent(id, 60);
    const page = await list({ pusher_id: id, status: "sent" });
    expect(page.data).toHaveLength(50);
    expect(estimateTokens(JSON.stringify(page))).toBeLessThanOrEqual(4_500);
    expect(estimateTokens(JSON.stringify(await list({ limit: 50 }, "list_account_alerts")))).toBeLessThanOrEqual(4_500);
  });

  test("titles: at most 60 bytes more than the values, over both transports, page by page", async () => {
    const pusher = await world.pusher();
    await insertSent(pusher.id, 120, "🌊".repeat(110));
    const args = { pusher_id: pusher.id, view: "titles", limit: 100 };
    const ids: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await list({ ...args, ...(before ? { before } : {}) });
      for (const row of page.data) {
        expect(Object.keys(row)).toEqual(["id", "handle", "title", "status", "time"]);
        expect(row).toMatchObject({ handle: pusher.handle, status: "sent", time: expect.stringMatching(TIME) });
        const values = Object.values<string>(row).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
        expect(Buffer.byteLength(`${JSON.stringify(row)},`) - values).toBeLessThanOrEqual(60);
        ids.push(row.id);
      }
      before = page.meta.next_before ?? undefined;
      if (!before) break;
    }
    expect(new Set(ids).size).toBe(120);
    expect(ids).toHaveLength(120);
    const rest = await world.rest("list_alerts", args);
    expect(rest.body.data[0]).toEqual((await list(args)).data[0]);
  });
});

// rules#list-total
describe("totals", () => {
  test("of a filtered list, in its first page only", async () => {
    const { id } = await world.pusher();
    await insertSent(id, 70);
    await world.alert(id, { title: "Draft" });
    const first = await list({ pusher_id: id, status: "sent" });
    expect(first.meta).toEqual({ next_before: expect.any(String), total: 70 });
    const { next_before: before } = first.meta;
    expect((await list({ pusher_id: id, status: "sent", before })).meta).toEqual({ next_before: null });
    expect((await list({ pusher_id: id })).meta).not.toHaveProperty("total");
    expect((await list({ pusher_id: id, status: "draft" })).meta).toEqual({ next_before: null, total: 1 });
    for (const title of ["Ferry one", "Ferry two", "Ferry three"]) await world.alert(id, { title });
    expect((await list({ pusher_id: id, query: "ferry", limit: 2 })).meta).toMatchObject({ total: 3 });
    expect((await list({ pusher_id: id, query: "nothing" })).meta).toMatchObject({ total: 0 });
    const from = { from: "2026-01-01T00:30:00Z", to: "2026-01-01T00:40:00Z" };
    expect((await list({ pusher_id: id, status: "sent", ...from, limit: 2 })).meta).toMatchObject({ total: 10 });
    const rest = await world.rest("list_alerts", { pusher_id: id, status: "sent", limit: 5 });
    expect(rest.body.meta.total).toBe(70);
  });

  test("exact to 1,000, then at least 1,000; of what the caller sees", async () => {
    const [many, few] = await Promise.all([world.pusher(), world.pusher()]);
    await insertSent(many.id, 1_001);
    await insertSent(few.id, 2);
    for (const query of [{}, { from: "2026-01-01T00:00:00Z" }]) {
      expect((await list({ pusher_id: many.id, status: "sent", ...query })).meta).toMatchObject({
        total: 1_000,
        at_least: true,
      });
      const key = await world.key({ pusher: few.id });
      const { body } = await world.mcp("list_account_alerts", { status: "sent", limit: 1, ...query }, key);
      expect(body.meta).toEqual({ next_before: expect.any(String), total: 2 });
    }
    await world.sql("delete from alert where pusher_id = ? and title = 'No. 1'", [parseUuid(many.id)]);
    const { meta } = await list({ pusher_id: many.id, status: "sent" });
    expect(meta).toEqual({ next_before: expect.any(String), total: 1_000 });
  });
});

// rules#list-by-reports
describe("lists by reports", () => {
  test("alerts without an acknowledgement, and those most read and acknowledged", async () => {
    const pusher = await world.pusher();
    const [one, two] = [await world.device(pusher.handle), await world.device(pusher.handle)];
    const send = (title: string, more = {}) => world.alert(pusher.id, { title, send: true, ...more });
    const silent = await send("Silent", { requires_ack: true });
    const acked = await send("Acked", { requires_ack: true });
    const plain = await send("Plain");
    await world.alert(pusher.id, { title: "Later", requires_ack: true, send: true, send_at: timeInSeconds(3600) });
    const report = (token: string, ...kinds: [string, string][]) =>
      world.handset("POST", "/reports", token, { reports: kinds.map(([alert_id, kind]) => ({ alert_id, kind })) });
    await report(one, [acked.id, "ack"], [plain.id, "read"]);
    await report(two, [plain.id, "read"]);
    const named = async (reports: string, more = {}, tool = "list_alerts") =>
      (await list({ pusher_id: pusher.id, reports, ...more }, tool)).data.map(({ title }: any) => title);
    expect(await named("unacked")).toEqual(["Silent"]);
    expect((await named("most_read", { limit: 1 }))[0]).toBe("Plain");
    expect((await named("most_acked"))[0]).toBe("Acked");
    expect(await named("unacked", { from: timeInSeconds(60) })).toEqual([]);
    const page = await list({ pusher_id: pusher.id, reports: "most_read", limit: 1 });
    expect(page.data[0]).toMatchObject({ id: plain.id, reads: 2 });
    expect(page.meta).toEqual({ next_before: null, total: 3 });
    expect((await list({ pusher_id: pusher.id, reports: "unacked", view: "titles" })).data[0].id).toBe(silent.id);
  });

  test("they need stats:read, and take no other filter", async () => {
    const pusher = await world.pusher();
    const key = await world.key({ scopes: "alerts:read" });
    const args = { pusher_id: pusher.id, reports: "unacked" };
    expect((await world.mcp("list_alerts", args, key)).body.error.type).toBe("insufficient_scope");
    expect((await world.rest("list_alerts", args, key)).status).toBe(403);
    for (const more of [{ query: "x" }, { status: "draft" }, { order: "oldest" }, { before: "2026-01-01T00:00:00Z" }]) {
      const { body } = await world.mcp("list_alerts", { ...args, ...more });
      expect(body.error).toMatchObject({ code: "mutually_exclusive_fields", param: Object.keys(more)[0] });
    }
    expect((await list({ ...args, status: "sent" })).data).toEqual([]);
  });
});
