// German: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Text kopieren",
  "text.copied": "Kopiert.",
  "text.copy_code": "Code {code} kopieren",
  "text.less": "Weniger anzeigen",

  // Searches without a result
  "search.none": "Keine Meldungen zu „{query}“ gefunden.",
  "search.none_from": "Keine Meldungen von {channel} zu „{query}“ gefunden.",
  "search.none_of_channel": "Keine passenden Meldungen von {channel}.",
  "search.clear": "Suche löschen",
  "search.no_channel": "Keine Kanäle zu „{query}“ gefunden.",
  "search.no_channel_in": "Keine Kanäle zu „{query}“ in „{category}“ gefunden.",
  "search.none_in_category": "Keine Kanäle in „{category}“.",

  // A channel
  "channel.settings": "Kanaleinstellungen",
};
