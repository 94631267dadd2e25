// Calls that publish nothing and still need a person's approval, for a credential with required approval. They are
// cancelling more than one alert, deleting a channel, and removing subscribers. rules#asks-first

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, test } from "vitest";
import { alertArguments, createAlertInState } from "../cases/fixtures.ts";
import { signInOwner } from "../support/console_site.ts";
import { joinNewHandset } from "../support/handsets.ts";
import { openWorld } from "../support/open_world.ts";
import { timeInSeconds } from "../support/world.ts";

let pusher: any;
const world = await openWorld();
const owner = await signInOwner(world);
const asking = await world.key({ requires_approval: true });
beforeEach(async () => {
  pusher = await world.pusher({ is_public: false });
});

type Args = Record<string, unknown>;
const repeating = () => createAlertInState(world, "repeating", pusher);
const planned = async () =>
  (await world.rest("list_alerts", { pusher_id: pusher.id, status: "scheduled", order: "oldest" })).body.data;
const two = async () => {
  for (const hour of [1, 2])
    await createAlertInState(world, "scheduled", pusher, { send_at: timeInSeconds(hour * 3600) });
};

/** An invite by which one device joined. */
async function invited(): Promise<Args> {
  const { body } = await world.rest("create_invite", { pusher_id: pusher.id });
  await joinNewHandset(world, pusher.handle, body.code);
  return { pusher_id: pusher.id, invite_id: body.id };
}

const CALLS: [tool: string, name: string, page: RegExp, args: () => Promise<Args>][] = [
  [
    "move_alerts",
    "cancels two of a channel",
    /channels\/psh_\w+\?status=scheduled$/,
    async () => {
      await two();
      return { pusher_id: pusher.id, action: "cancel" };
    },
  ],
  [
    "move_alerts",
    "cancels alerts of two channels",
    /\/scheduled$/,
    async () => {
      const other = await createAlertInState(world, "scheduled", await world.pusher());
      return { alert_ids: [other.id, (await createAlertInState(world, "scheduled", pusher)).id], action: "cancel" };
    },
  ],
  ["cancel_alert", "a series", /\/alerts\/alr_\w+$/, async () => alertArguments(await repeating())],
  [
    "cancel_alert",
    "following",
    /\/alerts\/alr_\w+$/,
    async () => {
      await repeating();
      return alertArguments((await planned())[0], { following: true });
    },
  ],
  [
    "duplicate_alert",
    "cancel_original of a series",
    /\/alerts\/alr_\w+$/,
    async () => alertArguments(await repeating(), { cancel_original: true }),
  ],
  ["delete_pusher", "a channel", /channels\/psh_\w+\/delete$/, async () => ({ pusher_id: pusher.id })],
  [
    "revoke_invite",
    "with its subscribers",
    /invites\/inv_\w+\/revoke$/,
    async () => ({ ...(await invited()), remove_subscribers: true }),
  ],
];

/**
 * All data that these calls remove. Series of earlier tests may end in the meantime, so alerts count on the channels of
 * this test alone.
 */
const left = async () => [
  await world.sql(
    `select count(*)::int as cancelled from alert join pusher p on p.id = alert.pusher_id
     where alert.status = 'cancelled' and p.created_at >= (select created_at from pusher where handle = ?)`,
    [pusher.handle],
  ),
  await world.sql("select id from pusher order by id"),
  await world.sql("select count(*)::int as n from subscription"),
  await world.sql("select count(*)::int as n from invite where revoked_at is not null"),
];

describe.each(CALLS)("%s: %s", (tool, _name, page, args) => {
  test.each(["rest", "mcp"] as const)("over %s is refused with the page, and done without the tick", async (way) => {
    const sent = await args();
    const before = await left();
    const { status, body, headers } = await world[way](tool, sent, asking);
    expect([status, body.error.type]).toEqual([403, "insufficient_scope"]);
    const [address, ...others] = body.error.message.match(/https?:\S+/g);
    expect([others, address]).toEqual([[], expect.stringMatching(page)]);
    expect(headers.get("www-authenticate")).toBeNull();
    expect(await left()).toEqual(before);
    // The page is there for a person who is signed in.
    expect((await owner.get(address.replace(/^https?:\/\/[^/]+/, ""))).status).toBe(200);
    expect((await world[way](tool, sent)).status).toBeLessThan(300);
    expect(await left()).not.toEqual(before);
  });
});

