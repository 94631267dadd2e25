// Labels of a channel's categories and icons of its requested permissions.

import type { CHANNEL_CATEGORIES, RequestablePermission } from "../model/fields/channel.ts";
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

export const PERMISSION_ICONS: Record<RequestablePermission, IconName> = {
  notify: "bell",
  sound: "sound",
  vibrate: "shake",
  tts: "speech",
  full: "full",
  loc: "place",
  quiet: "moon",
};
