// Statistics of one alert: counts that can be backed, by how long after it was shown, and nothing else.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { joinNewHandset, parseUuid } from "../../support/handsets.ts";
import { timeInSeconds, type World } from "../../support/world.ts";
import { alertArguments, getSharedDraft } from "../fixtures.ts";
import { expectNoDeliveryFigures, insertReports, SENT_AT, sendReport, sentAlert } from "./fixtures.ts";

type Sent = Awaited<ReturnType<typeof sentAlert>>;

const path = ({ pusher, alert }: Sent) => ({ pusher_id: pusher.id, alert_id: alert.id });

const MINUTE = 60_000_000;

const HOUR = 60 * MINUTE;

/** Surviving and pruned reports in bulk, each by a device of its own. */
async function manyReports(world: World, surviving: number, pruned = 0) {
  const given = await sentAlert(world);
  await world.sql(
    `insert into report (alert_id, device_id, kind, reported_at)
     select ?, n, 1, case when n <= ?::int then timestamptz '${SENT_AT}' + (n % 3) * interval '40 minutes' end
     from generate_series(1, ?::int) n`,
    [parseUuid(given.alert.id), surviving, surviving + pruned],
  );
  await world.sql("insert into alert_counter (alert_id, reads) values (?, ?)", [
    parseUuid(given.alert.id),
    surviving + pruned,
  ]);
  return given;
}

const inBuckets = (body: any) => body.buckets.reduce((n: number, { reads, acks }: any) => n + reads + acks, 0);

export const alertStatsCases: TestCase[] = [
  {
    rule: "stats-note",
    tool: "get_alert_stats",
    given: (world) => sentAlert(world),
    input: path,
    want: { body: { timezone: "UTC", reach: 0, totals: { reads: 0, acks: 0 }, buckets: [], sampled: false } },
    after: (_world, _given, { body }) => {
      expect(Object.keys(body).sort()).toEqual(
        ["timezone", "reach", "totals", "replies", "buckets", "note", "sampled"].sort(),
      );
      expect(body.note).toMatch(/timeline/i);
      expect(body.note).toMatch(/prune/i);
      expectNoDeliveryFigures(body);
    },
  },
  {
    rule: "alert-stats",
    name: "twelve half hours, then hours, exact to the microsecond",
    tool: "get_alert_stats",
    given: async (world) => {
      const given = await sentAlert(world);
      await insertReports(world, given.alert, [
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
      const [one, two] = [await joinNewHandset(world, pusher.handle), await joinNewHandset(world, pusher.handle)];
      await sendReport(world, one.token, alert.id, "read", "ack", "read");
      await sendReport(world, one.token, alert.id, "read");
      await sendReport(world, two.token, alert.id, "read");
      const before = await world.rest("get_alert_stats", { pusher_id: pusher.id, alert_id: alert.id });
      expect(inBuckets(before.body)).toBe(3);
      const cut = `/reports?before=${encodeURIComponent(timeInSeconds(60))}`;
      expect((await world.handset("DELETE", cut, one.token)).status).toBe(204);
      // A repeat after pruning neither counts nor comes back into the timeline.
      await sendReport(world, one.token, alert.id, "read", "ack");
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
      await joinNewHandset(world, pusher.handle);
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
      const alert = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
      const { token } = await joinNewHandset(world, pusher.handle);
      expect((await sendReport(world, token, alert.id, "read")).body).toEqual({ accepted: 0 });
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
      const alert = await world.alert(pusher.id, { send: true, send_at: timeInSeconds(3600) });
      await world.sql("update alert set send_at = ?::timestamptz where id = ?", [SENT_AT, parseUuid(alert.id)]);
      await insertReports(world, alert, [[40 * MINUTE, 1]]);
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
      const { token } = await joinNewHandset(world, pusher.handle);
      await sendReport(world, token, alert.id, "read");
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
      const [muted, gone] = [await joinNewHandset(world, handle), await joinNewHandset(world, handle)];
      await joinNewHandset(world, handle);
      await world.handset("PUT", `/subscriptions/${handle}`, muted.token, { muted: true });
      await world.handset("DELETE", `/subscriptions/${handle}`, gone.token);
      return given;
    },
    input: path,
    want: { body: { reach: 2 } },
  },
  ...["alr_01h455vb4pex5vsknk084sn02q", "nonsense"].map(
    (alert_id): TestCase => ({
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
  {
    rule: "replies-wait",
    name: "of a draft without a question, at once",
    tool: "wait_for_replies",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert),
    want: { body: { question: null, replies: [], total: 0, open: false, seen: "" } },
    after: (_world, _given, { body }) => expectNoDeliveryFigures(body),
  },
  {
    rule: "replies-wait",
    name: "for longer than the maximum",
    tool: "wait_for_replies",
    given: getSharedDraft,
    input: (alert) => alertArguments(alert, { seconds: 51 }),
    want: { error: "invalid_request", param: "seconds", says: /whole number from 0 to 50/ },
  },
];
