// Dutch: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const dutchPublicPageTexts: PublicPageTextsWithPlurals<"one" | "other"> = {
  // Frame
  "page.your_alerts": "Je alerts",
  "page.docs": "Documentatie",
  "page.sign_in": "Inloggen",
  "page.translation": "Vertaald door het Belfry-project.",

  // A channel
  "page.push": "Je kunt pushmeldingen toestaan voor als de app gesloten is.",
  "page.push_on_ios": "Instellen op iPhone of iPad",
  "page.push_ios":
    "Op iPhone en iPad vereisen ze de app op het beginscherm: tik op Deel en dan op ‘Zet op beginscherm’.",
  "page.silent": "Geen meldingen als de app gesloten is.",
  "page.paused": "Gepauzeerd.",
  "page.paused_hint": "Het verstuurt geen alerts tot de eigenaar het hervat. Je kunt je toch abonneren.",
  "page.private": "Privé.",
  "page.private_hint":
    "Je ziet deze pagina omdat je bent uitgenodigd. Iedereen met dit adres kan meedoen, dus deel het niet.",
  "page.copy_link": "Link kopiëren",
  "page.no_account": "Geen account, naam of adres nodig: het kanaal ziet alleen het aantal abonnees.",
  "page.perms": "Gevraagde toestemmingen",
  "page.perms_none": "Geen toestemming gevraagd",
  "page.perms_hint": "Je kiest bij het abonneren wat je toestaat. Je kunt dit altijd wijzigen.",
  "page.perm.notify": "Toont een banner als er een alert aankomt.",
  "page.perm.sound": "Speelt een toon of een opname van maximaal {seconds} seconden af.",
  "page.perm.vibrate": "Laat het apparaat kort trillen.",
  "page.perm.tts": "Leest de alert voor met de stem van het apparaat.",
  "page.perm.full": "Alleen voor dringende alerts.",
  "page.perm.loc": "Je apparaat controleert of een alert geldt voor je locatie, die het apparaat nooit verlaat.",
  "page.perm.quiet": "Klinkt ook in je stille uren.",
  "page.newest": "Nieuwste alerts",
  "page.empty": "Nieuwe alerts van dit kanaal verschijnen hier.",
  "page.picture_of_alert": "Afbeelding van deze alert",
  "page.picture_from": "Afbeelding van {host} tonen",
  "page.picture_of_channel": "Afbeelding van het kanaal",
  "page.subscribers_only": "De volledige alert wordt aan abonnees getoond.",
  "page.details": "Details",
  "page.alert_types": "Soorten alerts",
  "page.feeds": "Feeds",
  "page.on_phone": "Openen op je telefoon",
  "page.your_invite": "Je uitnodiging",
  "page.qr_of": "QR-code van het adres van deze pagina",
  "page.without_app": "Deelnemen zonder de webapp",
  "page.without_app_hint":
    "Elke HTTP-client kan alerts ontvangen. Deze opdrachten registreren er een, abonneren op het kanaal en lezen de " +
    "alerts. Zie de {reference} voor details.",
  "page.reference": "API-referentie",

  // The directory
  "page.lede": "Openbare alertkanalen. Zoek er een op naam of tag, en abonneer je op de pagina.",
  "page.search": "Zoeken",
  "page.pages": "Pagina’s",
  "page.back_to_newest": "Terug naar nieuwste",
  "page.more_channels": "Meer kanalen",
  "page.no_channels": "Nog geen openbare kanalen",
  "page.no_channels_hint": "Nieuwe openbare kanalen verschijnen hier.",
  "page.no_match": "Geen openbaar kanaal past bij deze naam of tag.",
  "page.show_all": "Alle kanalen tonen",
  "near.button": "In de buurt",
  "near.hint": "Je locatie wordt alleen op dit apparaat gebruikt en nergens heen gestuurd.",
  "near.inside_one": "Je bent in het gebied",
  "near.away": "{distance} van het gebied",
  "near.locating": "Je locatie wordt bepaald…",
  "near.none": "Geen kanalen met een gebied gevonden.",
  "near.outside": "Je bent niet in het gebied van een kanaal; dichtstbijzijnde eerst.",
  "near.inside": {
    one: "Je bent in het gebied van {count} kanaal; dichtstbijzijnde eerst.",
    other: "Je bent in het gebied van {count} kanalen; dichtstbijzijnde eerst.",
  },
  "near.only_newest": "Alleen de nieuwste kanalen met een gebied zijn bekeken.",
  "near.offline": "De kanalen konden niet worden geladen. Probeer het opnieuw als je online bent.",
  "near.denied": "Je locatie is niet beschikbaar. Sta ze toe in de browserinstellingen of zoek op naam.",

  // Pages that cannot be shown
  "refused.unknown": "Je hebt een uitnodiging nodig",
  "refused.unknown_hint":
    "Geen openbaar kanaal heeft dit adres. Is het kanaal privé, vraag dan om de uitnodigingslink of QR-code. Heb je " +
    "het adres getypt, controleer het dan.",
  "refused.invite": "Deze uitnodiging is niet geldig",
  "refused.invite_hint":
    "Ze kan opgebruikt, verlopen of ingetrokken zijn, of de link is onvolledig. Vraag een nieuwe aan wie ze je gaf.",
  "refused.find": "Openbaar kanaal zoeken",
  "missing.title": "Pagina niet gevonden",
  "missing.hint": "Controleer het adres: de link kan onvolledig zijn.",
  "missing.home": "Naar de startpagina",
  "failed.title": "Verzoek mislukt",
};
