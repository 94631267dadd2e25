// Arabic: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const arabicSubscriberTexts: SubscriberTexts = {
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

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "اشتراك والسماح بالإشعارات",
  "join.silent": "اشتراك دون إشعارات",
  "join.hint": "أوقف الأذونات التي لا تريد منحها. يمكنك تغيير ذلك في أي وقت.",
  "hello.title": "{channel}: الإشعارات تعمل",
  "hello.body": "ستظهر تنبيهات هذه القناة بهذا الشكل.",
  "hello.sent": "أُرسل إشعار تجريبي. إذا لم تره، فتحقق من إعدادات الإشعارات في جهازك.",
  "silent.title": "لا يمكن لهذه القناة تنبيهك بعد.",
  "silent.one": "لا يمكن لقناة {channel} تنبيهك بعد.",
  "silent.some": "لا يمكن لبعض قنواتك تنبيهك بعد.",
  "silent.why": "عرض السبب",
  "silent.allow": "السماح بالإشعارات",
  "push.off": "الإشعارات الفورية متوقفة على هذا الجهاز.",
  "push.not_allowed": "لم تسمح لها بالإشعارات ولا بتشغيل الأصوات.",
  "push.asking": "اسمح بالإشعارات عندما يسألك المتصفح. إذا لم تر السؤال، فانظر إلى شريط العنوان.",
  "push.pending": "جارٍ تسجيل هذا الجهاز للإشعارات الفورية…",
  "push.failed_late": "لم تستجب خدمة الإشعارات في متصفحك بعد. تحقق من الاتصال، ومما إذا كان جدار حماية أو VPN يحجبها.",
  "push.failed_service": "تعذر على متصفحك التسجيل لدى خدمة الإشعارات. تحقق من الاتصال وحاول مجددًا.",
  "push.failed_private": "يرفض متصفحك الإشعارات الفورية هنا، كما في نافذة خاصة. استخدم نافذة عادية.",
  "push.failed_worker": "لم يبدأ جزء التطبيق الذي يعمل في الخلفية. أعد تحميل هذه الصفحة.",
  "install.button": "تثبيت التطبيق",
  "install.hint": "يُفتح بعدها من الشاشة الرئيسية أو سطح المكتب.",

  // Alerts that are put aside
  "alert.archive": "أرشفة",
  "alert.unarchive": "نقل إلى الوارد",
  "alert.archived": "مؤرشف",
  "alert.snoozed": "مؤجل",
  "alert.normal": "عادي",
  "inbox.archive": "الأرشيف",
  "undo.do": "تراجع",
  "undo.dismissed": "أُخفي التنبيه.",
  "undo.archived": "أُرشف التنبيه.",
  "undo.unarchived": "نُقل التنبيه إلى الوارد.",
  "undo.snoozed": "أُجّل التنبيه.",
  "undo.unsnoozed": "أُلغي التذكير.",
  "snooze.title": "ذكّرني لاحقًا",
  "snooze.hour": "بعد ساعة ({time})",
  "snooze.evening": "هذا المساء ({time})",
  "snooze.tomorrow": "غدًا ({time})",
  "snooze.until": "التذكير: {time}",
  "snooze.cancel": "إلغاء التذكير",
  "snooze.hint": "يرن مجددًا إذا كان التطبيق مفتوحًا، وإلا فعند فتحه.",
  "why.snoozed": "لقد أجّلته.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "إيقاف مؤقت",
  "pause.hour": "لمدة ساعة (حتى {time})",
  "pause.eight": "لمدة 8 ساعات (حتى {time})",
  "pause.tomorrow": "حتى الغد ({time})",
  "pause.until": "متوقفة مؤقتًا حتى {time}. تستمر تنبيهاتها في الوصول، دون صوت أو إشعار.",
  "pause.resume": "استئناف",
  "pause.paused": "متوقفة مؤقتًا",
  "why.paused": "أوقفت هذه القناة مؤقتًا.",
  "quiet.zone":
    "بحسب المنطقة الزمنية لهذا الجهاز. الساعات بعد منتصف الليل تتبع اليوم السابق. تستمر التنبيهات في الوصول، دون صوت.",
  "quiet.days": "في هذه الأيام",
  "quiet.no_day": "اختر يومًا واحدًا على الأقل.",
  "sounds.title": "الأصوات حسب الأولوية",
  "sounds.hint": "يحل اختيارك محل صوت التنبيه، بمستوى صوت أولويته. التنبيهات الصامتة تبقى صامتة.",
  "sounds.tone": "النغمة",
  "sounds.vibration": "الاهتزاز",
  "sounds.of_alert": "من التنبيه",
  "why.chosen_silent": "اخترت الصمت لتنبيهات هذه الأولوية.",
};
