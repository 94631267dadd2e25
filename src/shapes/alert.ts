// The alert on the wire: what create and edit accept, and what a read answers.

import { z } from "zod";
import type { AssetAddresses } from "../domain/assets.ts";
import { showId, showIdOrNull } from "../domain/ids.ts";
import { ALERT_STATUSES, LAYOUTS, PRIORITIES, SOUNDS, VIBRATIONS } from "../entities/alert.ts";
import {
  httpsUrl,
  instant,
  languageTag,
  latitude,
  longitude,
  radiusKm,
  slug,
  text,
} from "../fields/accepts.ts";
import { toIsoMicros, toIsoMicrosOrNull } from "../fields/columns.ts";
import { named } from "../fields/named.ts";
import type { AlertRecord } from "../queries/alert_columns.ts";
import { pageMeta } from "./fields.ts";

/** The longest markup of any layout; layout html takes 60,000 of them (see domain/alert_content.ts). */
const MAX_HTML = 500_000;

const action = z.strictObject({
  type: z.literal("open_url"),
  label: text(1, 40, { cleaned: true }),
  url: httpsUrl(),
});

/** Every field that both create and edit accept, all optional; absent means untouched. */
export const alertFields = {
  title: text(1, 120, { cleaned: true }),
  body: text(0, 4000, { lines: true, cleaned: true }).nullable().optional(),
  priority: z.enum(PRIORITIES).optional().describe("A ceiling, never a promise; normal when absent."),
  layout: z
    .enum(LAYOUTS)
    .optional()
    .describe(
      "Default text, or html when html is given. image needs a picture, html and document need html.",
    ),
  image_url: httpsUrl().nullable().optional(),
  image_asset_id: z.string().nullable().optional().describe("Picture uploaded in the console."),
  audio_asset_id: z.string().nullable().optional().describe("Sound uploaded in the console."),
  html_asset_id: z
    .string()
    .nullable()
    .optional()
    .describe("Page uploaded in the console, sanitised as html is."),
  html: text(0, MAX_HTML, { lines: true, cleaned: true })
    .nullable()
    .optional()
    .describe("Markup, sanitised on write."),
  actions: z.array(action).max(3, "must be at most 3 actions").optional(),
  requires_ack: z.boolean().optional().describe("Puts the acknowledgement button on the card."),
  send_at: instant().nullable().optional().describe("Instant at which the alert becomes visible."),
  expires_at: instant().nullable().optional().describe("Phones move it out of the spotlight then."),
  sound: z.enum(SOUNDS).nullable().optional(),
  audio_url: httpsUrl().nullable().optional(),
  vibrate: z.enum(VIBRATIONS).nullable().optional(),
  tts_text: text(0, 1000, { lines: true, cleaned: true }).nullable().optional(),
  tts_lang: languageTag().nullable().optional(),
  lat: latitude()
    .nullable()
    .optional()
    .describe("The alert's own circle; lat, lon and radius_km belong together."),
  lon: longitude().nullable().optional(),
  radius_km: radiusKm().nullable().optional(),
  geo_rule: slug(40).nullable().optional(),
  collapse_key: slug(64)
    .nullable()
    .optional()
    .describe("A newer alert with the same key replaces the older one on the phone."),
};

export const alertPatch = { ...alertFields, title: alertFields.title.optional() };

export const blockedRows = z
  .array(
    z.object({
      kind: z.enum(["element", "attribute", "url", "style", "character"]),
      name: z.string(),
      count: z.int(),
    }),
  )
  .describe("What was removed: markup, and invisible characters of any text; not an error.");

export const capabilityNotesView = z
  .array(z.object({ capability: z.string(), field: z.string(), message: z.string() }))
  .describe("Capabilities used that the channel never asked subscribers for.");

const actionView = named(
  "AlertAction",
  z.object({ type: z.literal("open_url"), label: z.string(), url: z.string() }),
);

/** What a handset may see of an alert; the owner's view adds to it. */
export const alertDisplay = {
  title: z.string(),
  body: z.string().nullable(),
  priority: z.enum(PRIORITIES),
  layout: z.enum(LAYOUTS),
  image_url: z.string().nullable(),
  image_asset_id: z.string().nullable(),
  image_asset_url: z.string().nullable().describe("Where to fetch the uploaded picture."),
  audio_asset_id: z.string().nullable(),
  audio_asset_url: z.string().nullable(),
  html_asset_id: z.string().nullable(),
  actions: z.array(actionView),
  requires_ack: z.boolean(),
  expires_at: z.string().nullable(),
  sound: z.enum(SOUNDS).nullable(),
  audio_url: z.string().nullable(),
  vibrate: z.enum(VIBRATIONS).nullable(),
  tts_text: z.string().nullable(),
  tts_lang: z.string().nullable(),
  lat: z.number().nullable(),
  lon: z.number().nullable(),
  radius_km: z.number().nullable(),
  geo_rule: z.string().nullable(),
  collapse_key: z.string().nullable(),
};

const alertHead = {
  id: z.string(),
  pusher_id: z.string(),
  status: z.enum(ALERT_STATUSES),
};

const alertTail = {
  html_length: z.int().describe("Characters of html; 0 when there is none."),
  send_at: z.string().nullable(),
  sent_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
};

/** A row of a list: the length of the markup in place of the markup. */
export const alertListItem = named("AlertSummary", z.object({ ...alertHead, ...alertDisplay, ...alertTail }));

/** A page of alerts, of one channel or of all. */
export const alertList = z.object({ data: z.array(alertListItem), meta: pageMeta });

export const alertView = named(
  "Alert",
  z.object({
    ...alertHead,
    ...alertDisplay,
    html: z.string().nullable(),
    asset_html: z.string().nullable().describe("What handsets show of the uploaded page."),
    ...alertTail,
  }),
);

/** What create and a field edit answer. */
export const composedView = named(
  "ComposedAlert",
  alertView.extend({ blocked: blockedRows, notes: capabilityNotesView }),
);

/** What send, schedule and cancel answer. */
export const publishedView = named("PublishedAlert", alertView.extend({ note: z.string() }));

/** A record as the wire shows it; without `html` for the rows that were read without it. */
export function showAlert<R extends AlertRecord>(record: R, assets: AssetAddresses) {
  return {
    ...record,
    html: record.html ?? null,
    asset_html: record.asset_html ?? null,
    id: showId("alr", record.id),
    pusher_id: showId("psh", record.pusher_id),
    ...showAssets(record, assets),
    send_at: toIsoMicrosOrNull(record.send_at),
    expires_at: toIsoMicrosOrNull(record.expires_at),
    sent_at: toIsoMicrosOrNull(record.sent_at),
    cancelled_at: toIsoMicrosOrNull(record.cancelled_at),
    created_at: toIsoMicros(record.created_at),
    updated_at: toIsoMicros(record.updated_at),
  };
}

/** The files of an alert, for its owner and for handsets: their ids, and where to fetch what is shown as it is. */
export function showAssets(
  record: Pick<AlertRecord, "image_asset_id" | "audio_asset_id" | "html_asset_id">,
  { urlOf }: AssetAddresses,
) {
  const { image_asset_id: image, audio_asset_id: audio, html_asset_id: html } = record;
  return {
    image_asset_id: showIdOrNull("ast", image),
    image_asset_url: image && urlOf(image),
    audio_asset_id: showIdOrNull("ast", audio),
    audio_asset_url: audio && urlOf(audio),
    html_asset_id: showIdOrNull("ast", html),
  };
}
