// The permitted effects of an alert on a device: a table of facts and outcomes, and properties for any facts.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SOUNDS, VIBRATIONS } from "../../src/model/fields/alert.ts";
import { REQUESTABLE_DEVICE_PERMISSIONS as ASKED } from "../../src/model/fields/channel.ts";
import {
  type AlertEffects,
  decideAlertEffects,
  TONE_NAMES,
  VIBRATION_PATTERNS_BY_NAME,
} from "../../src/pages/web_app/browser/rules/alert_decision.ts";
import {
  decideEffectsOfNewAlerts,
  hasNoticeableEffect,
} from "../../src/pages/web_app/browser/rules/new_and_repeated_alert_effects.ts";
import type {
  AlertGeoCircle,
  RuleAlert,
  RuleChannel,
  RuleDevice,
} from "../../src/pages/web_app/browser/rules/rule_types.ts";
import { ALERT_PERMISSIONS } from "../../src/pages/web_app/browser/rules/rule_types.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

const instant = (ms: number) => new Date(ms).toISOString().replace("Z", "000Z");
const ago = (minutes: number) => instant(NOW - minutes * 60_000);
const MINUTE_AGO = ago(1);

const anAlert = (fields: Partial<RuleAlert> = {}): RuleAlert => ({
  id: "alr_1",
  handle: "river",
  status: "sent",
  sent_at: MINUTE_AGO,
  expires_at: null,
  priority: "normal",
  requires_ack: false,
  collapse_key: null,
  sound: null,
  audio_url: null,
  audio_asset_url: null,
  vibrate: null,
  tts_text: null,
  tts_lang: null,
  lat: null,
  lon: null,
  radius_km: null,
  ...fields,
});

const aChannel = (
  permissions: readonly string[] = ALERT_PERMISSIONS,
  { muted = false, requested_perms = ALERT_PERMISSIONS as readonly string[], subscribed_at = ago(600) } = {},
): RuleChannel => ({ requested_perms, subscription: { muted, permissions, subscribed_at } });

const aDevice = (fields: Partial<RuleDevice> = {}): RuleDevice => ({
  timezone: "UTC",
  language: "en-GB",
  quiet_hours: null,
  volume: 1,
  position: null,
  ...fields,
});

const WEIR = { lat: 52, lon: 5, radius_km: 4 };
const at = (lat: number, lon: number, minutes = 1) => ({
  position: { lat, lon, accuracy_m: 20, at: NOW - minutes * 60_000 },
});
const NIGHT = { quiet_hours: { from: "11:00", to: "13:00" } };
const SILENT = { notify: false, sound: null, audio: null, vibrate: null, speak: null, full: false };
const urgent = { priority: "urgent" };

interface Row {
  when: string;
  alert?: Partial<RuleAlert>;
  channel?: RuleChannel;
  device?: Partial<RuleDevice>;
  want: Partial<AlertEffects>;
}

