// Labels for people of a channel's categories and requested permissions.

import type { CHANNEL_CATEGORIES, RequestablePermission } from "../model/fields/channel.ts";
import { LIMITS } from "../model/limits.ts";
import type { IconName } from "./icons.ts";

/** In the order in which forms offer them: by label. */
export const CATEGORY_LABELS: Record<(typeof CHANNEL_CATEGORIES)[number], string> = {
  ai: "AI",
  business: "Business",
  cities: "Cities",
  community: "Community",
  concerts: "Concerts",
  emergency: "Emergency",
  events: "Events",
  hotels: "Hotels",
  restaurants: "Restaurants",
  sports: "Sports",
  travel: "Travel",
};

/** One line for each capability, and what it means on the phone. */
export const PERMISSION_INFO: Record<RequestablePermission, { icon: IconName; label: string; means: string }> = {
  notify: { icon: "bell", label: "Send notifications", means: "Shows a banner when an alert arrives." },
  sound: {
    icon: "sound",
    label: "Play a sound",
    means: `Plays a tone or a recording of up to ${LIMITS.recording_seconds} seconds.`,
  },
  vibrate: { icon: "shake", label: "Vibrate", means: "Vibrates the device in a short pattern." },
  tts: { icon: "speech", label: "Read aloud", means: "Reads the alert aloud with the device’s voice." },
  full: { icon: "full", label: "Use the full screen", means: "For urgent alerts only." },
  loc: {
    icon: "place",
    label: "Use your location",
    means: "Your device checks whether an alert applies to your location, which never leaves the device.",
  },
  quiet: { icon: "moon", label: "Override quiet hours", means: "Rings even during your quiet hours." },
};
