// The handset rules' view of an alert, a channel and the device. Rows of the inbox and of the store fit as they are.
// Other fields of such a row are ignored by the rules.

export const ALERT_PERMISSIONS = ["notify", "sound", "vibrate", "tts", "full", "loc", "quiet"] as const;
export type AlertPermission = (typeof ALERT_PERMISSIONS)[number];

/** A circle of an alert; whole or absent. */
export interface AlertGeoCircle {
  lat: number | null;
  lon: number | null;
  radius_km: number | null;
}

/** A row of the inbox. Values unknown to this version are treated as the plainest one. */
export interface RuleAlert extends AlertGeoCircle {
  id: string;
  handle: string;
  /** Absent as `sent`: what the inbox shows is sent; a copy that the device kept may be withdrawn. */
  status?: string;
  /** Times as the API writes them: ISO 8601, UTC, always of the same length. */
  sent_at: string;
  /** The service reports that it was sent before the device joined the channel. */
  before_joining?: boolean;
  /** Characters of the whole text, where `body` is its beginning. */
  body_length?: number;
  expires_at: string | null;
  /** There for a test of a draft: until when it is shown. */
  test_until?: string;
  priority: string;
  requires_ack: boolean;
  collapse_key: string | null;
  sound: string | null;
  audio_url: string | null;
  audio_asset_url: string | null;
  vibrate: string | null;
  tts_text: string | null;
  tts_lang: string | null;
  /** When the person acknowledged it here. */
  acked_at?: string | null;
  /** The person put it out of the spotlight. */
  dismissed?: boolean;
  /** The user moved it out of the inbox. */
  archived?: boolean;
  /** The user postponed it until then, in milliseconds since 1970. */
  snoozed_until?: number | null;
  /** It was sent before the subscription that the device has now. */
  before?: boolean;
  /** Its channel is not followed here any more. */
  ended?: boolean;
}

/** The channel's current requests, and the person's settings for it. A grant beyond the requests is void. */
export interface RuleChannel {
  requested_perms: readonly string[];
  subscription: { muted: boolean; permissions: readonly string[]; subscribed_at: string } | null;
  /** The user paused it until then, in milliseconds since 1970. Only this device knows. */
  paused_until?: number | null;
  sounds?: ToneAndVibrationByPriority;
}

export const PRIORITIES = ["normal", "important", "urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The user's tone and vibration for a priority; absent: those that the alert requests. */
export interface UserToneAndVibration {
  tone?: string;
  vibrate?: string;
}

type ToneAndVibrationByPriority = Partial<Record<Priority, UserToneAndVibration>>;

export interface Position {
  lat: number;
  lon: number;
  /** The accuracy in metres. */
  accuracy_m: number;
  /** When it was measured, in milliseconds since 1970. */
  at: number;
}

/** Times of the day on the device's own clock, `HH:MM`; over midnight when `to` is earlier. */
export interface QuietHours {
  from: string;
  to: string;
  /** Weekdays on which they begin, 0 for Sunday; absent: every day. */
  days?: readonly number[];
}

export interface RuleDevice {
  timezone: string;
  /** BCP-47: speech without a language of its own is read in it. */
  language: string;
  quiet_hours: QuietHours | null;
  /** 0 to 1: the volume on this device; 0 is silent. */
  volume: number;
  /** Null: not known. It is compared here and sent nowhere. */
  position: Position | null;
}
