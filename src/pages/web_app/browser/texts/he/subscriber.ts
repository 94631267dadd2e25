// Hebrew: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "העתקת הטקסט",
  "text.copied": "הועתק.",
  "text.copy_code": "העתקת הקוד {code}",
  "text.less": "הצגת פחות",

  // Searches without a result
  "search.none": "אין התרעות שתואמות ל״{query}״.",
  "search.none_from": "אין התרעות של {channel} שתואמות ל״{query}״.",
  "search.none_of_channel": "אין התרעות תואמות של {channel}.",
  "search.clear": "ניקוי החיפוש",
  "search.no_channel": "אין ערוצים שתואמים ל״{query}״.",
  "search.no_channel_in": "אין ערוצים ב״{category}״ שתואמים ל״{query}״.",
  "search.none_in_category": "אין ערוצים ב״{category}״.",

  // A channel
  "channel.settings": "הגדרות הערוץ",
};
