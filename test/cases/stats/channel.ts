// Statistics of one channel: by UTC day, within the requested period.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { joinNewHandset, parseUuid } from "../../support/handsets.ts";
import { timeInSeconds, type World } from "../../support/world.ts";
import { BAD_RANGES, badRange, daysAgo, expectNoDeliveryFigures, sendReport, sentAlert, today } from "./fixtures.ts";

const range = (name: string, args: Record<string, unknown>, from: () => string, to: () => string): TestCase => ({
  rule: "stats-period",
  name,
  tool: "get_pusher_stats",
  given: (world) => world.pusher(),
  input: ({ id }) => ({ pusher_id: id, ...args }),
  want: {},
  after: (_world, _given, { body }) => {
    expect([body.from, body.to]).toEqual([from(), to()]);
    const days = (Date.parse(to()) - Date.parse(from())) / 86_400_000 + 1;
    // Every UTC day, the empty ones too, oldest first and none twice.
    expect(body.buckets).toHaveLength(days);
    expect(body.buckets[0]).toEqual({ date: from(), alerts_sent: 0, reads: 0, acks: 0 });
    expect(body.buckets.at(-1).date).toBe(to());
    expect(new Set(body.buckets.map(({ date }: any) => date)).size).toBe(days);
    // rules#stats-no-clamp
    expect(Object.keys(body).sort()).toEqual(["buckets", "from", "reach", "timezone", "to", "totals"]);
    expectNoDeliveryFigures(body);
  },
});

/** Alerts around a border of UTC days. */
async function borders(world: World) {
  const pusher = await world.pusher();
  for (const at of [
    "2026-02-27T23:59:59.999999Z",
    "2026-02-28T00:00:00Z",
    "2026-02-28T23:59:59.999999Z",
    "2026-03-01T00:00:00Z",
    "2026-03-02T00:00:00Z",
  ])
    await sentAlert(world, at, pusher);
  return pusher;
}

