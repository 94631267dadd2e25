// Italian: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Copia testo",
  "text.copied": "Copiato.",
  "text.copy_code": "Copia codice {code}",
  "text.less": "Mostra meno",

  // Searches without a result
  "search.none": "Nessun avviso corrisponde a «{query}».",
  "search.none_from": "Nessun avviso di {channel} corrisponde a «{query}».",
  "search.none_of_channel": "Nessun avviso corrispondente di {channel}.",
  "search.clear": "Cancella ricerca",
  "search.no_channel": "Nessun canale corrisponde a «{query}».",
  "search.no_channel_in": "Nessun canale in «{category}» corrisponde a «{query}».",
  "search.none_in_category": "Nessun canale in «{category}».",

  // A channel
  "channel.settings": "Impostazioni del canale",
};
