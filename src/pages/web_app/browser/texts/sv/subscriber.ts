// Swedish: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const swedishSubscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "Kopiera text",
  "text.copied": "Kopierat.",
  "text.copy_code": "Kopiera kod {code}",
  "text.less": "Visa mindre",

  // Searches without a result
  "search.none": "Inga larm matchar ”{query}”.",
  "search.none_from": "Inga larm från {channel} matchar ”{query}”.",
  "search.none_of_channel": "Inga matchande larm från {channel}.",
  "search.clear": "Rensa sökning",
  "search.no_channel": "Inga kanaler matchar ”{query}”.",
  "search.no_channel_in": "Inga kanaler i ”{category}” matchar ”{query}”.",
  "search.none_in_category": "Inga kanaler i ”{category}”.",

  // A channel
  "channel.settings": "Kanalinställningar",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Prenumerera och tillåt notiser",
  "join.silent": "Prenumerera utan notiser",
  "join.hint": "Stäng av det du inte vill tillåta. Du kan ändra det när som helst.",
  "hello.title": "{channel}: notiser fungerar",
  "hello.body": "Så här ser kanalens larm ut.",
  "hello.sent": "En testnotis har skickats. Om du inte ser den, kontrollera enhetens notisinställningar.",
  "silent.title": "Kanalen kan inte larma dig än.",
  "silent.one": "{channel} kan inte larma dig än.",
  "silent.some": "Några av dina kanaler kan inte larma dig än.",
  "silent.why": "Visa varför",
  "silent.allow": "Tillåt notiser",
  "push.off": "Push-notiser är avstängda på enheten.",
  "push.not_allowed": "Du har inte tillåtit notiser eller ljud.",
  "push.asking": "Tillåt notiser när webbläsaren frågar. Om du inte ser frågan, titta i adressfältet.",
  "push.pending": "Enheten registreras för push-notiser…",
  "push.failed_late":
    "Webbläsarens push-tjänst har inte svarat än. Kontrollera anslutningen, och om en brandvägg eller VPN blockerar " +
    "den.",
  "push.failed_service":
    "Webbläsaren kunde inte registrera sig hos sin push-tjänst. Kontrollera anslutningen och försök igen.",
  "push.failed_private": "Webbläsaren nekar push-notiser här, som i ett privat fönster. Använd ett vanligt fönster.",
  "push.failed_worker": "Appens bakgrundsdel startade inte. Ladda om sidan.",
  "install.button": "Installera appen",
  "install.hint": "Den öppnas sedan från hemskärmen eller skrivbordet.",

  // Alerts that are put aside
  "alert.archive": "Arkivera",
  "alert.unarchive": "Flytta till inkorgen",
  "alert.archived": "Arkiverat",
  "alert.snoozed": "Uppskjutet",
  "alert.normal": "Vanligt",
  "inbox.archive": "Arkiv",
  "undo.do": "Ångra",
  "undo.dismissed": "Larmet doldes.",
  "undo.archived": "Larmet arkiverades.",
  "undo.unarchived": "Larmet flyttades till inkorgen.",
  "undo.snoozed": "Larmet sköts upp.",
  "undo.unsnoozed": "Påminnelsen togs bort.",
  "snooze.title": "Påminn mig senare",
  "snooze.hour": "Om 1 timme ({time})",
  "snooze.evening": "I kväll ({time})",
  "snooze.tomorrow": "I morgon ({time})",
  "snooze.until": "Påminnelse: {time}",
  "snooze.cancel": "Ta bort påminnelsen",
  "snooze.hint": "Larmet ljuder igen om appen är öppen, annars när du öppnar den.",
  "why.snoozed": "Du har skjutit upp larmet.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Pausa",
  "pause.hour": "I 1 timme (till {time})",
  "pause.eight": "I 8 timmar (till {time})",
  "pause.tomorrow": "Till i morgon ({time})",
  "pause.until": "Pausad till {time}. Larmen kommer fortfarande, utan ljud och notis.",
  "pause.resume": "Återuppta",
  "pause.paused": "Pausad",
  "why.paused": "Du har pausat kanalen.",
  "quiet.zone": "I enhetens tidszon. Timmar efter midnatt hör till dagen innan. Larm kommer fortfarande, utan ljud.",
  "quiet.days": "Dessa dagar",
  "quiet.no_day": "Välj minst en dag.",
  "sounds.title": "Ljud efter prioritet",
  "sounds.hint": "Ditt val ersätter larmets ljud, med prioritetens volym. Tysta larm förblir tysta.",
  "sounds.tone": "Ton",
  "sounds.vibration": "Vibration",
  "sounds.of_alert": "Från larmet",
  "why.chosen_silent": "Du har valt tystnad för larm med den här prioriteten.",
};
