// Dutch: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Tekst kopiëren",
  "text.copied": "Gekopieerd.",
  "text.copy_code": "Code {code} kopiëren",
  "text.less": "Minder tonen",

  // Searches without a result
  "search.none": "Geen alerts gevonden voor ‘{query}’.",
  "search.none_from": "Geen alerts van {channel} gevonden voor ‘{query}’.",
  "search.none_of_channel": "Geen overeenkomende alerts van {channel}.",
  "search.clear": "Zoekopdracht wissen",
  "search.no_channel": "Geen kanalen gevonden voor ‘{query}’.",
  "search.no_channel_in": "Geen kanalen in ‘{category}’ gevonden voor ‘{query}’.",
  "search.none_in_category": "Geen kanalen in ‘{category}’.",

  // A channel
  "channel.settings": "Kanaalinstellingen",
};
