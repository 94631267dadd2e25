// The columns of an alert: which of them a caller's fields fill, and what lists and whole reads select.

import { effectiveSentAt, effectiveStatus, isDue } from "../domain/alert_status.ts";
import {
  ALERT_STATUSES,
  type AlertAction,
  LAYOUTS,
  PRIORITIES,
  SOUNDS,
  VIBRATIONS,
} from "../entities/alert.ts";
import {
  boolean,
  float8,
  int,
  jsonb,
  nullable,
  oneOf,
  text,
  timestamptz,
  uuid,
  type ValuesOf,
} from "../fields/sql.ts";

/** The columns that a caller's fields fill. */
export const FIELDS = {
  title: text,
  body: nullable(text),
  priority: oneOf(PRIORITIES),
  layout: oneOf(LAYOUTS),
  image_url: nullable(text),
  image_asset_id: nullable(uuid),
  audio_asset_id: nullable(uuid),
  html_asset_id: nullable(uuid),
  html: nullable(text),
  asset_html: nullable(text),
  actions: jsonb<AlertAction[]>(),
  requires_ack: boolean,
  send_at: nullable(timestamptz),
  expires_at: nullable(timestamptz),
  sound: nullable(oneOf(SOUNDS)),
  audio_url: nullable(text),
  vibrate: nullable(oneOf(VIBRATIONS)),
  tts_text: nullable(text),
  tts_lang: nullable(text),
  lat: nullable(float8),
  lon: nullable(float8),
  radius_km: nullable(float8),
  geo_rule: nullable(text),
  collapse_key: nullable(text),
};

export type AlertFields = ValuesOf<typeof FIELDS>;

/** Their names, in the order in which statements give them. */
export const NAMES = Object.keys(FIELDS) as (keyof AlertFields)[];

/** `$title::text, $body::text, …` */
export const GIVEN = NAMES.map((name) => `$${name}::${FIELDS[name].sql}`).join(", ");

const { html, asset_html, ...WITHOUT_MARKUP } = FIELDS;
const MARKUP = { html, asset_html };

/** An alert as lists show it: the length of the markup stands in for it. */
const listed = (clock = "clock_timestamp()") => ({
  columns: {
    id: uuid,
    pusher_id: uuid,
    /** The effective one. */
    status: oneOf(ALERT_STATUSES),
    /** Scheduled as the row says, though its instant has come (see queries/settle.ts). */
    due: boolean,
    ...WITHOUT_MARKUP,
    html_length: int,
    sent_at: nullable(timestamptz),
    cancelled_at: nullable(timestamptz),
    created_at: timestamptz,
    updated_at: timestamptz,
  },
  text: `alert.id, alert.pusher_id, ${effectiveStatus(clock)} as status, ${isDue("alert", clock)} as due,
    ${Object.keys(WITHOUT_MARKUP)
      .map((name) => `alert.${name}`)
      .join(", ")},
    coalesce(length(alert.html), 0) as html_length, ${effectiveSentAt(clock)} as sent_at,
    alert.cancelled_at, alert.created_at, alert.updated_at`,
});

export const LISTED = listed("now()");

/** An alert with everything. */
export const WHOLE = {
  columns: { ...listed().columns, ...MARKUP },
  text: `${listed().text}, alert.html, alert.asset_html`,
};

/** An alert as the statements return it: timestamps as PostgreSQL prints them, and of lists without the markup. */
export type AlertRecord = ValuesOf<typeof LISTED.columns> & Partial<ValuesOf<typeof MARKUP>>;
