// Alerts as they are written: every field at its bounds, layouts and exclusions, instants, the sanitiser, the notes.

import { expect } from "vitest";
import type { Case } from "../support/cases.ts";
import { inSeconds } from "../support/world.ts";
import {
  ALL_PERMS,
  alertAt,
  alertIn,
  draftWith,
  emoji,
  INSTANT,
  once,
  putChannel,
  readBack,
  sharedDraft,
  sharedPusher,
  uuidOf,
} from "./given.ts";

const TITLE = "alert-title";
const BODY = "alert-body";
const PRIORITY = "alert-priority";
const LAYOUT = "alert-layout";
const DETACH = "alert-assets";
const ASSET = "alert-asset-missing";
const HTML = "alert-html";
const ACTIONS = "alert-actions-shape";
const SEND_AT = "alert-send-at";
const EXPIRES = "alert-expires-at";
const SOUND = "alert-sound";
const AUDIO = "alert-audio";
const VIBRATE = "alert-vibrate";
const TTS = "alert-tts";
const LANG = "alert-lang";
const CIRCLE = "alert-circle";
const GEO_RULE = "alert-geo-rule";
const COLLAPSE = "alert-collapse-key";
const LENGTHS = "alert-lengths";
const CODE_POINTS = "text-lengths";
const NULLS = "patch-null";
const UNKNOWN = "unknown-fields";
const RFC3339 = "instants";
const NEEDS = "layout-needs";
const EXCLUDE = "alert-excludes";
const BLOCKED = "alert-blocked";
const BLOCKED_SHAPE = "blocked-rows";
const NOTES = "notes-rules";
const PATCH = "patch";
const DRAFT = "draft-proposes";
const INFERRED = "layout-inferred";
const NO_ASSET = "ast_01h2xcejqtf2nbrexx3vqjhp41";

const long = (n: number) => "x".repeat(n);
const url = (n: number) => `https://example.org/${long(n - 20)}`;
const button = { type: "open_url", label: "Open", url: "https://example.org/" };
const FENCE = { lat: 38.7, lon: -9.1, radius_km: 0.5 };

type Fields = Record<string, unknown>;

/** What both create and edit take, and what is answered when it is not the same. */
const TAKEN: [rule: string, name: string, fields: Fields, shown?: Fields][] = [
  [TITLE, "one character", { title: "x" }],
  [CODE_POINTS, "120 emoji", { title: emoji(120) }],
  [BODY, "a text", { body: "One\nTwo" }],
  [BODY, "null", { body: null }],
  [LENGTHS, "a body of 4,000 emoji", { body: emoji(4000) }],
  ...["normal", "important", "urgent"].map((priority): [string, string, Fields] => [
    PRIORITY,
    priority,
    { priority },
  ]),
  [LAYOUT, "text", { layout: "text" }],
  [LAYOUT, "image", { layout: "image", image_url: "https://example.org/a.png" }],
  [LAYOUT, "html", { layout: "html", html: "<p>x</p>" }],
  [LAYOUT, "document", { layout: "document", html: "<p>x</p>" }],
  [DETACH, "no picture", { image_asset_id: null, audio_asset_id: null, html_asset_id: null }],
  [HTML, "null", { html: null }, { html: null, html_length: 0 }],
  ["alert-actions", "none", { actions: [] }],
  [ACTIONS, "three", { actions: [button, button, { ...button, label: emoji(40), url: url(2048) }] }],
  ["alert-ack", "true", { requires_ack: true }],
  ["alert-ack", "false", { requires_ack: false }],
  [SEND_AT, "null", { send_at: null }],
  [RFC3339, "UTC", { send_at: "2999-01-02T03:04:05Z" }, { send_at: "2999-01-02T03:04:05.000000Z" }],
  [
    RFC3339,
    "an offset",
    { send_at: "2999-01-02T03:04:05.25+05:30" },
    { send_at: "2999-01-01T21:34:05.250000Z" },
  ],
  [
    RFC3339,
    "the widest offset",
    { send_at: "2999-01-02T03:04:05-23:59" },
    { send_at: "2999-01-03T03:03:05.000000Z" },
  ],
  [RFC3339, "lower case", { send_at: "2999-01-02t03:04:05z" }, { send_at: "2999-01-02T03:04:05.000000Z" }],
  [
    RFC3339,
    "nine decimals",
    { send_at: "2999-01-02T03:04:05.123456789Z" },
    { send_at: "2999-01-02T03:04:05.123456Z" },
  ],
  [RFC3339, "a leap day", { send_at: "2996-02-29T00:00:00Z" }, { send_at: "2996-02-29T00:00:00.000000Z" }],
  [RFC3339, "the last year", { send_at: "9999-12-31T23:59:59Z" }, { send_at: "9999-12-31T23:59:59.000000Z" }],
  [
    DRAFT,
    "a proposal that has gone by",
    { send_at: "2001-01-01T00:00:00Z" },
    { send_at: "2001-01-01T00:00:00.000000Z" },
  ],
  ["alert-expires-at", "null", { expires_at: null }],
  [
    EXPIRES,
    "after now",
    { expires_at: "2999-01-01T00:00:00Z" },
    { expires_at: "2999-01-01T00:00:00.000000Z" },
  ],
  [
    EXPIRES,
    "after send_at",
    { send_at: "2998-01-01T00:00:00Z", expires_at: "2998-01-01T00:00:00.000001Z" },
    {},
  ],
  ...["default", "chime", "ping", "bell", "knock", "alarm", "siren", "silent", null].map(
    (sound): [string, string, Fields] => [SOUND, String(sound), { sound }],
  ),
  [AUDIO, "https", { audio_url: "https://example.org/a.mp3" }],
  [AUDIO, "null", { audio_url: null }],
  ...["default", "none", "short", "double", "long", "sos", "heartbeat", null].map(
    (vibrate): [string, string, Fields] => [VIBRATE, String(vibrate), { vibrate }],
  ),
  [TTS, "a text", { tts_text: "Bridge closed" }],
  [TTS, "null", { tts_text: null }],
  [LENGTHS, "1,000 emoji", { tts_text: emoji(1000) }],
  ...[
    "en",
    "pt-BR",
    "zh-Hant-TW",
    "sl-rozaj-biske",
    "de-CH-1901",
    "en-u-ca-buddhist",
    "x-whistle",
    "es-419",
    "ast",
    null,
  ].map((tts_lang): [string, string, Fields] => [LANG, String(tts_lang), { tts_lang }]),
  [CIRCLE, "set", { ...FENCE }],
  [CIRCLE, "null", { lat: null, lon: null, radius_km: null }],
  [CIRCLE, "at the edges", { lat: -90, lon: 180, radius_km: 20_038 }],
  [GEO_RULE, "a slug", { geo_rule: "inside.only_v-2" }],
  [GEO_RULE, "null", { geo_rule: null }],
  [LENGTHS, "a geo_rule of 40", { geo_rule: long(40) }],
  [COLLAPSE, "one character", { collapse_key: "7" }],
  [COLLAPSE, "64 characters", { collapse_key: `a._-${long(60)}` }],
  ["alert-collapse-key", "null", { collapse_key: null }],
];

