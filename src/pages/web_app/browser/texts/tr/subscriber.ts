// Turkish: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Metni kopyala",
  "text.copied": "Kopyalandı.",
  "text.copy_code": "{code} kodunu kopyala",
  "text.less": "Daha az göster",

  // Searches without a result
  "search.none": "“{query}” ile eşleşen uyarı yok.",
  "search.none_from": "{channel} kanalında “{query}” ile eşleşen uyarı yok.",
  "search.none_of_channel": "{channel} kanalında eşleşen uyarı yok.",
  "search.clear": "Aramayı temizle",
  "search.no_channel": "“{query}” ile eşleşen kanal yok.",
  "search.no_channel_in": "“{category}” içinde “{query}” ile eşleşen kanal yok.",
  "search.none_in_category": "“{category}” içinde kanal yok.",

  // A channel
  "channel.settings": "Kanal ayarları",
};
