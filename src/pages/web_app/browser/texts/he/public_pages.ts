// Hebrew: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const hebrewPublicPageTexts: PublicPageTextsWithPlurals<"one" | "two" | "other"> = {
  // Frame
  "page.your_alerts": "ההתרעות שלך",
  "page.docs": "תיעוד",
  "page.sign_in": "כניסה",
  "page.translation": "תורגם בידי פרויקט Belfry.",

  // A channel
  "page.push": "אפשר לאשר התראות דחיפה כשהאפליקציה סגורה.",
  "page.push_on_ios": "הגדרה ב־iPhone או ב־iPad",
  "page.push_ios": "ב־iPhone וב־iPad הן דורשות את האפליקציה במסך הבית: יש להקיש על ״שיתוף״ ואז על ״הוספה למסך הבית״.",
  "page.silent": "אין התראות כשהאפליקציה סגורה.",
  "page.paused": "מושהה.",
  "page.paused_hint": "הוא לא שולח התרעות עד שבעליו יחדש אותו. עדיין אפשר להירשם.",
  "page.private": "פרטי.",
  "page.private_hint": "הדף מוצג לך כי הוזמנת. כל מי שיש לו הכתובת הזאת יכול להצטרף, לכן אין לשתף אותה.",
  "page.copy_link": "העתקת הקישור",
  "page.no_account": "בלי חשבון, שם או כתובת: הערוץ רואה רק את מספר המנויים.",
  "page.perms": "הרשאות מבוקשות",
  "page.perms_none": "לא מתבקשות הרשאות",
  "page.perms_hint": "בעת ההרשמה בוחרים מה לאשר. אפשר לשנות זאת בכל עת.",
  "page.perm.notify": "מציג באנר כשמגיעה התרעה.",
  "page.perm.sound": "משמיע צליל או הקלטה של עד {seconds} שניות.",
  "page.perm.vibrate": "מרטיט את המכשיר לזמן קצר.",
  "page.perm.tts": "מקריא את ההתרעה בקול של המכשיר.",
  "page.perm.full": "רק להתרעות דחופות.",
  "page.perm.loc": "המכשיר בודק אם ההתרעה חלה על המיקום שלך, שלא יוצא מהמכשיר לעולם.",
  "page.perm.quiet": "מצלצל גם בשעות השקט שלך.",
  "page.newest": "התרעות אחרונות",
  "page.empty": "התרעות חדשות מהערוץ הזה יופיעו כאן.",
  "page.picture_of_alert": "התמונה של ההתרעה",
  "page.picture_from": "הצגת תמונה מ־{host}",
  "page.picture_of_channel": "התמונה של הערוץ",
  "page.subscribers_only": "ההתרעה המלאה מוצגת למנויים.",
  "page.details": "פרטים",
  "page.alert_types": "סוגי התרעות",
  "page.feeds": "עדכוני תוכן",
  "page.on_phone": "פתיחה בטלפון",
  "page.your_invite": "ההזמנה שלך",
  "page.qr_of": "קוד QR של כתובת הדף",
  "page.without_app": "הצטרפות בלי אפליקציית הרשת",
  "page.without_app_hint":
    "כל לקוח HTTP יכול לקבל התרעות. הפקודות האלה רושמות אחד, מצרפות אותו לערוץ וקוראות את ההתרעות. לפרטים: " +
    "{reference}.",
  "page.reference": "תיעוד ה־API",

  // The directory
  "page.lede": "ערוצי התרעות ציבוריים. אפשר לחפש לפי שם או תגית ולהירשם בדף הערוץ.",
  "page.search": "חיפוש",
  "page.pages": "דפים",
  "page.back_to_newest": "חזרה לחדשים ביותר",
  "page.more_channels": "ערוצים נוספים",
  "page.no_channels": "אין עדיין ערוצים ציבוריים",
  "page.no_channels_hint": "ערוצים ציבוריים חדשים יופיעו כאן.",
  "page.no_match": "אין ערוץ ציבורי שתואם בשם או בתגית.",
  "page.show_all": "הצגת כל הערוצים",
  "near.button": "לידי",
  "near.hint": "המיקום שלך משמש רק במכשיר הזה ולא נשלח לשום מקום.",
  "near.inside_one": "הנך באזור שלו",
  "near.away": "{distance} מהאזור שלו",
  "near.locating": "מתבצע איתור מיקום…",
  "near.none": "לא נמצאו ערוצים עם אזור.",
  "near.outside": "אינך באזור של אף ערוץ; הקרובים קודם.",
  "near.inside": {
    one: "הנך באזור של ערוץ אחד ({count}); הקרובים קודם.",
    two: "הנך באזור של שני ערוצים ({count}); הקרובים קודם.",
    other: "הנך באזור של {count} ערוצים; הקרובים קודם.",
  },
  "near.only_newest": "נבדקו רק הערוצים החדשים ביותר עם אזור.",
  "near.offline": "לא ניתן לטעון את הערוצים. יש לנסות שוב כשיהיה חיבור לרשת.",
  "near.denied": "המיקום שלך לא זמין. יש לאפשר אותו בהגדרות הדפדפן, או לחפש לפי שם.",

  // Pages that cannot be shown
  "refused.unknown": "נדרשת הזמנה",
  "refused.unknown_hint":
    "לאף ערוץ ציבורי אין הכתובת הזאת. אם הערוץ פרטי, יש לבקש את קישור ההזמנה או את קוד ה־QR. אם הקלדת את הכתובת, יש " +
    "לבדוק אותה.",
  "refused.invite": "ההזמנה לא תקפה",
  "refused.invite_hint": "ייתכן שנוצלה, פגה או בוטלה, או שהקישור חלקי. יש לבקש חדשה ממי שנתן אותה.",
  "refused.find": "חיפוש ערוץ ציבורי",
  "missing.title": "הדף לא נמצא",
  "missing.hint": "יש לבדוק את הכתובת: ייתכן שהקישור חלקי.",
  "missing.home": "לדף הבית",
  "failed.title": "הבקשה נכשלה",
};