/** What neither create nor edit takes, and the field that is named. */
const REFUSED: [rule: string, name: string, fields: Fields, param: string][] = [
  [CODE_POINTS, "empty", { title: "" }, "title"],
  [CODE_POINTS, "white space", { title: " \u00a0\n" }, "title"],
  [LENGTHS, "121 characters", { title: long(121) }, "title"],
  [LENGTHS, "121 emoji", { title: emoji(121) }, "title"],
  [NULLS, "null", { title: null }, "title"],
  [TITLE, "a number", { title: 1 }, "title"],
  [LENGTHS, "4,001 characters", { body: long(4001) }, "body"],
  [BODY, "an object", { body: {} }, "body"],
  ["error-invalid-request", "another word", { priority: "high" }, "priority"],
  [PRIORITY, "empty", { priority: "" }, "priority"],
  [PRIORITY, "another case", { priority: "Urgent" }, "priority"],
  [NULLS, "null", { priority: null }, "priority"],
  [LAYOUT, "another word", { layout: "video" }, "layout"],
  [NULLS, "null", { layout: null }, "layout"],
  [AUDIO, "http", { audio_url: "http://example.org/a.mp3" }, "audio_url"],
  [LENGTHS, "2,049 characters", { audio_url: url(2049) }, "audio_url"],
  ["https-only", "http", { image_url: "http://example.org/" }, "image_url"],
  [ASSET, "none uploaded", { image_asset_id: NO_ASSET }, "image_asset_id"],
  [ASSET, "none uploaded", { audio_asset_id: NO_ASSET }, "audio_asset_id"],
  [ASSET, "none uploaded", { html_asset_id: NO_ASSET }, "html_asset_id"],
  [ASSET, "empty", { image_asset_id: "" }, "image_asset_id"],
  [ASSET, "empty", { audio_asset_id: "" }, "audio_asset_id"],
  [ASSET, "empty", { html_asset_id: "" }, "html_asset_id"],
  [ASSET, "an id of another kind", { audio_asset_id: "psh_01h2xcejqtf2nbrexx3vqjhp41" }, "audio_asset_id"],
  [ASSET, "a number", { audio_asset_id: 5 }, "audio_asset_id"],
  [
    EXCLUDE,
    "picture twice",
    { image_url: "https://example.org/", image_asset_id: NO_ASSET },
    "image_asset_id",
  ],
  [EXCLUDE, "markup twice", { html: "x", html_asset_id: NO_ASSET }, "html_asset_id"],
  [NULLS, "null", { actions: null }, "actions"],
  [ACTIONS, "four", { actions: [button, button, button, button] }, "actions"],
  [ACTIONS, "another type", { actions: [{ ...button, type: "call" }] }, "actions.0.type"],
  [ACTIONS, "no type", { actions: [{ label: "x", url: "https://example.org/" }] }, "actions.0.type"],
  [ACTIONS, "no label", { actions: [button, { ...button, label: undefined }] }, "actions.1.label"],
  [ACTIONS, "a blank label", { actions: [{ ...button, label: " " }] }, "actions.0.label"],
  [ACTIONS, "a label of 41", { actions: [{ ...button, label: emoji(41) }] }, "actions.0.label"],
  ["error-param", "http", { actions: [{ ...button, url: "http://example.org/" }] }, "actions.0.url"],
  [ACTIONS, "no address", { actions: [{ type: "open_url", label: "x" }] }, "actions.0.url"],
  [UNKNOWN, "an unknown member", { actions: [{ ...button, colour: "red" }] }, "actions.0.colour"],
  [ACTIONS, "a text", { actions: ["x"] }, "actions.0"],
  ["alert-ack", "a word", { requires_ack: "yes" }, "requires_ack"],
  [NULLS, "null", { requires_ack: null }, "requires_ack"],
  [RFC3339, "no zone", { send_at: "2999-01-02T03:04:05" }, "send_at"],
  [RFC3339, "a date alone", { send_at: "2999-01-02" }, "send_at"],
  [RFC3339, "no such day", { send_at: "2999-02-29T00:00:00Z" }, "send_at"],
  [RFC3339, "no such month", { send_at: "2999-13-01T00:00:00Z" }, "send_at"],
  [RFC3339, "no such hour", { send_at: "2999-01-01T24:00:00Z" }, "send_at"],
  [RFC3339, "no such offset", { send_at: "2999-01-01T00:00:00+24:00" }, "send_at"],
  [RFC3339, "carried beyond the year 9999", { send_at: "9999-12-31T23:59:59-00:01" }, "send_at"],
  [RFC3339, "the year 0", { send_at: "0000-01-01T00:00:00Z" }, "send_at"],
  [RFC3339, "words", { send_at: "tomorrow" }, "send_at"],
  [RFC3339, "a number", { send_at: 1_900_000_000 }, "send_at"],
  [RFC3339, "empty", { expires_at: "" }, "expires_at"],
  [EXPIRES, "gone by", { expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
  [
    EXPIRES,
    "at send_at",
    { send_at: "2998-01-01T00:00:00Z", expires_at: "2998-01-01T01:00:00+01:00" },
    "expires_at",
  ],
  [
    EXPIRES,
    "before send_at",
    { send_at: "2998-01-01T00:00:00Z", expires_at: "2997-01-01T00:00:00Z" },
    "expires_at",
  ],
  [SOUND, "another tone", { sound: "gong" }, "sound"],
  [SOUND, "empty", { sound: "" }, "sound"],
  [VIBRATE, "another pattern", { vibrate: "triple" }, "vibrate"],
  [LENGTHS, "1,001 characters", { tts_text: long(1001) }, "tts_text"],
  ...["", "e", "english language", "en_GB", "en-", "-en", "123", "en-a"].map(
    (tts_lang): [string, string, Fields, string] => [
      "alert-lang",
      tts_lang || "empty",
      { tts_lang },
      "tts_lang",
    ],
  ),
  [CIRCLE, "beyond a pole", { ...FENCE, lat: -90.1 }, "lat"],
  [CIRCLE, "beyond the date line", { ...FENCE, lon: 180.1 }, "lon"],
  [CIRCLE, "no radius", { ...FENCE, radius_km: 0 }, "radius_km"],
  [CIRCLE, "too large", { ...FENCE, radius_km: 20_039 }, "radius_km"],
  [CIRCLE, "lat alone", { lat: 1 }, "lon"],
  [CIRCLE, "no lat", { lon: 1, radius_km: 1 }, "lat"],
  [CIRCLE, "no radius sent", { lat: 1, lon: 1 }, "radius_km"],
  [LENGTHS, "a geo_rule of 41", { geo_rule: long(41) }, "geo_rule"],
  [LENGTHS, "a geo_rule that is no slug", { geo_rule: "In Side" }, "geo_rule"],
  [COLLAPSE, "empty", { collapse_key: "" }, "collapse_key"],
  [COLLAPSE, "65 characters", { collapse_key: long(65) }, "collapse_key"],
  [COLLAPSE, "a dash first", { collapse_key: "-a" }, "collapse_key"],
  [COLLAPSE, "upper case", { collapse_key: "Tide" }, "collapse_key"],
  [COLLAPSE, "a space", { collapse_key: "a b" }, "collapse_key"],
  [COLLAPSE, "a line end", { collapse_key: "a\n" }, "collapse_key"],
  [NEEDS, "image without one", { layout: "image" }, "image_url"],
  [NEEDS, "html without one", { layout: "html" }, "html"],
  [NEEDS, "document without one", { layout: "document" }, "html"],
  [NEEDS, "empty html", { layout: "html", html: "" }, "html"],
  [NEEDS, "blank html", { layout: "document", html: " \n" }, "html"],
  [NEEDS, "image with markup", { layout: "image", html: "<p>x</p>" }, "image_url"],
  [LENGTHS, "html of 60,001", { layout: "html", html: long(60_001) }, "html"],
  [LENGTHS, "html of 60,001 in layout text", { html: long(60_001) }, "html"],
  [LENGTHS, "a document of 500,001", { layout: "document", html: long(500_001) }, "html"],
  [UNKNOWN, "a misspelt field", { titel: "x" }, "titel"],
  [UNKNOWN, "a field of answers", { status: "sent" }, "status"],
  [UNKNOWN, "another one", { sent_at: "2026-01-01T00:00:00Z" }, "sent_at"],
  ["malformed-body", "NUL", { actions: [{ ...button, label: "a\u0000b" }] }, "actions.0.label"],
];

const fieldRows: Case[] = [
  ...TAKEN.flatMap(([rule, name, fields, shown = fields]): Case[] => [
    {
      rule,
      tool: "create_alert",
      name: `takes ${Object.keys(fields)}: ${name}`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { status: "draft", ...shown } },
    },
    {
      rule,
      tool: "update_alert",
      name: `takes ${Object.keys(fields)}: ${name}`,
      given: draftWith(),
      input: (alert) => alertAt(alert, fields),
      want: { body: { status: "draft", ...shown } },
    },
  ]),
  ...REFUSED.flatMap(([rule, name, fields, param]): Case[] => [
    {
      rule,
      tool: "create_alert",
      name: `refuses ${param}: ${name}`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { error: "invalid_request", param },
    },
    {
      rule,
      tool: "update_alert",
      name: `refuses ${param}: ${name}`,
      given: sharedDraft,
      input: (alert) => alertAt(alert, fields),
      want: { error: "invalid_request", param },
    },
  ]),
];

const createRows: Case[] = [
  {
    rule: "alert-answer",
    tool: "create_alert",
    name: "with a title alone",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "Bridge closed" }),
    want: {
      body: {
        status: "draft",
        title: "Bridge closed",
        body: null,
        priority: "normal",
        layout: "text",
        image_url: null,
        image_asset_id: null,
        audio_asset_id: null,
        html_asset_id: null,
        html: null,
        html_length: 0,
        actions: [],
        requires_ack: false,
        send_at: null,
        expires_at: null,
        sound: null,
        audio_url: null,
        vibrate: null,
        tts_text: null,
        tts_lang: null,
        lat: null,
        lon: null,
        radius_km: null,
        geo_rule: null,
        collapse_key: null,
        sent_at: null,
        cancelled_at: null,
        created_at: expect.stringMatching(INSTANT),
        updated_at: expect.stringMatching(INSTANT),
        blocked: [],
        notes: [],
      },
    },
    after: (_world, pusher, { body }) => {
      expect(body.id).toMatch(/^alr_[0-9a-z]{26}$/);
      expect(body.pusher_id).toBe(pusher.id);
    },
  },
  {
    rule: TITLE,
    tool: "create_alert",
    name: "needs a title",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, body: "x" }),
    want: { error: "invalid_request", param: "title" },
  },
  ...([null, "true", 1] as const).map(
    (send): Case => ({
      rule: NULLS,
      tool: "create_alert",
      name: `send ${JSON.stringify(send)}`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", send }),
      want: { error: "invalid_request", param: "send" },
    }),
  ),
  ...([undefined, false] as const).map(
    (send): Case => ({
      rule: "draft",
      tool: "create_alert",
      name: `send ${send}, with a future send_at as proposal`,
      given: async (world) => {
        const pusher = await world.pusher();
        return { pusher, device: await world.device(pusher.handle), events: world.events.length };
      },
      input: ({ pusher }) => ({ pusher_id: pusher.id, title: "x", send, send_at: inSeconds(60) }),
      want: { body: { status: "draft", sent_at: null } },
      after: async (world, { device, events }) => {
        expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]);
        expect(world.events.length).toBe(events);
      },
    }),
  ),
  {
    rule: "draft",
    tool: "create_alert",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", send: false }),
    want: { body: { status: "draft" } },
  },
  {
    rule: "sent",
    tool: "create_alert",
    given: async (world) => {
      const pusher = await world.pusher();
      return { ...pusher, device: await world.device(pusher.handle) };
    },
    input: ({ id }) => ({ pusher_id: id, title: "Now", send: true }),
    want: {
      body: { status: "sent", send_at: null, sent_at: expect.stringMatching(INSTANT), cancelled_at: null },
    },
    after: async (world, { id, device }, { body }) => {
      const inbox = await world.handset("GET", "/inbox", device);
      expect(inbox.body.data).toMatchObject([{ id: body.id, sent_at: body.sent_at, title: "Now" }]);
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.sent",
        data: {
          pusher_id: id,
          alert_id: body.id,
          title: "Now",
          priority: "normal",
          status: "sent",
          send_at: null,
          sent_at: body.sent_at,
        },
      });
    },
  },
  {
    rule: "scheduled",
    tool: "create_alert",
    given: async (world) => {
      const pusher = await world.pusher();
      return { ...pusher, device: await world.device(pusher.handle) };
    },
    input: ({ id }) => ({ pusher_id: id, title: "Later", send: true, send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "scheduled", send_at: "2999-01-01T00:00:00.000000Z", sent_at: null } },
    after: async (world, { device }, { body }) => {
      expect((await world.handset("GET", "/inbox", device)).body.data).toEqual([]);
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.scheduled",
        data: { alert_id: body.id, status: "scheduled", send_at: body.send_at, sent_at: null },
      });
    },
  },
  ...["2001-01-01T00:00:00Z", "now"].map(
    (send_at): Case => ({
      rule: "send-at-must-be-ahead",
      tool: "create_alert",
      name: `send with send_at ${send_at}`,
      given: sharedPusher,
      input: ({ id }) => ({
        pusher_id: id,
        title: "x",
        send: true,
        send_at: send_at === "now" ? inSeconds(0) : send_at,
      }),
      want: { error: "invalid_request", param: "send_at", says: /omit it to send now/ },
    }),
  ),
  {
    rule: "send-needs-a-live-alert",
    tool: "create_alert",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", send: true, expires_at: inSeconds(-1) }),
    want: { error: "invalid_request", param: "expires_at" },
  },
  {
    rule: "create-alert",
    tool: "create_alert",
    name: "there is no such channel",
    input: () => ({ pusher_id: "psh_01h2xcejqtf2nbrexx3vqjhp41", title: "x" }),
    want: { error: "not_found", param: null },
  },
  ...(["paused", "suspended"] as const).flatMap((state): Case[] => [
    {
      rule: "channel-paused",
      tool: "create_alert",
      name: `published while ${state}`,
      given: channelIn(state),
      input: ({ id }) => ({ pusher_id: id, title: "x", send: true }),
      want: { error: "conflict", param: null, says: /draft/ },
    },
    {
      rule: "channel-paused",
      tool: "create_alert",
      name: `scheduled while ${state}`,
      given: channelIn(state),
      input: ({ id }) => ({ pusher_id: id, title: "x", send: true, send_at: inSeconds(60) }),
      want: { error: "conflict", param: null },
      after: async (world, { id }) =>
        expect((await world.rest("list_alerts", { pusher_id: id })).body.data).toEqual([]),
    },
    {
      rule: "channel-not-active",
      tool: "create_alert",
      name: `drafted while ${state}`,
      given: channelIn(state),
      input: ({ id }) => ({ pusher_id: id, title: "x", send: false }),
      want: { body: { status: "draft" } },
    },
  ]),
];