const ROWS: Row[] = [
  {
    when: "without fields and with all grants: the device's own tone and pattern, never the screen",
    want: { notify: true, sound: "default", vibrate: [250], speak: null, full: false, because: [] },
  },
  {
    when: "an urgent one has everything",
    alert: { ...urgent, sound: "siren", vibrate: "short", tts_text: "Leave now", tts_lang: "en" },
    want: {
      notify: true,
      sound: "siren",
      volume: 1,
      vibrate: [80],
      speak: { text: "Leave now", lang: "en" },
      full: true,
      because: [],
    },
  },
  {
    when: "an urgent one, and nothing is granted: a row in the inbox",
    alert: { ...urgent, sound: "siren", vibrate: "sos", tts_text: "Leave now" },
    channel: aChannel([]),
    want: {
      ...SILENT,
      because: [
        "why.notify.not_allowed",
        "why.sound.not_allowed",
        "why.tts.not_allowed",
        "why.vibrate.not_allowed",
        "why.full.not_allowed",
      ],
    },
  },
  {
    when: "a siren on a channel that does not request sound is silent, for any earlier grant",
    alert: { sound: "siren" },
    channel: aChannel(ALERT_PERMISSIONS, { requested_perms: ["notify"] }),
    want: { notify: true, sound: null, vibrate: null, because: ["why.sound.not_asked"] },
  },
  {
    when: "important is louder than normal, and no screen",
    alert: { priority: "important", sound: "bell" },
    want: { sound: "bell", volume: 0.75, full: false },
  },
  {
    when: "a priority that this version does not know is the plainest",
    alert: { priority: "constructor" },
    want: { sound: "default", volume: 0.5, full: false },
  },
  {
    when: "a tone and a pattern that this version does not know are the device's own",
    alert: { sound: "gong", vibrate: "constructor" },
    want: { sound: "default", vibrate: [250] },
  },
  {
    when: "the author wants no sound and no vibration",
    alert: { sound: "silent", vibrate: "none" },
    want: { notify: true, sound: null, vibrate: null, because: ["why.author_silent"] },
  },
  {
    when: "a recording comes before the tone, which stays as what is played when it fails",
    alert: { sound: "chime", audio_url: "https://sounds.example/a.mp3" },
    want: { sound: "chime", audio: "https://sounds.example/a.mp3" },
  },
  {
    when: "an uploaded recording comes before an address",
    alert: { audio_url: "https://sounds.example/a.mp3", audio_asset_url: "https://belfry.example/assets/b" },
    want: { sound: "default", audio: "https://belfry.example/assets/b" },
  },
  {
    when: "a recording with the tone silent is played",
    alert: { sound: "silent", audio_url: "https://sounds.example/a.mp3" },
    want: { sound: "silent", audio: "https://sounds.example/a.mp3" },
  },
  {
    when: "without the grant for sounds no recording is fetched either",
    alert: { audio_url: "https://sounds.example/a.mp3" },
    channel: aChannel(["notify"]),
    want: { sound: null, audio: null },
  },
  {
    when: "sounds are off on the device, reading aloud among them",
    alert: { sound: "alarm", tts_text: "Pier 3" },
    device: { volume: 0 },
    want: { sound: null, speak: null, audio: null, volume: 0, vibrate: [250], because: ["why.sound_off"] },
  },
  {
    when: "half as loud on the device",
    alert: { priority: "important" },
    device: { volume: 0.5 },
    want: { volume: 0.375 },
  },
  {
    when: "a text without a language is read in the device's own",
    alert: { tts_text: "Pier 3" },
    device: { language: "de-AT" },
    want: { speak: { text: "Pier 3", lang: "de-AT" } },
  },
  { when: "a text of spaces is not read", alert: { tts_text: "  " }, want: { speak: null, because: [] } },
  {
    when: "the channel is muted",
    alert: urgent,
    channel: aChannel(ALERT_PERMISSIONS, { muted: true }),
    device: NIGHT,
    want: { ...SILENT, because: ["why.muted"] },
  },
  {
    when: "the channel was left in the meantime",
    channel: { requested_perms: ALERT_PERMISSIONS, subscription: null },
    want: { ...SILENT, because: ["why.left"] },
  },
  {
    when: "it was sent before the person joined",
    channel: aChannel(ALERT_PERMISSIONS, { subscribed_at: instant(NOW - 30_000) }),
    want: { ...SILENT, because: ["why.before_joining"] },
  },
  {
    when: "it is expired, to the millisecond",
    alert: { ...urgent, expires_at: instant(NOW) },
    want: { ...SILENT, because: ["why.expired"] },
  },
  { when: "it is not expired yet", alert: { expires_at: instant(NOW + 1) }, want: { notify: true, sound: "default" } },
  {
    when: "the device slept for a day",
    alert: { ...urgent, sent_at: ago(24 * 60) },
    channel: aChannel(ALERT_PERMISSIONS, { subscribed_at: ago(100_000) }),
    want: { ...SILENT, because: ["why.late"] },
  },
  {
    when: "the device slept for a day, and the alert still waits for an answer",
    alert: { requires_ack: true, sent_at: ago(24 * 60) },
    channel: aChannel(ALERT_PERMISSIONS, { subscribed_at: ago(100_000) }),
    want: { notify: true, sound: "default" },
  },
  {
    when: "it is withdrawn",
    alert: { ...urgent, status: "cancelled" },
    want: { ...SILENT, because: ["why.cancelled"] },
  },
  {
    when: "it was acknowledged",
    alert: { ...urgent, acked_at: MINUTE_AGO },
    want: { ...SILENT, because: ["why.acknowledged"] },
  },
  {
    when: "quiet hours: a line and nothing else",
    alert: { priority: "important", sound: "alarm" },
    device: NIGHT,
    want: { ...SILENT, notify: true, because: ["why.quiet_hours"] },
  },
  {
    when: "quiet hours, urgent, and the channel may break them",
    alert: { ...urgent, sound: "alarm" },
    device: NIGHT,
    want: { notify: true, sound: "alarm", full: true, because: ["why.quiet_broken"] },
  },
  {
    when: "quiet hours, urgent, and the channel may not break them",
    alert: { ...urgent, sound: "alarm" },
    channel: aChannel(["notify", "sound", "vibrate", "full"]),
    device: NIGHT,
    want: { ...SILENT, notify: true, because: ["why.quiet_hours", "why.quiet.not_allowed"] },
  },
  {
    when: "quiet hours in the device's own zone: noon in UTC is night in Auckland",
    device: { timezone: "Pacific/Auckland", quiet_hours: { from: "22:00", to: "07:00" } },
    want: { ...SILENT, notify: true },
  },
  {
    when: "quiet hours in the device's own zone: it is day in Berlin",
    device: { timezone: "Europe/Berlin", quiet_hours: { from: "22:00", to: "07:00" } },
    want: { sound: "default" },
  },
  { when: "inside of the circle", alert: WEIR, device: at(52.01, 5), want: { sound: "default", because: [] } },
  {
    when: "outside of the circle, urgent",
    alert: { ...WEIR, ...urgent },
    device: at(53, 5),
    want: { ...SILENT, because: ["why.outside"] },
  },
  {
    when: "outside of the circle, and the channel may not know of places: the circle is not applied",
    alert: WEIR,
    channel: aChannel(["notify", "sound"]),
    device: at(53, 5),
    want: { notify: true, sound: "default" },
  },
  {
    when: "the position of the device is unknown: it rings, and shows that",
    alert: WEIR,
    want: { notify: true, sound: "default", because: ["why.place_unknown"] },
  },
  {
    when: "the position is an hour old: unknown",
    alert: WEIR,
    device: at(53, 5, 60),
    want: { notify: true, sound: "default", because: ["why.place_unknown"] },
  },
];

