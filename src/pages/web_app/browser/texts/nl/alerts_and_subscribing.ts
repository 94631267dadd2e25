// Dutch: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const dutchAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Tekst kopiëren",
  "text.copied": "Gekopieerd.",
  "text.copy_code": "Code {code} kopiëren",
  "text.less": "Minder tonen",

  // Searches without a result
  "search.none": "Geen alerts gevonden voor ‘{query}’.",
  "search.none_from": "Geen alerts van {channel} gevonden voor ‘{query}’.",
  "search.none_of_channel": "Geen overeenkomende alerts van {channel}.",
  "search.clear": "Zoekopdracht wissen",
  "search.no_channel": "Geen kanalen gevonden voor ‘{query}’.",
  "search.no_channel_in": "Geen kanalen in ‘{category}’ gevonden voor ‘{query}’.",
  "search.none_in_category": "Geen kanalen in ‘{category}’.",

  // A channel
  "channel.settings": "Kanaalinstellingen",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Abonneren en meldingen toestaan",
  "join.silent": "Abonneren zonder meldingen",
  "join.hint": "Zet uit wat je niet wilt toestaan. Je kunt dit altijd wijzigen.",
  "hello.title": "{channel}: meldingen werken",
  "hello.body": "Zo zien alerts van dit kanaal eruit.",
  "hello.sent":
    "Er is een testmelding verstuurd. Zie je die niet, controleer dan de meldingsinstellingen van je apparaat.",
  "silent.one": "{channel} kan je nog niet waarschuwen.",
  "silent.why": "Toon waarom",
  "silent.allow": "Meldingen toestaan",
  "push.off": "Pushmeldingen staan uit.",
  "push.not_allowed": "Dit kanaal kan je nog niet waarschuwen.",
  "push.asking": "Sta meldingen toe als je browser erom vraagt. Zie je de vraag niet, kijk dan in de adresbalk.",
  "push.pending": "Meldingen worden ingeschakeld…",
  "push.failed": "Meldingen konden niet worden ingeschakeld.",
  "push.failed_late": "Controleer je verbinding. Misschien blokkeert een firewall of VPN de meldingen.",
  "push.failed_service": "Controleer je verbinding en probeer het opnieuw.",
  "push.failed_private": "Is dit een privévenster? Gebruik dan een gewoon venster.",
  "push.failed_worker": "Het achtergronddeel van de app is niet gestart. Laad deze pagina opnieuw.",
  "works.certain": "Meldingen staan aan.",
  "works.depends":
    "Een vergrendelde telefoon geeft alleen geluid als het volume, de stille modus en de batterijbesparing dat " +
    "toelaten.",
  "silent.open_sounds": "Alerts klinken alleen als de app open is.",
  "silent.open_shows": "Alerts verschijnen alleen als de app open is.",
  "push.failed_refused": "Deze server kan de meldingsdienst van je browser niet bereiken. Laat het de beheerder weten.",
  "steps.chromium1": "Kies het pictogram naast het adres van de pagina.",
  "steps.chromium2": "Open de machtigingen of site-instellingen en sta meldingen toe.",
  "steps.firefox1": "Kies het slot of het machtigingenpictogram naast het adres.",
  "steps.firefox2": "Verwijder de blokkering van meldingen.",
  "steps.safari1": "Open de instellingen van Safari en kies ‘Websites’.",
  "steps.safari2": "Sta deze site toe onder ‘Meldingen’.",
  "steps.ios1": "Open de app Instellingen en tik op ‘Meldingen’.",
  "steps.ios2": "Tik op {app} en zet ‘Sta meldingen toe’ aan.",
  "steps.home1": "Tik op ‘Deel’.",
  "steps.home2": "Kies ‘Zet op beginscherm’.",
  "steps.home3": "Open de app vanaf het beginscherm en abonneer je daar.",
  "steps.return": "Ga terug naar deze pagina. Die controleert vanzelf opnieuw.",
  "install.button": "App installeren",
  "install.hint": "Daarna open je de app vanaf het startscherm of bureaublad.",

  // Alerts that are put aside
  "alert.archive": "Archiveren",
  "alert.unarchive": "Naar postvak",
  "inbox.open": "Ga naar postvak",
  "alert.archived": "Gearchiveerd",
  "alert.snoozed": "Uitgesteld",
  "alert.normal": "Normaal",
  "inbox.archive": "Archief",
  "inbox.archive_empty": "Alerts die je archiveert, blijven hier staan.",
  "undo.do": "Ongedaan maken",
  "undo.dismissed": "Alert verborgen.",
  "undo.archived": "Alert gearchiveerd.",
  "undo.unarchived": "Alert naar het postvak verplaatst.",
  "undo.snoozed": "Alert uitgesteld.",
  "undo.unsnoozed": "Herinnering geannuleerd.",
  "snooze.title": "Later herinneren",
  "snooze.hour": "Over 1 uur ({time})",
  "snooze.evening": "Vanavond ({time})",
  "snooze.tomorrow": "Morgen ({time})",
  "snooze.until": "Herinnering: {time}",
  "snooze.cancel": "Herinnering annuleren",
  "snooze.hint": "De alert klinkt opnieuw als de app open is, anders zodra je die opent.",
  "why.snoozed": "Je hebt de alert uitgesteld.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Pauzeren",
  "pause.hour": "1 uur (tot {time})",
  "pause.eight": "8 uur (tot {time})",
  "pause.tomorrow": "Tot morgen ({time})",
  "pause.until": "Gepauzeerd tot {time}. De alerts komen nog binnen, zonder geluid of melding.",
  "pause.resume": "Hervatten",
  "pause.paused": "Gepauzeerd",
  "why.paused": "Je hebt dit kanaal gepauzeerd.",
  "quiet.zone":
    "In de tijdzone van dit apparaat. Uren na middernacht horen bij de dag ervoor. Alerts komen nog binnen, zonder " +
    "geluid.",
  "quiet.days": "Op deze dagen",
  "quiet.no_day": "Kies minstens één dag.",
  "sounds.title": "Geluiden per prioriteit",
  "sounds.hint":
    "Je keuze vervangt het geluid van de alert, op het volume van de prioriteit. Stille alerts blijven stil.",
  "sounds.tone": "Toon",
  "sounds.vibration": "Trilling",
  "sounds.of_alert": "Van de alert",
  "why.chosen_silent": "Je koos stilte voor alerts met deze prioriteit.",
};