function channelIn(state: "paused" | "suspended") {
  return once(async (world) => {
    const pusher = await world.pusher();
    await putChannel(world, pusher, state);
    return pusher;
  });
}

const SCRIPT = '<p onclick="x()">Hi<script>evil()</script><script>more()</script></p>';

const READ_NOTES = "notes-on-read";

const readRows: Case[] = [
  {
    rule: READ_NOTES,
    tool: "get_alert",
    name: "why a sent alert was silent",
    given: async (world) => {
      const pusher = await world.pusher({ requested_perms: ["notify"] });
      return world.alert(pusher.id, { sound: "siren", vibrate: "sos", send: true });
    },
    input: (alert) => alertAt(alert),
    want: { body: { status: "sent", notes: [{ capability: "sound" }, { capability: "vibrate" }] } },
    after: (_world, alert, { body }) => expect(body.notes).toEqual(alert.notes),
  },
  {
    rule: READ_NOTES,
    tool: "get_alert",
    name: "of what the channel asks for by now",
    given: async (world) => {
      const pusher = await world.pusher();
      const alert = await world.alert(pusher.id);
      expect(alert.notes).toHaveLength(1);
      await world.rest("update_pusher", { pusher_id: pusher.id, requested_perms: ["notify"] });
      return alert;
    },
    input: (alert) => alertAt(alert),
    want: { body: { notes: [] } },
  },
];

