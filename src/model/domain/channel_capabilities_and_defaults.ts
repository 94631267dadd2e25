// Rules of a channel. They define the capability that each field of an alert needs, with notes for those that the
// channel does not request (rules#unasked-is-silent). They also define its circle, which is complete or absent
// (rules#channel-geofence). Further rules are about default initials and colours, and reserved or misleading handles.

import { createHash } from "node:crypto";
import { createApiAndUiText } from "../api_and_ui_error_texts.ts";
import { invalidRequest } from "../api_error.ts";
import type { RequestablePermission } from "../fields/channel.ts";
import { LIMITS } from "../limits.ts";

export interface MissingPermissionNote {
  capability: RequestablePermission;
  field: string;
  message: string;
}

interface Used {
  priority: string;
  sound: string | null;
  audio_url: string | null;
  audio_asset_id: string | null;
  vibrate: string | null;
  tts_text: string | null;
  lat: number | null;
}

/** In the order in which the notes appear: one a field that is in use. */
const USES: { capability: RequestablePermission; field: string; used: (alert: Used) => boolean; effect: string }[] = [
  { capability: "notify", field: "title", used: () => true, effect: "the alert might appear only in the inbox" },
  {
    capability: "sound",
    field: "sound",
    used: (a) => a.sound !== null && a.sound !== "silent",
    effect: "the alert is silent",
  },
  { capability: "sound", field: "audio_url", used: (a) => a.audio_url !== null, effect: "the audio is not played" },
  {
    capability: "sound",
    field: "audio_asset_id",
    used: (a) => a.audio_asset_id !== null,
    effect: "the audio is not played",
  },
  {
    capability: "vibrate",
    field: "vibrate",
    used: (a) => a.vibrate !== null && a.vibrate !== "none",
    effect: "handsets do not vibrate",
  },
  { capability: "tts", field: "tts_text", used: (a) => a.tts_text !== null, effect: "the text is not read aloud" },
  {
    capability: "full",
    field: "priority",
    used: (a) => a.priority === "urgent",
    effect: "the alert does not fill the screen",
  },
  { capability: "loc", field: "lat", used: (a) => a.lat !== null, effect: "the area is not applied" },
];

/** Returns the notes of a channel. Without requested permissions, its alerts only appear in the inbox. */
export function getNoRequestedPermissionsNotes(requested: readonly string[]): MissingPermissionNote[] {
  if (requested.length > 0) return [];
  const message =
    "The channel requests no permissions, so its alerts only appear in the inbox, without a banner or sound. To " +
    'notify subscribers, set requested_perms, for example to ["notify", "sound"].';
  return [{ capability: "notify", field: "requested_perms", message }];
}

/** rules#alert-notes */
export function getMissingPermissionNotes(alert: Used, requested: readonly string[]): MissingPermissionNote[] {
  return USES.filter(({ capability, used }) => !requested.includes(capability) && used(alert)).map(
    ({ capability, field, effect }) => ({
      capability,
      field,
      message:
        `The channel does not request the ${capability} permission, so ${effect}. If you need it, add it to ` +
        "requested_perms.",
    }),
  );
}

export interface Geofence {
  lat?: number | null;
  lon?: number | null;
  radius_km?: number | null;
}

export const GEOFENCE_FIELDS = ["lat", "lon", "radius_km"] as const;

/** @throws 422 naming the first member that is missing while another one is set. */
export function requireCompleteGeofence(merged: Geofence): void {
  const missing = GEOFENCE_FIELDS.filter((member) => (merged[member] ?? null) === null);
  if (missing.length > 0 && missing.length < GEOFENCE_FIELDS.length)
    throw invalidRequest(
      "fields_required_together",
      createApiAndUiText(
        "lat, lon and radius_km belong together. Send all three, or null for all three.",
        "Latitude, longitude and radius belong together. Enter all three, or none.",
      ),
      missing[0],
    );
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The upper-case initials of the first two parts of the name. */
export function deriveInitials(name: string): string {
  const letters = name
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word].slice(0, 1).join("").toUpperCase())
    .join("");
  return [...(letters || [...name.trim()][0] || "?")].slice(0, LIMITS.channel_initials).join("");
}

/** Returns the new colour if it is valid, else the current one (rules#channel-colours). */
export function parseChannelColourOrCurrent(wanted: string | undefined, current: string): string {
  return wanted !== undefined && COLOUR.test(wanted) ? wanted.toLowerCase() : current;
}

function hex(hue: number, saturation: number, lightness: number): string {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** Two colours that go together, always the same for one handle, dark enough for white initials. */
export function defaultGradient(handle: string): { from: string; to: string } {
  const hue = createHash("sha256").update(handle).digest().readUInt16BE(0) % 360;
  return { from: hex(hue, 0.62, 0.45), to: hex((hue + 40) % 360, 0.66, 0.36) };
}

export const RESERVED_HANDLES: ReadonlySet<string> = new Set(
  (
    "admin api app c console docs handset healthz help login mcp me metrics oauth readyz security static status " +
    "support " +
    "well-known www"
  ).split(" "),
);
