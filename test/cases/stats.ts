// Statistics: counts that can be backed, by UTC day and by alert, and nothing else.

import { expect } from "vitest";
import type { Case } from "../support/cases.ts";
import { join, joined, registered, suspend, uuidOf } from "../support/handsets.ts";
import { inSeconds, type World } from "../support/world.ts";

const SENT_AT = "2026-03-10T10:00:00.000001Z";

/** "no-delivered-figure" */
export function noOutcomes(body: unknown): void {
  JSON.stringify(body, (key, value) => {
    expect(key).not.toMatch(/deliver(ed|ies)|(^|_)rates?(_|$)|percent|(^|_)ratio|clicks?|failed/i);
    return value;
  });
}

const today = () => new Date().toISOString().slice(0, 10);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** A sent alert whose instant is set back, so that its reports can lie where a row wants them. */
async function sentAlert(world: World, sentAt = SENT_AT, pusher?: any) {
  const channel = pusher ?? (await world.pusher());
  const alert = await world.alert(channel.id, { send: true });
  await world.sql("update alert set sent_at = ?::timestamptz where id = ?", [sentAt, uuidOf(alert.id)]);
  return { pusher: channel, alert };
}
type Sent = Awaited<ReturnType<typeof sentAlert>>;
const path = ({ pusher, alert }: Sent) => ({ pusher_id: pusher.id, alert_id: alert.id });

/** Reports so many microseconds after SENT_AT; null is a pruned one. Kinds: 1 read, 2 ack. */
async function reports(world: World, alert: { id: string }, rows: [micros: number | null, kind: number][]) {
  for (const [i, [micros, kind]] of rows.entries())
    await world.sql(
      `insert into report (alert_id, device_id, kind, at)
       values (?, ?::bigint, ?, timestamptz '${SENT_AT}' + ?::bigint * interval '1 microsecond')`,
      [uuidOf(alert.id), String(1000 + i), kind, micros],
    );
}

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;

/** Surviving and pruned reports in bulk, each by a device of its own. */
async function manyReports(world: World, surviving: number, pruned = 0) {
  const given = await sentAlert(world);
  await world.sql(
    `insert into report (alert_id, device_id, kind, at)
     select ?, n, 1, case when n <= ?::int then timestamptz '${SENT_AT}' + (n % 3) * interval '40 minutes' end
     from generate_series(1, ?::int) n`,
    [uuidOf(given.alert.id), surviving, surviving + pruned],
  );
  await world.sql("insert into alert_counter (alert_id, reads) values (?, ?)", [
    uuidOf(given.alert.id),
    surviving + pruned,
  ]);
  return given;
}

const inBuckets = (body: any) =>
  body.buckets.reduce((n: number, { reads, acks }: any) => n + reads + acks, 0);

const report = (world: World, token: string, alertId: string, ...kinds: string[]) =>
  world.handset("POST", "/reports", token, {
    reports: kinds.map((kind) => ({ alert_id: alertId, kind })),
  });

