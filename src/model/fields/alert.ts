// The fields of an alert: what a caller composes, and what is worked out of it. Its id, channel, status and instants are
// the entity's own.

import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { httpsUrl, instant, languageTag, latitude, longitude, radiusKm, slug, text } from "./accepts.ts";
import { json, jsonByName, moment, number, oneOf, reference, words, yesOr } from "./kinds.ts";
import { named } from "./named.ts";
import { defineFields, type RecordOf } from "./record.ts";

export const PRIORITIES = ["normal", "important", "urgent"] as const;
export const LAYOUTS = ["text", "image", "html", "document"] as const;
export const SOUNDS = ["default", "chime", "ping", "bell", "knock", "alarm", "siren", "silent"] as const;
export const VIBRATIONS = ["default", "none", "short", "double", "long", "sos", "heartbeat"] as const;

const EVERYWHERE = ["owner", "list", "handset"] as const;
const EVENTS = ["owner", "list", "handset", "webhook"] as const;

/** A text for people: what no reader sees is taken out of it. */
const prose = (min: number, max: number, { lines = false } = {}) => ({
  accepts: text(min, max, { lines, cleaned: true }),
  cleaned: true as const,
});

const action = z.strictObject({
  type: z.literal("open_url"),
  label: text(1, LIMITS.alert_action_label, { cleaned: true }),
  url: httpsUrl(),
});

const actionView = named(
  "AlertAction",
  z.object({ type: z.literal("open_url"), label: z.string(), url: z.string() }),
);

/** One kind of thing that the sanitiser took out of a text, and how often. */
export const blockedRow = z.object({
  kind: z.enum(["element", "attribute", "url", "style", "character"]),
  name: z.string(),
  count: z.int(),
});

/** An uploaded file; `accepts` takes the text of its id, the column holds its uuid (see operation/alerts/attach.ts). */
const file = { ...reference.orNull, accepts: z.string(), shown: EVERYWHERE };

export const ALERT = defineFields({
  title: { ...words, ...prose(1, LIMITS.alert_title), required: true, shown: EVENTS },
  body: { ...words.orNull, ...prose(0, LIMITS.alert_body, { lines: true }), cut: true, shown: EVERYWHERE },
  priority: {
    ...oneOf(PRIORITIES).or("normal"),
    accepts: z.enum(PRIORITIES),
    about: "A ceiling, never a promise; normal when absent.",
    shown: EVENTS,
  },
  layout: {
    ...oneOf(LAYOUTS).or("text"),
    accepts: z.enum(LAYOUTS),
    about: "Default text, or html when html is given. image needs a picture, html and document need html.",
    shown: EVERYWHERE,
  },
  source_url: { ...words.orNull, accepts: httpsUrl(), about: "Where to read more.", shown: EVERYWHERE },
  image_url: { ...words.orNull, accepts: httpsUrl(), shown: EVERYWHERE },
  image_asset_id: { ...file, about: "Picture uploaded in the console." },
  audio_asset_id: { ...file, about: "Sound uploaded in the console." },
  html_asset_id: { ...file, about: "Page uploaded in the console, sanitised as html is." },
  /** In lists its length stands in for it. Other layouts than document take less (see model/domain/alert_content.ts). */
  html: {
    ...words.orNull,
    accepts: text(0, LIMITS.alert_document, { lines: true, cleaned: true }),
    about: "Markup, sanitised on write.",
    shown: ["owner", "handset"],
  },
  /** The sanitised text of the html asset: what handsets are shown as `html`. */
  asset_html: {
    ...words.orNull,
    shows: words.orNull.shows.describe("What handsets show of the uploaded page."),
    shown: ["owner"],
  },
  actions: {
    ...json(actionView),
    accepts: z.array(action).max(LIMITS.alert_actions, `must be at most ${LIMITS.alert_actions} actions`),
    shown: EVERYWHERE,
  },
  requires_ack: {
    ...yesOr(false),
    accepts: z.boolean(),
    about: "Puts the acknowledgement button on the card.",
    shown: EVERYWHERE,
  },
  send_at: {
    ...moment.orNull,
    accepts: instant(),
    about: "Instant at which the alert becomes visible.",
    own: true,
    shown: ["owner", "list", "webhook"],
  },
  expires_at: {
    ...moment.orNull,
    accepts: instant(),
    about: "Phones move it out of the spotlight then.",
    own: true,
    shown: EVERYWHERE,
  },
  sound: { ...oneOf(SOUNDS).orNull, accepts: z.enum(SOUNDS), shown: EVERYWHERE },
  audio_url: { ...words.orNull, accepts: httpsUrl(), shown: EVERYWHERE },
  vibrate: { ...oneOf(VIBRATIONS).orNull, accepts: z.enum(VIBRATIONS), shown: EVERYWHERE },
  tts_text: {
    ...words.orNull,
    ...prose(0, LIMITS.alert_tts_text, { lines: true }),
    cut: true,
    shown: EVERYWHERE,
  },
  tts_lang: {
    ...words.orNull,
    accepts: languageTag(),
    about: "A language tag, such as pt-BR.",
    shown: EVERYWHERE,
  },
  lat: {
    ...number.orNull,
    accepts: latitude(),
    about: "The alert's own circle; lat, lon and radius_km belong together.",
    shown: EVERYWHERE,
  },
  lon: { ...number.orNull, accepts: longitude(), shown: EVERYWHERE },
  radius_km: { ...number.orNull, accepts: radiusKm(), shown: EVERYWHERE },
  geo_rule: { ...words.orNull, accepts: slug(LIMITS.alert_geo_rule), shown: EVERYWHERE },
  collapse_key: {
    ...words.orNull,
    accepts: slug(LIMITS.alert_collapse_key),
    about: "A newer alert with the same key replaces the older one on the phone.",
    shown: EVERYWHERE,
  },
  review_note: {
    ...words.orNull,
    ...prose(0, LIMITS.alert_review_note, { lines: true }),
    about: "Why this alert: for the person who reviews it, never for subscribers.",
    shown: ["owner", "list"],
  },
  /** What a person wrote who declined it; the next edit empties it (see identity/session/decline_alert.ts). */
  review_reply: {
    ...words.orNull,
    shows: words.orNull.shows.describe("Why a person declined it; null once it is edited again."),
    own: true,
    shown: ["owner", "list"],
  },
  /**
   * What the sanitiser took out of each text, by the field that holds it, with texts that lost nothing left out. Answers of one
   * alert have it as one list (see operation/alerts/show.ts); in lists, and for everybody else, it would cost and help nobody.
   */
  blocked: { ...jsonByName(blockedRow), shown: [] },
});

/** What the columns of these fields hold. */
export type AlertFields = RecordOf<typeof ALERT>;
