// Fixtures that several of the tables about statistics share.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { parseUuid } from "../../support/handsets.ts";
import type { World } from "../../support/world.ts";

export const SENT_AT = "2026-03-10T10:00:00.000001Z";

/** "no-delivered-figure" */
export function expectNoDeliveryFigures(body: unknown): void {
  JSON.stringify(body, (key, value) => {
    expect(key).not.toMatch(/deliver(ed|ies)|(^|_)rates?(_|$)|percent|(^|_)ratio|clicks?|failed/i);
    return value;
  });
}

export const today = () => new Date().toISOString().slice(0, 10);

export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** A sent alert with an earlier send time, so that its reports can be at any time after it. */
export async function sentAlert(world: World, sentAt = SENT_AT, pusher?: any) {
  const channel = pusher ?? (await world.pusher());
  const alert = await world.alert(channel.id, { send: true });
  await world.sql("update alert set sent_at = ?::timestamptz where id = ?", [sentAt, parseUuid(alert.id)]);
  return { pusher: channel, alert };
}

/** Reports this number of microseconds after SENT_AT; null is a pruned one. Kinds: 1 read, 2 ack. */
export async function insertReports(
  world: World,
  alert: { id: string },
  rows: [micros: number | null, kind: number][],
) {
  for (const [i, [micros, kind]] of rows.entries())
    await world.sql(
      `insert into report (alert_id, device_id, kind, reported_at)
       values (?, ?::bigint, ?, timestamptz '${SENT_AT}' + ?::bigint * interval '1 microsecond')`,
      [parseUuid(alert.id), String(1000 + i), kind, micros],
    );
}

export const sendReport = (world: World, token: string, alertId: string, ...kinds: string[]) =>
  world.handset("POST", "/reports", token, { reports: kinds.map((kind) => ({ alert_id: alertId, kind })) });

export const badRange = (tool: string, args: Record<string, unknown>, param: string): TestCase => ({
  rule: "stats-range",
  name: `${JSON.stringify(args)} is 422 on ${param}`,
  tool,
  given: (world) => world.pusher(),
  input: ({ id }) => ({ ...(tool === "get_pusher_stats" ? { pusher_id: id } : {}), ...args }),
  want: { error: "invalid_request", param },
});

export const BAD_RANGES: [Record<string, unknown>, string][] = [
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

export const dayRow = (name: string, reach: number, alerts_sent: number, reads: number, acks: number) => ({
  name,
  reach,
  alerts_sent,
  reads,
  acks,
});