const perAlert: Case[] = [
  {
    rule: "stats-note",
    tool: "get_alert_stats",
    given: (world) => sentAlert(world),
    input: path,
    want: { body: { timezone: "UTC", reach: 0, totals: { reads: 0, acks: 0 }, buckets: [], sampled: false } },
    after: (_world, _given, { body }) => {
      expect(Object.keys(body).sort()).toEqual(
        ["timezone", "reach", "totals", "buckets", "note", "sampled"].sort(),
      );
      expect(body.note).toMatch(/timeline/i);
      expect(body.note).toMatch(/prune/i);
      noOutcomes(body);
    },
  },
  {
    rule: "alert-stats",
    name: "twelve half hours, then hours, exact to the microsecond",
    tool: "get_alert_stats",
    given: async (world) => {
      const given = await sentAlert(world);
      await reports(world, given.alert, [
        [0, 1],
        [30 * MINUTE - 1, 1],
        [30 * MINUTE, 1],
        [30 * MINUTE, 2],
        [6 * HOUR - 30 * MINUTE, 2],
        [6 * HOUR - 1, 1],
        [6 * HOUR, 1],
        [6 * HOUR + 30 * MINUTE, 1],
        [7 * HOUR - 1, 2],
        [7 * HOUR, 1],
        [100 * HOUR - 1, 1],
        [100 * HOUR, 2],
        [2000 * HOUR + 59 * MINUTE, 1],
      ]);
      return given;
    },
    input: path,
    want: {
      body: {
        buckets: [
          { start: "2026-03-10T10:00:00.000001Z", reads: 2, acks: 0 },
          { start: "2026-03-10T10:30:00.000001Z", reads: 1, acks: 1 },
          { start: "2026-03-10T15:30:00.000001Z", reads: 1, acks: 1 },
          { start: "2026-03-10T16:00:00.000001Z", reads: 2, acks: 1 },
          { start: "2026-03-10T17:00:00.000001Z", reads: 1, acks: 0 },
          { start: "2026-03-14T13:00:00.000001Z", reads: 1, acks: 0 },
          { start: "2026-03-14T14:00:00.000001Z", reads: 0, acks: 1 },
          { start: "2026-06-01T18:00:00.000001Z", reads: 1, acks: 0 },
        ],
      },
    },
    // Empty ones are left out.
    after: (_world, _given, { body }) => expect(body.buckets).toHaveLength(8),
  },
  {
    rule: "alert-stats-exact",
    also: ["prune-reports"],
    name: "repeats count once, and pruning thins the timeline only",
    tool: "get_alert_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await world.alert(pusher.id, { send: true });
      const [one, two] = [await joined(world, pusher.handle), await joined(world, pusher.handle)];
      await report(world, one.token, alert.id, "read", "ack", "read");
      await report(world, one.token, alert.id, "read");
      await report(world, two.token, alert.id, "read");
      const before = await world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.id });
      expect(inBuckets(before.body)).toBe(3);
      const cut = `/reports?before=${encodeURIComponent(inSeconds(60))}`;
      expect((await world.handset("DELETE", cut, one.token)).status).toBe(204);
      // A repeat after pruning neither counts nor comes back into the timeline.
      await report(world, one.token, alert.id, "read", "ack");
      return { pusher, alert };
    },
    input: path,
    want: { body: { reach: 2, totals: { reads: 2, acks: 1 } } },
    after: async (world, { pusher }, { body }) => {
      expect(inBuckets(body)).toBe(1);
      const day = await world.rest("get_pusher_stats", { pusher_id: pusher.id, period: "day" });
      expect(day.body.totals).toEqual({ alerts_sent: 1, reads: 2, acks: 1 });
    },
  },
  {
    rule: "alert-stats-sampled",
    name: "10,000 are not",
    tool: "get_alert_stats",
    given: (world) => manyReports(world, 10_000),
    input: path,
    want: { body: { sampled: false, totals: { reads: 10_000 } } },
    after: (_world, _given, { body }) => expect(inBuckets(body)).toBe(10_000),
  },
  {
    rule: "alert-stats-sampled",
    name: "10,001 are, and the totals stay exact",
    tool: "get_alert_stats",
    given: (world) => manyReports(world, 10_001),
    input: path,
    want: { body: { sampled: true, totals: { reads: 10_001 } } },
    after: (_world, _given, { body }) => {
      expect(inBuckets(body)).toBe(10_000);
      expect(body.note).toMatch(/10,000/);
    },
  },
  {
    rule: "alert-stats-sampled",
    name: "pruned reports do not count towards the sample",
    tool: "get_alert_stats",
    given: (world) => manyReports(world, 10_000, 500),
    input: path,
    want: { body: { sampled: false, totals: { reads: 10_500 } } },
    after: (_world, _given, { body }) => expect(inBuckets(body)).toBe(10_000),
  },
  {
    rule: "alert-stats-unsent",
    name: "a draft",
    tool: "get_alert_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      await joined(world, pusher.handle);
      return { pusher, alert: await world.alert(pusher.id) };
    },
    input: path,
    want: { body: { reach: 1, totals: { reads: 0, acks: 0 }, buckets: [], sampled: false } },
  },
  {
    rule: "alert-stats-unsent",
    name: "a scheduled one, whose reports are skipped",
    tool: "get_alert_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await world.alert(pusher.id, { send: true, send_at: inSeconds(3600) });
      const { token } = await joined(world, pusher.handle);
      expect((await report(world, token, alert.id, "read")).body).toEqual({ accepted: 0 });
      return { pusher, alert };
    },
    input: path,
    want: { body: { totals: { reads: 0, acks: 0 }, buckets: [] } },
  },
  {
    rule: "passed-is-sent",
    name: "its timeline begins at send_at",
    tool: "get_alert_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await world.alert(pusher.id, { send: true, send_at: inSeconds(3600) });
      await world.sql("update alert set send_at = ?::timestamptz where id = ?", [SENT_AT, uuidOf(alert.id)]);
      await reports(world, alert, [[40 * MINUTE, 1]]);
      return { pusher, alert };
    },
    input: path,
    want: { body: { buckets: [{ start: "2026-03-10T10:30:00.000001Z", reads: 1, acks: 0 }] } },
  },
  {
    rule: "verb-leaves",
    name: "a cancelled alert keeps its totals and its timeline",
    tool: "get_alert_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await world.alert(pusher.id, { send: true });
      const { token } = await joined(world, pusher.handle);
      await report(world, token, alert.id, "read");
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: alert.id });
      return { pusher, alert };
    },
    input: path,
    want: { body: { totals: { reads: 1, acks: 0 }, buckets: [{ reads: 1, acks: 0 }] } },
    after: (_world, { alert }, { body }) => expect(body.buckets[0].start).toBe(alert.sent_at),
  },
  {
    rule: "reach-is-now",
    name: "muted ones and later ones included, those who left not",
    tool: "get_alert_stats",
    given: async (world) => {
      const given = await sentAlert(world);
      const { handle } = given.pusher;
      const [muted, gone] = [await joined(world, handle), await joined(world, handle)];
      await joined(world, handle);
      await world.handset("PUT", `/subscriptions/${handle}`, muted.token, { muted: true });
      await world.handset("DELETE", `/subscriptions/${handle}`, gone.token);
      return given;
    },
    input: path,
    want: { body: { reach: 2 } },
  },
  ...["alr_01h455vb4pex5vsknk084sn02q", "nonsense"].map(
    (alert_id): Case => ({
      rule: "alert-stats",
      name: `the alert ${alert_id} is 404`,
      tool: "get_alert_stats",
      given: (world) => world.pusher(),
      input: ({ id }) => ({ pusher_id: id, alert_id }),
      want: { error: "not_found", param: null },
    }),
  ),
  {
    rule: "foreign-is-missing",
    name: "an alert under another own channel is 404",
    tool: "get_alert_stats",
    given: async (world) => ({ ...(await sentAlert(world)), other: await world.pusher() }),
    input: ({ alert, other }) => ({ pusher_id: other.id, alert_id: alert.id }),
    want: { error: "not_found" },
  },
  {
    rule: "foreign-is-missing",
    name: "another account's alert",
    tool: "get_alert_stats",
    given: (world) => sentAlert(world),
    as: (world) => world.foreignKey(),
    input: path,
    want: { error: "not_found" },
  },
  {
    rule: "one-scope",
    tool: "get_alert_stats",
    given: (world) => sentAlert(world),
    as: (world) => world.key({ scopes: "alerts:read" }),
    input: path,
    want: { error: "insufficient_scope", says: /stats:read/ },
  },
  {
    rule: "unknown-fields",
    tool: "get_alert_stats",
    given: (world) => sentAlert(world),
    input: (given) => ({ ...path(given), period: "day" }),
    want: { error: "invalid_request", param: "period" },
  },
];

