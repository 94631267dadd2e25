// Pages of alerts: limits, filters, ties with the same time, and the end.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import type { World } from "../support/world.ts";
import {
  createAlertInState,
  getSharedPusher,
  NO_PUSHER,
  oncePerWorld,
  parseUuid,
  TIMESTAMP_PATTERN,
} from "./fixtures.ts";

const KEYSET = "pages";

/** A channel with drafts whose ages in seconds are given; equal ages have the same time. */
const aged = (ages: number[]) =>
  oncePerWorld(async (world) => {
    const pusher = await world.pusher();
    await world.sql(
      `insert into alert (id, pusher_id, title, created_at)
       select gen_random_uuid(), ?, 'No. ' || n, timestamptz '2026-01-01 00:00:00.123456Z' - age * interval '1 second'
       from unnest(string_to_array(?, ',')::int[]) with ordinality a (age, n)`,
      [parseUuid(pusher.id), ages.join(",")],
    );
    return pusher;
  });

const EVEN = aged(Array.from({ length: 120 }, (_, i) => i));
/** Ties at the beginning, across page ends, and at the end. */
const TIES = aged([0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 7, 8, 8]);
const ONE_TIE = aged(Array.from({ length: 12 }, () => 3));

/** Follows next_before to the end. */
async function walk(world: World, pusherId: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let before: string | undefined; ; ) {
    const { status, body } = await world.rest("list_alerts", {
      pusher_id: pusherId,
      limit,
      ...(before ? { before } : {}),
    });
    expect(status).toBe(200);
    pages.push(body.data.map(({ id }: any) => id));
    if (body.meta.next_before === null) return pages;
    expect(body.meta.next_before).toMatch(TIMESTAMP_PATTERN);
    expect(body.meta.next_before).toBe(body.data.at(-1).created_at);
    before = body.meta.next_before;
  }
}

async function checkWalk(world: World, pusherId: string, limit: number): Promise<void> {
  const pages = await walk(world, pusherId, limit);
  const rows = await world.sql<{ id: string }>("select id::text from alert where pusher_id = ?", [parseUuid(pusherId)]);
  expect(pages.flat().map(parseUuid).sort()).toEqual(rows.map(({ id }) => id).sort());
  for (const page of pages) expect(page.length).toBeGreaterThan(0);
}

const everyState = oncePerWorld(async (world) => {
  const pusher = await world.pusher();
  const ids: Record<string, string> = {};
  for (const state of ["draft", "scheduled", "passed", "sent", "cancelled"] as const)
    ids[state] = (await createAlertInState(world, state, pusher)).id;
  return { pusher, ids };
});

export const listCases: TestCase[] = [
  ...(
    [
      ["120 rows", EVEN],
      ["ties", TIES],
      ["one tie", ONE_TIE],
    ] as const
  ).flatMap(([name, given]) =>
    [1, 7, 100].map(
      (limit): TestCase => ({
        rule: KEYSET,
        tool: "list_alerts",
        name: `${name}, ${limit} at a time: none lost, none twice`,
        given,
        input: ({ id }) => ({ pusher_id: id, limit }),
        want: {},
        after: async (world, { id }, { body }) => {
          const times = body.data.map(({ created_at }: any) => created_at);
          expect(times).toEqual([...times].sort().reverse());
          await checkWalk(world, id, limit);
        },
      }),
    ),
  ),
  {
    rule: KEYSET,
    tool: "list_alerts",
    name: "50 when absent",
    given: EVEN,
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { meta: { next_before: "2025-12-31T23:59:11.123456Z" } } },
    after: (_world, _given, { body }) => expect(body.data).toHaveLength(50),
  },
  {
    rule: KEYSET,
    tool: "list_alerts",
    name: "a page runs over its limit to finish a tie, and is the last one",
    given: ONE_TIE,
    input: ({ id }) => ({ pusher_id: id, limit: 1 }),
    want: { body: { meta: { next_before: null } } },
    after: (_world, _given, { body }) => expect(body.data).toHaveLength(12),
  },
  {
    rule: KEYSET,
    tool: "list_alerts",
    name: "the page that fits exactly is the last one",
    given: aged([1, 2, 3, 4, 5, 6, 7]),
    input: ({ id }) => ({ pusher_id: id, limit: 7 }),
    want: { body: { meta: { next_before: null } } },
  },
  {
    rule: "list-answer",
    tool: "list_alerts",
    name: "of an empty channel",
    given: (world) => world.pusher(),
    input: ({ id }) => ({ pusher_id: id }),
    want: {},
    after: (_world, _given, { body }) => expect(body).toEqual({ data: [], meta: { next_before: null } }),
  },
  ...(
    [
      ["strictly before", "2026-01-01T00:00:00.123456Z", 119],
      ["in another offset", "2026-01-01T05:29:59.123456+05:30", 118],
      ["a microsecond later", "2026-01-01T00:00:00.123457Z", 120],
      ["an unlikely offset", "2026-01-01T23:58:58.123456+23:59", 117],
      ["in the future", "2999-01-01T00:00:00Z", 120],
      ["long ago", "0001-01-01T00:00:00Z", 0],
      ["before anything", "1969-12-31T23:59:59Z", 0],
    ] as const
  ).map(
    ([name, before, n]): TestCase => ({
      rule: KEYSET,
      tool: "list_alerts",
      name: `before ${name}`,
      given: EVEN,
      input: ({ id }) => ({ pusher_id: id, before, limit: 100 }),
      want: {},
      after: (_world, _given, { body }) => expect(body.data).toHaveLength(Math.min(n, 100)),
    }),
  ),
  ...(
    [
      [undefined, ["cancelled", "sent", "scheduled", "draft", "passed"]],
      ["draft", ["draft"]],
      ["scheduled", ["scheduled"]],
      ["sent", ["sent", "passed"]],
      ["cancelled", ["cancelled"]],
    ] as const
  ).map(
    ([status, states]): TestCase => ({
      rule: KEYSET,
      tool: "list_alerts",
      name: `status ${status ?? "absent"}`,
      given: everyState,
      input: ({ pusher }) => ({ pusher_id: pusher.id, ...(status ? { status } : {}) }),
      want: {},
      after: (_world, { ids }, { body }) => {
        expect(body.data.map(({ id }: any) => id)).toEqual(states.map((state) => ids[state]));
        if (status) expect(new Set(body.data.map((row: any) => row.status))).toEqual(new Set([status]));
        for (const row of body.data) expect(row).not.toHaveProperty("html");
      },
    }),
  ),
  ...(
    [
      ["limit", 0],
      ["limit", -1],
      ["limit", 101],
      ["limit", 1.5],
      ["limit", "ten"],
      ["limit", 1e20],
      ["limit", "1e1"],
      ["status", "published"],
      ["status", "Draft"],
      ["before", "yesterday"],
      ["before", "2026-01-01"],
      ["before", "2026-01-01T00:00:00"],
      ["before", "2026-02-30T00:00:00Z"],
      ["after", "2026-01-01T00:00:00Z"],
      ["offset", 5],
    ] as const
  ).map(
    ([param, value]): TestCase => ({
      rule: KEYSET,
      tool: "list_alerts",
      name: `refuses ${param} ${value}`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, [param]: value }),
      want: { error: "invalid_request", param },
    }),
  ),
  {
    rule: KEYSET,
    tool: "list_alerts",
    name: "the channel does not exist",
    input: () => ({ pusher_id: NO_PUSHER }),
    want: { error: "not_found", param: null },
  },
];
