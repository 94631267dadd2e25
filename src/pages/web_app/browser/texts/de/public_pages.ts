// German: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const germanPublicPageTexts: PublicPageTextsWithPlurals<"one" | "other"> = {
  // Frame
  "page.your_alerts": "Deine Meldungen",
  "page.docs": "Dokumentation",
  "page.sign_in": "Anmelden",
  "page.translation": "Übersetzt vom Belfry-Projekt.",

  // A channel
  "page.push": "Erlaubst du Push-Benachrichtigungen, erreichen dich Meldungen auch bei geschlossener App.",
  "page.push_on_ios": "Auf iPhone oder iPad einrichten",
  "page.push_ios":
    "Auf iPhone und iPad muss die App dafür auf dem Home-Bildschirm sein: Tippe auf „Teilen“, dann auf „Zum Home-Bildschirm“.",
  "page.silent": "Keine Benachrichtigungen bei geschlossener App.",
  "page.paused": "Pausiert.",
  "page.paused_hint":
    "Dieser Kanal sendet keine Meldungen, bis sein Besitzer ihn fortsetzt. Du kannst ihn trotzdem abonnieren.",
  "page.private": "Privat.",
  "page.private_hint":
    "Du siehst diese Seite, weil du eingeladen wurdest. Jeder mit dieser Adresse kann beitreten, also teile sie nicht.",
  "page.copy_link": "Link kopieren",
  "page.no_account": "Kein Konto, kein Name, keine Adresse: Der Kanal sieht nur die Zahl der Abonnenten.",
  "page.perms": "Angeforderte Berechtigungen",
  "page.perms_none": "Keine Berechtigungen angefordert",
  "page.perms_hint": "Du wählst beim Abonnieren, was du erlaubst. Du kannst das jederzeit ändern.",
  "page.perm.notify": "Zeigt ein Banner, wenn eine Meldung ankommt.",
  "page.perm.sound": "Spielt einen Ton oder eine Aufnahme von bis zu {seconds} Sekunden ab.",
  "page.perm.vibrate": "Lässt das Gerät kurz vibrieren.",
  "page.perm.tts": "Liest die Meldung mit der Stimme des Geräts vor.",
  "page.perm.full": "Nur für dringende Meldungen.",
  "page.perm.loc": "Dein Gerät prüft, ob eine Meldung deinen Standort betrifft. Er verlässt das Gerät nie.",
  "page.perm.quiet": "Klingelt auch in deiner Ruhezeit.",
  "page.newest": "Neueste Meldungen",
  "page.empty": "Neue Meldungen dieses Kanals erscheinen hier.",
  "page.picture_of_alert": "Bild dieser Meldung",
  "page.picture_from": "Bild von {host} anzeigen",
  "page.picture_of_channel": "Bild des Kanals",
  "page.subscribers_only": "Die ganze Meldung sehen nur Abonnenten.",
  "page.details": "Details",
  "page.alert_types": "Arten von Meldungen",
  "page.feeds": "Feeds",
  "page.on_phone": "Auf dem Handy öffnen",
  "page.your_invite": "Deine Einladung",
  "page.qr_of": "QR-Code der Adresse dieser Seite",
  "page.without_app": "Ohne die Web-App beitreten",
  "page.without_app_hint":
    "Jeder HTTP-Client kann Meldungen empfangen. Diese Befehle registrieren ihn als Gerät, treten dem Kanal bei und lesen seine Meldungen. Näheres in der {reference}.",
  "page.reference": "API-Referenz",

  // The directory
  "page.lede": "Öffentliche Meldungskanäle. Finde einen nach Name oder Stichwort und abonniere ihn auf seiner Seite.",
  "page.search": "Suchen",
  "page.pages": "Seiten",
  "page.back_to_newest": "Zurück zu den neuesten",
  "page.more_channels": "Weitere Kanäle",
  "page.no_channels": "Noch keine öffentlichen Kanäle",
  "page.no_channels_hint": "Neue öffentliche Kanäle erscheinen hier.",
  "page.no_match": "Kein öffentlicher Kanal mit passendem Namen oder Stichwort gefunden.",
  "page.show_all": "Alle Kanäle anzeigen",
  "near.button": "In der Nähe",
  "near.hint": "Dein Standort wird nur auf diesem Gerät verwendet und nirgendwohin gesendet.",
  "near.inside_one": "Du bist in seinem Gebiet",
  "near.away": "{distance} von seinem Gebiet entfernt",
  "near.locating": "Standort wird ermittelt …",
  "near.none": "Keine Kanäle mit Gebiet gefunden.",
  "near.outside": "Du bist in keinem der Gebiete; die nächstgelegenen Kanäle zuerst.",
  "near.inside": {
    one: "Du bist im Gebiet von {count} Kanal; die nächstgelegenen Kanäle zuerst.",
    other: "Du bist im Gebiet von {count} Kanälen; die nächstgelegenen zuerst.",
  },
  "near.only_newest": "Nur die neuesten Kanäle mit Gebiet wurden geprüft.",
  "near.offline": "Die Kanäle konnten nicht geladen werden. Versuche es erneut, wenn du online bist.",
  "near.denied":
    "Dein Standort ist nicht verfügbar. Erlaube den Zugriff in den Browser-Einstellungen oder suche nach Namen.",

  // Pages that cannot be shown
  "refused.unknown": "Du brauchst eine Einladung",
  "refused.unknown_hint":
    "Kein öffentlicher Kanal hat diese Adresse. Ist der Kanal privat, bitte um seinen Einladungslink oder QR-Code. " +
    "Hast du die Adresse eingetippt, prüfe sie.",
  "refused.invite": "Diese Einladung ist ungültig",
  "refused.invite_hint":
    "Sie kann verbraucht, abgelaufen oder widerrufen sein, oder der Link ist unvollständig. Bitte die Person, von der du sie hast, um eine neue.",
  "refused.find": "Öffentlichen Kanal finden",
  "missing.title": "Seite nicht gefunden",
  "missing.hint": "Prüfe die Adresse: Der Link ist vielleicht unvollständig.",
  "missing.home": "Zur Startseite",
  "failed.title": "Anfrage fehlgeschlagen",
};
