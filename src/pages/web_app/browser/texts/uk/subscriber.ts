// Ukrainian: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const ukrainianSubscriberTexts: SubscriberTexts = {
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

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Підписатися й дозволити сповіщення",
  "join.silent": "Підписатися без сповіщень",
  "join.hint": "Вимкніть дозволи, які не хочете надавати. Це можна змінити будь-коли.",
  "hello.title": "{channel}: сповіщення працюють",
  "hello.body": "Так виглядатимуть оповіщення цього каналу.",
  "hello.sent": "Надіслано пробне сповіщення. Якщо ви його не бачите, перевірте налаштування сповіщень пристрою.",
  "silent.title": "Цей канал ще не може вас сповіщати.",
  "silent.one": "{channel} ще не може вас сповіщати.",
  "silent.some": "Деякі з ваших каналів ще не можуть вас сповіщати.",
  "silent.why": "Показати чому",
  "silent.allow": "Дозволити сповіщення",
  "push.off": "Push-сповіщення на цьому пристрої вимкнено.",
  "push.not_allowed": "Ви не дозволили йому ні сповіщень, ні звуків.",
  "push.asking": "Дозвольте сповіщення, коли запитає браузер. Якщо не бачите запиту, погляньте на адресний рядок.",
  "push.pending": "Реєстрація цього пристрою для push-сповіщень…",
  "push.failed_late":
    "Push-служба браузера ще не відповіла. Перевірте з’єднання та чи не блокує її брандмауер або VPN.",
  "push.failed_service":
    "Браузер не зміг зареєструватися у своїй push-службі. Перевірте з’єднання та спробуйте ще раз.",
  "push.failed_private": "Браузер відхиляє тут push-сповіщення, як у приватному вікні. Скористайтеся звичайним вікном.",
  "push.failed_worker": "Фонова частина застосунку не запустилася. Перезавантажте цю сторінку.",
  "install.button": "Установити застосунок",
  "install.hint": "Потім він відкривається з головного екрана або робочого столу.",

  // Alerts that are put aside
  "alert.archive": "Архівувати",
  "alert.unarchive": "Перемістити до вхідних",
  "alert.archived": "В архіві",
  "alert.snoozed": "Відкладено",
  "alert.normal": "Звичайне",
  "inbox.archive": "Архів",
  "undo.do": "Скасувати",
  "undo.dismissed": "Оповіщення приховано.",
  "undo.archived": "Оповіщення архівовано.",
  "undo.unarchived": "Оповіщення переміщено до вхідних.",
  "undo.snoozed": "Оповіщення відкладено.",
  "undo.unsnoozed": "Нагадування скасовано.",
  "snooze.title": "Нагадати пізніше",
  "snooze.hour": "Через 1 годину ({time})",
  "snooze.evening": "Сьогодні ввечері ({time})",
  "snooze.tomorrow": "Завтра ({time})",
  "snooze.until": "Нагадування: {time}",
  "snooze.cancel": "Скасувати нагадування",
  "snooze.hint": "Воно пролунає знову, якщо застосунок відкрито, інакше — коли ви його відкриєте.",
  "why.snoozed": "Ви його відклали.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Призупинити",
  "pause.hour": "На 1 годину (до {time})",
  "pause.eight": "На 8 годин (до {time})",
  "pause.tomorrow": "До завтра ({time})",
  "pause.until": "Призупинено до: {time}. Його оповіщення й далі надходять, без звуку та сповіщень.",
  "pause.resume": "Відновити",
  "pause.paused": "Призупинено",
  "why.paused": "Ви призупинили цей канал.",
  "quiet.zone":
    "У часовому поясі цього пристрою. Години після півночі належать до попереднього дня. Оповіщення надходять, але " +
    "без звуку.",
  "quiet.days": "У ці дні",
  "quiet.no_day": "Виберіть принаймні один день.",
  "sounds.title": "Звуки за пріоритетом",
  "sounds.hint":
    "Ваш вибір замінює звук оповіщення, з гучністю його пріоритету. Беззвучні оповіщення лишаються беззвучними.",
  "sounds.tone": "Звук",
  "sounds.vibration": "Вібрація",
  "sounds.of_alert": "З оповіщення",
  "why.chosen_silent": "Для оповіщень цього пріоритету ви вибрали тишу.",
};
