// Search for alerts by text, time and author: results, order, pages, and refusals.

import { expect } from "vitest";
import type { TestCase } from "../support/case_runner.ts";
import { timeInSeconds, type World } from "../support/world.ts";
import { createAlertInState, oncePerWorld } from "./fixtures.ts";

const IN_SIGHT = "find-in-sight";

/** Two channels and a key that sees only them; results have short names. */
const news = oncePerWorld(async (world) => {
  const city = await world.pusher();
  const harbour = await world.pusher({ tags: ["Ferry Line", "north-sea"] });
  const hidden = await world.pusher();
  const ids: Record<string, string> = {};
  const write = async (name: string, channel: { id: string }, state: "draft" | "sent", fields: object) => {
    ids[name] = (await createAlertInState(world, state, channel, fields as Record<string, unknown>)).id;
  };
  await write("late", city, "sent", { title: "Ferry delayed", body: "Boat/bus at 7:30, <b>pier-4</b>." });
  await write("again", city, "sent", { title: "FERRIES run again" });
  await write("apples", city, "draft", { title: "ÄPFEL und ΟΔΟΣ", body: "don't" });
  await write("square", city, "draft", { title: "Praça do Come\u0301rcio ❤️", body: "aber\u00adta" });
  await write("storm", harbour, "sent", { title: "Storm" });
  await write("hidden", hidden, "sent", { title: "Ferry, which nobody else sees" });
  for (const [name, seconds] of [
    ["later", 7200],
    ["sooner", 3600],
  ] as const)
    ids[name] = (
      await createAlertInState(world, "scheduled", city, { title: "Timetable", send_at: timeInSeconds(seconds) })
    ).id;
  const key = await world.memberKey("viewer", [city.id, harbour.id]);
  return { city, harbour, hidden, ids, key };
});
type News = Awaited<ReturnType<typeof news>>;

const named = ({ ids }: News, { body }: any): string[] =>
  body.data.map(({ id }: any) => Object.keys(ids).find((name) => ids[name] === id) ?? "another");

/** The ordered results of a search over all channels of the key. */
const finds = (rule: string, name: string, input: object, want: string[]): TestCase => ({
  rule,
  tool: "list_account_alerts",
  name,
  given: news,
  as: (_world, { key }) => key,
  input: () => ({ ...input }),
  want: {},
  after: (_world, given, answer) => expect(named(given, answer)).toEqual(want),
});

const refused = (rule: string, name: string, input: object, param: string, says?: RegExp): TestCase => ({
  rule,
  tool: "list_account_alerts",
  name,
  input: () => ({ ...input }),
  want: { error: "invalid_request", param, ...(says ? { says } : {}) },
});

/** Text without a search term, also to a query parser. */
const WITHOUT_MEANING = [
  "ferry &",
  "!ferry",
  "ferry:*",
  "'ferry",
  "ferry \\",
  "(ferry",
  "ferry <-> ",
  "ferry'':*",
  '"ferry',
];

/** Many alerts of one search, with the same send time and different creation times. */
const MANY = 30;
const many = oncePerWorld(async (world) => {
  const pusher = await world.pusher();
  const { id } = await world.alert(pusher.id, { title: "Tide table", send: true });
  for (let n = 1; n < MANY; n++) await world.alert(pusher.id, { title: "Tide table", send: true });
  await world.sql(
    `update alert set sent_at = '2026-03-01 00:00:00Z', created_at = timestamptz '2026-01-01 00:00:00Z' + random() *
      interval '1 day'
     where pusher_id = (select pusher_id from alert where title = 'Tide table' limit 1)`,
  );
  return { pusher, id };
});

/** Follows a search to its end. */
async function walk(world: World, tool: "list_alerts" | "list_account_alerts", args: object): Promise<any[]> {
  const rows: any[] = [];
  for (let before: string | undefined; ; ) {
    const { status, body } = await world.rest(tool, { ...args, ...(before ? { before } : {}) });
    expect(status).toBe(200);
    rows.push(...body.data);
    before = body.meta.next_before ?? undefined;
    if (before === undefined) return rows;
  }
}

