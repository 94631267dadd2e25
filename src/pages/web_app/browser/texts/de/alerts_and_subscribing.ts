// German: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const germanAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Text kopieren",
  "text.copied": "Kopiert.",
  "text.copy_code": "Code {code} kopieren",
  "text.less": "Weniger anzeigen",

  // Searches without a result
  "search.none": "Keine Meldungen zu „{query}“ gefunden.",
  "search.none_from": "Keine Meldungen von {channel} zu „{query}“ gefunden.",
  "search.none_of_channel": "Keine passenden Meldungen von {channel}.",
  "search.clear": "Suche löschen",
  "search.no_channel": "Keine Kanäle zu „{query}“ gefunden.",
  "search.no_channel_in": "Keine Kanäle zu „{query}“ in „{category}“ gefunden.",
  "search.none_in_category": "Keine Kanäle in „{category}“.",

  // A channel
  "channel.settings": "Kanaleinstellungen",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Mit Benachrichtigungen abonnieren",
  "join.silent": "Ohne Benachrichtigungen abonnieren",
  "join.hint": "Schalte aus, was du nicht erlauben möchtest. Du kannst das jederzeit ändern.",
  "hello.title": "{channel}: Benachrichtigungen funktionieren",
  "hello.body": "So sehen Meldungen dieses Kanals aus.",
  "hello.sent": "Eine Testbenachrichtigung wurde gesendet. Siehst du sie nicht, prüfe die Einstellungen des Geräts.",
  "silent.one": "{channel} kann dich noch nicht benachrichtigen.",
  "silent.why": "Grund anzeigen",
  "silent.allow": "Benachrichtigungen erlauben",
  "push.off": "Push-Benachrichtigungen sind ausgeschaltet.",
  "push.not_allowed": "Dieser Kanal kann dich noch nicht benachrichtigen.",
  "push.asking":
    "Erlaube Benachrichtigungen, wenn dein Browser fragt. Siehst du die Abfrage nicht, schau in die Adressleiste.",
  "push.pending": "Benachrichtigungen werden eingeschaltet …",
  "push.failed": "Benachrichtigungen ließen sich nicht einschalten.",
  "push.failed_late": "Prüfe die Verbindung. Vielleicht blockiert eine Firewall oder ein VPN die Benachrichtigungen.",
  "push.failed_service": "Prüfe die Verbindung und versuche es erneut.",
  "push.failed_private": "Ist dies ein privates Fenster, nutze ein normales.",
  "push.failed_worker": "Der Hintergrunddienst der App wurde nicht gestartet. Lade diese Seite neu.",
  "works.certain": "Benachrichtigungen sind eingeschaltet.",
  "works.depends":
    "Ein gesperrtes Handy klingelt nur dann, wenn Lautstärke, Stummschaltung und Energiesparmodus es zulassen.",
  "silent.open_sounds": "Meldungen klingeln nur, solange die App offen ist.",
  "silent.open_shows": "Meldungen erscheinen nur, solange die App offen ist.",
  "push.failed_refused":
    "Dieser Server erreicht den Push-Dienst deines Browsers nicht. Informiere den Betreiber des Servers.",
  "steps.chromium1": "Wähle das Symbol neben der Adresse der Seite.",
  "steps.chromium2": "Öffne die Berechtigungen oder Website-Einstellungen und erlaube Benachrichtigungen.",
  "steps.firefox1": "Wähle das Schloss oder das Symbol für Berechtigungen neben der Adresse.",
  "steps.firefox2": "Hebe die Blockierung der Benachrichtigungen auf.",
  "steps.safari1": "Öffne die Einstellungen von Safari und wähle „Websites“.",
  "steps.safari2": "Erlaube diese Website unter „Mitteilungen“.",
  "steps.ios1": "Öffne die App „Einstellungen“ und tippe auf „Mitteilungen“.",
  "steps.ios2": "Tippe auf {app} und schalte „Mitteilungen erlauben“ ein.",
  "steps.home1": "Tippe auf „Teilen“.",
  "steps.home2": "Wähle „Zum Home-Bildschirm“.",
  "steps.home3": "Öffne die App vom Home-Bildschirm aus und abonniere den Kanal dort.",
  "steps.return": "Kehre zu dieser Seite zurück. Sie prüft die Erlaubnis dann von selbst erneut.",
  "install.button": "App installieren",
  "install.hint": "Du kannst sie dann vom Startbildschirm oder Desktop aus öffnen.",

  // Alerts that are put aside
  "alert.archive": "Archivieren",
  "alert.unarchive": "In den Eingang",
  "inbox.open": "Zum Eingang",
  "alert.archived": "Archiviert",
  "alert.snoozed": "Zurückgestellt",
  "alert.normal": "Normal",
  "inbox.archive": "Archiv",
  "inbox.archive_empty": "Hier findest du Meldungen, die du archivierst.",
  "undo.do": "Rückgängig",
  "undo.dismissed": "Meldung ausgeblendet.",
  "undo.archived": "Meldung archiviert.",
  "undo.unarchived": "Meldung in den Eingang verschoben.",
  "undo.snoozed": "Meldung zurückgestellt.",
  "undo.unsnoozed": "Erinnerung gelöscht.",
  "snooze.title": "Später erinnern",
  "snooze.hour": "In 1 Stunde ({time})",
  "snooze.evening": "Heute Abend ({time})",
  "snooze.tomorrow": "Morgen ({time})",
  "snooze.until": "Erinnerung: {time}",
  "snooze.cancel": "Erinnerung löschen",
  "snooze.hint": "Ist die App dann offen, klingelt die Meldung erneut, sonst beim nächsten Öffnen.",
  "why.snoozed": "Du hast sie zurückgestellt.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Pausieren",
  "pause.hour": "Für 1 Stunde (bis {time})",
  "pause.eight": "Für 8 Stunden (bis {time})",
  "pause.tomorrow": "Bis morgen ({time})",
  "pause.until": "Pausiert bis {time}. Meldungen kommen weiterhin an, aber ohne Ton und Benachrichtigung.",
  "pause.resume": "Fortsetzen",
  "pause.paused": "Pausiert",
  "why.paused": "Du hast diesen Kanal pausiert.",
  "quiet.zone":
    "In der Zeitzone dieses Geräts. Geht die Ruhezeit über Mitternacht, zählen die Stunden danach zum Vortag. Meldungen kommen an, aber ohne Ton.",
  "quiet.days": "An diesen Tagen",
  "quiet.no_day": "Wähle mindestens einen Tag.",
  "sounds.title": "Töne nach Priorität",
  "sounds.hint":
    "Der gewählte Ton ersetzt den der Meldung und hat die Lautstärke ihrer Priorität. Stumme Meldungen bleiben stumm.",
  "sounds.tone": "Ton",
  "sounds.vibration": "Vibration",
  "sounds.of_alert": "Wie in der Meldung",
  "why.chosen_silent": "Du hast für diese Priorität „Stumm“ gewählt.",
};
