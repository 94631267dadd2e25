// Italian: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const italianPublicPageTexts: PublicPageTextsWithPlurals<"one" | "many" | "other"> = {
  // Frame
  "page.your_alerts": "I tuoi avvisi",
  "page.docs": "Documentazione",
  "page.sign_in": "Accedi",
  "page.translation": "Tradotto dal progetto Belfry.",

  // A channel
  "page.push": "Puoi consentire le notifiche push con l’app chiusa.",
  "page.push_on_ios": "Configura su iPhone o iPad",
  "page.push_ios":
    "Su iPhone e iPad richiedono l’app nella schermata Home: tocca Condividi, poi «Aggiungi alla schermata Home».",
  "page.silent": "Nessuna notifica con l’app chiusa.",
  "page.paused": "In pausa.",
  "page.paused_hint": "Non invia avvisi finché il proprietario non lo riattiva. Puoi iscriverti comunque.",
  "page.private": "Privato.",
  "page.private_hint":
    "Vedi questa pagina perché hai un invito. Chiunque abbia questo indirizzo può entrare, quindi non condividerlo.",
  "page.copy_link": "Copia link",
  "page.no_account": "Senza account, nome o indirizzo: il canale vede solo il numero di iscritti.",
  "page.perms": "Permessi richiesti",
  "page.perms_none": "Nessun permesso richiesto",
  "page.perms_hint": "Scegli quali consentire quando ti iscrivi. Puoi cambiarlo in qualsiasi momento.",
  "page.perm.notify": "Mostra un banner quando arriva un avviso.",
  "page.perm.sound": "Riproduce un tono o una registrazione fino a {seconds} secondi.",
  "page.perm.vibrate": "Fa vibrare brevemente il dispositivo.",
  "page.perm.tts": "Legge l’avviso con la voce del dispositivo.",
  "page.perm.full": "Solo per avvisi urgenti.",
  "page.perm.loc": "Il dispositivo verifica se un avviso vale per la tua posizione, che non lo lascia mai.",
  "page.perm.quiet": "Suona anche nelle tue ore silenziose.",
  "page.newest": "Ultimi avvisi",
  "page.empty": "I nuovi avvisi di questo canale appariranno qui.",
  "page.picture_of_alert": "Immagine di questo avviso",
  "page.picture_from": "Mostra immagine da {host}",
  "page.picture_of_channel": "Immagine del canale",
  "page.subscribers_only": "L’avviso completo è visibile agli iscritti.",
  "page.details": "Dettagli",
  "page.alert_types": "Tipi di avviso",
  "page.feeds": "Feed",
  "page.on_phone": "Apri sul telefono",
  "page.your_invite": "Il tuo invito",
  "page.qr_of": "Codice QR dell’indirizzo di questa pagina",
  "page.without_app": "Entra senza l’app web",
  "page.without_app_hint":
    "Qualsiasi client HTTP può ricevere avvisi. Questi comandi ne registrano uno, lo iscrivono al canale e leggono i " +
    "suoi avvisi. Dettagli nel {reference}.",
  "page.reference": "riferimento dell’API",

  // The directory
  "page.lede": "Canali di avvisi pubblici. Trovane uno per nome o tag e iscriviti nella sua pagina.",
  "page.search": "Cerca",
  "page.pages": "Pagine",
  "page.back_to_newest": "Torna ai più recenti",
  "page.more_channels": "Altri canali",
  "page.no_channels": "Ancora nessun canale pubblico",
  "page.no_channels_hint": "I nuovi canali pubblici appariranno qui.",
  "page.no_match": "Nessun canale pubblico corrisponde per nome o tag.",
  "page.show_all": "Mostra tutti i canali",
  "near.button": "Vicino a me",
  "near.hint": "La posizione viene usata solo su questo dispositivo e non viene inviata.",
  "near.inside_one": "Sei nella sua area",
  "near.away": "A {distance} dalla sua area",
  "near.locating": "Ricerca della posizione…",
  "near.none": "Nessun canale con un’area trovato.",
  "near.outside": "Non sei nell’area di nessun canale; prima i più vicini.",
  "near.inside": {
    one: "Sei nell’area di {count} canale; prima i più vicini.",
    many: "Sei nell’area di {count} di canali; prima i più vicini.",
    other: "Sei nell’area di {count} canali; prima i più vicini.",
  },
  "near.only_newest": "Sono stati controllati solo i canali con area più recenti.",
  "near.offline": "Impossibile caricare i canali. Riprova quando sarai online.",
  "near.denied": "La posizione non è disponibile. Consentila nelle impostazioni del browser o cerca per nome.",

  // Pages that cannot be shown
  "refused.unknown": "Serve un invito",
  "refused.unknown_hint":
    "Nessun canale pubblico ha questo indirizzo. Se il canale è privato, chiedi il link di invito o il codice QR. Se " +
    "hai digitato l’indirizzo, controllalo.",
  "refused.invite": "Questo invito non è valido",
  "refused.invite_hint":
    "Forse è esaurito, scaduto o revocato, oppure il link è incompleto. Chiedine uno nuovo a chi te lo ha dato.",
  "refused.find": "Trova un canale pubblico",
  "missing.title": "Pagina non trovata",
  "missing.hint": "Controlla l’indirizzo: forse il link è incompleto.",
  "missing.home": "Vai alla pagina iniziale",
  "failed.title": "Richiesta non riuscita",
};