// rules#priority-is-a-ceiling rules#handset-decides rules#unasked-is-silent
describe("the effects of an alert", () => {
  test.each(ROWS)("$when", ({ alert, channel = aChannel(), device, want }) => {
    expect(decideAlertEffects(anAlert(alert), channel, aDevice(device), NOW)).toMatchObject(want);
  });

  test("the rules know the terms of the API, and no other", () => {
    expect([...TONE_NAMES].sort()).toEqual([...SOUNDS].sort());
    expect(Object.keys(VIBRATION_PATTERNS_BY_NAME).sort()).toEqual([...VIBRATIONS].sort());
    expect([...ALERT_PERMISSIONS].sort()).toEqual([...ASKED].sort());
  });
});

// ---- for any facts
// -------------------------------------------------------------------------------------------

const some = <T>(...values: T[]) => fc.constantFrom(...values);
const word = (...values: string[]) => some<string | null>(null, "unknown", ...values);
const minutes = (most: number) => fc.integer({ min: -most, max: most });
const alerts: fc.Arbitrary<RuleAlert> = fc
  .record({
    id: fc.integer({ min: 0, max: 20 }).map((n) => `alr_${n}`),
    handle: some("river", "bakery"),
    status: some("sent", "sent", "sent", "cancelled"),
    sent_at: fc.integer({ min: 0, max: 3000 }).map(ago),
    expires_at: fc.option(minutes(100).map(ago)),
    priority: some("normal", "important", "urgent", "unknown", "constructor"),
    requires_ack: fc.boolean(),
    collapse_key: word("level"),
    sound: word(...SOUNDS),
    audio_url: some(null, "https://sounds.example/a.mp3"),
    audio_asset_url: some(null, "https://belfry.example/assets/b"),
    vibrate: word(...VIBRATIONS),
    tts_text: some(null, "", "Pier 3"),
    tts_lang: some(null, "de"),
    circle: some<AlertGeoCircle>({ lat: null, lon: null, radius_km: null }, WEIR),
    acked_at: some(null, null, MINUTE_AGO),
  })
  .map(({ circle, ...rest }) => ({ ...rest, ...circle }));
const perms = fc.subarray([...ALERT_PERMISSIONS]);
const channels: fc.Arbitrary<RuleChannel> = fc.record({
  requested_perms: perms,
  subscription: fc.option(
    fc.record({ muted: fc.boolean(), permissions: perms, subscribed_at: fc.integer({ min: 0, max: 3000 }).map(ago) }),
  ),
});
const times = some("00:00", "07:00", "11:59", "12:00", "12:01", "22:00", "nonsense");
const devices: fc.Arbitrary<RuleDevice> = fc.record({
  timezone: some("UTC", "Pacific/Auckland", "Asia/Kolkata", "Nowhere/Atall"),
  language: some("en", "de-CH"),
  quiet_hours: fc.option(fc.record({ from: times, to: times })),
  volume: some(0, 0.4, 1),
  position: fc.option(some(at(52.01, 5).position, at(53, 5).position, at(52, 5, 90).position)),
});

const capabilityOf: Record<string, (decision: AlertEffects) => boolean> = {
  notify: ({ notify }) => notify,
  sound: ({ sound, audio }) => sound !== null || audio !== null,
  vibrate: ({ vibrate }) => vibrate !== null,
  tts: ({ speak }) => speak !== null,
  full: ({ full }) => full,
};

