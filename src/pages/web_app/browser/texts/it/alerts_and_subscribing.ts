// Italian: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const italianAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Copia testo",
  "text.copied": "Copiato.",
  "text.copy_code": "Copia codice {code}",
  "text.less": "Mostra meno",

  // Searches without a result
  "search.none": "Nessun avviso corrisponde a «{query}».",
  "search.none_from": "Nessun avviso di {channel} corrisponde a «{query}».",
  "search.none_of_channel": "Nessun avviso corrispondente di {channel}.",
  "search.clear": "Cancella ricerca",
  "search.no_channel": "Nessun canale corrisponde a «{query}».",
  "search.no_channel_in": "Nessun canale in «{category}» corrisponde a «{query}».",
  "search.none_in_category": "Nessun canale in «{category}».",

  // A channel
  "channel.settings": "Impostazioni del canale",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Iscriviti e consenti le notifiche",
  "join.silent": "Iscriviti senza notifiche",
  "join.hint": "Disattiva le autorizzazioni che non vuoi concedere. Puoi cambiare idea in qualsiasi momento.",
  "hello.title": "{channel}: le notifiche funzionano",
  "hello.body": "Gli avvisi di questo canale appariranno così.",
  "hello.sent":
    "È stata inviata una notifica di prova. Se non la vedi, controlla le impostazioni delle notifiche del dispositivo.",
  "silent.one": "{channel} non può ancora avvisarti.",
  "silent.why": "Mostra perché",
  "silent.allow": "Consenti le notifiche",
  "push.off": "Le notifiche push sono disattivate.",
  "push.not_allowed": "Questo canale non può ancora avvisarti.",
  "push.asking":
    "Consenti le notifiche quando il browser lo chiede. Se non vedi la domanda, guarda nella barra degli indirizzi.",
  "push.pending": "Attivazione delle notifiche…",
  "push.failed": "Impossibile attivare le notifiche.",
  "push.failed_late": "Controlla la connessione. Forse un firewall o una VPN blocca le notifiche.",
  "push.failed_service": "Controlla la connessione e riprova.",
  "push.failed_private": "Se questa finestra è privata, usane una normale.",
  "push.failed_worker": "La parte in background dell’app non si è avviata. Ricarica questa pagina.",
  "works.certain": "Le notifiche sono attive.",
  "works.depends":
    "Un telefono bloccato suona solo se il volume, la modalità silenziosa e il risparmio energetico lo permettono.",
  "silent.open_sounds": "Gli avvisi suonano solo con l’app aperta.",
  "silent.open_shows": "Gli avvisi compaiono solo con l’app aperta.",
  "push.failed_refused":
    "Questo server non riesce a raggiungere il servizio di notifica del tuo browser. Avvisa la persona che lo " +
    "gestisce.",
  "steps.chromium1": "Seleziona l’icona accanto all’indirizzo della pagina.",
  "steps.chromium2": "Apri le autorizzazioni o le impostazioni del sito e consenti le notifiche.",
  "steps.firefox1": "Seleziona il lucchetto o l’icona delle autorizzazioni accanto all’indirizzo.",
  "steps.firefox2": "Rimuovi il blocco delle notifiche.",
  "steps.safari1": "Apri le impostazioni di Safari e seleziona «Siti web».",
  "steps.safari2": "In «Notifiche», consenti questo sito.",
  "steps.ios1": "Apri l’app Impostazioni e tocca «Notifiche».",
  "steps.ios2": "Tocca {app} e attiva «Consenti notifiche».",
  "steps.home1": "Tocca «Condividi».",
  "steps.home2": "Scegli «Aggiungi alla schermata Home».",
  "steps.home3": "Apri l’app dalla schermata Home e iscriviti da lì.",
  "steps.return": "Torna a questa pagina. Controlla di nuovo da sola.",
  "install.button": "Installa l’app",
  "install.hint": "Si apre poi dalla schermata Home o dal desktop.",

  // Alerts that are put aside
  "alert.archive": "Archivia",
  "alert.unarchive": "Sposta in arrivo",
  "inbox.open": "Vai agli avvisi in arrivo",
  "alert.archived": "Archiviato",
  "alert.snoozed": "Rimandato",
  "alert.normal": "Normale",
  "inbox.archive": "Archivio",
  "inbox.archive_empty": "Qui restano gli avvisi che archivi.",
  "undo.do": "Annulla",
  "undo.dismissed": "Avviso nascosto.",
  "undo.archived": "Avviso archiviato.",
  "undo.unarchived": "Avviso spostato in arrivo.",
  "undo.snoozed": "Avviso rimandato.",
  "undo.unsnoozed": "Promemoria annullato.",
  "snooze.title": "Ricordamelo più tardi",
  "snooze.hour": "Tra 1 ora ({time})",
  "snooze.evening": "Stasera ({time})",
  "snooze.tomorrow": "Domani ({time})",
  "snooze.until": "Promemoria: {time}",
  "snooze.cancel": "Annulla il promemoria",
  "snooze.hint": "Suona di nuovo se l’app è aperta, altrimenti quando la apri.",
  "why.snoozed": "Lo hai rimandato.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Metti in pausa",
  "pause.hour": "Per 1 ora (fino alle {time})",
  "pause.eight": "Per 8 ore (fino alle {time})",
  "pause.tomorrow": "Fino a domani ({time})",
  "pause.until": "In pausa fino a: {time}. I suoi avvisi arrivano ancora, senza suono né notifica.",
  "pause.resume": "Riprendi",
  "pause.paused": "In pausa",
  "why.paused": "Hai messo in pausa questo canale.",
  "quiet.zone":
    "Nel fuso orario di questo dispositivo. Le ore dopo mezzanotte appartengono al giorno prima. Gli avvisi arrivano " +
    "comunque, senza suono.",
  "quiet.days": "In questi giorni",
  "quiet.no_day": "Scegli almeno un giorno.",
  "sounds.title": "Suoni per priorità",
  "sounds.hint":
    "La tua scelta sostituisce il suono dell’avviso, al volume della sua priorità. Gli avvisi silenziosi restano " +
    "silenziosi.",
  "sounds.tone": "Suono",
  "sounds.vibration": "Vibrazione",
  "sounds.of_alert": "Quello dell’avviso",
  "why.chosen_silent": "Hai scelto il silenzio per gli avvisi di questa priorità.",
};
