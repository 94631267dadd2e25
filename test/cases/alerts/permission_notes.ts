// Notes in a response when a channel does not request a permission that an alert uses.

import { expect } from "vitest";
import type { TestCase } from "../../support/case_runner.ts";
import { timeInSeconds } from "../../support/world.ts";
import { ALL_PERMS, alertArguments, getSharedPusher, oncePerWorld } from "../fixtures.ts";
import { ALERT_CIRCLE, type Fields } from "./fixtures.ts";

const NULLS = "patch-null";
const NOTES = "notes-rules";

const USES: [fields: Fields, capability: string, field: string][] = [
  [{ sound: "siren" }, "sound", "sound"],
  [{ sound: "default" }, "sound", "sound"],
  [{ audio_url: "https://example.org/a.mp3" }, "sound", "audio_url"],
  [{ vibrate: "sos" }, "vibrate", "vibrate"],
  [{ vibrate: "default" }, "vibrate", "vibrate"],
  [{ tts_text: "x" }, "tts", "tts_text"],
  [{ priority: "urgent" }, "full", "priority"],
  [ALERT_CIRCLE, "loc", "lat"],
];

const REPEATS = { repeat_until_acked: true };
const DOCUMENT = { layout: "document" };

/** Fields without effect on a channel that requests everything, and the note about them; null: none. */
const EFFECTS: [name: string, fields: Fields, field: string, says: RegExp | null][] = [
  [
    "repeats without urgent",
    { ...REPEATS, priority: "important", requires_ack: true },
    "repeat_until_acked",
    /without priority urgent/,
  ],
  [
    "repeats without an acknowledgement",
    { ...REPEATS, priority: "urgent" },
    "repeat_until_acked",
    /without requires_ack true/,
  ],
  ["repeats without both", { ...REPEATS, priority: "important" }, "repeat_until_acked", /urgent and requires_ack/],
  ["repeats with both", { ...REPEATS, priority: "urgent", requires_ack: true }, "repeat_until_acked", null],
  ["a hidden element", { ...DOCUMENT, html: "<p>a</p><div hidden>b</div>" }, "html", /hidden elements/],
  ["display none", { ...DOCUMENT, html: "<p style='color:red; DISPLAY : none'>b</p>" }, "html", /hidden elements/],
  ["out of sight", { ...DOCUMENT, html: '<p style="left:-9999px">b</p>' }, "html", /hidden elements/],
  ["a negative margin", { ...DOCUMENT, html: '<p style="margin-top:-120px">b</p>' }, "html", null],
  ["no opacity", { ...DOCUMENT, html: '<p style="opacity:0">b</p>' }, "html", /hidden elements/],
  [
    "half opacity, and text about hidden things",
    { ...DOCUMENT, html: '<p style="opacity:0.5">a hidden b</p>' },
    "html",
    null,
  ],
  ["a language without text", { tts_lang: "pt" }, "tts_lang", /without tts_text/],
  ["a language of a text", { tts_lang: "pt", tts_text: "olá" }, "tts_lang", null],
  [
    "30 February",
    { recurrence: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30 UTC" },
    "recurrence",
    /cannot be scheduled: .*no future occurrence/,
  ],
  [
    "over",
    { recurrence: "FREQ=DAILY;UNTIL=20200101 UTC", send_at: timeInSeconds(60) },
    "recurrence",
    /cannot be scheduled: .*no future occurrence/,
  ],
  ["too often", { recurrence: "FREQ=MINUTELY UTC" }, "recurrence", /cannot be scheduled: .*5 minutes/],
  ["a recurrence to come", { recurrence: "FREQ=DAILY UTC" }, "recurrence", null],
];

export const alertNoteCases: TestCase[] = [
  ...EFFECTS.map(
    ([name, fields, field, says]): TestCase => ({
      rule: "effect-notes",
      tool: "create_alert",
      name,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: says ? [{ capability: "none", field, message: expect.stringMatching(says) }] : [] } },
      after: (_world, _given, { body }) => expect(body.notes).toHaveLength(says ? 1 : 0),
    }),
  ),
  ...USES.flatMap(([fields, capability, field]): TestCase[] => [
    {
      rule: NOTES,
      tool: "create_alert",
      name: `${Object.keys(fields)[0]} ${Object.values(fields)[0]} on a channel that requests all else`,
      given: async (world) => world.pusher({ requested_perms: ALL_PERMS.filter((perm) => perm !== capability) }),
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: [{ capability, field, message: expect.stringContaining(capability) }] } },
      after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
    },
    {
      rule: "alert-notes",
      tool: "create_alert",
      name: `${Object.keys(fields)[0]} ${Object.values(fields)[0]} on a channel that requests it`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: [] } },
    },
  ]),
  {
    rule: NOTES,
    tool: "create_alert",
    name: "silent, none and normal use nothing but notify",
    given: oncePerWorld((world) => world.pusher()),
    input: ({ id }) => ({ pusher_id: id, title: "x", sound: "silent", vibrate: "none", priority: "important" }),
    want: { body: { notes: [{ capability: "notify" }] } },
    after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
  },
  {
    rule: "unasked-is-silent",
    tool: "create_alert",
    given: (world) => world.pusher({ requested_perms: ["notify"] }),
    input: ({ id }) => ({ pusher_id: id, title: "x", sound: "siren", send: true }),
    want: { body: { status: "sent", sound: "siren", notes: [{ capability: "sound", field: "sound" }] } },
  },
  {
    rule: NULLS,
    tool: "update_alert",
    name: "notes of the alert as it is after the edit",
    given: async (world) => world.alert((await world.pusher({ requested_perms: ["notify"] })).id, { sound: "siren" }),
    input: (alert) => alertArguments(alert, { vibrate: "sos", sound: null }),
    want: { body: { notes: [{ capability: "vibrate", field: "vibrate" }], blocked: [] } },
    after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
  },
  {
    rule: "priority-is-a-ceiling",
    also: ["no-delivered-figure"],
    tool: "create_alert",
    given: getSharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "A ceiling", priority: "urgent", send: true }),
    want: { body: { priority: "urgent", status: "sent" } },
    after: (_world, _given, { body }) =>
      expect(Object.keys(body).filter((key) => /deliver|rang|_rate/.test(key))).toEqual([]),
  },
];