test.each<[string, string, () => Promise<Args>]>([
  [
    "move_alerts",
    "one of a channel",
    async () => ({ pusher_id: (await createAlertInState(world, "scheduled", pusher)).pusher_id, action: "cancel" }),
  ],
  [
    "cancel_alert",
    "an occurrence",
    async () => {
      await repeating();
      return alertArguments((await planned())[0]);
    },
  ],
  ["revoke_invite", "its subscribers stay", invited],
  [
    "revoke_invite",
    "it has no joined devices",
    async () => {
      const { body } = await world.rest("create_invite", { pusher_id: pusher.id });
      return { pusher_id: pusher.id, invite_id: body.id, remove_subscribers: true };
    },
  ],
])("%s (%s) needs no approval", async (tool, _name, args) => {
  expect((await world.rest(tool, await args(), asking)).status).toBe(200);
});

test("a plan of one alert needs none, one of two does, and one that moves does", async () => {
  const planOf = async (args: Args) =>
    (await world.rest("move_alerts", { pusher_id: pusher.id, dry_run: true, ...args }, asking)).body.plan;
  await createAlertInState(world, "scheduled", pusher);
  const move = await planOf({ action: "move", by_minutes: 5 });
  for (const args of [{ plan: move }, { plan: move, action: "move" }])
    expect((await world.rest("move_alerts", args, asking)).status).toBe(403);
  const one = await planOf({ action: "cancel" });
  expect((await world.rest("move_alerts", { plan: one }, asking)).status).toBe(200);
  await two();
  const plan = await planOf({ action: "cancel" });
  expect((await world.rest("move_alerts", { plan }, asking)).status).toBe(403);
  expect(await planned()).toHaveLength(2);
});

test("withdrawing a sent alert without the scope is refused over MCP, and not answered as a review", async () => {
  const writer = await world.key({ scopes: "alerts:read,alerts:write" });
  const alert = await createAlertInState(world, "sent", pusher);
  const { status, body } = await world.mcp("cancel_alert", alertArguments(alert), writer);
  expect([status, body.error.type]).toEqual([403, "insufficient_scope"]);
});

// rules#mcp-review
test("a client that opens addresses sends its person to the page, and then answers what was done", async () => {
  const fetched = (address: string | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set("host", "localhost");
    headers.set("authorization", `Bearer ${asking}`);
    return world.service.app.fetch(new Request(address, { ...init, headers }));
  };
  const info = { name: "test", version: "1.0.0" };
  const capabilities = { elicitation: { url: {} } };
  const client = new Client(info, { capabilities, versionNegotiation: { mode: "auto" } });
  const pages: string[] = [];
  let act = true;
  client.setRequestHandler("elicitation/create", async ({ params }: any) => {
    const { pathname } = new URL(params.url);
    pages.push(pathname);
    if (act) expect((await owner.post(pathname, {}, { from: pathname })).status).toBe(303);
    return { action: "accept" };
  });
  const target = new URL("http://localhost:8787/mcp");
  await client.connect(new StreamableHTTPClientTransport(target, { fetch: fetched as never }));
  const call = (name: string, args: Args): Promise<any> => client.callTool({ name, arguments: args });
  const deleted = await call("delete_pusher", { pusher_id: pusher.id });
  expect(deleted.structuredContent).toEqual({ deleted: true, id: pusher.id });
  expect(pages).toEqual([expect.stringMatching(/\/delete$/)]);
  expect((await world.rest("get_pusher", { pusher_id: pusher.id })).status).toBe(404);
  // Nothing is done where the person only looked.
  act = false;
  const other = await world.pusher();
  const refused = await call("delete_pusher", { pusher_id: other.id });
  expect([refused.isError, refused.structuredContent.error.message]).toEqual([
    true,
    expect.stringContaining("/delete"),
  ]);
  expect((await world.rest("get_pusher", { pusher_id: other.id })).status).toBe(200);
  await client.close();
});