const range = (name: string, args: Record<string, unknown>, from: () => string, to: () => string): Case => ({
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
    // docs/rules.md#stats-no-clamp
    expect(Object.keys(body).sort()).toEqual(["buckets", "from", "reach", "timezone", "to", "totals"]);
    noOutcomes(body);
  },
});

const badRange = (tool: string, args: Record<string, unknown>, param: string): Case => ({
  rule: "stats-range",
  name: `${JSON.stringify(args)} is 422 on ${param}`,
  tool,
  given: (world) => world.pusher(),
  input: ({ id }) => ({ ...(tool === "get_pusher_stats" ? { pusher_id: id } : {}), ...args }),
  want: { error: "invalid_request", param },
});

const BAD_RANGES: [Record<string, unknown>, string][] = [
  [{ from: "2026-01-01" }, "to"],
  [{ to: "2026-01-01" }, "from"],
  [{ from: "2026-01-02", to: "2026-01-01" }, "to"],
  [{ from: "2025-01-01", to: "2026-01-02" }, "to"],
  [{ period: "day", from: "2026-01-01", to: "2026-01-01" }, "from"],
  [{ period: "day", to: "2026-01-01" }, "to"],
  [{ period: "year" }, "period"],
  [{ period: "" }, "period"],
  [{ from: "2026-02-29", to: "2026-03-01" }, "from"],
  [{ from: "2026-1-1", to: "2026-01-02" }, "from"],
  [{ from: "2026-01-01T00:00:00Z", to: "2026-01-02" }, "from"],
  [{ from: "2026-01-01", to: "yesterday" }, "to"],
  [{ from: "0000-01-01", to: "0000-01-02" }, "from"],
  [{ from: "-000001-01-01", to: "2026-01-01" }, "from"],
  [{ window_days_max: 7 }, "window_days_max"],
];