const htmlRows: Case[] = [
  {
    rule: BLOCKED,
    tool: "create_alert",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "html", html: SCRIPT }),
    want: { body: { html: "<p>Hi</p>", html_length: 9 } },
    after: (_world, _given, { body }) =>
      expect(body.blocked).toEqual(
        expect.arrayContaining([
          { kind: "element", name: "script", count: 2 },
          { kind: "attribute", name: "onclick", count: 1 },
        ]),
      ),
  },
  {
    rule: BLOCKED_SHAPE,
    tool: "create_alert",
    name: "url and style rows",
    given: sharedPusher,
    input: ({ id }) => ({
      pusher_id: id,
      title: "x",
      html: '<a href="javascript:a()">a</a><a href="javascript:b()">b</a><b style="position:fixed;color:red">c</b>',
    }),
    want: {},
    after: (_world, _given, { body }) => {
      const kinds = body.blocked.map(({ kind, name }: any) => `${kind} ${name}`);
      expect(new Set(kinds).size).toBe(kinds.length);
      expect(body.blocked).toEqual(expect.arrayContaining([{ kind: "url", name: "javascript", count: 2 }]));
      expect(kinds).toContain("style position");
      expect(body.html).not.toMatch(/javascript|position/);
    },
  },
  {
    rule: INFERRED,
    tool: "create_alert",
    name: "html without a layout",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", html: "<b>a</b><script>x</script>" }),
    want: {
      body: { layout: "html", html: "<b>a</b>", blocked: [{ kind: "element", name: "script", count: 1 }] },
    },
  },
  {
    rule: INFERRED,
    tool: "create_alert",
    name: "blank html without a layout is no markup",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", html: " " }),
    want: { body: { layout: "text", html: null } },
  },
  {
    rule: INFERRED,
    tool: "update_alert",
    name: "html that comes to a text alert without a layout",
    given: draftWith(),
    input: (alert) => alertAt(alert, { html: "<b>a</b>" }),
    want: { body: { layout: "html", html: "<b>a</b>" } },
  },
  {
    rule: INFERRED,
    also: [PATCH],
    tool: "update_alert",
    name: "a layout text that was chosen beside html stays",
    given: draftWith({ layout: "text", html: "<b>a</b>" }),
    input: (alert) => alertAt(alert, { html: "<i>b</i>" }),
    want: { body: { layout: "text", html: "<i>b</i>" } },
  },
  {
    rule: INFERRED,
    also: [PATCH],
    tool: "update_alert",
    name: "another layout stays",
    given: draftWith({ layout: "image", image_url: "https://example.org/a.png" }),
    input: (alert) => alertAt(alert, { html: "<i>b</i>" }),
    want: { body: { layout: "image", html: "<i>b</i>" } },
  },
  {
    rule: HTML,
    tool: "create_alert",
    name: "in layout text as well",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "text", html: "<b>a</b><script>x</script>" }),
    want: {
      body: { layout: "text", html: "<b>a</b>", blocked: [{ kind: "element", name: "script", count: 1 }] },
    },
  },
  {
    rule: "preview-document",
    tool: "create_alert",
    name: "a document is kept whole",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "document", html: SCRIPT }),
    want: { body: { html: SCRIPT, html_length: SCRIPT.length, blocked: [] } },
  },
  {
    rule: LENGTHS,
    tool: "create_alert",
    name: "html of 60,000 emoji",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "html", html: emoji(60_000) }),
    want: { body: { html_length: 60_000 } },
  },
  {
    rule: LENGTHS,
    tool: "create_alert",
    name: "a document of 500,000",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", layout: "document", html: long(500_000) }),
    want: { body: { html_length: 500_000 } },
  },
  {
    rule: HTML,
    tool: "update_alert",
    name: "a stored document that becomes html is sanitised then",
    given: draftWith({ layout: "document", html: SCRIPT }),
    input: (alert) => alertAt(alert, { layout: "html" }),
    want: { body: { layout: "html", html: "<p>Hi</p>", blocked: [{ name: "script" }, { name: "onclick" }] } },
    after: async (world, alert) => expect((await readBack(world, alert)).html).toBe("<p>Hi</p>"),
  },
  {
    rule: HTML,
    tool: "update_alert",
    name: "a stored document that becomes text is sanitised, too",
    given: draftWith({ layout: "document", html: SCRIPT }),
    input: (alert) => alertAt(alert, { layout: "text" }),
    want: { body: { layout: "text", html: "<p>Hi</p>" } },
  },
  {
    rule: HTML,
    tool: "update_alert",
    name: "a stored document stays whole when something else changes",
    given: draftWith({ layout: "document", html: SCRIPT }),
    input: (alert) => alertAt(alert, { title: "y" }),
    want: { body: { html: SCRIPT, blocked: [] } },
  },
  {
    rule: LENGTHS,
    tool: "update_alert",
    name: "a stored document too long for html",
    given: once(draftWith({ layout: "document", html: long(60_001) })),
    input: (alert) => alertAt(alert, { layout: "html" }),
    want: { error: "invalid_request", param: "html" },
  },
  {
    rule: LENGTHS,
    tool: "update_alert",
    name: "what sanitising made longer than its bound can still be edited",
    given: draftWith({ layout: "html", html: "&".repeat(60_000) }),
    input: (alert) => alertAt(alert, { title: "y" }),
    want: { body: { title: "y" } },
  },
  {
    rule: BLOCKED,
    tool: "update_alert",
    name: "what sanitising left empty can still be edited",
    given: draftWith({ layout: "html", html: "<script>x</script>" }),
    input: (alert) => alertAt(alert, { title: "y" }),
    want: { body: { title: "y", layout: "html" } },
  },
  {
    rule: NEEDS,
    tool: "update_alert",
    name: "the markup of a layout that needs it cannot be cleared",
    given: once(draftWith({ layout: "html", html: "<p>x</p>" })),
    input: (alert) => alertAt(alert, { html: null }),
    want: { error: "invalid_request", param: "html" },
  },
  {
    rule: NEEDS,
    tool: "update_alert",
    name: "the picture of layout image cannot be cleared",
    given: once(draftWith({ layout: "image", image_url: "https://example.org/" })),
    input: (alert) => alertAt(alert, { image_url: null }),
    want: { error: "invalid_request", param: "image_url" },
  },
  {
    rule: NEEDS,
    tool: "update_alert",
    name: "with the layout changed at once it can",
    given: draftWith({ layout: "image", image_url: "https://example.org/" }),
    input: (alert) => alertAt(alert, { image_url: null, layout: "text" }),
    want: { body: { layout: "text", image_url: null } },
  },
  {
    rule: "list-without-html",
    tool: "get_alert",
    given: draftWith({ html: "<p>🔔</p>" }),
    input: (alert) => alertAt(alert),
    want: { body: { html: "<p>🔔</p>", html_length: 8 } },
    after: async (world, alert, { body }) => {
      const list = await world.rest("list_alerts", { pusher_id: alert.pusher_id, limit: 1 });
      const { html: _, asset_html: __, notes: ___, ...row } = body;
      expect(list.body.data[0]).toEqual(row);
    },
  },
];

