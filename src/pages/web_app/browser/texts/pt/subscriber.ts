// Portuguese: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Copiar texto",
  "text.copied": "Copiado.",
  "text.copy_code": "Copiar código {code}",
  "text.less": "Mostrar menos",

  // Searches without a result
  "search.none": "Nenhum alerta corresponde a “{query}”.",
  "search.none_from": "Nenhum alerta de {channel} corresponde a “{query}”.",
  "search.none_of_channel": "Nenhum alerta correspondente de {channel}.",
  "search.clear": "Limpar pesquisa",
  "search.no_channel": "Nenhum canal corresponde a “{query}”.",
  "search.no_channel_in": "Nenhum canal em “{category}” corresponde a “{query}”.",
  "search.none_in_category": "Nenhum canal em “{category}”.",

  // A channel
  "channel.settings": "Definições do canal",
};
