// Polish: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Kopiuj tekst",
  "text.copied": "Skopiowano.",
  "text.copy_code": "Kopiuj kod {code}",
  "text.less": "Pokaż mniej",

  // Searches without a result
  "search.none": "Brak alertów pasujących do „{query}”.",
  "search.none_from": "Brak alertów pasujących do „{query}” w kanale {channel}.",
  "search.none_of_channel": "Brak pasujących alertów w kanale {channel}.",
  "search.clear": "Wyczyść wyszukiwanie",
  "search.no_channel": "Brak kanałów pasujących do „{query}”.",
  "search.no_channel_in": "Brak kanałów pasujących do „{query}” w kategorii „{category}”.",
  "search.none_in_category": "Brak kanałów w kategorii „{category}”.",

  // A channel
  "channel.settings": "Ustawienia kanału",
};
