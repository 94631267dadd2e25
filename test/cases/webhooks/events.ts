// The feed of events as a client fetches it: the contents of an event, positions and pages, and the events of each
// caller.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import type { World } from "../../support/world.ts";
import { parseUuid } from "../fixtures.ts";

const FEED = "event-feed";
const PLACE = "event-feed-place";

/** A workspace of its own, with two alerts sent on one channel and one on another. */
async function told(world: World) {
  const key = await world.foreignKey();
  const [mine, other] = [await world.pusher({}, key), await world.pusher({}, key)];
  const send = async ({ id: pusher_id }: { id: string }, title: string) =>
    (await world.rest("create_alert", { pusher_id, title, send: true }, key)).body;
  const alerts = [await send(mine, "First"), await send(other, "Second"), await send(mine, "Third")];
  return { key, mine, other, alerts };
}
type Told = Awaited<ReturnType<typeof told>>;
const titles = (body: any) => body.data.map(({ data }: any) => data.title);
const placeOf = (position: string, at: number) => Buffer.from(`${position}.${at}`).toString("base64url");
const as = (_world: World, { key }: Told) => key;
const NEXT = expect.stringMatching(/^[\w-]+$/);

export const eventCases: TestCase[] = [
  {
    rule: FEED,
    also: ["event-body"],
    tool: "list_events",
    name: "an event is a webhook's body with an id",
    given: told,
    as,
    input: () => ({}),
    want: {},
    after: (world, { mine, alerts }, { body }) => {
      const published = world.events.find(({ data }) => data.alert_id === alerts[0].id)!;
      expect(body.data[0]).toEqual({
        id: expect.stringMatching(/^evt_/),
        event: "alert.sent",
        created_at: published.created_at,
        data: {
          pusher_id: mine.id,
          alert_id: alerts[0].id,
          title: "First",
          priority: "normal",
          status: "sent",
          send_at: null,
          sent_at: alerts[0].sent_at,
        },
      });
      expect(parseUuid(body.data[0].id)).toBe(published.id);
      expect(titles(body)).toEqual(["First", "Second", "Third"]);
      expect(body.meta).toEqual({ next_after: NEXT, more: false, missed: false });
    },
  },
  {
    rule: FEED,
    also: ["events-of-subscribers"],
    tool: "list_events",
    name: "joining and leaving are reported by a count",
    given: async (world) => {
      const key = await world.foreignKey();
      const pusher = await world.pusher({}, key);
      await world.device(pusher.handle);
      return { key, pusher };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, { pusher }, { body }) => {
      expect(body.data).toMatchObject([{ event: "subscriber.created" }]);
      expect(body.data[0].data).toEqual({ pusher_id: pusher.id, count: 1, delta: 1 });
    },
  },
  {
    rule: PLACE,
    tool: "list_events",
    name: "a client continues where it stopped",
    given: told,
    as,
    input: () => ({ limit: 2 }),
    want: {},
    after: async (world, { key, mine }, { body }) => {
      expect([titles(body), body.meta.more]).toEqual([["First", "Second"], true]);
      const next = async (after: string) => (await world.rest("list_events", { after }, key)).body;
      const rest = await next(body.meta.next_after);
      expect([titles(rest), rest.meta.more]).toEqual([["Third"], false]);
      const none = await next(rest.meta.next_after);
      expect([none.data, none.meta]).toEqual([[], { next_after: NEXT, more: false, missed: false }]);
      await world.rest("create_alert", { pusher_id: mine.id, title: "Fourth", send: true }, key);
      expect(titles(await next(none.meta.next_after))).toEqual(["Fourth"]);
    },
  },
  {
    rule: FEED,
    also: ["restricted-sees-its-channels"],
    tool: "list_events",
    name: "a restricted caller gets the events of its channels, and a place behind the others",
    given: async (world) => {
      const { key, mine } = await told(world);
      const [{ workspace_id }] = await world.sql("select workspace_id from pusher where id = ?", [parseUuid(mine.id)]);
      await world.sql("update member set pusher_ids = array[?]::uuid[] where workspace_id = ?", [
        parseUuid(mine.id),
        workspace_id,
      ]);
      return { key };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, _given, { body }) => {
      expect(titles(body)).toEqual(["First", "Third"]);
      expect(Buffer.from(body.meta.next_after, "base64url").toString()).toMatch(/^3\./);
    },
  },
  {
    rule: FEED,
    also: ["foreign-is-missing"],
    tool: "list_events",
    name: "another account's events are not there",
    given: told,
    as: (world) => world.foreignKey(),
    input: () => ({}),
    want: { body: { data: [], meta: { more: false } } },
  },
  ...(
    [
      ["is not missed while it is kept", 6, "0", false],
      ["one that outlived its events is reported", 8, "0", true],
      ["one that was never reached is reported, and starts over", 0, "900000000000", true],
    ] as const
  ).map(
    ([name, days, position, missed]): TestCase<Told> => ({
      rule: "event-feed-kept",
      tool: "list_events",
      name: `a place ${name}`,
      given: told,
      as,
      input: () => ({ after: placeOf(position, Date.now() - days * 86_400_000) }),
      want: { body: { meta: { missed } } },
      after: (_world, _given, { body }) => {
        expect(body.data).toHaveLength(3);
      },
    }),
  ),
  ...[
    ["limit", 0],
    ["limit", 101],
    ["after", "nonsense"],
    ["after", placeOf("-1", 0)],
    ["after", placeOf("1".repeat(60), 0)],
    ["since", "x"],
  ].map(
    ([param, value]): TestCase => ({
      rule: "error-invalid-request",
      tool: "list_events",
      name: `refuses ${param} ${String(value).slice(0, 9)}`,
      input: () => ({ [param as string]: value }),
      want: { error: "invalid_request", param: param as string },
    }),
  ),
];
