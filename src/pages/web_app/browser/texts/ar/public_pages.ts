// Arabic: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const arabicPublicPageTexts: PublicPageTextsWithPlurals<"zero" | "one" | "two" | "few" | "many" | "other"> = {
  // Frame
  "page.your_alerts": "تنبيهاتك",
  "page.docs": "المستندات",
  "page.sign_in": "تسجيل الدخول",
  "page.translation": "ترجمة مشروع Belfry.",

  // A channel
  "page.push": "يمكنك السماح بالإشعارات الفورية والتطبيق مغلق.",
  "page.push_on_ios": "الإعداد على iPhone أو iPad",
  "page.push_ios":
    "على iPhone وiPad تتطلب وجود التطبيق على الشاشة الرئيسية: اضغط «مشاركة»، ثم «إضافة إلى الشاشة الرئيسية».",
  "page.silent": "لا إشعارات والتطبيق مغلق.",
  "page.paused": "متوقفة مؤقتًا.",
  "page.paused_hint": "لا ترسل تنبيهات حتى يستأنفها مالكها. لا يزال بإمكانك الاشتراك.",
  "page.private": "خاصة.",
  "page.private_hint": "ترى هذه الصفحة لأنك مدعو. يمكن لكل من لديه هذا العنوان الانضمام، فلا تشاركه.",
  "page.copy_link": "نسخ الرابط",
  "page.no_account": "لا حاجة إلى حساب أو اسم أو عنوان: ترى القناة عدد المشتركين فقط.",
  "page.perms": "الأذونات المطلوبة",
  "page.perms_none": "لا أذونات مطلوبة",
  "page.perms_hint": "تختار ما تسمح به عند الاشتراك. يمكنك تغيير ذلك في أي وقت.",
  "page.perm.notify": "يعرض لافتة عند وصول تنبيه.",
  "page.perm.sound": "يشغِّل نغمة أو تسجيلًا لا يزيد على {seconds} ثانية.",
  "page.perm.vibrate": "يهز الجهاز لمدة قصيرة.",
  "page.perm.tts": "يقرأ التنبيه بصوت الجهاز.",
  "page.perm.full": "للتنبيهات العاجلة فقط.",
  "page.perm.loc": "يتحقق جهازك مما إذا كان التنبيه يخص موقعك، الذي لا يغادر الجهاز أبدًا.",
  "page.perm.quiet": "يرن حتى في ساعات الهدوء.",
  "page.newest": "أحدث التنبيهات",
  "page.empty": "ستظهر هنا التنبيهات الجديدة من هذه القناة.",
  "page.picture_of_alert": "صورة هذا التنبيه",
  "page.picture_from": "عرض الصورة من {host}",
  "page.picture_of_channel": "صورة القناة",
  "page.subscribers_only": "يُعرض التنبيه الكامل للمشتركين.",
  "page.details": "التفاصيل",
  "page.alert_types": "أنواع التنبيهات",
  "page.feeds": "الخلاصات",
  "page.on_phone": "افتح على هاتفك",
  "page.your_invite": "دعوتك",
  "page.qr_of": "رمز QR لعنوان هذه الصفحة",
  "page.without_app": "الانضمام دون تطبيق الويب",
  "page.without_app_hint":
    "يمكن لأي عميل HTTP تلقي التنبيهات. تسجِّل هذه الأوامر عميلًا وتضمه إلى القناة وتقرأ تنبيهاتها. للتفاصيل انظر " +
    "{reference}.",
  "page.reference": "مرجع API",

  // The directory
  "page.lede": "قنوات تنبيهات عامة. ابحث عن قناة بالاسم أو الوسم، واشترك في صفحتها.",
  "page.search": "بحث",
  "page.pages": "الصفحات",
  "page.back_to_newest": "العودة إلى الأحدث",
  "page.more_channels": "المزيد من القنوات",
  "page.no_channels": "لا توجد قنوات عامة بعد",
  "page.no_channels_hint": "ستظهر هنا القنوات العامة الجديدة.",
  "page.no_match": "لا توجد قناة عامة مطابقة بالاسم أو الوسم.",
  "page.show_all": "عرض كل القنوات",
  "near.button": "بالقرب مني",
  "near.hint": "يُستخدم موقعك على هذا الجهاز فقط ولا يُرسل إلى أي مكان.",
  "near.inside_one": "أنت في منطقتها",
  "near.away": "على بُعد {distance} من منطقتها",
  "near.locating": "جارٍ تحديد موقعك…",
  "near.none": "لم يُعثر على قنوات لها منطقة.",
  "near.outside": "لست في منطقة أي قناة؛ الأقرب أولًا.",
  "near.inside": {
    zero: "لست في منطقة أي قناة ({count})؛ الأقرب أولًا.",
    one: "أنت في منطقة قناة واحدة ({count})؛ الأقرب أولًا.",
    two: "أنت في منطقة قناتين ({count})؛ الأقرب أولًا.",
    few: "أنت في منطقة {count} قنوات؛ الأقرب أولًا.",
    many: "أنت في منطقة {count} قناةً؛ الأقرب أولًا.",
    other: "أنت في منطقة {count} قناة؛ الأقرب أولًا.",
  },
  "near.only_newest": "فُحصت أحدث القنوات ذات المنطقة فقط.",
  "near.offline": "تعذَّر تحميل القنوات. أعد المحاولة عندما تتصل بالإنترنت.",
  "near.denied": "موقعك غير متاح. اسمح به في إعدادات المتصفح، أو ابحث بالاسم.",

  // Pages that cannot be shown
  "refused.unknown": "تحتاج إلى دعوة",
  "refused.unknown_hint":
    "لا توجد قناة عامة بهذا العنوان. إذا كانت القناة خاصة، فاطلب رابط دعوتها أو رمز QR. وإذا كتبت العنوان، فتحقق منه.",
  "refused.invite": "هذه الدعوة غير صالحة",
  "refused.invite_hint":
    "ربما استُهلكت أو انتهت صلاحيتها أو أُلغيت، أو أن الرابط غير مكتمل. اطلب دعوة جديدة ممن أعطاك إياها.",
  "refused.find": "البحث عن قناة عامة",
  "missing.title": "الصفحة غير موجودة",
  "missing.hint": "تحقق من العنوان: قد يكون الرابط غير مكتمل.",
  "missing.home": "الذهاب إلى الصفحة الرئيسية",
  "failed.title": "فشل الطلب",
};
