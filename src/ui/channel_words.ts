// What channels' own words mean to a person: categories, and what a channel asks a phone for.

import type { CATEGORIES, Capability } from "../model/fields/pusher.ts";
import { LIMITS } from "../model/limits.ts";
import type { IconName } from "./icons.ts";

export const CATEGORY_WORDS: Record<(typeof CATEGORIES)[number], string> = {
  cities: "Cities",
  travel: "Travel",
  events: "Events",
  concerts: "Concerts",
  restaurants: "Restaurants",
  hotels: "Hotels",
  business: "Business",
  ai: "AI",
  sports: "Sports",
  emergency: "Emergency",
  community: "Community",
};

/** One line for each capability, and what it means on the phone. */
export const ASKS: Record<Capability, { icon: IconName; label: string; means: string }> = {
  notify: { icon: "bell", label: "Notify you", means: "Show a banner when an alert comes." },
  sound: {
    icon: "sound",
    label: "Play a sound",
    means: `Ring with a tone, or a recording of at most ${LIMITS.recording_seconds} seconds.`,
  },
  vibrate: { icon: "shake", label: "Vibrate", means: "Shake the phone in one of a few short patterns." },
  tts: { icon: "speech", label: "Read aloud", means: "Speak the alert with the phone’s own voice." },
  full: { icon: "full", label: "Take the whole screen", means: "For urgent alerts alone." },
  loc: {
    icon: "place",
    label: "Use your place",
    means: "The phone itself checks whether an alert concerns where you are. Your place never leaves it.",
  },
  quiet: { icon: "moon", label: "Be heard in quiet hours", means: "Ring although you set quiet hours." },
};
