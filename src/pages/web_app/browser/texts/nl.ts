// Dutch. The reader is addressed as "je". An alert of a channel is "alert", a system notification "melding".
// Our own translation: docs/contributing/translations.md says how to correct it.

import { dutchAlertsAndSubscribingTexts } from "./nl/alerts_and_subscribing.ts";
import { dutchSoundAndPermissionTexts } from "./nl/sounds_and_permissions.ts";
import type { AppTextsWithPlurals } from "./text_types.ts";

export const nl: AppTextsWithPlurals<"one" | "other"> = {
  ...dutchSoundAndPermissionTexts,
  ...dutchAlertsAndSubscribingTexts,
  // Frame
  "app.name": "Belfry",
  "app.skip": "Naar de inhoud",
  "app.new_version": "Er is een nieuwe versie beschikbaar.",
  "app.reload": "Nu bijwerken",
  "nav.inbox": "Postvak",
  "nav.channels": "Kanalen",
  "nav.discover": "Ontdekken",
  "nav.settings": "Instellingen",

  // Acts that many places have
  "do.again": "Opnieuw proberen",
  "do.back": "Terug",
  "do.cancel": "Annuleren",
  "do.close": "Sluiten",
  "do.open": "Openen",

  // Frame, what only the app says
  "app.loading": "Laden…",
  "app.chosen": "Details",
  "app.choose": "Kies een alert om te lezen.",
  "app.choose_channel": "Kies een kanaal om de alerts te zien.",
  "silent.some": {
    one: "{count} kanaal kan je nog niet waarschuwen.",
    other: "{count} kanalen kunnen je nog niet waarschuwen.",
  },
  "app.no_store":
    "Deze browser blokkeert opslag voor deze pagina, dus alerts kunnen niet worden bewaard. Sta opslag toe of " +
    "verlaat de privémodus.",
  "device.refused": "Dit apparaat is niet meer geregistreerd.",
  "device.refused_hint":
    "Misschien was het te lang offline. Bestaande alerts blijven hier; er komen geen nieuwe binnen.",
  "device.again": "Opnieuw registreren",
  "device.again_done": "Dit apparaat is weer geabonneerd op zijn kanalen.",
  "device.again_some": "Weer geabonneerd, behalve op deze, die een nieuwe uitnodiging vereisen: {names}",
  "device.file_hint": "Het bestand bevat je kanalen en geen geheimen; privékanalen vereisen een nieuwe uitnodiging.",
  "device.save": "Mijn kanalen exporteren",
  "device.open": "Bestand importeren",
  "device.no_file": "Dit bestand is niet door deze app geëxporteerd.",
  "device.read": {
    one: "Geabonneerd op {count} kanaal uit het bestand.",
    other: "Geabonneerd op {count} kanalen uit het bestand.",
  },
  "device.read_some": {
    one: "Geabonneerd op {count} kanaal uit het bestand. Deze bestaan niet meer of vereisen een uitnodiging: {names}",
    other:
      "Geabonneerd op {count} kanalen uit het bestand. Deze bestaan niet meer of vereisen een uitnodiging: {names}",
  },
  "device.move_hint":
    "Een link verplaatst alles, ook privékanalen en je gelezen en bevestigde alerts. Hij werkt één keer, binnen " +
    "{minutes} minuten.",
  "device.move": "Verplaatsen naar andere browser",
  "device.link": "Open deze link in de andere browser",
  "device.copy": "Kopiëren",
  "device.copied": "Link gekopieerd.",
  "device.share": "Delen",
  "device.code": "QR-code van de link",
  "device.moved_away": "Je kanalen zijn naar een andere browser verplaatst.",
  "device.moved_away_hint": "Bestaande alerts blijven hier; er komen geen nieuwe binnen.",
  "device.move_title": "Hierheen verplaatsen",
  "device.move_what":
    "Alle abonnementen van de andere browser komen hierheen. De andere browser heeft er daarna geen meer.",
  "device.move_now": "Hierheen verplaatsen",
  "device.moved": { one: "{count} kanaal is hierheen verplaatst.", other: "{count} kanalen zijn hierheen verplaatst." },
  "device.moved_nothing": "Deze link is ongeldig of verlopen. Maak een nieuwe in de andere browser.",
  "own.title": "Dit apparaat koppelen",
  "own.what":
    "Deze link maakt van dit apparaat een testapparaat: het toont concepten die de maker van de link test, voor " +
    "kanalen waarop je geabonneerd bent.",
  "own.careful":
    "Ga alleen door als je de link zelf hebt gemaakt. Kanalen zien dit niet, en je kunt altijd ontkoppelen.",
  "own.link": "Dit apparaat koppelen",
  "own.linked": "Dit apparaat is gekoppeld aan het account van {name}.",
  "own.nothing": "Deze link is ongeldig of verlopen. Maak een nieuwe in de console.",
  "own.card": "Testapparaat",
  "own.of": "Gekoppeld aan het account van {name} om tests van concepten te tonen.",
  "own.unlink": "Ontkoppelen",
  "alert.test": "Test",
  "alert.test_hint": "Een test van een concept, alleen op je testapparaten; verdwijnt vanzelf.",
  "device.remove_hint":
    "Als je het apparaat verwijdert, stoppen al zijn abonnementen. Dit kan niet ongedaan worden gemaakt.",
  "device.remove": "Dit apparaat verwijderen",
  "device.remove_sure": "Opzeggen en verwijderen",
  "device.removed": "Het apparaat is verwijderd. Het heeft geen abonnementen.",
  "device.emptied": "Deze browser heeft de gegevens van de app gewist.",
  "device.emptied_hint": "Je kanalen en alerts staan niet meer op dit apparaat. Abonneer je opnieuw op de kanalen.",
  "inbox.look": "Je postvak is veranderd.",
  "inbox.all": "Alle",
  "inbox.filter_unread": "Ongelezen",
  "inbox.to_confirm": "Te bevestigen",
  "inbox.show": "Tonen",
  "inbox.search": "Zoeken in postvak",
  "inbox.channel": "Kanaal",
  "inbox.every_channel": "Alle kanalen",
  "inbox.mark_read": "Alles als gelezen markeren",
  "inbox.none_such": "Geen overeenkomende alerts.",
  "inbox.empty_title": "Nog geen alerts",
  "inbox.empty_following": "Nieuwe alerts van je kanalen verschijnen hier.",
  "alert.taken_back": "Ingetrokken",
  "alert.was_until": "Was geldig tot: {time}",
  "alert.gone": "Alert niet gevonden",
  "alert.gone_hint":
    "Deze alert staat niet op dit apparaat. Misschien is ze te oud, of ben je niet op het kanaal geabonneerd.",
  "alert.ack_stays": "Rapporten staan uit, dus je bevestiging blijft op dit apparaat.",
  "alert.picture_missing": "De afbeelding kon niet worden geladen.",
  "alert.picture_of": "Afbeelding: {title}",
  "alert.page_missing": "De pagina kon niet worden geladen. Ga online en probeer het opnieuw.",
  "alert.page_of": "Pagina: {title}",
  "alert.show_pictures": "Afbeeldingen tonen",
  "alert.show_pictures_hint": "Andere sites kunnen dan zien dat dit apparaat ze heeft geladen.",
  "alert.recording_at": "Opname van {host}, die kan zien dat dit apparaat ze heeft geladen",
  "channel.out": "Niet geabonneerd",
  "channel.put_out": "Het kanaal heeft het abonnement van dit apparaat beëindigd. Bestaande alerts blijven hier.",
  "channel.muted_hint": "De alerts komen nog binnen, zonder geluid of melding.",
  "channel.leave_hint": "De alerts worden van dit apparaat verwijderd.",
  "channel.leave_sure": "Abonnement op {name} opzeggen",
  "channel.about": "Over het kanaal",
  "channel.place": "Gebied",
  "channel.site": "Website",
  "channel.tags": "Tags",
  "channel.page": "Pagina",
  "channel.page_open": "Openbare kanaalpagina",
  "channel.latest": "Nieuwste alerts",
  "join.asks": "Het vraagt toestemming voor",
  "join.private": "Geen account en geen naam. Het kanaal ziet alleen het aantal abonnees.",
  "discover.search": "Naam of tag",
  "discover.category": "Categorie",
  "discover.every_category": "Alle categorieën",
  "discover.none": "Geen kanalen gevonden",
  "discover.none_hint": "Privékanalen staan niet in de lijst; je krijgt toegang met een uitnodiging.",
  "discover.more": "Meer tonen",
  "category.cities": "Steden",
  "category.travel": "Reizen",
  "category.events": "Evenementen",
  "category.concerts": "Concerten",
  "category.restaurants": "Restaurants",
  "category.hotels": "Hotels",
  "category.business": "Zakelijk",
  "category.ai": "AI",
  "category.sports": "Sport",
  "category.emergency": "Noodgevallen",
  "category.community": "Gemeenschap",
  "settings.elsewhere": "Afbeeldingen en geluiden van andere sites laden",
  "settings.elsewhere_hint":
    "Indien uit, worden ze alleen op verzoek geladen. De andere site kan het IP-adres van dit apparaat zien.",
  "settings.language_browser": "Taal van de browser",
  "scheme.title": "Weergave",
  "scheme.system": "Systeem",
  "scheme.light": "Licht",
  "scheme.dark": "Donker",
  "settings.translation": "Vertaald door het Belfry-project, nog niet nagekeken door moedertaalsprekers.",
  "settings.translation_fix": "Verbetering voorstellen",
  "push.title": "Pushmeldingen",
  "push.hint":
    "De pushdienst van je browser ziet dan wanneer er nieuwe alerts zijn, maar niet de inhoud. Pushmeldingen kunnen " +
    "verloren gaan; de alerts staan toch in het postvak.",
  "push.insecure":
    "Pushmeldingen vereisen https. Houd de app open of vraag de beheerder van deze server om een https-adres.",
  "push.ios": "Installeer de app om meldingen te krijgen.",
  "push.browser": "Deze browser ondersteunt geen pushmeldingen. Houd de app open of gebruik een andere browser.",
  "push.server":
    "Deze server verstuurt geen pushmeldingen. Houd de app open of vraag de beheerder om ze in te schakelen.",
  "push.denied": "Meldingen zijn geblokkeerd voor deze site.",
  "settings.device": "Dit apparaat",
  "settings.device_hint":
    "De dienst kent het alleen als een nummer. Alerts en kanalen staan in deze browser en worden met diens gegevens " +
    "gewist.",
  "settings.device_none": "Het wordt geregistreerd zodra je op een kanaal abonneert of ernaar zoekt.",

  // Inbox
  "inbox.unread": { one: "{count} ongelezen alert", other: "{count} ongelezen alerts" },
  "inbox.new": { one: "{count} nieuw", other: "{count} nieuw" },
  "inbox.spotlight": "Nu",
  "inbox.empty": "Alerts van kanalen die je volgt, verschijnen hier.",
  "inbox.find": "Kanaal zoeken",
  "inbox.nothing_now": "Niets vraagt je aandacht.",
  "inbox.more": "Oudere tonen",
  "alert.urgent": "Dringend",
  "alert.important": "Belangrijk",
  "alert.over": "Verlopen",
  "alert.seen": "Bevestigd",
  "alert.before": "Van vóór je abonnement",
  "alert.dismissed": "Verborgen",
  "alert.dismiss": "Verbergen",
  "alert.bring_back": "Weer tonen onder Nu",
  "alert.unread": "Ongelezen",
  "alert.ack": "Bevestigen",
  "alert.acked_at": "Bevestigd: {time}",
  "alert.ack_waits": "Je bevestiging wordt verstuurd zodra je online bent.",
  "alert.reply_stays": "Rapporten staan uit, dus je antwoord blijft op dit apparaat.",
  "alert.reply_waits": "Je antwoord wordt verstuurd zodra je online bent.",
  "channel.repeats": "Dringende alerts herhalen",
  "channel.repeats_hint":
    "Als het kanaal erom vraagt, tot je bevestigt: alleen als de app open is, binnen één uur, en in stille uren " +
    "alleen als je dat hebt toegestaan.",
  "alert.until": "Tot: {time}",
  "alert.within": "Binnen {distance} van een plaats",
  "alert.within_city": "Binnen {distance} van {city}",
  "alert.source_url": "Lees meer",
  "alert.show_picture": "Afbeelding tonen",
  "alert.show_picture_hint": "Ze wordt geladen van {host}, die kan zien dat dit apparaat erom vroeg.",
  "alert.recording_failed": "De opname kon niet worden afgespeeld.",
  "alert.play": "Geluid afspelen",
  "alert.read_aloud": "Voorlezen",
  "alert.show_all": "Alles tonen",
  "alert.cut": "De eerste {shown} van {all} tekens.",
  "alert.rest_away": "Je bent offline, en alleen het begin van deze tekst staat op dit apparaat.",
  "alert.rest_gone": "De rest is niet meer beschikbaar: het kanaal heeft deze alert verwijderd.",
  "alert.withdrawn": "Ingetrokken door het kanaal, bewaard op dit apparaat.",

  // Network
  "net.offline": "Offline.",
  "net.as_of": "Laatst bijgewerkt: {time}.",
  "net.waiting": {
    one: "{count} rapport wordt verstuurd zodra je online bent.",
    other: "{count} rapporten worden verstuurd zodra je online bent.",
  },
  "net.trouble": "De server is niet bereikbaar. De app probeert het automatisch opnieuw.",

  // Channel
  "channel.subscribe": "Abonneren",
  "channel.subscribed": "Geabonneerd",
  "channel.leave": "Abonnement opzeggen",
  "channel.left": "Je abonnement op {name} is opgezegd.",
  "channel.mute": "Dempen",
  "channel.muted": "Gedempt",
  "channel.unmute": "Dempen opheffen",
  "channel.allows": "Toegestaan op dit apparaat",
  "channel.asks_nothing": "Het vraagt geen toestemming: de alerts verschijnen alleen in het postvak.",
  "channel.not_there": "Kanaal niet gevonden, of je hebt een uitnodiging nodig.",
  "channel.none": "Je hebt nog geen abonnementen.",

  // What leaves the device
  "reports.title": "Rapporten van dit apparaat",
  "reports.on": "Lezen, bevestigen en antwoorden rapporteren",
  "reports.hint":
    "Kanalen zien alleen aantallen. Indien uit, verlaat niets hiervan het apparaat, ook bevestigingen en antwoorden " +
    "niet.",

  // Time
  "time.today": "Vandaag",
  "time.yesterday": "Gisteren",
  "time.day_and_time": "{day} {time}",
};
