// Fixtures that several of the tables about alerts share.

export const longText = (n: number) => "x".repeat(n);

export const longUrl = (n: number) => `https://example.org/${longText(n - 20)}`;

export const QUESTION = { type: "reply", label: "Who goes?", url: "", choices: ["I go", "Not me", longText(40)] };
export const LINK_BUTTON = { type: "open_url", label: "Open", url: "https://example.org/" };

export const ALERT_CIRCLE = { lat: 38.7, lon: -9.1, radius_km: 0.5 };

/** The fields that null clears. */
export const CLEARED_ALERT_FIELDS = {
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
};

export type Fields = Record<string, unknown>;
