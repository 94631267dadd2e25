// Swedish: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const swedishPublicPageTexts: PublicPageTextsWithPlurals<"one" | "other"> = {
  // Frame
  "page.your_alerts": "Dina larm",
  "page.docs": "Dokumentation",
  "page.sign_in": "Logga in",
  "page.translation": "Översatt av Belfry-projektet.",

  // A channel
  "page.push": "Du kan tillåta push-notiser när appen är stängd.",
  "page.push_on_ios": "Ställ in på iPhone eller iPad",
  "page.push_ios":
    "På iPhone och iPad kräver de appen på hemskärmen: tryck på Dela och sedan ”Lägg till på hemskärmen”.",
  "page.silent": "Inga notiser när appen är stängd.",
  "page.paused": "Pausad.",
  "page.paused_hint": "Den skickar inga larm förrän ägaren återupptar den. Du kan prenumerera ändå.",
  "page.private": "Privat.",
  "page.private_hint": "Du ser sidan eftersom du är inbjuden. Alla med adressen kan gå med, så dela den inte.",
  "page.copy_link": "Kopiera länk",
  "page.no_account": "Inget konto, namn eller adress behövs: kanalen ser bara antalet prenumeranter.",
  "page.perms": "Begärda tillåtelser",
  "page.perms_none": "Inga tillåtelser begärs",
  "page.perms_hint": "Du väljer vad du tillåter när du prenumererar. Du kan ändra det när som helst.",
  "page.perm.notify": "Visar en banderoll när ett larm kommer.",
  "page.perm.sound": "Spelar en ton eller en inspelning på högst {seconds} sekunder.",
  "page.perm.vibrate": "Låter enheten vibrera kort.",
  "page.perm.tts": "Läser upp larmet med enhetens röst.",
  "page.perm.full": "Bara för brådskande larm.",
  "page.perm.loc": "Enheten kontrollerar om ett larm gäller din plats, som aldrig lämnar enheten.",
  "page.perm.quiet": "Ljuder även under dina tysta timmar.",
  "page.newest": "Senaste larm",
  "page.empty": "Nya larm från kanalen visas här.",
  "page.picture_of_alert": "Larmets bild",
  "page.picture_from": "Visa bild från {host}",
  "page.picture_of_channel": "Kanalens bild",
  "page.subscribers_only": "Hela larmet visas för prenumeranter.",
  "page.details": "Detaljer",
  "page.alert_types": "Typer av larm",
  "page.feeds": "Flöden",
  "page.on_phone": "Öppna i telefonen",
  "page.your_invite": "Din inbjudan",
  "page.qr_of": "QR-kod för sidans adress",
  "page.without_app": "Gå med utan webbappen",
  "page.without_app_hint":
    "Alla HTTP-klienter kan ta emot larm. Kommandona registrerar en, ansluter den till kanalen och läser larmen. Se " +
    "{reference} för detaljer.",
  "page.reference": "API-referensen",

  // The directory
  "page.lede": "Offentliga larmkanaler. Hitta en med namn eller tagg, och prenumerera på dess sida.",
  "page.search": "Sök",
  "page.pages": "Sidor",
  "page.back_to_newest": "Tillbaka till nyaste",
  "page.more_channels": "Fler kanaler",
  "page.no_channels": "Inga offentliga kanaler ännu",
  "page.no_channels_hint": "Nya offentliga kanaler visas här.",
  "page.no_match": "Ingen offentlig kanal matchar med namn eller tagg.",
  "page.show_all": "Visa alla kanaler",
  "near.button": "Nära mig",
  "near.hint": "Din plats används bara på enheten och skickas inte någonstans.",
  "near.inside_one": "Du är i området",
  "near.away": "{distance} från området",
  "near.locating": "Hämtar din plats…",
  "near.none": "Inga kanaler med område hittades.",
  "near.outside": "Du är inte i någon kanals område; närmaste först.",
  "near.inside": {
    one: "Du är i området för {count} kanal; närmaste först.",
    other: "Du är i området för {count} kanaler; närmaste först.",
  },
  "near.only_newest": "Bara de nyaste kanalerna med område kontrollerades.",
  "near.offline": "Kanalerna kunde inte laddas. Försök igen när du är online.",
  "near.denied": "Din plats är inte tillgänglig. Tillåt den i webbläsarens inställningar, eller sök på namn.",

  // Pages that cannot be shown
  "refused.unknown": "Du behöver en inbjudan",
  "refused.unknown_hint":
    "Ingen offentlig kanal har adressen. Om kanalen är privat, be om dess inbjudningslänk eller QR-kod. Om du skrev " +
    "adressen, kontrollera den.",
  "refused.invite": "Inbjudan är inte giltig",
  "refused.invite_hint":
    "Den kan vara förbrukad, utgången eller återkallad, eller så är länken ofullständig. Be den som gav dig den om " +
    "en ny.",
  "refused.find": "Hitta en offentlig kanal",
  "missing.title": "Sidan hittades inte",
  "missing.hint": "Kontrollera adressen: länken kan vara ofullständig.",
  "missing.home": "Gå till startsidan",
  "failed.title": "Begäran misslyckades",
};
