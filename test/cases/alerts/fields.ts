// Accepted and refused values of each field of an alert, on creation and on edit.

import type { TestCase } from "../../support/case_runner.ts";
import { alertArguments, createDraftWith, emojiText, getSharedDraft, getSharedPusher } from "../fixtures.ts";
import { ALERT_CIRCLE, type Fields, LINK_BUTTON, longText, longUrl, QUESTION } from "./fixtures.ts";

const TITLE = "alert-title";
const BODY = "alert-body";
const PRIORITY = "alert-priority";
const LAYOUT = "alert-layout";
const DETACH = "alert-assets";
const ASSET = "alert-asset-missing";
const HTML = "alert-html";
const REPLY = "alert-reply";
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
const ZONED = "local-times";
const NEEDS = "layout-needs";
const EXCLUDE = "alert-excludes";
const DRAFT = "draft-proposes";
const NO_ASSET = "ast_01h2xcejqtf2nbrexx3vqjhp41";

/** Values that both create and edit accept, and the result where it differs. */
const TAKEN: [rule: string, name: string, fields: Fields, shown?: Fields][] = [
  [TITLE, "one character", { title: "x" }],
  [CODE_POINTS, "120 emoji", { title: emojiText(120) }],
  [BODY, "a text", { body: "One\nTwo" }],
  [BODY, "null", { body: null }],
  [LENGTHS, "a body of 16,384 emoji", { body: emojiText(16_384) }],
  ...["normal", "important", "urgent"].map((priority): [string, string, Fields] => [PRIORITY, priority, { priority }]),
  [LAYOUT, "text", { layout: "text" }],
  [LAYOUT, "image", { layout: "image", image_url: "https://example.org/a.png" }],
  [LAYOUT, "html", { layout: "html", html: "<p>x</p>" }],
  [LAYOUT, "document", { layout: "document", html: "<p>x</p>" }],
  [DETACH, "no picture", { image_asset_id: null, audio_asset_id: null, html_asset_id: null }],
  [HTML, "null", { html: null }, { html: null, html_length: 0 }],
  ["alert-actions", "none", { actions: [] }],
  [
    ACTIONS,
    "three",
    { actions: [LINK_BUTTON, LINK_BUTTON, { ...LINK_BUTTON, label: emojiText(40), url: longUrl(2048) }] },
  ],
  [REPLY, "with three buttons", { actions: [LINK_BUTTON, LINK_BUTTON, LINK_BUTTON, QUESTION] }],
  ["alert-ack", "true", { requires_ack: true }],
  ["alert-ack", "false", { requires_ack: false }],
  [SEND_AT, "null", { send_at: null }],
  [RFC3339, "UTC", { send_at: "2999-01-02T03:04:05Z" }, { send_at: "2999-01-02T03:04:05.000000Z" }],
  [RFC3339, "an offset", { send_at: "2999-01-02T03:04:05.25+05:30" }, { send_at: "2999-01-01T21:34:05.250000Z" }],
  [RFC3339, "the widest offset", { send_at: "2999-01-02T03:04:05-23:59" }, { send_at: "2999-01-03T03:03:05.000000Z" }],
  [RFC3339, "lower case", { send_at: "2999-01-02t03:04:05z" }, { send_at: "2999-01-02T03:04:05.000000Z" }],
  [RFC3339, "nine decimals", { send_at: "2999-01-02T03:04:05.123456789Z" }, { send_at: "2999-01-02T03:04:05.123456Z" }],
  ...[
    ["2996-11-24T07:30 Europe/Lisbon", "2996-11-24T07:30:00.000000Z"],
    ["2996-07-24 07:30:15 europe/lisbon", "2996-07-24T06:30:15.000000Z"],
    ["2996-11-24T07:30 Asia/Kolkata", "2996-11-24T02:00:00.000000Z"],
  ].map(([send_at, utc]): [string, string, Fields, Fields] => [ZONED, send_at!, { send_at }, { send_at: utc }]),
  [RFC3339, "a leap day", { send_at: "2996-02-29T00:00:00Z" }, { send_at: "2996-02-29T00:00:00.000000Z" }],
  [RFC3339, "the last year", { send_at: "9999-12-31T23:59:59Z" }, { send_at: "9999-12-31T23:59:59.000000Z" }],
  [DRAFT, "a proposal in the past", { send_at: "2001-01-01T00:00:00Z" }, { send_at: "2001-01-01T00:00:00.000000Z" }],
  ["alert-expires-at", "null", { expires_at: null }],
  [EXPIRES, "after now", { expires_at: "2999-01-01T00:00:00Z" }, { expires_at: "2999-01-01T00:00:00.000000Z" }],
  [EXPIRES, "after send_at", { send_at: "2998-01-01T00:00:00Z", expires_at: "2998-01-01T00:00:00.000001Z" }, {}],
  ...["default", "chime", "ping", "bell", "knock", "alarm", "siren", "silent", null].map(
    (sound): [string, string, Fields] => [SOUND, String(sound), { sound }],
  ),
  ["alert-source", "https", { source_url: "https://example.org/tides" }],
  ["alert-source", "null", { source_url: null }],
  ["review-note", "1,000 code points on lines", { review_note: `${emojiText(998)}\n.` }],
  ["review-note", "null", { review_note: null }],
  [AUDIO, "https", { audio_url: "https://example.org/a.mp3" }],
  [AUDIO, "null", { audio_url: null }],
  ...["default", "none", "short", "double", "long", "sos", "heartbeat", null].map(
    (vibrate): [string, string, Fields] => [VIBRATE, String(vibrate), { vibrate }],
  ),
  [TTS, "a text", { tts_text: "Bridge closed" }],
  [TTS, "null", { tts_text: null }],
  [LENGTHS, "1,000 emoji", { tts_text: emojiText(1000) }],
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
  [CIRCLE, "set", { ...ALERT_CIRCLE }],
  [CIRCLE, "null", { lat: null, lon: null, radius_km: null }],
  [CIRCLE, "at the edges", { lat: -90, lon: 180, radius_km: 20_038 }],
  [GEO_RULE, "a slug", { geo_rule: "inside.only_v-2" }],
  [GEO_RULE, "null", { geo_rule: null }],
  [LENGTHS, "a geo_rule of 40", { geo_rule: longText(40) }],
  [COLLAPSE, "one character", { collapse_key: "7" }],
  [COLLAPSE, "64 characters", { collapse_key: `a._-${longText(60)}` }],
  ["alert-collapse-key", "null", { collapse_key: null }],
];

