// The fields of an alert: those that a caller sets, and computed ones. The entity has its id, channel, status and
// times.

import { z } from "zod";
import { formatLimit, LIMITS, spellLimit } from "../limits.ts";
import { alertActionOutputSchema, alertActionsSchema } from "./alert_actions.ts";
import {
  booleanKind,
  enumKind,
  jsonListKind,
  jsonMapKind,
  linkFieldKind,
  numberKind,
  rowReferenceFieldKind,
  textKind,
  timestampKind,
} from "./field_kinds.ts";
import { defineFields, type FieldValuesOf } from "./field_table.ts";
import { recurrenceSchema } from "./recurrence_rule.ts";
import {
  createProseFieldInput,
  httpsUrlSchema,
  languageTagSchema,
  latitudeSchema,
  longitudeSchema,
  radiusKmSchema,
  removedMarkupSchema,
  slugSchema,
  textSchema,
  timestampSchema,
} from "./value_schemas.ts";

export const PRIORITIES = ["normal", "important", "urgent"] as const;
const LAYOUTS = ["text", "image", "html", "document"] as const;
export const SOUNDS = ["default", "chime", "ping", "bell", "knock", "alarm", "siren", "silent"] as const;
export const VIBRATIONS = ["default", "none", "short", "double", "long", "sos", "heartbeat"] as const;

const EVERYWHERE = ["owner", "list", "handset"] as const;
const EVENTS = ["owner", "list", "handset", "webhook"] as const;

const EVERY_PAGE = ["form", "owner", "public", "feed", "app"] as const;

/** An uploaded file. `accepts` takes the text of its id, the column its UUID (operation/alerts/attach_assets.ts). */
const file = { ...rowReferenceFieldKind.orNull, accepts: z.string(), shown: EVERYWHERE };