const USES: [fields: Fields, capability: string, field: string][] = [
  [{ sound: "siren" }, "sound", "sound"],
  [{ sound: "default" }, "sound", "sound"],
  [{ audio_url: "https://example.org/a.mp3" }, "sound", "audio_url"],
  [{ vibrate: "sos" }, "vibrate", "vibrate"],
  [{ vibrate: "default" }, "vibrate", "vibrate"],
  [{ tts_text: "x" }, "tts", "tts_text"],
  [{ priority: "urgent" }, "full", "priority"],
  [FENCE, "loc", "lat"],
];

const noteRows: Case[] = [
  ...USES.flatMap(([fields, capability, field]): Case[] => [
    {
      rule: NOTES,
      tool: "create_alert",
      name: `${Object.keys(fields)[0]} ${Object.values(fields)[0]} on a channel that asked for all else`,
      given: async (world) =>
        world.pusher({ requested_perms: ALL_PERMS.filter((perm) => perm !== capability) }),
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: [{ capability, field, message: expect.stringContaining(capability) }] } },
      after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
    },
    {
      rule: "alert-notes",
      tool: "create_alert",
      name: `${Object.keys(fields)[0]} ${Object.values(fields)[0]} on a channel that asked for it`,
      given: sharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { notes: [] } },
    },
  ]),
  {
    rule: NOTES,
    tool: "create_alert",
    name: "silent, none and normal use nothing but notify",
    given: once((world) => world.pusher()),
    input: ({ id }) => ({
      pusher_id: id,
      title: "x",
      sound: "silent",
      vibrate: "none",
      priority: "important",
    }),
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
    given: async (world) =>
      world.alert((await world.pusher({ requested_perms: ["notify"] })).id, { sound: "siren" }),
    input: (alert) => alertAt(alert, { vibrate: "sos", sound: null }),
    want: { body: { notes: [{ capability: "vibrate", field: "vibrate" }], blocked: [] } },
    after: (_world, _given, { body }) => expect(body.notes).toHaveLength(1),
  },
  {
    rule: "priority-is-a-ceiling",
    also: ["no-delivered-figure"],
    tool: "create_alert",
    given: sharedPusher,
    input: ({ id }) => ({ pusher_id: id, title: "x", priority: "urgent", send: true }),
    want: { body: { priority: "urgent", status: "sent" } },
    after: (_world, _given, { body }) =>
      expect(Object.keys(body).filter((key) => /deliver|rang|_rate/.test(key))).toEqual([]),
  },
];

