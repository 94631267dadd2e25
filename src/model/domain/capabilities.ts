// Which capability of the subscriber's phone each field of an alert leans on, and the notes for those that the channel
// never asked for. A note is no error (docs/rules.md#unasked-is-silent).

import type { Capability } from "../fields/pusher.ts";

export interface CapabilityNote {
  capability: Capability;
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
const USES: { capability: Capability; field: string; used: (alert: Used) => boolean; effect: string }[] = [
  { capability: "notify", field: "title", used: () => true, effect: "it may appear in the inbox only" },
  {
    capability: "sound",
    field: "sound",
    used: (a) => a.sound !== null && a.sound !== "silent",
    effect: "it is silent",
  },
  {
    capability: "sound",
    field: "audio_url",
    used: (a) => a.audio_url !== null,
    effect: "the audio is not played",
  },
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
    effect: "it does not vibrate",
  },
  {
    capability: "tts",
    field: "tts_text",
    used: (a) => a.tts_text !== null,
    effect: "the text is not read aloud",
  },
  {
    capability: "full",
    field: "priority",
    used: (a) => a.priority === "urgent",
    effect: "it does not take over the screen",
  },
  { capability: "loc", field: "lat", used: (a) => a.lat !== null, effect: "the circle is not applied" },
];

/** What is said of a channel that asks subscribers for nothing: its alerts wait in the inbox until somebody looks. */
export function channelNotes(requested: readonly string[]): CapabilityNote[] {
  if (requested.length > 0) return [];
  const message =
    'The channel asks subscribers for nothing, so its alerts only appear in the inbox, without a banner or a sound; set requested_perms, such as ["notify", "sound"], if they should be noticed.';
  return [{ capability: "notify", field: "requested_perms", message }];
}

/** docs/rules.md#alert-notes */
export function capabilityNotes(alert: Used, requested: readonly string[]): CapabilityNote[] {
  return USES.filter(({ capability, used }) => !requested.includes(capability) && used(alert)).map(
    ({ capability, field, effect }) => ({
      capability,
      field,
      message: `The channel never asked subscribers for ${capability}, so ${effect}; add it to requested_perms if it matters.`,
    }),
  );
}
