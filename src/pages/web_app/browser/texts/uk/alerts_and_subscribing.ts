// Ukrainian: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const ukrainianAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
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
  "join.subscribe": "Підписатися зі сповіщеннями",
  "join.silent": "Підписатися без сповіщень",
  "join.hint": "Вимкніть дозволи, які не хочете надавати. Це можна змінити будь-коли.",
  "hello.title": "{channel}: сповіщення працюють",
  "hello.body": "Так виглядатимуть оповіщення цього каналу.",
  "hello.sent": "Надіслано пробне сповіщення. Якщо ви його не бачите, перевірте налаштування сповіщень пристрою.",
  "silent.one": "{channel} ще не може вас сповіщати.",
  "silent.why": "Показати чому",
  "silent.allow": "Дозволити сповіщення",
  "push.off": "Push-сповіщення вимкнено.",
  "push.not_allowed": "Цей канал ще не може вас сповіщати.",
  "push.asking": "Дозвольте сповіщення, коли запитає браузер. Якщо не бачите запиту, погляньте на адресний рядок.",
  "push.pending": "Увімкнення сповіщень…",
  "push.failed": "Не вдалося ввімкнути сповіщення.",
  "push.failed_late": "Перевірте з’єднання. Можливо, сповіщення блокує брандмауер або VPN.",
  "push.failed_service": "Перевірте з’єднання й спробуйте ще раз.",
  "push.failed_private": "Якщо це приватне вікно, скористайтеся звичайним.",
  "push.failed_worker": "Фонова частина застосунку не запустилася. Перезавантажте цю сторінку.",
  "works.certain": "Сповіщення ввімкнено.",
  "works.depends":
    "Заблокований телефон видає звук, лише якщо це дозволяють гучність, беззвучний режим і заощадження батареї.",
  "silent.open_sounds": "Оповіщення звучать, лише коли застосунок відкрито.",
  "silent.open_shows": "Оповіщення з’являються, лише коли застосунок відкрито.",
  "push.failed_refused":
    "Цей сервер не може зв’язатися зі службою сповіщень вашого браузера. Повідомте того, хто ним керує.",
  "steps.chromium1": "Виберіть значок біля адреси сторінки.",
  "steps.chromium2": "Відкрийте дозволи або налаштування сайту й дозвольте сповіщення.",
  "steps.firefox1": "Виберіть замок або значок дозволів біля адреси.",
  "steps.firefox2": "Зніміть блокування сповіщень.",
  "steps.safari1": "Відкрийте налаштування Safari й виберіть «Вебсайти».",
  "steps.safari2": "У розділі «Сповіщення» дозвольте цей сайт.",
  "steps.ios1": "Відкрийте програму «Параметри» й торкніться «Сповіщення».",
  "steps.ios2": "Торкніться {app} й увімкніть «Дозволити сповіщення».",
  "steps.home1": "Торкніться «Поширити».",
  "steps.home2": "Виберіть «На початковий екран».",
  "steps.home3": "Відкрийте застосунок із початкового екрана й підпишіться там.",
  "steps.return": "Поверніться на цю сторінку. Вона перевірить ще раз сама.",
  "install.button": "Установити застосунок",
  "install.hint": "Потім він відкривається з головного екрана або робочого столу.",

  // Alerts that are put aside
  "alert.archive": "Архівувати",
  "alert.unarchive": "Перемістити до вхідних",
  "inbox.open": "Перейти до вхідних",
  "alert.archived": "В архіві",
  "alert.snoozed": "Відкладено",
  "alert.normal": "Звичайне",
  "inbox.archive": "Архів",
  "inbox.archive_empty": "Тут зберігаються архівовані оповіщення.",
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