const COMPOSER = "composing-is-not-publishing";
const composer = once((world) => world.key({ scopes: "alerts:write" }));
const BOTH_WAYS = /credential that carries it.*send_at as null/;

/** What a credential that may write but not send does to a scheduled alert. */
const composerRows: Case[] = [
  ...(
    [
      ["a title", { title: "Changed" }],
      ["an earlier send_at", { send_at: inSeconds(4) }],
      ["a send_at that has gone by", { send_at: inSeconds(-4) }],
      ["expires_at null", { expires_at: null }],
    ] as const
  ).flatMap(([name, fields]) =>
    (["REST", "MCP"] as const).map(
      (over): Case => ({
        rule: COMPOSER,
        tool: "update_alert",
        name: `${name} by a key that may only write`,
        over,
        given: async (world) => {
          const alert = await alertIn(world, "scheduled");
          return { alert, before: await readBack(world, alert), events: world.events.length };
        },
        as: composer,
        input: ({ alert }) => alertAt(alert, fields),
        want: { error: "insufficient_scope", param: null, says: BOTH_WAYS },
        after: async (world, { alert, before, events }, { status, headers }) => {
          expect(status).toBe(403);
          expect(headers.get("www-authenticate")).toMatch(
            over === "REST"
              ? /^Bearer error="insufficient_scope", scope="alerts:send"$/
              : /^Bearer error="insufficient_scope", scope="alerts:write alerts:send", resource_metadata="http[^"]+"$/,
          );
          expect(await readBack(world, alert)).toEqual(before);
          expect(world.events.length).toBe(events);
        },
      }),
    ),
  ),
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "send_at null returns it to draft, with the other fields",
    given: (world) => alertIn(world, "scheduled"),
    as: composer,
    input: (alert) => alertAt(alert, { send_at: null, title: "Changed" }),
    want: { body: { status: "draft", send_at: null, title: "Changed" } },
    after: (world, alert) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.cancelled",
        data: { alert_id: alert.id, status: "draft" },
      }),
  },
  {
    rule: COMPOSER,
    also: [NULLS],
    tool: "update_alert",
    name: "nothing sent by a key that may only write, nothing changed",
    given: (world) => alertIn(world, "scheduled"),
    as: composer,
    input: (alert) => alertAt(alert),
    want: { body: { status: "scheduled" } },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "a draft with a send_at stays open to a key that may only write",
    given: (world) => alertIn(world, "draft"),
    as: composer,
    input: (alert) => alertAt(alert, { title: "Changed" }),
    want: { body: { status: "draft", title: "Changed" } },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "a foreign scheduled alert is none",
    given: once((world) => alertIn(world, "scheduled")),
    as: (world) => world.foreignKey(),
    input: (alert) => alertAt(alert, { title: "Changed" }),
    want: { error: "not_found", param: null },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "one that has become visible is frozen, whatever the key",
    given: (world) => alertIn(world, "passed"),
    as: composer,
    input: (alert) => alertAt(alert, { title: "Changed" }),
    want: { error: "conflict", param: null },
  },
  {
    rule: COMPOSER,
    tool: "update_alert",
    name: "with alerts:send as well it is edited",
    given: (world) => alertIn(world, "scheduled"),
    as: once((world) => world.key({ scopes: "alerts:write,alerts:send" })),
    input: (alert) => alertAt(alert, { title: "Changed" }),
    want: { body: { status: "scheduled", title: "Changed" } },
  },
];