/** Alerts that lie around a border of UTC days. */
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

const perChannel: Case[] = [
  range("the last 7 days when nothing is asked", {}, () => daysAgo(6), today),
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
    name: "reports count on the day of their receipt, whatever alert they are of",
    tool: "get_pusher_stats",
    given: async (world) => {
      const { pusher, alert } = await sentAlert(world);
      const { token } = await joined(world, pusher.handle);
      await report(world, token, alert.id, "read", "ack");
      await world.sql("insert into channel_day (pusher_id, day, reads, acks) values (?, ?, 5, 3)", [
        uuidOf(pusher.id),
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
    name: "drafts, cancelled ones and those still scheduled are not; a scheduled one whose instant passed is",
    tool: "get_pusher_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const send = (fields = {}) => world.alert(pusher.id, { send: true, ...fields });
      await world.alert(pusher.id);
      await send();
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: (await send()).id });
      const withdrawn = await send({ send_at: inSeconds(3600) });
      await world.rest("cancel_alert", { pusher_id: pusher.id, alert_id: withdrawn.id });
      const returned = await send({ send_at: inSeconds(3600) });
      await world.rest("update_alert", { pusher_id: pusher.id, alert_id: returned.id, send_at: null });
      const removed = await send({ send_at: inSeconds(3600) });
      await world.rest("delete_alert", { pusher_id: pusher.id, alert_id: removed.id });
      await send({ send_at: inSeconds(3600) });
      const early = await send({ send_at: inSeconds(86_400 * 3) });
      await world.rest("send_alert", { pusher_id: pusher.id, alert_id: early.id });
      const passed = await send({ send_at: inSeconds(3600) });
      await world.sql("update alert set send_at = clock_timestamp() where id = ?", [uuidOf(passed.id)]);
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
    name: "a scheduled alert counts from its instant on, with nothing written",
    tool: "get_pusher_stats",
    given: async (world) => {
      const pusher = await world.pusher();
      const send_at = inSeconds(4);
      await world.alert(pusher.id, { send: true, send_at });
      const read = async () =>
        (await world.rest("get_pusher_stats", { pusher_id: pusher.id })).body.totals.alerts_sent;
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

/** An account of its own with three channels, of which the second has an alert, three reports and two subscribers. */
async function account(world: World) {
  const key = await world.foreignKey();
  const [one, two, three] = [
    await world.pusher({ name: "One" }, key),
    await world.pusher({ name: "Two" }, key),
    await world.pusher({ name: "Three" }, key),
  ];
  const { token } = await joined(world, one.handle);
  await join(world, token, two.handle);
  const { token: muted } = await registered(world);
  await world.handset("PUT", `/subscriptions/${two.handle}`, muted, { muted: true });
  const send = async (pusher: any) =>
    (await world.rest("create_alert", { pusher_id: pusher.id, title: "T", send: true }, key)).body;
  await send(one);
  const alert = await send(two);
  await report(world, token, alert.id, "read", "ack");
  await report(world, muted, alert.id, "read");
  return { key, one, two, three };
}

const row = (name: string, reach: number, alerts_sent: number, reads: number, acks: number) => ({
  name,
  reach,
  alerts_sent,
  reads,
  acks,
});

const perAccount: Case[] = [
  {
    rule: "account-stats",
    tool: "get_account_stats",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({ period: "day" }),
    want: {
      body: {
        timezone: "UTC",
        // A device on two channels counts twice (docs/rules.md#account-stats).
        reach: 3,
        totals: { alerts_sent: 2, reads: 2, acks: 1 },
        channels: [row("Three", 0, 0, 0, 0), row("Two", 2, 1, 2, 1), row("One", 1, 1, 0, 0)],
      },
    },
    after: (_world, { one, two, three }, { body }) => {
      expect(body.buckets).toEqual([{ date: today(), alerts_sent: 2, reads: 2, acks: 1 }]);
      expect([body.from, body.to]).toEqual([today(), today()]);
      expect(body.channels.map(({ pusher_id, handle }: any) => [pusher_id, handle])).toEqual(
        [three, two, one].map(({ id, handle }) => [id, handle]),
      );
      expect(Object.keys(body).sort()).toEqual(
        ["buckets", "channels", "from", "reach", "timezone", "to", "totals"].sort(),
      );
      expect(Object.keys(body.channels[0]).sort()).toEqual(
        ["acks", "alerts_sent", "handle", "name", "pusher_id", "reach", "reads"].sort(),
      );
      noOutcomes(body);
    },
  },
  {
    rule: "stats-utc",
    name: "outside of the range channels stay, with zeros and their present reach",
    tool: "get_account_stats",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({ from: "2026-01-01", to: "2026-01-02" }),
    want: {
      body: {
        reach: 3,
        totals: { alerts_sent: 0, reads: 0, acks: 0 },
        buckets: [
          { date: "2026-01-01", alerts_sent: 0, reads: 0, acks: 0 },
          { date: "2026-01-02", alerts_sent: 0, reads: 0, acks: 0 },
        ],
        channels: [row("Three", 0, 0, 0, 0), row("Two", 2, 0, 0, 0), row("One", 1, 0, 0, 0)],
      },
    },
  },
  {
    rule: "stats-period",
    tool: "get_account_stats",
    given: account,
    as: (_world, { key }) => key,
    input: () => ({}),
    want: { body: { reach: 3 } },
    after: (_world, _given, { body }) => {
      expect(body.buckets.map(({ date }: any) => date)).toEqual([6, 5, 4, 3, 2, 1, 0].map(daysAgo));
      const sums = body.channels.reduce((n: number, { reads }: any) => n + reads, 0);
      expect(body.totals.reads).toBe(sums);
    },
  },
  {
    rule: "account-stats",
    name: "an account without channels",
    tool: "get_account_stats",
    given: (world) => world.foreignKey(),
    as: (_world, key) => key,
    input: () => ({ period: "day" }),
    want: { body: { reach: 0, totals: { alerts_sent: 0, reads: 0, acks: 0 }, channels: [] } },
    after: (_world, _given, { body }) =>
      expect(body.buckets).toEqual([{ date: today(), alerts_sent: 0, reads: 0, acks: 0 }]),
  },
  {
    rule: "account-stats-restricted",
    name: "a restricted member sums its own channels",
    tool: "get_account_stats",
    given: async (world) => {
      const pusher = await world.pusher({ name: "Mine" });
      await world.alert(pusher.id, { send: true });
      await joined(world, pusher.handle);
      return pusher;
    },
    as: (world, { id }) => world.memberKey("viewer", [id]),
    input: () => ({ period: "day" }),
    want: {
      body: {
        reach: 1,
        totals: { alerts_sent: 1, reads: 0, acks: 0 },
        channels: [row("Mine", 1, 1, 0, 0)],
      },
    },
    after: (_world, _given, { body }) => expect(body.channels).toHaveLength(1),
  },
  {
    rule: "account-stats-restricted",
    name: "a bound key sums its channel",
    tool: "get_account_stats",
    given: async (world) => {
      const pusher = await world.pusher({ name: "Bound" });
      await world.alert(pusher.id, { send: true });
      return pusher;
    },
    as: (world, { id }) => world.key({ pusher: id, scopes: "stats:read" }),
    input: () => ({ period: "day" }),
    want: { body: { totals: { alerts_sent: 1 }, channels: [row("Bound", 0, 1, 0, 0)] } },
    after: (_world, _given, { body }) => expect(body.channels).toHaveLength(1),
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a member restricted to nothing gets zeros",
    tool: "get_account_stats",
    as: (world) => world.memberKey("owner", []),
    input: () => ({ period: "day" }),
    want: { body: { reach: 0, totals: { alerts_sent: 0, reads: 0, acks: 0 }, channels: [] } },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a key bound to a channel that its member does not see sees nothing",
    tool: "get_account_stats",
    given: async (world) => ({ seen: await world.pusher(), bound: await world.pusher() }),
    as: async (world, { seen, bound }) => world.memberKey("editor", [seen.id], { pusher: bound.id }),
    input: () => ({}),
    want: { body: { reach: 0, channels: [] } },
  },
  {
    rule: "restricted-sees-its-channels",
    name: "a suspended channel is still its owner's",
    tool: "get_account_stats",
    given: async (world) => {
      const given = await account(world);
      await suspend(world, given.two.handle);
      return given;
    },
    as: (_world, { key }) => key,
    input: () => ({ period: "day" }),
    want: { body: { reach: 3, totals: { alerts_sent: 2, reads: 2, acks: 1 } } },
  },
  ...BAD_RANGES.filter(([args]) => args.period !== "").map(([args, param]) =>
    badRange("get_account_stats", args, param),
  ),
  {
    rule: "one-scope",
    tool: "get_account_stats",
    as: (world) => world.key({ scopes: "alerts:read,subscribers:read" }),
    input: () => ({}),
    want: { error: "insufficient_scope", says: /stats:read/ },
  },
];

export const statsCases: Case[] = [...perAlert, ...perChannel, ...perAccount];
