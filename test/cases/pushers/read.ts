// A channel read again: its counts, its links, who sees it; and the pages of the list.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { waitForSubscriberCount } from "../../support/handsets.ts";
import { createAlertInState, getSharedPusher, oncePerWorld, parseUuid } from "../fixtures.ts";
import { CHANNEL_CIRCLE } from "./fixtures.ts";

const UNKNOWN = "unknown-fields";

export const readPusherCases: TestCase[] = [
  {
    rule: "channel-answer",
    tool: "get_pusher",
    name: "a read answers what create answered, and the counts",
    given: async (world) =>
      world.pusher({ ...CHANNEL_CIRCLE, tags: ["a"], long: "x", alert_types: ["b"], requested_perms: ["notify"] }),
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { subscribers: 0, alerts_sent: 0 } },
    after: (_world, pusher, { body }) => expect(body).toEqual({ ...pusher, subscribers: 0, alerts_sent: 0 }),
  },
  {
    rule: "channel-counts",
    tool: "get_pusher",
    also: ["events-of-subscribers", "events-of-subscribers"],
    name: "counts sent and scheduled-but-passed alerts, and subscribers",
    given: async (world) => {
      const pusher = await world.pusher();
      for (const state of ["draft", "scheduled", "passed", "sent", "sent", "cancelled"] as const)
        await createAlertInState(world, state, pusher);
      const withdrawn = await createAlertInState(world, "sent", pusher);
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: withdrawn.id });
      await world.device(pusher.handle);
      const leaving = await world.device(pusher.handle);
      await world.handset("DELETE", `/subscriptions/${pusher.handle}`, leaving);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { subscribers: 1, alerts_sent: 3 } },
    after: (world, { id }) => waitForSubscriberCount(world, id, 1),
  },
  {
    rule: "channel-counts",
    tool: "get_pusher",
    name: "the channel does not exist",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: UNKNOWN,
    tool: "get_pusher",
    name: "an unknown parameter",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, verbose: "1" }),
    want: { error: "invalid_request", param: "verbose" },
  },
  {
    rule: "channel-backlog",
    tool: "list_pushers",
    name: "of one channel, by its own key",
    given: async (world) => {
      const pusher = await world.pusher({ requested_perms: ["notify"] });
      for (const state of ["draft", "draft", "scheduled", "passed", "sent", "cancelled"] as const)
        await createAlertInState(world, state, pusher);
      return { key: await world.key({ pusher: pusher.id }), pusher };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { data: [{ drafts: 2, scheduled: 1 }] } },
    after: (_world, { pusher }, { body }) => {
      expect(body).toEqual({ data: [{ ...pusher, drafts: 2, scheduled: 1 }] });
    },
  },
  {
    rule: "channel-backlog",
    tool: "list_pushers",
    name: "of a new workspace: none",
    given: async (world) => ({ key: await world.foreignKey() }),
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { data: [] } },
    after: (_world, _given, { body }) => expect(Object.keys(body)).toEqual(["data"]),
  },
  {
    rule: "list-answer",
    tool: "list_pushers",
    given: async (world) => {
      const key = await world.foreignKey();
      const ids = [];
      for (let i = 0; i < 3; i++) ids.unshift((await world.pusher({}, key)).id);
      return { key, ids };
    },
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, { ids }, { body }) => expect(body.data.map(({ id }: any) => id)).toEqual(ids),
  },
  {
    rule: UNKNOWN,
    tool: "list_pushers",
    name: "an unknown parameter",
    input: () => ({ status: "active" }),
    want: { error: "invalid_request", param: "status" },
  },
];

const PAGES = "channel-list";

/** Five channels of a workspace of their own, two of which were created at the same time. */
const five = oncePerWorld(async (world) => {
  const key = await world.foreignKey();
  const made: any[] = [];
  for (const age of [4, 3, 3, 2, 1]) {
    const pusher = await world.pusher({}, key);
    await world.sql(
      "update pusher set created_at = timestamptz '2026-03-01 00:00:00Z' - ? * interval '1 second' where id = ?",
      [age, parseUuid(pusher.id)],
    );
    made.unshift({ id: pusher.id, handle: pusher.handle, age });
  }
  made.sort((a, b) => a.age - b.age || (a.id < b.id ? 1 : -1));
  return { key, made, ids: made.map(({ id }) => id) };
});

export const listPusherCases: TestCase[] = [
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "no limit: all of them, newest first, and no meta",
    given: five,
    as: (_world, { key }) => key,
    input: () => ({}),
    want: {},
    after: (_world, { ids }, { body }) => {
      expect(Object.keys(body)).toEqual(["data"]);
      expect(body.data.map(({ id }: any) => id)).toEqual(ids);
    },
  },
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "page by page: none lost, none twice",
    given: five,
    as: (_world, { key }) => key,
    input: () => ({ limit: 2 }),
    want: {},
    after: async (world, { ids, key }, { body: first }) => {
      const seen = first.data.map(({ id }: any) => id);
      for (let before = first.meta.next_before; before !== null; ) {
        const { body } = await world.rest("list_pushers", { limit: 2, before }, key);
        seen.push(...body.data.map(({ id }: any) => id));
        before = body.meta.next_before;
      }
      expect(seen).toEqual(ids);
      // Without a limit, before gives all that is older.
      const { body } = await world.rest("list_pushers", { before: first.data.at(-1).created_at }, key);
      expect(body.data.map(({ id }: any) => id)).toEqual(ids.slice(first.data.length));
    },
  },
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "by its handle",
    given: five,
    as: (_world, { key }) => key,
    input: ({ made }) => ({ handle: made[2].handle }),
    want: {},
    after: (_world, { ids }, { body }) => expect(body.data.map(({ id }: any) => id)).toEqual([ids[2]]),
  },
  {
    rule: PAGES,
    tool: "list_pushers",
    name: "a handle of another workspace is not found",
    given: five,
    input: ({ made }) => ({ handle: made[2].handle }),
    want: {},
    after: (_world, _given, { body }) => expect(body).toEqual({ data: [] }),
  },
  ...(
    [
      ["limit", 0],
      ["limit", 101],
      ["before", "yesterday"],
      ["status", "active"],
    ] as const
  ).map(
    ([param, value]): TestCase => ({
      rule: PAGES,
      tool: "list_pushers",
      name: `refuses ${param} ${value}`,
      input: () => ({ [param]: value }),
      want: { error: "invalid_request", param },
    }),
  ),
];
