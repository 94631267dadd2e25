// Swedish: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Kopiera text",
  "text.copied": "Kopierat.",
  "text.copy_code": "Kopiera kod {code}",
  "text.less": "Visa mindre",

  // Searches without a result
  "search.none": "Inga larm matchar ”{query}”.",
  "search.none_from": "Inga larm från {channel} matchar ”{query}”.",
  "search.none_of_channel": "Inga matchande larm från {channel}.",
  "search.clear": "Rensa sökning",
  "search.no_channel": "Inga kanaler matchar ”{query}”.",
  "search.no_channel_in": "Inga kanaler i ”{category}” matchar ”{query}”.",
  "search.none_in_category": "Inga kanaler i ”{category}”.",

  // A channel
  "channel.settings": "Kanalinställningar",
};
