// The subscriber's own choices as pure rules: reminders, the archive, pauses, quiet hours by weekday, and sounds.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/model/limits.ts";
import { decideAlertEffects } from "../../src/pages/web_app/browser/rules/alert_decision.ts";
import { arrangeInbox } from "../../src/pages/web_app/browser/rules/current_alerts_and_history.ts";
import { findAlertsBeyondLimits } from "../../src/pages/web_app/browser/rules/merge_inbox.ts";
import { isWithinQuietHours } from "../../src/pages/web_app/browser/rules/quiet_hours.ts";
import {
  ALERT_PERMISSIONS,
  PRIORITIES,
  type RuleAlert,
  type RuleChannel,
} from "../../src/pages/web_app/browser/rules/rule_types.ts";
import { isReminderDue, listPauseOptions, listSnoozeOptions } from "../../src/pages/web_app/browser/rules/snooze.ts";

const NOW = Date.parse("2026-11-25T12:00:00Z");
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString().replace("Z", "000Z");

const anAlert = (fields: Partial<RuleAlert> = {}): RuleAlert => ({
  ...{ id: "alr_1", handle: "river", sent_at: iso(NOW - HOUR), expires_at: null, priority: "normal" },
  ...{ requires_ack: false, collapse_key: null, sound: null, audio_url: null, audio_asset_url: null, vibrate: null },
  ...{ tts_text: null, tts_lang: null, lat: null, lon: null, radius_km: null },
  ...fields,
});
const channel: RuleChannel = {
  requested_perms: ALERT_PERMISSIONS,
  subscription: { muted: false, permissions: ALERT_PERMISSIONS, subscribed_at: iso(NOW - 48 * HOUR) },
};
const device = { timezone: "UTC", language: "en", quiet_hours: null, volume: 1, position: null };
const decide = (alert: Partial<RuleAlert>, more: Partial<RuleChannel> = {}) =>
  decideAlertEffects(anAlert(alert), { ...channel, ...more }, device, NOW);

// rules#app-reminders
describe("a postponed alert", () => {
  const until = NOW + HOUR;
  test("is not current until its time, then current again for as long as a new one", () => {
    const old = anAlert({ sent_at: iso(NOW - 20 * HOUR), snoozed_until: NOW + 10 * HOUR });
    const at = (hours: number) => arrangeInbox([old], NOW + hours * HOUR);
    expect([at(0).spotlight.length, at(0).next_change_at]).toEqual([0, old.snoozed_until]);
    expect([at(10).spotlight.length, at(10 + LIMITS.spotlight_hours).spotlight.length]).toEqual([1, 0]);
    expect(decide({ snoozed_until: until }).because).toEqual(["why.snoozed"]);
    expect(decide({ snoozed_until: NOW }).sound).toBe("default");
  });

  test("stays silent when it was cancelled, acknowledged or expired in between", () => {
    for (const fields of [{ status: "cancelled" }, { acked_at: iso(NOW) }, { expires_at: iso(NOW - 1) }]) {
      const alert = anAlert({ ...fields, snoozed_until: NOW - 1 });
      expect(arrangeInbox([alert], NOW).spotlight).toEqual([]);
      expect(decide({ ...fields, snoozed_until: NOW - 1 })).toMatchObject({ notify: false, sound: null });
    }
  });

  test("is due once", () => {
    expect(isReminderDue({ snoozed_until: until }, until - 1)).toBe(false);
    expect(isReminderDue({ snoozed_until: until }, until)).toBe(true);
    expect(isReminderDue({ snoozed_until: until, reminded: true }, until)).toBe(false);
    for (const settled of [{ dismissed: true }, { archived: true }, { acked_at: iso(NOW) }, { status: "cancelled" }])
      expect(isReminderDue({ snoozed_until: until, ...settled }, until)).toBe(false);
    expect([isReminderDue({}, NOW), isReminderDue({ snoozed_until: null }, NOW)]).toEqual([false, false]);
  });

  test("is offered for an hour, this evening and tomorrow, in the future and before it expires", () => {
    const at = (hour: number, minute = 0) => new Date(2026, 10, 25, hour, minute).getTime();
    const names = (now: number, expires_at: number | null = null) =>
      listSnoozeOptions({ expires_at: expires_at === null ? null : iso(expires_at) }, now).map(([name]) => name);
    expect(names(at(9))).toEqual(["hour", "evening", "tomorrow"]);
    expect(names(at(18, 30))).toEqual(["hour", "tomorrow"]);
    expect(names(at(23))).toEqual(["hour", "tomorrow"]);
    expect(names(at(9), at(20))).toEqual(["hour", "evening"]);
    expect(names(at(9), at(9, 30))).toEqual([]);
    for (let hour = 0; hour < 24; hour++)
      for (const [, end] of [...listSnoozeOptions({ expires_at: null }, at(hour)), ...listPauseOptions(at(hour))])
        expect(end).toBeGreaterThan(at(hour));
    // Tomorrow is a date, also where a day has 23 or 25 hours.
    const [, end] = listSnoozeOptions({ expires_at: null }, at(9)).at(-1)!;
    expect([new Date(end).getDate(), new Date(end).getHours()]).toEqual([26, 8]);
  });
});

