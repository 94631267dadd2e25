// Hebrew: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const hebrewSubscriberTexts: SubscriberTexts = {
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

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "הרשמה ואישור התראות",
  "join.silent": "הרשמה בלי התראות",
  "join.hint": "אפשר לכבות הרשאות שלא רוצים לתת, ולשנות זאת בכל עת.",
  "hello.title": "{channel}: ההתראות פועלות",
  "hello.body": "כך ייראו ההתרעות של הערוץ הזה.",
  "hello.sent": "נשלחה התראת ניסיון. אם היא לא מופיעה, כדאי לבדוק את הגדרות ההתראות של המכשיר.",
  "silent.title": "הערוץ הזה עדיין לא יכול להתריע לך.",
  "silent.one": "{channel} עדיין לא יכול להתריע לך.",
  "silent.some": "חלק מהערוצים שלך עדיין לא יכולים להתריע לך.",
  "silent.why": "הצגת הסיבה",
  "silent.allow": "אישור התראות",
  "push.off": "התראות דחיפה כבויות במכשיר הזה.",
  "push.not_allowed": "לא אישרת לו לשלוח התראות או להשמיע צלילים.",
  "push.asking": "יש לאשר התראות כשהדפדפן שואל. אם השאלה לא מופיעה, כדאי לבדוק בשורת הכתובת.",
  "push.pending": "המכשיר נרשם להתראות דחיפה…",
  "push.failed_late": "שירות הדחיפה של הדפדפן עדיין לא ענה. כדאי לבדוק את החיבור, ואם חומת אש או VPN חוסמים אותו.",
  "push.failed_service": "הדפדפן לא הצליח להירשם לשירות הדחיפה שלו. כדאי לבדוק את החיבור ולנסות שוב.",
  "push.failed_private": "הדפדפן דוחה כאן התראות דחיפה, כמו בחלון פרטי. יש להשתמש בחלון רגיל.",
  "push.failed_worker": "חלק הרקע של האפליקציה לא הופעל. יש לטעון מחדש את הדף.",
  "install.button": "התקנת האפליקציה",
  "install.hint": "אחר כך היא נפתחת ממסך הבית או משולחן העבודה.",

  // Alerts that are put aside
  "alert.archive": "העברה לארכיון",
  "alert.unarchive": "העברה לדואר הנכנס",
  "alert.archived": "בארכיון",
  "alert.snoozed": "נדחתה",
  "alert.normal": "רגילה",
  "inbox.archive": "ארכיון",
  "undo.do": "ביטול הפעולה",
  "undo.dismissed": "ההתרעה הוסתרה.",
  "undo.archived": "ההתרעה הועברה לארכיון.",
  "undo.unarchived": "ההתרעה הועברה לדואר הנכנס.",
  "undo.snoozed": "ההתרעה נדחתה.",
  "undo.unsnoozed": "התזכורת בוטלה.",
  "snooze.title": "תזכורת מאוחר יותר",
  "snooze.hour": "בעוד שעה ({time})",
  "snooze.evening": "הערב ({time})",
  "snooze.tomorrow": "מחר ({time})",
  "snooze.until": "תזכורת: {time}",
  "snooze.cancel": "ביטול התזכורת",
  "snooze.hint": "היא תצלצל שוב אם האפליקציה פתוחה, אחרת כשפותחים אותה.",
  "why.snoozed": "דחית אותה.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "השהיה",
  "pause.hour": "לשעה (עד {time})",
  "pause.eight": "ל־8 שעות (עד {time})",
  "pause.tomorrow": "עד מחר ({time})",
  "pause.until": "מושהה עד {time}. ההתרעות שלו עדיין מגיעות, בלי צליל ובלי התראה.",
  "pause.resume": "המשך",
  "pause.paused": "מושהה",
  "why.paused": "השהית את הערוץ הזה.",
  "quiet.zone": "באזור הזמן של המכשיר. שעות אחרי חצות שייכות ליום הקודם. ההתרעות עדיין מגיעות, בלי צליל.",
  "quiet.days": "בימים האלה",
  "quiet.no_day": "יש לבחור לפחות יום אחד.",
  "sounds.title": "צלילים לפי עדיפות",
  "sounds.hint": "הבחירה שלך מחליפה את צליל ההתרעה, בעוצמה של העדיפות שלה. התרעות שקטות נשארות שקטות.",
  "sounds.tone": "צליל",
  "sounds.vibration": "רטט",
  "sounds.of_alert": "מההתרעה",
  "why.chosen_silent": "בחרת בשקט להתרעות בעדיפות הזאת.",
};
