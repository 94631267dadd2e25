// Results for an assistant. Both transports return the same bytes for the same view, and MCP's default is brief. No
// result over MCP is above its limit, for any text by people.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../operations/index.ts";
import { hasViewArgument } from "../../src/operation/define_operation.ts";
import { parseUuid, registerHandset } from "../support/handsets.ts";
import { timeInSeconds, World } from "../support/world.ts";

const PERMS = ["notify", "sound"];
const long = (n: number) => "🌊".repeat(n);

describe("on a service", () => {
  let world: World;
  let pusher: { id: string; handle: string };
  beforeAll(async () => {
    world = await World.open();
    pusher = await world.pusher({ requested_perms: PERMS });
  });
  afterAll(() => world.close());

  const LONG = { body: long(400), tts_text: long(300), layout: "html", html: `<p>${"x".repeat(500)}</p>` };
  const draft = (more: Record<string, unknown> = {}) => world.alert(pusher.id, { ...LONG, ...more });
  const at = (alert: any) => ({ pusher_id: alert.pusher_id, alert_id: alert.id });

  /** A call of every tool with views that may be made again and again with one result. */
  const CALLS: Record<string, () => Promise<Record<string, unknown>>> = {
    create_alert: async () => ({ pusher_id: pusher.id, title: "x", ...LONG, idempotency_key: "views of a creation" }),
    duplicate_alert: async () => ({ ...at(await draft()), idempotency_key: "views of a copy" }),
    // An edit of nothing is 200 and changes nothing.
    update_alert: async () => at(await draft()),
    send_alert: async () => at(await draft({ send: true })),
    schedule_alert: async () => at(await draft({ send: true, send_at: timeInSeconds(3600) })),
    wait_for_review: async () => ({ ...at(await draft()), seconds: 0 }),
    cancel_alert: async () => {
      const alert = await draft({ send: true });
      await world.rest("cancel_alert", at(alert));
      return at(alert);
    },
    list_alerts: async () => {
      const other = await world.pusher({ requested_perms: PERMS });
      for (let i = 0; i < 3; i++) await world.alert(other.id, LONG);
      return { pusher_id: other.id };
    },
    list_account_alerts: async () => ({ limit: 3 }),
  };

  // rules#views
  test("every tool with views is tried", () => {
    expect(Object.keys(CALLS).sort()).toEqual(
      OPERATIONS.filter(hasViewArgument)
        .map(({ name }) => name)
        .sort(),
    );
    for (const tool of OPERATIONS.filter(hasViewArgument)) expect(tool.brief).toBeDefined();
  });

  test.each(Object.keys(CALLS))("%s: the same view, the same bytes; the defaults differ", async (tool) => {
    const args = await CALLS[tool]!();
    const ask = async (over: "rest" | "mcp", view?: string) => {
      const { status, body } = await world[over](tool, view ? { ...args, view } : args);
      expect(status).toBeLessThan(300);
      return JSON.stringify(body);
    };
    const [full, brief] = [await ask("rest", "full"), await ask("rest", "brief")];
    expect(await ask("mcp", "full")).toBe(full);
    expect(await ask("rest")).toBe(full);
    expect(await ask("mcp")).toBe(await ask("mcp", "brief"));
    // Rows of a list are shorter over MCP (test/transports/alert_list_views.test.ts).
    if (!tool.startsWith("list_")) expect(await ask("mcp", "brief")).toBe(brief);
    expect(full).not.toBe(brief);
    const rows = [JSON.parse(brief)].flatMap((body) => body.data ?? [body]);
    const wholes = [JSON.parse(full)].flatMap((body) => body.data ?? [body]);
    expect(rows).toHaveLength(wholes.length);
    for (const [i, row] of rows.entries()) {
      const { html: _, asset_html: __, ...whole } = wholes[i];
      expect(row).toEqual({
        ...whole,
        body: `${long(279)}…`,
        body_length: 400,
        tts_text: `${long(279)}…`,
        tts_text_length: 300,
      });
      expect(row.html_length).toBe(LONG.html.length);
      expect(row).not.toHaveProperty("html");
    }
  });

  test("a text of 280 characters is whole, one of 281 is cut to 280", async () => {
    for (const [n, shown] of [
      [280, long(280)],
      [281, `${long(279)}…`],
    ] as const) {
      const { body } = await world.mcp("create_alert", { pusher_id: pusher.id, title: "x", body: long(n) });
      expect(body).toMatchObject({ body: shown, body_length: n, tts_text: null, tts_text_length: 0 });
    }
  });

  test.each([
    ["another word", { view: "short" }],
    ["not a word", { view: 1 }],
  ])("view: %s is refused by both faces", async (_name, more) => {
    for (const over of ["rest", "mcp"] as const) {
      const { status, body } = await world[over]("list_alerts", { pusher_id: pusher.id, ...more });
      expect({ status, param: body.error.param }).toEqual({ status: 422, param: "view" });
    }
  });

  test("over REST view is in the query, and nowhere else", async () => {
    const path = `/api/v1/pushers/${pusher.id}/alerts`;
    const post = (query: string, body: object) =>
      world.request("POST", path + query, { token: world.owner, body: JSON.stringify(body) });
    expect((await post("?view=brief", { title: "x" })).body).toHaveProperty("body_length");
    const inBody = await post("", { title: "x", view: "brief" });
    expect([inBody.status, inBody.body.error.param]).toEqual([422, "view"]);
    expect(inBody.body.error.message).toContain("?view=");
    const stray = await post("?view=brief&title=y", { title: "x" });
    expect([stray.status, stray.body.error.param]).toEqual([422, "title"]);
    const alert = await draft();
    const beside = await world.request("PATCH", `${path}/${alert.id}`, {
      token: world.owner,
      body: JSON.stringify({ action: "send", view: "brief" }),
    });
    expect([beside.status, beside.body.error.param]).toEqual([422, "action"]);
    const sent = await world.request("PATCH", `${path}/${alert.id}?view=brief`, {
      token: world.owner,
      body: JSON.stringify({ action: "send" }),
    });
    expect(sent.body).toMatchObject({ status: "sent", body_length: 400 });
  });

  test("a repeat under an idempotency key may request the other view", async () => {
    const args = { pusher_id: pusher.id, title: "x", ...LONG, idempotency_key: "another view" };
    const first = await world.mcp("create_alert", args);
    const again = await world.rest("create_alert", args);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toMatchObject({ id: first.body.id, body: LONG.body });
  });

  /** The list over MCP, page by page. World refuses an answer that is too long. */
  async function walk(tool: string, args: Record<string, unknown>): Promise<any[]> {
    const rows: any[] = [];
    for (let before: string | undefined; ; ) {
      const { status, body } = await world.mcp(tool, { ...args, ...(before ? { before } : {}) });
      expect(status).toBe(200);
      expect(body.data.length).toBeGreaterThan(0);
      rows.push(...body.data);
      before = body.meta?.next_before ?? undefined;
      if (!before) return rows;
    }
  }

  test("a channel of a list shows whether it is public", async () => {
    for (const is_public of [true, false]) {
      const { handle } = await world.pusher({ is_public });
      const message = { name: "list_pushers", arguments: { handle } };
      const { body } = await world.request("POST", "/mcp", {
        token: world.owner,
        headers: { accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: message }),
      });
      expect(JSON.parse(body.result.content[0].text).data).toMatchObject([{ handle, is_public }]);
    }
  });

  test("every field that a row leaves out is null, empty, false or 0", async () => {
    const channel = await world.pusher({ is_public: false, requested_perms: [] });
    await world.rest("create_invite", { pusher_id: channel.id });
    await world.alert(channel.id, { title: "x" });
    const asked: [tool: string, args: Record<string, unknown>][] = OPERATIONS.filter(({ name }) =>
      /^list_(pushers|invites|audit_events|events)$/.test(name),
    ).map(({ name, input }) => [name, "pusher_id" in input.shape ? { pusher_id: channel.id } : {}]);
    expect(asked).toHaveLength(4);
    for (const [tool, args] of asked) {
      const rest = await world.rest(tool, args);
      const { body } = await world.request("POST", "/mcp", {
        token: world.owner,
        headers: { accept: "application/json, text/event-stream" },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: { name: tool, arguments: args },
        }),
      });
      const rows = JSON.parse(body.result.content[0].text).data;
      expect(rows.length, tool).toBeGreaterThan(0);
      for (const [i, row] of rows.entries())
        for (const [field, value] of Object.entries(rest.body.data[i]))
          if (!Object.hasOwn(row, field)) expect([null, [], "", false, 0], `${tool}: ${field}`).toContainEqual(value);
    }
  });

  test.each([
    ["full", 1500],
    ["brief", 16_384],
  ])("a list of 50 long alerts ends early and loses nothing (%s)", async (view, length) => {
    const { id } = await world.pusher();
    await world.sql(
      `insert into alert (id, pusher_id, title, body, tts_text, created_at)
       select gen_random_uuid(), ?, 'No. ' || n, repeat('🌊', ?), repeat('x', 1000),
         timestamptz '2026-01-01 00:00:00Z' - (n / 2) * interval '1 second'
       from generate_series(1, 60) n`,
      [parseUuid(id), length],
    );
    const rows = await walk("list_alerts", { pusher_id: id, limit: 50, view });
    const whole = await world.rest("list_alerts", { pusher_id: id, limit: 100, view });
    // Rows with the same time come in no guaranteed order.
    const sorted = (list: any[]) => list.map((row) => JSON.stringify(row)).sort();
    const all = whole.body.data;
    if (view === "full") expect(sorted(rows)).toEqual(sorted(all));
    const texts = (list: any[]) => list.map(({ id, title, body }) => [id, title, body].join()).sort();
    expect(texts(rows)).toEqual(texts(all));
    expect(whole.body.data).toHaveLength(60);
  });

  // rules#mcp-answers-are-short rules#pages
  test.each([
    ["brief", {}, 121, 280],
    ["full", { view: "full" }, 121, 280],
    ["of which few fit", { view: "full" }, 8, 16_384],
    ["found", { query: "no" }, 121, 280],
  ])("rows of one time end where the response is full, and none is lost: %s", async (_, args, count, length) => {
    const { id } = await world.pusher({ tags: ["no"] });
    await world.sql(
      `insert into alert (id, pusher_id, title, body, created_at)
       select gen_random_uuid(), ?, 'No. ' || n, repeat('🌊', ?), timestamptz '2026-01-01 00:00:00Z' from
         generate_series(1, ?) n`,
      [parseUuid(id), length, count],
    );
    for (const limit of [7, 100]) {
      const rows = await walk("list_alerts", { pusher_id: id, limit, ...args });
      expect(new Set(rows.map((row) => row.id)).size).toBe(count);
      expect(rows).toHaveLength(count);
    }
  });

  test("channels, invites and subscribers also fit", async () => {
    const key = await world.foreignKey();
    const made: string[] = [];
    for (let i = 0; i < 12; i++) made.push((await world.pusher({ long: long(4000), description: long(200) }, key)).id);
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const { body } = await world.mcp("list_pushers", before ? { before } : {}, key);
      seen.push(...body.data.map(({ id }: any) => id));
      before = body.meta?.next_before ?? undefined;
      if (!before) break;
    }
    expect(seen).toEqual(made.reverse());

    for (let i = 0; i < 120; i++) await world.rest("create_invite", { pusher_id: pusher.id, label: "l".repeat(80) });
    expect(await walk("list_invites", { pusher_id: pusher.id })).toHaveLength(120);

    const { token } = await registerHandset(world);
    await world.handset("PUT", `/subscriptions/${pusher.handle}`, token, {});
    await world.sql(
      `insert into device (id, token_hash, platform, app_version, locale, timezone)
       select 7000 + n, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'android', '1.0.0', 'en', 'Europe/Lisbon' from
         generate_series(1, 250) n`,
    );
    await world.sql(
      `insert into subscription (device_id, pusher_id, permissions) select 7000 + n, ?, '{}' from generate_series(1,
        250) n`,
      [parseUuid(pusher.id)],
    );
    expect(await walk("list_subscribers", { pusher_id: pusher.id, limit: 100 })).toHaveLength(251);
  });

  test("one alert that is too long comes in the short view, from any tool, and REST has it whole", async () => {
    const html = `<p>${"x".repeat(59_000)}</p>`;
    const made = await world.mcp("create_alert", { pusher_id: pusher.id, title: "x", html, view: "full" });
    const read = await world.mcp("get_alert", at(made.body));
    const sent = await world.mcp("send_alert", at(made.body));
    for (const { body } of [made, read, sent]) {
      expect(body).toMatchObject({ layout: "html", html_length: html.length });
      expect(body).not.toHaveProperty("html");
    }
    expect((await world.rest("get_alert", at(made.body))).body.html).toBe(html);
    // One that fits is whole.
    const small = await draft({ body: "Short", tts_text: null });
    expect((await world.mcp("get_alert", at(small))).body.html).toBe(LONG.html);
    const preview = await world.mcp("preview_html", { html });
    expect(preview.body).toEqual({ layout: "html", html_length: html.length, blocked: [], script_count: 0, notes: [] });
  });
});
