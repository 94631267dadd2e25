// The alerts of all channels that a credential sees, in one list.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { ALL_PERMS, type AlertState, createAlertInState, NO_PUSHER, oncePerWorld, parseUuid } from "./fixtures.ts";

const ACCOUNT = "alerts-of-all-channels";
const NARROWED = "restricted-sees-its-channels";

const states: readonly AlertState[] = ["draft", "scheduled", "passed", "sent", "cancelled"];

/** Two channels with alerts in every state, ties across both, and a third channel that the key does not see. */
const account = oncePerWorld(async (world) => {
  const channels = [
    await world.pusher({ requested_perms: ALL_PERMS }),
    await world.pusher({ requested_perms: ALL_PERMS }),
  ];
  const hidden = await world.pusher();
  await createAlertInState(world, "draft", hidden);
  const made: any[] = [];
  for (const [i, state] of states.entries())
    for (const [j, channel] of channels.entries()) {
      const alert = await createAlertInState(world, state, channel);
      // Both channels' alerts of one state have the same time.
      await world.sql(
        "update alert set created_at = timestamptz '2026-02-01 00:00:00Z' + ? * interval '1 second' where id = ?",
        [i, parseUuid(alert.id)],
      );
      made.push({ id: alert.id, state, at: i, channel: j });
    }
  const key = await world.memberKey(
    "viewer",
    channels.map(({ id }) => id),
  );
  return { channels, made, key };
});

const idsOf = (made: any[], keep: (row: any) => boolean) =>
  made
    .filter(keep)
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);

export const accountAlertCases: TestCase[] = [
  ...(
    [
      [undefined, states],
      ["draft", ["draft"]],
      ["scheduled", ["scheduled"]],
      ["sent", ["sent", "passed"]],
      ["cancelled", ["cancelled"]],
    ] as const
  ).map(
    ([status, kept]): TestCase => ({
      rule: ACCOUNT,
      also: [NARROWED],
      tool: "list_account_alerts",
      name: `status ${status ?? "absent"}`,
      given: account,
      as: (_world, { key }) => key,
      input: () => (status ? { status } : {}),
      want: { body: { meta: { next_before: null } } },
      after: (_world, { made }, { body }) => {
        expect(body.data.map(({ id }: any) => id)).toEqual(
          idsOf(made, ({ state }) => (kept as readonly string[]).includes(state)),
        );
        for (const row of body.data) expect(row).not.toHaveProperty("html");
      },
    }),
  ),
  {
    rule: ACCOUNT,
    also: ["pages"],
    tool: "list_account_alerts",
    name: "page by page: none lost, none twice",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({ limit: 1 }),
    want: {},
    after: async (world, { made, key }, { body: first }) => {
      // A tie of two channels comes together.
      expect(first.data).toHaveLength(2);
      const seen = first.data.map(({ id }: any) => id);
      for (let before = first.meta.next_before; before !== null; ) {
        const { body } = await world.rest("list_account_alerts", { limit: 1, before }, key);
        seen.push(...body.data.map(({ id }: any) => id));
        before = body.meta.next_before;
      }
      expect(seen).toEqual(idsOf(made, () => true));
    },
  },
  {
    rule: ACCOUNT,
    tool: "list_account_alerts",
    name: "rows are those of list_alerts",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({ status: "draft" }),
    want: {},
    after: async (world, { channels, key }, { body }) => {
      const lists = await Promise.all(
        channels.map(({ id }: any) => world.rest("list_alerts", { pusher_id: id, status: "draft" }, key)),
      );
      expect(body.data).toEqual(expect.arrayContaining(lists.flatMap((list) => list.body.data)));
    },
  },
  {
    rule: NARROWED,
    tool: "list_account_alerts",
    name: "by a member restricted to nothing: none",
    as: oncePerWorld((world) => world.memberKey("viewer", [])),
    input: () => ({}),
    want: {},
    after: (_world, _given, { body }) => expect(body).toEqual({ data: [], meta: { next_before: null } }),
  },
  ...(
    [
      ["limit", 0],
      ["limit", 101],
      ["status", "published"],
      ["before", "yesterday"],
      ["pusher_id", NO_PUSHER],
    ] as const
  ).map(
    ([param, value]): TestCase => ({
      rule: ACCOUNT,
      tool: "list_account_alerts",
      name: `refuses ${param} ${value}`,
      input: () => ({ [param]: value }),
      want: { error: "invalid_request", param },
    }),
  ),
];