const editRows: Case[] = [
  {
    rule: PATCH,
    tool: "update_alert",
    name: "one field changes, the rest stays",
    given: draftWith({
      ...FENCE,
      body: "b",
      actions: [button],
      sound: "bell",
      tts_lang: "en",
      collapse_key: "k",
      html: "<i>x</i>",
      expires_at: inSeconds(7200),
      send_at: inSeconds(60),
    }),
    input: (alert) => alertAt(alert, { title: "New" }),
    want: { body: { title: "New" } },
    after: (_world, alert, { body }) =>
      expect({ ...body, updated_at: "" }).toEqual({ ...alert, title: "New", updated_at: "" }),
  },
  {
    rule: PATCH,
    tool: "update_alert",
    name: "null clears what may be null",
    given: draftWith({
      ...FENCE,
      body: "b",
      layout: "text",
      image_url: "https://example.org/",
      html: "x",
      send_at: inSeconds(3600),
      expires_at: inSeconds(7200),
      sound: "bell",
      audio_url: "https://example.org/",
      vibrate: "sos",
      tts_text: "x",
      tts_lang: "en",
      geo_rule: "x",
      collapse_key: "k",
    }),
    input: (alert) =>
      alertAt(alert, {
        body: null,
        image_url: null,
        html: null,
        send_at: null,
        expires_at: null,
        sound: null,
        audio_url: null,
        vibrate: null,
        tts_text: null,
        tts_lang: null,
        lat: null,
        lon: null,
        radius_km: null,
        geo_rule: null,
        collapse_key: null,
      }),
    want: {
      body: {
        body: null,
        image_url: null,
        html: null,
        html_length: 0,
        send_at: null,
        expires_at: null,
        sound: null,
        audio_url: null,
        vibrate: null,
        tts_text: null,
        tts_lang: null,
        lat: null,
        lon: null,
        radius_km: null,
        geo_rule: null,
        collapse_key: null,
      },
    },
  },
  {
    rule: NULLS,
    tool: "update_alert",
    name: "nothing sent, nothing changed",
    given: draftWith({ ...FENCE, html: "<p>x</p>" }),
    input: (alert) => alertAt(alert),
    want: {},
    after: (_world, alert, { body }) => expect(body).toEqual(alert),
  },
  {
    rule: CIRCLE,
    tool: "update_alert",
    name: "one member cleared alone",
    given: once(draftWith(FENCE)),
    input: (alert) => alertAt(alert, { lon: null }),
    want: { error: "invalid_request", param: "lon" },
  },
  {
    rule: CIRCLE,
    tool: "update_alert",
    name: "one member moved alone",
    given: draftWith(FENCE),
    input: (alert) => alertAt(alert, { lon: 3 }),
    want: { body: { ...FENCE, lon: 3 } },
  },
  {
    rule: EXPIRES,
    tool: "update_alert",
    name: "send_at moved beyond the stored expires_at",
    given: once(draftWith({ expires_at: "2998-01-01T00:00:00Z" })),
    input: (alert) => alertAt(alert, { send_at: "2998-06-01T00:00:00Z" }),
    want: { error: "invalid_request", param: "expires_at" },
  },
  {
    rule: EXPIRES,
    tool: "update_alert",
    name: "what has expired since can still be edited",
    given: async (world) => {
      const alert = await draftWith()(world);
      await world.sql("update alert set expires_at = now() - interval '1 hour' where id = ?", [
        uuidOf(alert.id),
      ]);
      return alert;
    },
    input: (alert) => alertAt(alert, { title: "y" }),
    want: { body: { title: "y" } },
  },
  {
    rule: DRAFT,
    tool: "update_alert",
    name: "a future send_at on a draft",
    given: async (world) => ({ ...(await draftWith()(world)), events: world.events.length }),
    input: (alert) => alertAt(alert, { send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "draft", send_at: "2999-01-01T00:00:00.000000Z", sent_at: null } },
    after: (world, { events }) => expect(world.events.length).toBe(events),
  },
  {
    rule: "edit-scheduled",
    tool: "update_alert",
    given: (world) => alertIn(world, "scheduled"),
    input: (alert) => alertAt(alert, { send_at: "2999-01-01T00:00:00Z" }),
    want: { body: { status: "scheduled", send_at: "2999-01-01T00:00:00.000000Z" } },
    after: (world, alert) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.scheduled",
        data: { alert_id: alert.id, status: "scheduled", send_at: "2999-01-01T00:00:00.000000Z" },
      }),
  },
  {
    rule: "edit-to-draft",
    tool: "update_alert",
    given: (world) => alertIn(world, "scheduled"),
    input: (alert) => alertAt(alert, { send_at: null }),
    want: { body: { status: "draft", send_at: null, sent_at: null, cancelled_at: null } },
    after: (world, alert) =>
      expect(world.events.at(-1)).toMatchObject({
        event: "alert.cancelled",
        data: { alert_id: alert.id, status: "draft" },
      }),
  },
  {
    rule: "edit-tells-receivers",
    tool: "update_alert",
    name: "the same instant in another spelling moves nothing",
    given: async (world) => {
      const alert = await alertIn(world, "scheduled", undefined, { send_at: "2999-01-01T00:00:00Z" });
      return { ...alert, events: world.events.length };
    },
    input: (alert) => alertAt(alert, { send_at: "2999-01-01T02:00:00.0+02:00", title: "y" }),
    want: { body: { status: "scheduled", title: "y" } },
    after: (world, { events }) => expect(world.events.length).toBe(events),
  },
  {
    rule: "send-at-must-be-ahead",
    tool: "update_alert",
    given: (world) => alertIn(world, "scheduled"),
    input: (alert) => alertAt(alert, { send_at: inSeconds(-5) }),
    want: { error: "invalid_request", param: "send_at", says: /omit it to send now/ },
  },
  ...composerRows,
  {
    rule: UNKNOWN,
    tool: "update_alert",
    name: "send is for create only",
    given: sharedDraft,
    input: (alert) => alertAt(alert, { send: true }),
    want: { error: "invalid_request", param: "send" },
  },
  {
    rule: "action-or-fields",
    tool: "update_alert",
    name: "over MCP an action is its own tool",
    over: "MCP",
    given: sharedDraft,
    input: (alert) => alertAt(alert, { action: "send" }),
    want: { error: "invalid_request", param: "action" },
  },
  ...["unsend", "", "SEND", "delete"].map(
    (action): Case => ({
      rule: "action-or-fields",
      tool: "update_alert",
      name: `unknown action ${JSON.stringify(action)}`,
      over: "REST",
      given: sharedDraft,
      input: (alert) => alertAt(alert, { action }),
      want: { error: "invalid_request", param: "action", says: /send, schedule, cancel/ },
    }),
  ),
  ...([null, true, ["send"], { do: "send" }] as const).map(
    (action): Case => ({
      rule: "action-or-fields",
      tool: "update_alert",
      name: `an action that is no word: ${JSON.stringify(action)}`,
      over: "REST",
      given: sharedDraft,
      input: (alert) => alertAt(alert, { action }),
      want: { error: "invalid_request", param: "action" },
    }),
  ),
  ...["send", "schedule", "cancel"].map(
    (action): Case => ({
      rule: "action-or-fields",
      tool: "update_alert",
      name: `${action} with a field beside it`,
      over: "REST",
      given: sharedDraft,
      input: (alert) => alertAt(alert, { action, title: "y" }),
      want: { error: "invalid_request", param: "action" },
      after: async (world, alert) =>
        expect(await readBack(world, alert)).toMatchObject({ status: "draft", title: "An alert" }),
    }),
  ),
  ...["send_alert", "schedule_alert", "cancel_alert"].flatMap((tool): Case[] => [
    {
      rule: UNKNOWN,
      tool,
      name: "with a field beside it",
      over: "MCP",
      given: sharedDraft,
      input: (alert) => alertAt(alert, { title: "y" }),
      want: { error: "invalid_request", param: "title" },
    },
    {
      rule: "action-or-fields",
      tool,
      name: "with a field beside it",
      over: "REST",
      given: sharedDraft,
      input: (alert) => alertAt(alert, { title: "y" }),
      want: { error: "invalid_request", param: "action" },
    },
  ]),
  {
    rule: UNKNOWN,
    tool: "get_alert",
    name: "an unknown parameter",
    given: sharedDraft,
    input: (alert) => alertAt(alert, { fields: "title" }),
    want: { error: "invalid_request", param: "fields" },
  },
  {
    rule: UNKNOWN,
    tool: "delete_alert",
    name: "an unknown parameter",
    given: sharedDraft,
    input: (alert) => alertAt(alert, { force: "1" }),
    want: { error: "invalid_request", param: "force" },
  },
];

export const alertCases: Case[] = [
  ...fieldRows,
  ...createRows,
  ...htmlRows,
  ...readRows,
  ...noteRows,
  ...editRows,
];
