// Spanish: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Copiar texto",
  "text.copied": "Copiado.",
  "text.copy_code": "Copiar código {code}",
  "text.less": "Mostrar menos",

  // Searches without a result
  "search.none": "No hay alertas que coincidan con «{query}».",
  "search.none_from": "No hay alertas de {channel} que coincidan con «{query}».",
  "search.none_of_channel": "No hay alertas de {channel} que coincidan.",
  "search.clear": "Borrar búsqueda",
  "search.no_channel": "Ningún canal coincide con «{query}».",
  "search.no_channel_in": "Ningún canal de «{category}» coincide con «{query}».",
  "search.none_in_category": "No hay canales en «{category}».",

  // A channel
  "channel.settings": "Ajustes del canal",
};