export const ALERT_FIELDS = defineFields({
  title: {
    ...textKind,
    ...createProseFieldInput(1, LIMITS.alert_title),
    about: `One line, up to ${LIMITS.alert_title} characters.`,
    required: true,
    shown: EVENTS,
    drawn: { label: "Title", own: EVERY_PAGE },
  },
  body: {
    ...textKind.orNull,
    ...createProseFieldInput(0, LIMITS.alert_body, { lines: true }),
    about: "Text.",
    cut: true,
    shown: EVERYWHERE,
    drawn: { label: "Text", own: EVERY_PAGE, rows: 4 },
  },
  priority: {
    ...enumKind(PRIORITIES).or("normal"),
    accepts: z.enum(PRIORITIES),
    about: "Urgency.",
    absent: "normal",
    shown: EVENTS,
    drawn: { label: "Priority", own: EVERY_PAGE },
  },
  layout: {
    ...enumKind(LAYOUTS).or("text"),
    accepts: z.enum(LAYOUTS),
    about: "image requires a picture; document requires html.",
    absent: "text or html",
    shown: EVERYWHERE,
    drawn: { label: "Card type", own: ["form", "owner", "app"] },
  },
  source_url: {
    ...linkFieldKind.orNull,
    accepts: httpsUrlSchema(),
    about: "https URL.",
    shown: EVERYWHERE,
    drawn: { label: "Link", leads: "Read more at", plain: ["form", "owner", "public", "app"], own: ["feed"] },
  },
  image_url: {
    ...linkFieldKind.orNull,
    accepts: httpsUrlSchema(),
    about: "https picture URL.",
    shown: EVERYWHERE,
    drawn: { label: "Picture URL", own: EVERY_PAGE, hint: "Or choose an uploaded picture below." },
  },
  image_asset_id: {
    ...file,
    about: "Uploaded picture.",
    drawn: { label: "Uploaded picture", own: ["form", "owner", "public", "feed"] },
  },
  audio_asset_id: { ...file, about: "Uploaded sound.", drawn: { label: "Uploaded recording", own: ["form", "owner"] } },
  html_asset_id: { ...file, about: "Uploaded page.", drawn: { label: "Uploaded page", own: ["form", "owner"] } },
  /** Lists have its length. Other layouts than document allow less (model/domain/alert_validation.ts). */
  html: {
    ...textKind.orNull,
    accepts: textSchema(0, LIMITS.alert_document, { lines: true, cleaned: true }),
    about: "Markup, sanitised.",
    shown: ["owner", "handset"],
    drawn: { label: "HTML", own: EVERY_PAGE, rows: 8 },
  },
  /** The sanitised text of the html asset: what handsets are shown as `html`. */
  asset_html: {
    ...textKind.orNull,
    shows: textKind.orNull.shows.describe("The parts of the uploaded page that devices show."),
    shown: ["owner"],
    drawn: { label: "HTML of the uploaded page", own: ["owner"] },
  },
  actions: {
    ...jsonListKind(alertActionOutputSchema),
    accepts: alertActionsSchema,
    about: `Up to ${LIMITS.alert_actions} links and one reply; labels up to ${LIMITS.alert_action_label} characters.`,
    shown: EVERYWHERE,
    drawn: { label: "Buttons", own: EVERY_PAGE },
  },
  requires_ack: {
    ...booleanKind(false),
    accepts: z.boolean(),
    about: "Requests an acknowledgement.",
    shown: EVERYWHERE,
    drawn: {
      label: "Request acknowledgement",
      own: ["form", "owner", "app"],
      hint: "Adds an “Acknowledge” button to the alert.",
    },
  },
  repeat_until_acked: {
    ...booleanKind(false),
    accepts: z.boolean(),
    about: "Urgent only.",
    shown: EVERYWHERE,
    drawn: {
      label: "Repeat until acknowledged",
      own: ["form", "app"],
      plain: ["owner"],
      hint:
        "Only for urgent alerts that request acknowledgement: devices show the alert up to " +
        `${spellLimit("alert_repeats")} more times, ${formatLimit("alert_repeat_minutes")} minutes apart, until ` +
        "acknowledged. Subscribers can turn this off, and quiet hours apply.",
    },
  },
  send_at: {
    ...timestampKind.orNull,
    accepts: timestampSchema(),
    about: "RFC 3339 or 2026-11-24T07:30 Europe/Lisbon.",
    own: true,
    shown: ["owner", "list", "webhook"],
    drawn: {
      label: "Time",
      own: ["form", "owner"],
      hint: "Devices show the alert from this time on. Each device displays the time in its own time zone.",
    },
  },
  recurrence: {
    ...textKind.orNull,
    accepts: recurrenceSchema(),
    about: "RFC 5545 rule and time zone: FREQ=DAILY Europe/Lisbon.",
    own: true,
    shown: ["owner", "list"],
    drawn: { label: "Repeats", own: ["form", "owner"] },
  },
  expires_at: {
    ...timestampKind.orNull,
    accepts: timestampSchema(),
    about: "Expiry; see send_at.",
    own: true,
    shown: EVERYWHERE,
    drawn: {
      label: "Expires",
      own: EVERY_PAGE,
      hint: "After this time, devices no longer show the alert under Now. If empty, the alert does not expire.",
    },
  },
  sound: {
    ...enumKind(SOUNDS).orNull,
    accepts: z.enum(SOUNDS),
    about: "On arrival.",
    shown: EVERYWHERE,
    drawn: { label: "Sound", own: ["form", "owner", "app"], none: "Device default" },
  },
  audio_url: {
    ...linkFieldKind.orNull,
    accepts: httpsUrlSchema(),
    about: "https audio URL.",
    shown: EVERYWHERE,
    drawn: {
      label: "Recording URL",
      own: ["form", "owner", "app"],
      hint: "Played instead of the sound; an uploaded recording takes precedence.",
    },
  },
  vibrate: {
    ...enumKind(VIBRATIONS).orNull,
    accepts: z.enum(VIBRATIONS),
    about: "On arrival.",
    shown: EVERYWHERE,
    drawn: { label: "Vibration", own: ["form", "owner", "app"], none: "Device default" },
  },
  tts_text: {
    ...textKind.orNull,
    ...createProseFieldInput(0, LIMITS.alert_tts_text, { lines: true }),
    about: "Read aloud.",
    cut: true,
    shown: EVERYWHERE,
    drawn: { label: "Text to read aloud", own: ["form", "owner", "app"], rows: 2 },
  },
  tts_lang: {
    ...textKind.orNull,
    accepts: languageTagSchema(),
    about: "Such as pt-BR.",
    shown: EVERYWHERE,
    drawn: { label: "Language of the text", own: ["form", "app"], hint: "Such as en or pt-BR." },
  },
  lat: {
    ...numberKind.orNull,
    accepts: latitudeSchema(),
    about: "With lon, radius_km.",
    shown: EVERYWHERE,
    drawn: { label: "Latitude", own: ["form", "owner", "public", "app"] },
  },
  lon: {
    ...numberKind.orNull,
    accepts: longitudeSchema(),
    about: "Degrees.",
    shown: EVERYWHERE,
    drawn: { label: "Longitude", own: ["form", "owner", "public", "app"] },
  },
  radius_km: {
    ...numberKind.orNull,
    accepts: radiusKmSchema(),
    about: "Kilometres.",
    shown: EVERYWHERE,
    drawn: { label: "Radius in kilometres", own: ["form", "owner", "public", "app"] },
  },
  geo_rule: {
    ...textKind.orNull,
    accepts: slugSchema(LIMITS.alert_geo_rule),
    about: "Slug, passed to devices.",
    shown: EVERYWHERE,
    drawn: { label: "Location rule", own: ["form"], hint: "A label that is passed to devices; rarely needed." },
  },
  collapse_key: {
    ...textKind.orNull,
    accepts: slugSchema(LIMITS.alert_collapse_key),
    about: "Slug; replaces the alert with the same key.",
    shown: EVERYWHERE,
    drawn: {
      label: "Replacement key",
      plain: ["form", "owner"],
      own: ["public", "app"],
      hint:
        "A newer alert with the same key replaces the older one on devices. Use letters a to z, digits, dots, " +
        "dashes and underscores.",
    },
  },
  review_note: {
    ...textKind.orNull,
    ...createProseFieldInput(0, LIMITS.alert_review_note, { lines: true }),
    about: "For the reviewer.",
    shown: ["owner", "list"],
    drawn: {
      label: "Note to the reviewer",
      plain: ["form"],
      own: ["owner"],
      rows: 2,
      hint: "The reason for this alert. Visible only to this workspace's members and assistants.",
    },
  },
  /** The comment of the decliner. The next edit clears it (identity/session/decline_and_review_aids.ts). */
  review_reply: {
    ...textKind.orNull,
    shows: textKind.orNull.shows.describe("Why the alert was declined; null after the next edit."),
    own: true,
    shown: ["owner", "list"],
    drawn: { label: "Reviewer’s comment", own: ["owner"] },
  },
  /**
   * The parts that the sanitizer removed, by the field of the text; unchanged texts are left out. Responses with one
   * alert have one list (see operation/alerts/format_alert.ts). Lists and other audiences omit it.
   */
  blocked: { ...jsonMapKind(removedMarkupSchema), shown: [] },
});

/** The types of the columns of these fields. */
export type AlertFields = FieldValuesOf<typeof ALERT_FIELDS>;