export const channelStatsCases: TestCase[] = [
  range("the last 7 days by default", {}, () => daysAgo(6), today),
  range("day is today", { period: "day" }, today, today),
  range("week", { period: "week" }, () => daysAgo(6), today),
  range("month", { period: "month" }, () => daysAgo(29), today),
  range(
    "one day",
    { from: "2026-02-28", to: "2026-02-28" },
    () => "2026-02-28",
    () => "2026-02-28",
  ),
  range(
    "366 days",
    { from: "2024-01-01", to: "2024-12-31" },
    () => "2024-01-01",
    () => "2024-12-31",
  ),
  range(
    "days that have not come",
    { from: "2031-01-01", to: "2031-01-03" },
    () => "2031-01-01",
    () => "2031-01-03",
  ),
  range(
    "the first and the last of the calendar",
    { from: "9999-12-30", to: "9999-12-31" },
    () => "9999-12-30",
    () => "9999-12-31",
  ),
  ...BAD_RANGES.filter(([args]) => args.period !== "").map(([args, param]) =>
    badRange("get_pusher_stats", args, param),
  ),
  {
    rule: "stats-utc",
    name: "to the microsecond, both ends inclusive",
    tool: "get_pusher_stats",
    given: borders,
    input: ({ id }) => ({ pusher_id: id, from: "2026-02-28", to: "2026-03-01" }),
    want: {
      body: {
        timezone: "UTC",
        totals: { alerts_sent: 3, reads: 0, acks: 0 },
        buckets: [
          { date: "2026-02-28", alerts_sent: 2, reads: 0, acks: 0 },
          { date: "2026-03-01", alerts_sent: 1, reads: 0, acks: 0 },
        ],
      },
    },
  },
  {
    rule: "stats-sums",
    name: "reports count on the day of their receipt, for any alert",
    tool: "get_pusher_stats",
    given: async (world) => {
      const { pusher, alert } = await sentAlert(world);
      const { token } = await joinNewHandset(world, pusher.handle);
      await sendReport(world, token, alert.id, "read", "ack");
      await world.sql("insert into channel_day (pusher_id, day, reads, acks) values (?, ?, 5, 3)", [
        parseUuid(pusher.id),
        daysAgo(3),
      ]);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, period: "week" }),
    want: { body: { reach: 1, totals: { alerts_sent: 0, reads: 6, acks: 4 } } },
    after: (_world, _given, { body }) => {
      expect(body.buckets.at(-1)).toEqual({ date: today(), alerts_sent: 0, reads: 1, acks: 1 });
      expect(body.buckets[3]).toEqual({ date: daysAgo(3), alerts_sent: 0, reads: 5, acks: 3 });
    },
  },
  {
    rule: "verb-leaves",
    name: "drafts, cancelled ones and those still scheduled are not; a scheduled one whose time passed is",
    tool: "get_pusher_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const send = (fields = {}) => world.alert(pusher.id, { send: true, ...fields });
      await world.alert(pusher.id);
      await send();
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: (await send()).id });
      const withdrawn = await send({ send_at: timeInSeconds(3600) });
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: withdrawn.id });
      const returned = await send({ send_at: timeInSeconds(3600) });
      await world.rest("update_alert", { pusher_id: pusher.id, alert_id: returned.id, send_at: null });
      const removed = await send({ send_at: timeInSeconds(3600) });
      await world.rest("delete_alert", { pusher_id: pusher.id, alert_id: removed.id });
      await send({ send_at: timeInSeconds(3600) });
      const early = await send({ send_at: timeInSeconds(86_400 * 3) });
      await world.rest("send_alert", { pusher_id: pusher.id, alert_id: early.id });
      const passed = await send({ send_at: timeInSeconds(3600) });
      await world.sql("update alert set send_at = clock_timestamp() where id = ?", [parseUuid(passed.id)]);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id, from: daysAgo(1), to: daysAgo(-5) }),
    want: { body: { totals: { alerts_sent: 3, reads: 0, acks: 0 } } },
    after: async (world, { id }, { body }) => {
      expect(body.buckets.map(({ alerts_sent }: any) => alerts_sent)).toEqual([0, 3, 0, 0, 0, 0, 0]);
      const read = await world.rest("get_pusher", { pusher_id: id });
      expect(read.body.alerts_sent).toBe(3);
    },
  },
  {
    rule: "publishing-is-one-row",
    name: "a scheduled alert counts from its time on, with nothing written",
    tool: "get_pusher_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const send_at = timeInSeconds(4);
      await world.alert(pusher.id, { send: true, send_at });
      const read = async () => (await world.rest("get_pusher_stats", { pusher_id: pusher.id })).body.totals.alerts_sent;
      const first = await read();
      if (new Date().toISOString() < send_at) expect(first).toBe(0);
      await expect.poll(read).toBe(1);
      expect(new Date().toISOString() >= send_at).toBe(true);
      return pusher;
    },
    input: ({ id }) => ({ pusher_id: id }),
    want: { body: { totals: { alerts_sent: 1 } } },
  },
  {
    rule: "foreign-is-missing",
    tool: "get_pusher_stats",
    input: () => ({ pusher_id: "psh_01h455vb4pex5vsknk084sn02q" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: "order-of-checks",
    tool: "get_pusher_stats",
    input: () => ({ pusher_id: "psh_01h455vb4pex5vsknk084sn02q", from: "2026-01-01" }),
    want: { error: "invalid_request", param: "to" },
  },
  {
    rule: "foreign-is-missing",
    tool: "get_pusher_stats",
    given: (world) => world.pusher(),
    as: (world) => world.foreignKey(),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "not_found" },
  },
  {
    rule: "restricted-sees-its-channels",
    tool: "get_pusher_stats",
    given: async (world) => ({ seen: await world.pusher(), unseen: await world.pusher() }),
    as: (world, { seen }) => world.memberKey("owner", [seen.id]),
    input: ({ unseen }) => ({ pusher_id: unseen.id }),
    want: { error: "not_found" },
  },
  {
    rule: "one-scope",
    tool: "get_pusher_stats",
    given: (world) => world.pusher(),
    as: (world) => world.key({ scopes: "pushers:read" }),
    input: ({ id }) => ({ pusher_id: id }),
    want: { error: "insufficient_scope", says: /stats:read/ },
  },
];
