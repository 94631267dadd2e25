// Arabic: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "نسخ النص",
  "text.copied": "تم النسخ.",
  "text.copy_code": "نسخ الرمز {code}",
  "text.less": "عرض أقل",

  // Searches without a result
  "search.none": "لا توجد تنبيهات مطابقة لـ «{query}».",
  "search.none_from": "لا توجد تنبيهات من {channel} مطابقة لـ «{query}».",
  "search.none_of_channel": "لا توجد تنبيهات مطابقة من {channel}.",
  "search.clear": "مسح البحث",
  "search.no_channel": "لا توجد قنوات مطابقة لـ «{query}».",
  "search.no_channel_in": "لا توجد قنوات في «{category}» مطابقة لـ «{query}».",
  "search.none_in_category": "لا توجد قنوات في «{category}».",

  // A channel
  "channel.settings": "إعدادات القناة",
};