describe("for any facts", () => {
  test("nothing happens that was not requested and granted, or while muted", () =>
    fc.assert(
      fc.property(alerts, channels, devices, (alert, channel, device) => {
        const decision = decideAlertEffects(alert, channel, device, NOW);
        for (const [what, happens] of Object.entries(capabilityOf))
          if (happens(decision)) {
            expect(channel.requested_perms).toContain(what);
            expect(channel.subscription!.permissions).toContain(what);
            expect(channel.subscription!.muted).toBe(false);
          }
      }),
      { numRuns: 2000 },
    ));

  test("taking a grant back never makes anything happen", () =>
    fc.assert(
      fc.property(alerts, channels, devices, some(...ALERT_PERMISSIONS), (alert, channel, device, taken) => {
        // Without the grant for places the circle does not silence: the one grant that makes it quieter.
        fc.pre(channel.subscription !== null && taken !== "loc");
        const less = {
          ...channel,
          subscription: {
            ...channel.subscription!,
            permissions: channel.subscription!.permissions.filter((one) => one !== taken),
          },
        };
        const [with_, without] = [channel, less].map((one) => decideAlertEffects(alert, one, device, NOW));
        for (const happens of Object.values(capabilityOf)) if (happens(without!)) expect(happens(with_!)).toBe(true);
        expect(without!.volume).toBeLessThanOrEqual(with_!.volume);
      }),
      { numRuns: 2000 },
    ));

  test("a lower priority is never louder, and only an urgent one takes over the screen", () =>
    fc.assert(
      fc.property(alerts, channels, devices, (alert, channel, device) => {
        const [normal, important, urgent] = ["normal", "important", "urgent"].map((priority) =>
          decideAlertEffects({ ...alert, priority }, channel, device, NOW),
        );
        expect(normal!.full || important!.full).toBe(false);
        expect(normal!.volume).toBeLessThanOrEqual(important!.volume);
        expect(important!.volume).toBeLessThanOrEqual(urgent!.volume);
        for (const happens of Object.values(capabilityOf)) if (happens(normal!)) expect(happens(urgent!)).toBe(true);
      }),
      { numRuns: 2000 },
    ));

  test("a missing effect has a reason, unless the author did not request it", () =>
    fc.assert(
      fc.property(alerts, channels, devices, (alert, channel, device) => {
        const decision = decideAlertEffects(alert, channel, device, NOW);
        if (!decision.notify || decision.sound === null) expect(decision.because.length).toBeGreaterThan(0);
        expect(new Set(decision.because).size).toBe(decision.because.length);
      }),
      { numRuns: 2000 },
    ));

  // rules#one-rings
  test("of several at once one is played, the most urgent, and the others keep their notification", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(alerts, { selector: ({ id }) => id, maxLength: 6 }),
        channels,
        devices,
        (held, channel, device) => {
          const found = decideEffectsOfNewAlerts(held, held, () => channel, device, NOW);
          const alone = found.map(({ alert }) => decideAlertEffects(alert, channel, device, NOW));
          expect(found.filter(({ decision }) => hasNoticeableEffect(decision)).length).toBe(
            alone.some(hasNoticeableEffect) ? 1 : 0,
          );
          expect(found.map(({ decision }) => decision.notify)).toEqual(alone.map(({ notify }) => notify));
          expect(found.map(({ alert }) => alert.sent_at)).toEqual(found.map(({ alert }) => alert.sent_at).toSorted());
        },
      ),
      { numRuns: 1000 },
    ));
});

test("three arrive after a sleep: the urgent one rings, and one that was replaced is not even noted", () => {
  const first = anAlert({ id: "alr_1", ...urgent, sound: "siren", sent_at: ago(30) });
  const old = anAlert({ id: "alr_2", collapse_key: "level", sent_at: ago(20), sound: "alarm" });
  const newer = anAlert({ id: "alr_3", collapse_key: "level", sent_at: ago(10), sound: "alarm" });
  const found = decideEffectsOfNewAlerts([newer, old, first], [newer, old, first], () => aChannel(), aDevice(), NOW);
  expect(found.map(({ alert, decision }) => [alert.id, decision.notify, decision.sound])).toEqual([
    ["alr_1", true, "siren"],
    ["alr_3", true, null],
  ]);
  expect(found[1]!.decision.because).toEqual(["why.another_rings"]);
});

test("an alert of a channel that the device does not know is silent", () => {
  const [found] = decideEffectsOfNewAlerts([anAlert()], [anAlert()], () => null, aDevice(), NOW);
  expect(found!.decision).toMatchObject({ ...SILENT, because: ["why.left"] });
});