export const searchCases: TestCase[] = [
  finds("find-words", "a word and the beginning of one", { query: "ferr" }, ["storm", "again", "late"]),
  finds("find-words", "each word has to be there", { query: "ferry late delayed boat" }, []),
  finds("find-words", "in title and text together", { query: "delayed pier" }, ["late"]),
  finds("find-words", "terms that a stroke joins", { query: "bus" }, ["late"]),
  finds("find-words", "a letter alone is not a beginning", { query: "f" }, []),
  finds("find-words", "but a word, which it may be", { query: "4 pier" }, ["late"]),
  finds("find-words", "nor of a tag", { query: "n storm" }, []),
  finds("find-words", "digits", { query: "7:30" }, ["late"]),
  finds("find-words", "in other letters' case", { query: "äpfel οδος" }, ["apples"]),
  finds("find-words", "without accents", { query: "praca comercio" }, ["square"]),
  finds("find-words", "with accents that the text writes otherwise", { query: "prac\u0327a comércio" }, ["square"]),
  finds("find-words", "past invisible characters", { query: "❤️praça a\u200bberta" }, ["square"]),
  finds("find-words", "a tag, with an accent", { query: "férry storm" }, ["storm"]),
  finds("find-words", "characters between two letters", { query: "DON'T" }, ["apples"]),
  finds("find-words", "a tag and a word of the alert", { query: "north storm" }, ["storm"]),
  finds("find-words", "a tag alone", { query: "line sea" }, ["storm"]),
  finds("find-words", "nothing", { query: "submarine" }, []),
  ...WITHOUT_MEANING.map((query) => finds("find-words", `as ${query}`, { query }, ["storm", "late"])),
  finds("find-words", "of one status", { query: "timetable", status: "sent" }, []),
  refused("find-words", "no word", { query: "?!" }, "query", /one letter or digit/),
  refused("find-words", "a heart alone", { query: "❤️" }, "query", /one letter or digit/),
  refused("find-words", "eleven words", { query: "a b c d e f g h i j k" }, "query", /at most 10 words/),
  refused("find-words", "101 characters", { query: "a".repeat(101) }, "query"),
  refused("find-words", "a control character", { query: "a\u0007" }, "query"),
  finds("find-time", "scheduled alerts, the soonest first", { status: "scheduled", query: "timetable" }, [
    "sooner",
    "later",
  ]),
  finds("find-time", "scheduled alerts, in reverse", { status: "scheduled", order: "newest" }, ["later", "sooner"]),
  finds("find-time", "scheduled alerts without an approval, by their age", { status: "scheduled" }, [
    "sooner",
    "later",
  ]),
  finds("find-time", "the oldest first", { query: "ferr", order: "oldest" }, ["late", "again", "storm"]),
  finds("find-time", "from the future on", { from: "2200-01-01T00:00:00Z" }, []),
  finds("find-time", "before all of it", { to: "2020-01-01T00:00:00Z", status: "sent" }, []),
  {
    rule: "find-time",
    tool: "list_alerts",
    name: "from counts its own instant, to does not",
    given: many,
    input: ({ pusher }) => ({ pusher_id: pusher.id, status: "sent", from: "2026-03-01T00:00:00Z", limit: 100 }),
    want: {},
    after: async (world, { pusher }, { body }) => {
      expect(body.data).toHaveLength(MANY);
      const args = { pusher_id: pusher.id, status: "sent", to: "2026-03-01T00:00:00Z" };
      expect((await world.rest("list_alerts", args)).body.data).toEqual([]);
    },
  },
  {
    rule: "find-time",
    tool: "list_account_alerts",
    name: "scheduled ones by send_at",
    given: news,
    as: (_world, { key }) => key,
    input: () => ({ status: "scheduled", from: timeInSeconds(5400) }),
    want: {},
    after: (_world, given, answer) => expect(named(given, answer)).toEqual(["later"]),
  },
  refused(
    "find-time",
    "from that is not before to",
    { from: "2026-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z" },
    "from",
  ),
  {
    rule: IN_SIGHT,
    tool: "list_alerts",
    name: "in one channel",
    given: news,
    as: (_world, { key }) => key,
    input: ({ city }) => ({ pusher_id: city.id, query: "ferr" }),
    want: {},
    after: (_world, given, answer) => expect(named(given, answer)).toEqual(["again", "late"]),
  },
  {
    rule: IN_SIGHT,
    tool: "list_alerts",
    name: "in a channel that the key does not see",
    given: news,
    as: (_world, { key }) => key,
    input: ({ hidden }) => ({ pusher_id: hidden.id, query: "ferry" }),
    want: { error: "not_found" },
  },
  {
    rule: IN_SIGHT,
    tool: "list_account_alerts",
    name: "from another workspace",
    given: async (world) => ({ ...(await news(world)), key: await world.foreignKey() }),
    as: (_world, { key }) => key,
    input: () => ({ query: "ferry" }),
    want: { body: { data: [], meta: { next_before: null } } },
  },
  {
    rule: "find-writer",
    tool: "list_account_alerts",
    name: "a key, of what it wrote and what it copied",
    given: async (world) => {
      const { city, ids } = await news(world);
      const key = await world.key();
      const { body: me } = await world.rest("get_me", {}, key);
      const own = await world.rest("create_alert", { pusher_id: city.id, title: "Own" }, key);
      const copy = await world.rest("duplicate_alert", { pusher_id: city.id, alert_id: ids.late }, key);
      return { writer: me.credential.id, made: [copy.body.id, own.body.id] };
    },
    input: ({ writer }) => ({ writer }),
    want: {},
    after: async (world, { writer, made }, { body }) => {
      expect(body.data.map(({ id }: any) => id)).toEqual(made);
      const { body: both } = await world.rest("list_account_alerts", { writer, query: "ferry" });
      expect(both.data.map(({ id }: any) => id)).toEqual([made[0]]);
    },
  },
  refused("find-writer", "an invalid id of an author", { writer: "key_'" }, "writer"),
  {
    rule: "find-words",
    tool: "update_alert",
    name: "terms that an edit removed are not found, and its new ones are",
    given: async (world) => {
      const pusher = await world.pusher();
      return { pusher, alert: await world.alert(pusher.id, { title: "Lighthouse", body: "open" }) };
    },
    input: ({ pusher, alert }) => ({ pusher_id: pusher.id, alert_id: alert.id, title: "Windmill" }),
    want: {},
    after: async (world, { pusher }) => {
      const found = async (query: string) =>
        (await world.rest("list_alerts", { pusher_id: pusher.id, query })).body.data.length;
      expect([await found("lighthouse"), await found("windmill open")]).toEqual([0, 1]);
    },
  },
  {
    rule: "find-place",
    tool: "list_alerts",
    name: "pages within one time: none lost, none twice",
    given: many,
    input: ({ pusher }) => ({ pusher_id: pusher.id, query: "tide", status: "sent", limit: 7 }),
    want: {},
    after: async (world, { pusher }, { body }) => {
      expect(body.data).toHaveLength(7);
      const args = { pusher_id: pusher.id, query: "tide", status: "sent" };
      for (const order of ["newest", "oldest"]) {
        const rows = await walk(world, "list_alerts", { ...args, order, limit: 7 });
        expect(new Set(rows.map(({ id }) => id)).size).toBe(MANY);
        expect(rows).toHaveLength(MANY);
      }
    },
  },
  ...(
    [
      ["with another text", { query: "table" }],
      ["with another status", { status: "draft" }],
      ["turned round", { order: "oldest" }],
      ["of another time", { from: "2026-01-01T00:00:00Z" }],
      ["as a plain list", { query: undefined, status: undefined }],
    ] as const
  ).map(
    ([name, other]): TestCase => ({
      rule: "find-place",
      tool: "list_alerts",
      name: `a position continues ${name}`,
      given: async (world) => {
        const { pusher } = await many(world);
        const args = { pusher_id: pusher.id, query: "tide", status: "sent" };
        const { body } = await world.rest("list_alerts", { ...args, limit: 7 });
        return { ...args, before: body.meta.next_before };
      },
      input: (args) => JSON.parse(JSON.stringify({ ...args, ...other })),
      want: { error: "invalid_request", param: "before", says: /from a different list/ },
    }),
  ),
  {
    rule: "find-place",
    tool: "list_account_alerts",
    name: "a position continues in all channels",
    given: async (world) => {
      const { pusher } = await many(world);
      const { body } = await world.rest("list_alerts", { pusher_id: pusher.id, query: "tide", limit: 7 });
      return { before: body.meta.next_before };
    },
    input: ({ before }) => ({ query: "tide", before }),
    want: { error: "invalid_request", param: "before" },
  },
  refused("find-place", "a time in its place", { query: "tide", before: "2026-01-01T00:00:00Z" }, "before"),
];