// rules#app-archive
test("an archived alert is not current, and new alerts never remove it", () => {
  expect(arrangeInbox([anAlert({ archived: true })], NOW).spotlight).toEqual([]);
  const rows = Array.from({ length: LIMITS.app_alerts + 5 }, (_, i) => ({
    ...anAlert({ id: `alr_${i}`, sent_at: iso(NOW - i * 1000) }),
  }));
  const kept = { ...anAlert({ id: "alr_kept", sent_at: iso(NOW - 9999 * HOUR) }), archived: true };
  const gone = findAlertsBeyondLimits([...rows, kept]);
  expect([gone.length, gone.includes("alr_kept")]).toEqual([5, false]);
});

// rules#app-pauses
test("a paused channel causes no effect, urgent or not, until the pause is over", () => {
  for (const priority of PRIORITIES) {
    const paused = decide({ priority }, { paused_until: NOW + 1 });
    expect(paused).toMatchObject({ notify: false, sound: null, vibrate: null, full: false, because: ["why.paused"] });
    expect(decide({ priority }, { paused_until: NOW }).sound).toBe("default");
  }
});

// rules#quiet-hours
describe("quiet hours by weekday", () => {
  const night = { from: "22:00", to: "07:00" };
  test.each([
    // 25 November 2026 is a Wednesday.
    ["2026-11-25T23:00:00Z", "UTC", [3], true],
    ["2026-11-26T06:59:00Z", "UTC", [3], true],
    ["2026-11-25T06:59:00Z", "UTC", [3], false],
    ["2026-11-26T23:00:00Z", "UTC", [3], false],
    ["2026-11-29T01:00:00Z", "UTC", [6], true],
    ["2026-11-29T01:00:00Z", "UTC", [0], false],
    ["2026-11-25T23:00:00Z", "UTC", [], false],
  ] as const)("%s in %s on %j: %s", (instant, zone, days, quiet) =>
    expect(isWithinQuietHours({ ...night, days }, Date.parse(instant), zone)).toBe(quiet),
  );

  test("the weekday is that of the device's zone", () => {
    const day = (days: number[], zone: string) =>
      isWithinQuietHours({ from: "00:00", to: "07:00", days }, Date.parse("2026-11-25T11:00:00Z"), zone);
    // In Auckland it is already Thursday.
    expect([day([4], "Pacific/Auckland"), day([3], "Pacific/Auckland"), day([3], "UTC")]).toEqual([true, false, false]);
  });
});

// rules#chosen-sounds
describe("the user's tone and vibration", () => {
  test("replace those of the alert, a recording included, at the volume of its priority", () => {
    const sounds = { urgent: { tone: "bell", vibrate: "short" }, normal: { tone: "silent" } };
    const urgent = { priority: "urgent", sound: "siren", vibrate: "sos", audio_url: "https://a.example/x.mp3" };
    expect(decide(urgent, { sounds })).toMatchObject({ sound: "bell", audio: null, vibrate: [80], volume: 1 });
    expect(decide({}, { sounds })).toMatchObject({ sound: null, because: ["why.chosen_silent"] });
    expect(decide({ priority: "important" }, { sounds })).toMatchObject({ sound: "default", volume: 0.75 });
    expect(decide({ priority: "unknown" }, { sounds }).sound).toBeNull();
  });

  test("never add an effect that the alert does not request or that was not granted, nor volume", () => {
    const names = fc.constantFrom("bell", "silent", "siren", "none", "sos", "unknown");
    const choice = fc.record({ tone: names, vibrate: names }, { requiredKeys: [] });
    const alert = fc.record({
      priority: fc.constantFrom("normal", "important", "urgent", "unknown"),
      sound: fc.constantFrom(null, "silent", "siren"),
      vibrate: fc.constantFrom(null, "none", "sos"),
    });
    fc.assert(
      fc.property(alert, choice, fc.subarray([...ALERT_PERMISSIONS]), (fields, one, permissions) => {
        const more = { subscription: { ...channel.subscription!, permissions } };
        const sounds = { normal: one, important: one, urgent: one };
        const [plain, chosen] = [decide(fields, more), decide(fields, { ...more, sounds })];
        if (plain.sound === null) expect(chosen.sound).toBeNull();
        if (plain.vibrate === null) expect(chosen.vibrate).toBeNull();
        expect(chosen.volume).toBeLessThanOrEqual(plain.volume);
        expect([chosen.notify, chosen.full]).toEqual([plain.notify, plain.full]);
      }),
    );
  });
});
