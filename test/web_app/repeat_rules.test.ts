// When an urgent alert is shown again, and when never: bounded in number and in time, and silent where its person
// does not want it.

import fc from "fast-check";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import {
  decideRepeatEffects,
  getDueRepeatNumber,
  type RepeatedAlert,
} from "../../src/pages/web_app/browser/rules/new_and_repeated_alert_effects.ts";

const SENT = Date.parse("2026-11-22T12:00:00Z");
const MINUTE = 60_000;
const EVERY = LIMITS.alert_repeat_minutes * MINUTE;

const alert: RepeatedAlert = {
  ...{ id: "alr_1", handle: "river", status: "sent", sent_at: "2026-11-22T12:00:00.000000Z", expires_at: null },
  ...{ priority: "urgent", requires_ack: true, repeat_until_acked: true, arrived_at: SENT, collapse_key: null },
  ...{ sound: null, audio_url: null, audio_asset_url: null, vibrate: null, tts_text: null, tts_lang: null },
  ...{ lat: null, lon: null, radius_km: null },
};
const device = { timezone: "UTC", language: "en", quiet_hours: null, volume: 1, position: null };
const channel = (...permissions: string[]) => ({
  requested_perms: ["notify", "sound", "quiet"],
  subscription: { muted: false, permissions, subscribed_at: "2026-01-01T00:00:00.000000Z" },
});

// rules#repeats
test("for any number of checks, it is shown again three times at most, within its hour and soon after", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 * EVERY }), { maxLength: 200 }), (looks) => {
      let repeated = 0;
      const shown: number[] = [];
      for (const after of looks.toSorted((a, b) => a - b)) {
        const due = getDueRepeatNumber({ ...alert, repeated }, SENT + after);
        if (due === null) continue;
        repeated = due;
        shown.push(after);
      }
      expect(shown.length).toBeLessThanOrEqual(LIMITS.alert_repeats);
      for (const after of shown) expect(after).toBeGreaterThanOrEqual(EVERY);
      for (const after of shown) expect(after).toBeLessThan((LIMITS.alert_repeats + 1) * EVERY);
    }),
  );
  expect([1, 2, 3].map((nth) => getDueRepeatNumber({ ...alert, repeated: nth - 1 }, SENT + nth * EVERY))).toEqual([
    1, 2, 3,
  ]);
});

// rules#repeats
test("repeats that the device slept through count as shown", () => {
  expect(getDueRepeatNumber(alert, SENT + 2 * EVERY + MINUTE)).toBe(2);
  expect(getDueRepeatNumber({ ...alert, repeated: 2 }, SENT + 2 * EVERY + 3 * MINUTE)).toBe(null);
});

// rules#repeats
test.each([
  ["important", { priority: "important" }],
  ["without an acknowledgement", { requires_ack: false }],
  ["without a repeat", { repeat_until_acked: false }],
])("nothing is due of one that %s", (_what, fields) => {
  expect(getDueRepeatNumber({ ...alert, ...fields }, SENT + EVERY)).toBe(null);
});

// rules#repeats
test("a repeat does what its person allows, and nothing in quiet hours without their word", () => {
  const later = SENT + EVERY;
  const quiet = { ...device, quiet_hours: { from: "11:00", to: "13:00" } };
  expect(decideRepeatEffects(alert, channel("notify", "sound"), device, later)).toMatchObject({
    notify: true,
    sound: "default",
  });
  expect(decideRepeatEffects(alert, channel("notify", "sound"), quiet, later)).toBe(null);
  expect(decideRepeatEffects(alert, channel("notify", "sound", "quiet"), quiet, later)).toMatchObject({
    sound: "default",
  });
  expect(decideRepeatEffects(alert, channel(), device, later)).toBe(null);
  expect(decideRepeatEffects({ ...alert, acked_at: alert.sent_at }, channel("notify"), device, later)).toBe(null);
});