/** Values that neither create nor edit accepts, and the field of the error. */
const REFUSED: [rule: string, name: string, fields: Fields, param: string][] = [
  [CODE_POINTS, "empty", { title: "" }, "title"],
  [CODE_POINTS, "white space", { title: " \u00a0\n" }, "title"],
  [CODE_POINTS, "empty cells of Braille", { title: "\u2800\u2800" }, "title"],
  [CODE_POINTS, "a soft hyphen alone", { title: "\u00ad" }, "title"],
  [LENGTHS, "121 characters", { title: longText(121) }, "title"],
  [LENGTHS, "121 emoji", { title: emojiText(121) }, "title"],
  [NULLS, "null", { title: null }, "title"],
  [TITLE, "a number", { title: 1 }, "title"],
  [LENGTHS, "16,385 characters", { body: longText(16_385) }, "body"],
  [BODY, "an object", { body: {} }, "body"],
  ["error-invalid-request", "another word", { priority: "high" }, "priority"],
  [PRIORITY, "empty", { priority: "" }, "priority"],
  [PRIORITY, "another case", { priority: "Urgent" }, "priority"],
  [NULLS, "null", { priority: null }, "priority"],
  [LAYOUT, "another word", { layout: "video" }, "layout"],
  [NULLS, "null", { layout: null }, "layout"],
  [AUDIO, "http", { audio_url: "http://example.org/a.mp3" }, "audio_url"],
  [LENGTHS, "2,049 characters", { audio_url: longUrl(2049) }, "audio_url"],
  ["https-only", "a source by http", { source_url: "http://example.org/" }, "source_url"],
  ["review-note", "a note of 1,001 code points", { review_note: emojiText(1001) }, "review_note"],
  ["alert-source", "a source that is not an address", { source_url: "page 3 of the report" }, "source_url"],
  ["https-only", "http", { image_url: "http://example.org/" }, "image_url"],
  [ASSET, "none uploaded", { image_asset_id: NO_ASSET }, "image_asset_id"],
  [ASSET, "none uploaded", { audio_asset_id: NO_ASSET }, "audio_asset_id"],
  [ASSET, "none uploaded", { html_asset_id: NO_ASSET }, "html_asset_id"],
  [ASSET, "empty", { image_asset_id: "" }, "image_asset_id"],
  [ASSET, "empty", { audio_asset_id: "" }, "audio_asset_id"],
  [ASSET, "empty", { html_asset_id: "" }, "html_asset_id"],
  [ASSET, "an id of another kind", { audio_asset_id: "psh_01h2xcejqtf2nbrexx3vqjhp41" }, "audio_asset_id"],
  [ASSET, "a number", { audio_asset_id: 5 }, "audio_asset_id"],
  [EXCLUDE, "picture twice", { image_url: "https://example.org/", image_asset_id: NO_ASSET }, "image_asset_id"],
  [EXCLUDE, "markup twice", { html: "x", html_asset_id: NO_ASSET }, "html_asset_id"],
  [NULLS, "null", { actions: null }, "actions"],
  [ACTIONS, "four", { actions: [LINK_BUTTON, LINK_BUTTON, LINK_BUTTON, LINK_BUTTON] }, "actions"],
  [ACTIONS, "another type", { actions: [{ ...LINK_BUTTON, type: "call" }] }, "actions.0.type"],
  [ACTIONS, "no type and no address", { actions: [{ label: "x" }] }, "actions.0.url"],
  [ACTIONS, "no label", { actions: [LINK_BUTTON, { ...LINK_BUTTON, label: undefined }] }, "actions.1.label"],
  [ACTIONS, "a blank label", { actions: [{ ...LINK_BUTTON, label: " " }] }, "actions.0.label"],
  [ACTIONS, "a label of 41", { actions: [{ ...LINK_BUTTON, label: emojiText(41) }] }, "actions.0.label"],
  ["error-param", "http", { actions: [{ ...LINK_BUTTON, url: "http://example.org/" }] }, "actions.0.url"],
  [ACTIONS, "no address", { actions: [{ type: "open_url", label: "x" }] }, "actions.0.url"],
  [UNKNOWN, "an unknown member", { actions: [{ ...LINK_BUTTON, colour: "red" }] }, "actions.0.colour"],
  [ACTIONS, "choices", { actions: [{ ...LINK_BUTTON, choices: ["x"] }] }, "actions.0.choices"],
  [REPLY, "no choices", { actions: [{ ...QUESTION, choices: undefined }] }, "actions.0.choices"],
  [REPLY, "five choices", { actions: [{ ...QUESTION, choices: [..."abcde"] }] }, "actions.0.choices"],
  [REPLY, "a choice twice", { actions: [{ ...QUESTION, choices: ["a", "b", "a"] }] }, "actions.0.choices"],
  [REPLY, "a blank choice", { actions: [{ ...QUESTION, choices: ["a", " "] }] }, "actions.0.choices.1"],
  [REPLY, "a choice of 41", { actions: [{ ...QUESTION, choices: [emojiText(41)] }] }, "actions.0.choices.0"],
  [REPLY, "an address", { actions: [{ ...QUESTION, url: LINK_BUTTON.url }] }, "actions.0.url"],
  [REPLY, "two questions", { actions: [QUESTION, QUESTION] }, "actions"],
  [ACTIONS, "a text", { actions: ["x"] }, "actions.0"],
  ["alert-ack", "a word", { requires_ack: "yes" }, "requires_ack"],
  [NULLS, "null", { requires_ack: null }, "requires_ack"],
  [RFC3339, "no zone", { send_at: "2999-01-02T03:04:05" }, "send_at"],
  [ZONED, "skipped in spring", { send_at: "2997-03-26T01:30 Europe/Lisbon" }, "send_at"],
  [ZONED, "twice in autumn", { expires_at: "2997-10-29T01:30 Europe/Lisbon" }, "expires_at"],
  [ZONED, "no such zone", { send_at: "2999-01-02T03:04 Atlantis/Poseidonis" }, "send_at"],
  [ZONED, "no such day there", { send_at: "2999-02-29T03:04 Europe/Lisbon" }, "send_at"],
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
  [EXPIRES, "at send_at", { send_at: "2998-01-01T00:00:00Z", expires_at: "2998-01-01T01:00:00+01:00" }, "expires_at"],
  [EXPIRES, "before send_at", { send_at: "2998-01-01T00:00:00Z", expires_at: "2997-01-01T00:00:00Z" }, "expires_at"],
  [SOUND, "another tone", { sound: "gong" }, "sound"],
  [SOUND, "empty", { sound: "" }, "sound"],
  [VIBRATE, "another pattern", { vibrate: "triple" }, "vibrate"],
  [LENGTHS, "1,001 characters", { tts_text: longText(1001) }, "tts_text"],
  ...["", "e", "english language", "en_GB", "en-", "-en", "123", "en-a"].map(
    (tts_lang): [string, string, Fields, string] => ["alert-lang", tts_lang || "empty", { tts_lang }, "tts_lang"],
  ),
  [CIRCLE, "beyond a pole", { ...ALERT_CIRCLE, lat: -90.1 }, "lat"],
  [CIRCLE, "beyond the date line", { ...ALERT_CIRCLE, lon: 180.1 }, "lon"],
  [CIRCLE, "no radius", { ...ALERT_CIRCLE, radius_km: 0 }, "radius_km"],
  [CIRCLE, "too large", { ...ALERT_CIRCLE, radius_km: 20_039 }, "radius_km"],
  [CIRCLE, "lat alone", { lat: 1 }, "lon"],
  [CIRCLE, "no lat", { lon: 1, radius_km: 1 }, "lat"],
  [CIRCLE, "no radius sent", { lat: 1, lon: 1 }, "radius_km"],
  [LENGTHS, "a geo_rule of 41", { geo_rule: longText(41) }, "geo_rule"],
  [LENGTHS, "a geo_rule that is not a slug", { geo_rule: "In Side" }, "geo_rule"],
  [COLLAPSE, "empty", { collapse_key: "" }, "collapse_key"],
  [COLLAPSE, "65 characters", { collapse_key: longText(65) }, "collapse_key"],
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
  [LENGTHS, "html of 60,001", { layout: "html", html: longText(60_001) }, "html"],
  [LENGTHS, "html of 60,001 in layout text", { html: longText(60_001) }, "html"],
  [LENGTHS, "a document of 500,001", { layout: "document", html: longText(500_001) }, "html"],
  [UNKNOWN, "a misspelt field", { titel: "x" }, "titel"],
  [UNKNOWN, "a field of answers", { status: "sent" }, "status"],
  [UNKNOWN, "another one", { sent_at: "2026-01-01T00:00:00Z" }, "sent_at"],
  ["malformed-body", "NUL", { actions: [{ ...LINK_BUTTON, label: "a\u0000b" }] }, "actions.0.label"],
];

export const alertFieldCases: TestCase[] = [
  ...TAKEN.flatMap(([rule, name, fields, shown = fields]): TestCase[] => [
    {
      rule,
      tool: "create_alert",
      name: `takes ${Object.keys(fields)}: ${name}`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { body: { status: "draft", ...shown } },
    },
    {
      rule,
      tool: "update_alert",
      name: `takes ${Object.keys(fields)}: ${name}`,
      given: createDraftWith(),
      input: (alert) => alertArguments(alert, fields),
      want: { body: { status: "draft", ...shown } },
    },
  ]),
  ...REFUSED.flatMap(([rule, name, fields, param]): TestCase[] => [
    {
      rule,
      tool: "create_alert",
      name: `refuses ${param}: ${name}`,
      given: getSharedPusher,
      input: ({ id }) => ({ pusher_id: id, title: "x", ...fields }),
      want: { error: "invalid_request", param },
    },
    {
      rule,
      tool: "update_alert",
      name: `refuses ${param}: ${name}`,
      given: getSharedDraft,
      input: (alert) => alertArguments(alert, fields),
      want: { error: "invalid_request", param },
    },
  ]),
];
