// What the handset API answers, as far as the app reads it. A newer server may answer more, and values that
// the app does not know: it takes them as if they were absent.

export type Capability = "notify" | "sound" | "vibrate" | "tts" | "full" | "loc" | "quiet";

/** An alert as the inbox shows it. */
export interface Alert {
  id: string;
  /** The channel's. */
  handle: string;
  /** Since when it is visible; an instant in UTC with six decimals. */
  sent_at: string;
  title: string;
  body: string | null;
  priority: string;
  layout: string;
  source_url: string | null;
  image_url: string | null;
  image_asset_url: string | null;
  audio_url: string | null;
  audio_asset_url: string | null;
  html: string | null;
  actions: { type: string; label: string; url: string }[];
  requires_ack: boolean;
  expires_at: string | null;
  sound: string | null;
  vibrate: string | null;
  tts_text: string | null;
  tts_lang: string | null;
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
  geo_rule: string | null;
  collapse_key: string | null;
}

/** What the person granted a channel, and whether they muted it. */
export interface Subscription {
  muted: boolean;
  permissions: string[];
  subscribed_at: string;
}

/** The card of a channel. */
export interface Channel {
  handle: string;
  url: string;
  name: string;
  category: string;
  description: string;
  long: string | null;
  site: string | null;
  city: string | null;
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
  requested_perms: string[];
  tags: string[];
  is_public: boolean;
  image_url: string | null;
  gradient_from: string;
  gradient_to: string;
  initials: string;
  subscription: Subscription | null;
}
