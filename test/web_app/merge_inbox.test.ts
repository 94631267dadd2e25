// The effect of an inbox response on the device's alerts.

import { describe, expect, test } from "vitest";
import {
  findAlertsBeyondLimits,
  findInboxDifference,
  getReconnectDelay,
  MAX_STORED_ALERT_CHARACTERS,
  MAX_STORED_ALERTS,
  markAlertSentBeforeJoining,
} from "../../src/pages/web_app/browser/rules/merge_inbox.ts";

const row = (n: number, more: object = {}) => ({
  id: `alr_${n}`,
  handle: "quay",
  status: "sent",
  sent_at: `2026-11-22T08:${String(n).padStart(2, "0")}:00.000000Z`,
  ...more,
});
const known = (...rows: ReturnType<typeof row>[]) => new Map(rows.map((one) => [one.id, one]));
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe("an answer of the inbox", () => {
  test("alerts that the device does not have are new", () => {
    expect(ids(findInboxDifference([row(3), row(2), row(1)], true, known(row(1))).fresh)).toEqual(["alr_3", "alr_2"]);
  });

  // rules#cancel-reaches-no-further
  test("removed alerts stay on the device, marked as withdrawn", () => {
    const { withdrawn } = findInboxDifference([row(3), row(1)], true, known(row(1), row(2), row(3)));
    expect(withdrawn).toEqual([row(2, { status: "cancelled" })]);
  });

  test("alerts that may be on a later page do not count as withdrawn, nor does a part of one time", () => {
    const together = row(5, { id: "alr_twin" });
    const { withdrawn } = findInboxDifference([row(9), row(5)], false, known(row(2), together, row(7)));
    expect(ids(withdrawn)).toEqual(["alr_7"]);
  });

  test("an alert that was withdrawn before is not reported again", () => {
    expect(findInboxDifference([], true, known(row(1, { status: "cancelled" }))).withdrawn).toEqual([]);
  });
});

// rules#app-before-joining
describe("alerts from before the device followed the channel", () => {
  const alert = row(5, { read_at: null, requires_ack: true }) as any;
  const since = (minute: string) => ({ subscription: { subscribed_at: `2026-11-22T08:${minute}:00.000000Z` } });

  test("is read since then, and nothing of it is to be confirmed", () => {
    expect(markAlertSentBeforeJoining(alert, since("06"))).toEqual({
      ...alert,
      before: true,
      requires_ack: false,
      read_at: "2026-11-22T08:06:00.000000Z",
    });
    expect(markAlertSentBeforeJoining({ ...alert, read_at: "earlier" }, since("06")).read_at).toBe("earlier");
  });

  test("is what the service marks, also while the channel is not known here", () => {
    const marked = { ...alert, before_joining: true };
    const settled = { ...marked, before: true, requires_ack: false };
    expect(markAlertSentBeforeJoining(marked, undefined)).toEqual({ ...settled, read_at: alert.sent_at });
    expect(markAlertSentBeforeJoining(marked, since("04"))).toEqual({
      ...settled,
      read_at: "2026-11-22T08:04:00.000000Z",
    });
  });

  test("alerts at that time or later are unchanged, and so are those without a channel here", () => {
    for (const channel of [since("05"), since("04"), undefined])
      expect(markAlertSentBeforeJoining(alert, channel)).toBe(alert);
  });

  test("of a channel that is followed no more nothing is wanted", () =>
    expect(markAlertSentBeforeJoining(alert, { subscription: null })).toEqual({
      ...alert,
      ended: true,
      requires_ack: false,
      read_at: alert.sent_at,
    }));
});

describe("what is kept", () => {
  // rules#app-keeps-the-newest
  test("up to this number of alerts, the newest", () => {
    const rows = Array.from({ length: MAX_STORED_ALERTS + 2 }, (_, i) => ({
      ...row(0),
      id: `alr_${i}`,
      sent_at: new Date(1.7e12 + i * 1000).toISOString(),
    }));
    expect(findAlertsBeyondLimits(rows).sort()).toEqual(["alr_0", "alr_1"]);
  });

  test("up to this number of characters, and the newest one of any length", () => {
    const long = "x".repeat(MAX_STORED_ALERT_CHARACTERS);
    expect(findAlertsBeyondLimits([row(1), row(2, { html: long })])).toEqual(["alr_1"]);
  });
});

test("pauses between tries grow, have an end, and differ from device to device", () => {
  const least = [0, 1, 2, 3, 20].map((failures) => getReconnectDelay(failures, 0));
  const most = [0, 1, 2, 3, 20].map((failures) => getReconnectDelay(failures, 1));
  expect(least).toEqual([500, 1000, 2000, 4000, 30_000]);
  expect(most).toEqual([1000, 2000, 4000, 8000, 60_000]);
});
