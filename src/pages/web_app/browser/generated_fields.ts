// Fields of alerts and channels that handsets show.
// Generated from src/model/fields by `npm run gen`.

export interface HandsetAlertFields {
  title: string;
  body: string | null;
  priority: string;
  layout: string;
  source_url: string | null;
  image_url: string | null;
  image_asset_id: string | null;
  audio_asset_id: string | null;
  html_asset_id: string | null;
  html: string | null;
  actions: { type: string; label: string; url: string; choices?: string[] }[];
  requires_ack: boolean;
  repeat_until_acked: boolean;
  expires_at: string | null;
  sound: string | null;
  audio_url: string | null;
  vibrate: string | null;
  tts_text: string | null;
  tts_lang: string | null;
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
  geo_rule: string | null;
  collapse_key: string | null;
}

/** Their default values. */
export const ALERT_FIELD_DEFAULTS = {
  body: null,
  priority: "normal",
  layout: "text",
  source_url: null,
  image_url: null,
  image_asset_id: null,
  audio_asset_id: null,
  html_asset_id: null,
  html: null,
  actions: [],
  requires_ack: false,
  repeat_until_acked: false,
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
};

/** Fields that the app draws alike. */
export const GENERICALLY_SHOWN_ALERT_FIELDS = [
  { name: "source_url", look: "link" },
] as const;

export interface HandsetChannelFields {
  name: string;
  category: string;
  description: string;
  long: string | null;
  site: string | null;
  city: string | null;
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
  loc_rule: string | null;
  requested_perms: string[];
  alert_types: string[];
  tags: string[];
  is_public: boolean;
  image_url: string | null;
  gradient_from: string;
  gradient_to: string;
  initials: string;
}

/** Their default values. */
export const CHANNEL_FIELD_DEFAULTS = {
  long: null,
  site: null,
  city: null,
  lat: null,
  lon: null,
  radius_km: null,
  loc_rule: null,
  requested_perms: [],
  alert_types: [],
  tags: [],
  is_public: true,
  image_url: null,
};

/** Fields that the app draws alike. */
export const GENERICALLY_SHOWN_CHANNEL_FIELDS = [] as const;
