// Ukrainian: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Копіювати текст",
  "text.copied": "Скопійовано.",
  "text.copy_code": "Копіювати код {code}",
  "text.less": "Показати менше",

  // Searches without a result
  "search.none": "Немає оповіщень за запитом «{query}».",
  "search.none_from": "Немає оповіщень від {channel} за запитом «{query}».",
  "search.none_of_channel": "Немає відповідних оповіщень від {channel}.",
  "search.clear": "Очистити пошук",
  "search.no_channel": "Немає каналів за запитом «{query}».",
  "search.no_channel_in": "Немає каналів у категорії «{category}» за запитом «{query}».",
  "search.none_in_category": "Немає каналів у категорії «{category}».",

  // A channel
  "channel.settings": "Налаштування каналу",
};
