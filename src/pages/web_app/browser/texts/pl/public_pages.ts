// Polish: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const polishPublicPageTexts: PublicPageTextsWithPlurals<"one" | "few" | "many" | "other"> = {
  // Frame
  "page.your_alerts": "Twoje alerty",
  "page.docs": "Dokumentacja",
  "page.sign_in": "Zaloguj się",
  "page.translation": "Przetłumaczone przez projekt Belfry.",

  // A channel
  "page.push": "Możesz zezwolić na powiadomienia push przy zamkniętej aplikacji.",
  "page.push_on_ios": "Skonfiguruj na iPhonie lub iPadzie",
  "page.push_ios":
    "Na iPhonie i iPadzie wymagają aplikacji na ekranie początkowym: stuknij Udostępnij, a potem „Do ekranu " +
    "początkowego”.",
  "page.silent": "Brak powiadomień przy zamkniętej aplikacji.",
  "page.paused": "Wstrzymany.",
  "page.paused_hint": "Nie wysyła alertów, dopóki właściciel go nie wznowi. Mimo to możesz go zasubskrybować.",
  "page.private": "Prywatny.",
  "page.private_hint":
    "Widzisz tę stronę dzięki zaproszeniu. Każdy, kto zna ten adres, może dołączyć, więc go nie udostępniaj.",
  "page.copy_link": "Kopiuj link",
  "page.no_account": "Bez konta, nazwiska i adresu: kanał widzi tylko liczbę subskrybentów.",
  "page.perms": "Potrzebne zgody",
  "page.perms_none": "Nie prosi o zgody",
  "page.perms_hint": "Podczas subskrypcji wybierasz, na co pozwalasz. Możesz to zmienić w każdej chwili.",
  "page.perm.notify": "Pokazuje baner, gdy nadchodzi alert.",
  "page.perm.sound": "Odtwarza sygnał lub nagranie do {seconds} s.",
  "page.perm.vibrate": "Krótko wibruje.",
  "page.perm.tts": "Odczytuje alert głosem urządzenia.",
  "page.perm.full": "Tylko dla pilnych alertów.",
  "page.perm.loc": "Urządzenie sprawdza, czy alert dotyczy Twojej lokalizacji, która nigdy go nie opuszcza.",
  "page.perm.quiet": "Dzwoni nawet w godzinach ciszy.",
  "page.newest": "Najnowsze alerty",
  "page.empty": "Nowe alerty z tego kanału pojawią się tutaj.",
  "page.picture_of_alert": "Obraz tego alertu",
  "page.picture_from": "Pokaż obraz z {host}",
  "page.picture_of_channel": "Obraz kanału",
  "page.subscribers_only": "Pełny alert widzą subskrybenci.",
  "page.details": "Szczegóły",
  "page.alert_types": "Rodzaje alertów",
  "page.feeds": "Kanały RSS",
  "page.on_phone": "Otwórz w telefonie",
  "page.your_invite": "Twoje zaproszenie",
  "page.qr_of": "Kod QR adresu tej strony",
  "page.without_app": "Dołącz bez aplikacji webowej",
  "page.without_app_hint":
    "Każdy klient HTTP może odbierać alerty. Te polecenia rejestrują go, dołączają do kanału i czytają alerty. " +
    "Szczegóły: {reference}.",
  "page.reference": "dokumentacja API",

  // The directory
  "page.lede": "Publiczne kanały alertów. Znajdź kanał po nazwie lub tagu i zasubskrybuj go na jego stronie.",
  "page.search": "Szukaj",
  "page.pages": "Strony",
  "page.back_to_newest": "Wróć do najnowszych",
  "page.more_channels": "Więcej kanałów",
  "page.no_channels": "Brak publicznych kanałów",
  "page.no_channels_hint": "Nowe publiczne kanały pojawią się tutaj.",
  "page.no_match": "Żaden publiczny kanał nie pasuje nazwą ani tagiem.",
  "page.show_all": "Pokaż wszystkie kanały",
  "near.button": "W pobliżu",
  "near.hint": "Lokalizacja jest używana tylko na tym urządzeniu i nigdzie nie jest wysyłana.",
  "near.inside_one": "Jesteś w jego obszarze",
  "near.away": "{distance} od jego obszaru",
  "near.locating": "Ustalanie lokalizacji…",
  "near.none": "Nie znaleziono kanałów z obszarem.",
  "near.outside": "Nie jesteś w obszarze żadnego kanału; najbliższe na początku.",
  "near.inside": {
    one: "Jesteś w obszarze {count} kanału; najbliższe na początku.",
    few: "Jesteś w obszarze {count} kanałów; najbliższe na początku.",
    many: "Jesteś w obszarze {count} kanałów; najbliższe na początku.",
    other: "Jesteś w obszarze {count} kanału; najbliższe na początku.",
  },
  "near.only_newest": "Sprawdzono tylko najnowsze kanały z obszarem.",
  "near.offline": "Nie udało się załadować kanałów. Spróbuj ponownie, gdy będziesz online.",
  "near.denied": "Lokalizacja jest niedostępna. Zezwól na nią w ustawieniach przeglądarki lub szukaj po nazwie.",

  // Pages that cannot be shown
  "refused.unknown": "Potrzebujesz zaproszenia",
  "refused.unknown_hint":
    "Żaden publiczny kanał nie ma tego adresu. Jeśli kanał jest prywatny, poproś o link z zaproszeniem lub kod QR. " +
    "Jeśli adres wpisano ręcznie, sprawdź go.",
  "refused.invite": "To zaproszenie jest nieważne",
  "refused.invite_hint":
    "Mogło zostać wykorzystane, wygasnąć lub zostać cofnięte albo link jest niepełny. Poproś o nowe osobę, od której " +
    "je masz.",
  "refused.find": "Znajdź publiczny kanał",
  "missing.title": "Nie znaleziono strony",
  "missing.hint": "Sprawdź adres: link może być niepełny.",
  "missing.home": "Przejdź do strony głównej",
  "failed.title": "Żądanie nie powiodło się",
};
