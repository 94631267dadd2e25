// French: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Copier le texte",
  "text.copied": "Copié.",
  "text.copy_code": "Copier le code {code}",
  "text.less": "Afficher moins",

  // Searches without a result
  "search.none": "Aucune alerte ne correspond à « {query} ».",
  "search.none_from": "Aucune alerte de {channel} ne correspond à « {query} ».",
  "search.none_of_channel": "Aucune alerte correspondante de {channel}.",
  "search.clear": "Effacer la recherche",
  "search.no_channel": "Aucun canal ne correspond à « {query} ».",
  "search.no_channel_in": "Aucun canal de « {category} » ne correspond à « {query} ».",
  "search.none_in_category": "Aucun canal dans « {category} ».",

  // A channel
  "channel.settings": "Réglages du canal",
};
