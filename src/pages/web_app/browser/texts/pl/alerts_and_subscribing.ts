// Polish: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const polishAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Kopiuj tekst",
  "text.copied": "Skopiowano.",
  "text.copy_code": "Kopiuj kod {code}",
  "text.less": "Pokaż mniej",

  // Searches without a result
  "search.none": "Brak alertów pasujących do „{query}”.",
  "search.none_from": "Brak alertów pasujących do „{query}” w kanale {channel}.",
  "search.none_of_channel": "Brak pasujących alertów w kanale {channel}.",
  "search.clear": "Wyczyść wyszukiwanie",
  "search.no_channel": "Brak kanałów pasujących do „{query}”.",
  "search.no_channel_in": "Brak kanałów pasujących do „{query}” w kategorii „{category}”.",
  "search.none_in_category": "Brak kanałów w kategorii „{category}”.",

  // A channel
  "channel.settings": "Ustawienia kanału",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Subskrybuj z powiadomieniami",
  "join.silent": "Subskrybuj bez powiadomień",
  "join.hint": "Wyłącz uprawnienia, których nie chcesz nadać. Możesz to zmienić w każdej chwili.",
  "hello.title": "{channel}: powiadomienia działają",
  "hello.body": "Tak będą wyglądać alerty tego kanału.",
  "hello.sent": "Wysłano powiadomienie testowe. Jeśli go nie widzisz, sprawdź ustawienia powiadomień urządzenia.",
  "silent.one": "{channel} nie może cię jeszcze powiadamiać.",
  "silent.why": "Pokaż dlaczego",
  "silent.allow": "Zezwól na powiadomienia",
  "push.off": "Powiadomienia push są wyłączone.",
  "push.not_allowed": "Ten kanał nie może cię jeszcze powiadamiać.",
  "push.asking": "Zezwól na powiadomienia, gdy zapyta przeglądarka. Jeśli nie widzisz pytania, spójrz na pasek adresu.",
  "push.pending": "Włączanie powiadomień…",
  "push.failed": "Nie udało się włączyć powiadomień.",
  "push.failed_late": "Sprawdź połączenie. Powiadomienia może blokować zapora lub VPN.",
  "push.failed_service": "Sprawdź połączenie i spróbuj ponownie.",
  "push.failed_private": "Jeśli to okno prywatne, użyj zwykłego.",
  "push.failed_worker": "Część aplikacji działająca w tle nie uruchomiła się. Odśwież tę stronę.",
  "works.certain": "Powiadomienia są włączone.",
  "works.depends":
    "Zablokowany telefon wyda dźwięk tylko wtedy, gdy pozwolą na to głośność, tryb cichy i oszczędzanie baterii.",
  "silent.open_sounds": "Alerty wydają dźwięk tylko wtedy, gdy aplikacja jest otwarta.",
  "silent.open_shows": "Alerty pojawiają się tylko wtedy, gdy aplikacja jest otwarta.",
  "push.failed_refused":
    "Ten serwer nie może połączyć się z usługą powiadomień przeglądarki. Powiadom osobę, która go prowadzi.",
  "steps.chromium1": "Wybierz ikonę obok adresu strony.",
  "steps.chromium2": "Otwórz uprawnienia lub ustawienia witryny i zezwól na powiadomienia.",
  "steps.firefox1": "Wybierz kłódkę lub ikonę uprawnień obok adresu.",
  "steps.firefox2": "Usuń blokadę powiadomień.",
  "steps.safari1": "Otwórz ustawienia Safari i wybierz „Witryny”.",
  "steps.safari2": "W sekcji „Powiadomienia” zezwól tej witrynie.",
  "steps.ios1": "Otwórz aplikację Ustawienia i stuknij „Powiadomienia”.",
  "steps.ios2": "Stuknij {app} i włącz „Pozwalaj na powiadomienia”.",
  "steps.home1": "Stuknij „Udostępnij”.",
  "steps.home2": "Wybierz „Do ekranu początkowego”.",
  "steps.home3": "Otwórz aplikację z ekranu początkowego i tam zasubskrybuj.",
  "steps.return": "Wróć na tę stronę. Sama sprawdzi ponownie.",
  "install.button": "Zainstaluj aplikację",
  "install.hint": "Otworzysz ją wtedy z ekranu głównego lub pulpitu.",

  // Alerts that are put aside
  "alert.archive": "Archiwizuj",
  "alert.unarchive": "Przenieś do odebranych",
  "inbox.open": "Przejdź do odebranych",
  "alert.archived": "Zarchiwizowany",
  "alert.snoozed": "Odłożony",
  "alert.normal": "Zwykły",
  "inbox.archive": "Archiwum",
  "inbox.archive_empty": "Tu pozostają zarchiwizowane alerty.",
  "undo.do": "Cofnij",
  "undo.dismissed": "Alert ukryty.",
  "undo.archived": "Alert zarchiwizowany.",
  "undo.unarchived": "Alert przeniesiony do odebranych.",
  "undo.snoozed": "Alert odłożony.",
  "undo.unsnoozed": "Przypomnienie anulowane.",
  "snooze.title": "Przypomnij później",
  "snooze.hour": "Za 1 godzinę ({time})",
  "snooze.evening": "Dziś wieczorem ({time})",
  "snooze.tomorrow": "Jutro ({time})",
  "snooze.until": "Przypomnienie: {time}",
  "snooze.cancel": "Anuluj przypomnienie",
  "snooze.hint": "Zadzwoni ponownie, gdy aplikacja jest otwarta, a w innym razie po jej otwarciu.",
  "why.snoozed": "Alert został odłożony.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Wstrzymaj",
  "pause.hour": "Na 1 godzinę (do {time})",
  "pause.eight": "Na 8 godzin (do {time})",
  "pause.tomorrow": "Do jutra ({time})",
  "pause.until": "Wstrzymany do: {time}. Jego alerty nadal przychodzą, bez dźwięku i powiadomień.",
  "pause.resume": "Wznów",
  "pause.paused": "Wstrzymany",
  "why.paused": "Ten kanał jest wstrzymany.",
  "quiet.zone":
    "W strefie czasowej tego urządzenia. Godziny po północy należą do poprzedniego dnia. Alerty przychodzą, ale bez " +
    "dźwięku.",
  "quiet.days": "W te dni",
  "quiet.no_day": "Wybierz co najmniej jeden dzień.",
  "sounds.title": "Dźwięki według priorytetu",
  "sounds.hint": "Twój wybór zastępuje dźwięk alertu, z głośnością jego priorytetu. Ciche alerty pozostają ciche.",
  "sounds.tone": "Dźwięk",
  "sounds.vibration": "Wibracja",
  "sounds.of_alert": "Z alertu",
  "why.chosen_silent": "Dla alertów o tym priorytecie wybrano ciszę.",
};
