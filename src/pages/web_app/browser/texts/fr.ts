// French. The reader is addressed as "vous". A no-break space is before ":", ";", "?", "!" and inside "« »".
// Our own translation: docs/contributing/translations.md says how to correct it.

import { frenchAlertsAndSubscribingTexts } from "./fr/alerts_and_subscribing.ts";
import { frenchSoundAndPermissionTexts } from "./fr/sounds_and_permissions.ts";
import type { AppTextsWithPlurals } from "./text_types.ts";

export const fr: AppTextsWithPlurals<"one" | "many" | "other"> = {
  ...frenchSoundAndPermissionTexts,
  ...frenchAlertsAndSubscribingTexts,
  // Frame
  "app.name": "Belfry",
  "app.skip": "Aller au contenu",
  "app.new_version": "Une nouvelle version est disponible.",
  "app.reload": "Mettre à jour",
  "nav.inbox": "Réception",
  "nav.channels": "Canaux",
  "nav.discover": "Découvrir",
  "nav.settings": "Réglages",

  // Acts that many places have
  "do.again": "Réessayer",
  "do.back": "Retour",
  "do.cancel": "Annuler",
  "do.close": "Fermer",
  "do.open": "Ouvrir",

  // Frame, what only the app says
  "app.loading": "Chargement…",
  "app.chosen": "Détails",
  "app.choose": "Choisissez une alerte pour la lire.",
  "app.choose_channel": "Choisissez un canal pour voir ses alertes.",
  "silent.some": {
    one: "{count} canal ne peut pas encore vous alerter.",
    many: "{count} de canaux ne peuvent pas encore vous alerter.",
    other: "{count} canaux ne peuvent pas encore vous alerter.",
  },
  "app.no_store":
    "Ce navigateur bloque le stockage pour cette page : les alertes ne peuvent pas être enregistrées. Autorisez le " +
    "stockage ou quittez la navigation privée.",
  "device.refused": "Cet appareil n’est plus enregistré.",
  "device.refused_hint":
    "Il est peut-être resté trop longtemps hors ligne. Les alertes présentes restent ici, aucune nouvelle n’arrive.",
  "device.again": "Enregistrer à nouveau",
  "device.again_done": "Cet appareil a rejoint ses canaux.",
  "device.again_some": "Canaux rejoints, sauf ceux-ci, qui demandent une nouvelle invitation : {names}",
  "device.file_hint":
    "Le fichier contient vos canaux et aucun secret ; les canaux privés demandent une nouvelle invitation.",
  "device.save": "Exporter mes canaux",
  "device.open": "Importer un fichier",
  "device.no_file": "Ce fichier n’a pas été exporté par cette application.",
  "device.read": {
    one: "Vous êtes abonné à {count} canal du fichier.",
    many: "Vous êtes abonné à {count} de canaux du fichier.",
    other: "Vous êtes abonné à {count} canaux du fichier.",
  },
  "device.read_some": {
    one: "Vous êtes abonné à {count} canal du fichier. Ceux-ci n’existent plus ou demandent une invitation : {names}",
    many:
      "Vous êtes abonné à {count} de canaux du fichier. Ceux-ci n’existent plus ou demandent une invitation : " +
      "{names}",
    other:
      "Vous êtes abonné à {count} canaux du fichier. Ceux-ci n’existent plus ou demandent une invitation : {names}",
  },
  "device.move_hint":
    "Un lien transfère tout, y compris les canaux privés et vos alertes lues et confirmées. Il fonctionne une fois, " +
    "pendant {minutes} minutes.",
  "device.move": "Transférer vers un autre navigateur",
  "device.link": "Ouvrez ce lien dans l’autre navigateur",
  "device.copy": "Copier",
  "device.copied": "Lien copié.",
  "device.share": "Partager",
  "device.code": "Code QR du lien",
  "device.moved_away": "Vos canaux ont été transférés vers un autre navigateur.",
  "device.moved_away_hint": "Les alertes présentes restent ici, aucune nouvelle n’arrive.",
  "device.move_title": "Transférer ici",
  "device.move_what":
    "Tous les abonnements de l’autre navigateur sont transférés ici. L’autre navigateur n’en a plus ensuite.",
  "device.move_now": "Transférer ici",
  "device.moved": {
    one: "{count} canal a été transféré ici.",
    many: "{count} de canaux ont été transférés ici.",
    other: "{count} canaux ont été transférés ici.",
  },
  "device.moved_nothing": "Ce lien n’est pas valide ou a expiré. Créez-en un nouveau dans l’autre navigateur.",
  "own.title": "Associer cet appareil",
  "own.what":
    "Ce lien fait de cet appareil un appareil de test : il affiche les brouillons que le créateur du lien teste, " +
    "pour les canaux auxquels vous êtes abonné.",
  "own.careful":
    "Continuez seulement si vous avez créé ce lien vous-même. Les canaux ne le voient pas, et vous pouvez dissocier " +
    "l’appareil à tout moment.",
  "own.link": "Associer cet appareil",
  "own.linked": "Cet appareil est associé au compte de {name}.",
  "own.nothing": "Ce lien n’est pas valide ou a expiré. Créez-en un nouveau dans la console.",
  "own.card": "Appareil de test",
  "own.of": "Associé au compte de {name} pour afficher les tests de brouillons.",
  "own.unlink": "Dissocier",
  "alert.test": "Test",
  "alert.test_hint": "Test d’un brouillon, visible seulement sur vos appareils de test et supprimé automatiquement.",
  "device.remove_hint": "Retirer l’appareil met fin à tous ses abonnements. Cette action est irréversible.",
  "device.remove": "Retirer cet appareil",
  "device.remove_sure": "Se désabonner et retirer",
  "device.removed": "L’appareil a été retiré. Il n’a plus d’abonnement.",
  "device.emptied": "Ce navigateur a supprimé les données de l’application.",
  "device.emptied_hint": "Vos canaux et alertes ne sont plus sur cet appareil. Abonnez-vous de nouveau aux canaux.",
  "inbox.look": "Votre boîte de réception a changé.",
  "inbox.all": "Toutes",
  "inbox.filter_unread": "Non lues",
  "inbox.to_confirm": "À confirmer",
  "inbox.show": "Afficher",
  "inbox.search": "Rechercher dans la réception",
  "inbox.channel": "Canal",
  "inbox.every_channel": "Tous les canaux",
  "inbox.mark_read": "Tout marquer comme lu",
  "inbox.none_such": "Aucune alerte correspondante.",
  "inbox.empty_title": "Aucune alerte pour l’instant",
  "inbox.empty_following": "Les nouvelles alertes de vos canaux apparaîtront ici.",
  "alert.taken_back": "Retirée",
  "alert.was_until": "Valable jusqu’à : {time}",
  "alert.gone": "Alerte introuvable",
  "alert.gone_hint":
    "Cette alerte n’est pas sur cet appareil. Elle est peut-être trop ancienne, ou vous n’êtes pas abonné à son canal.",
  "alert.ack_stays": "Les rapports sont désactivés : votre confirmation reste sur cet appareil.",
  "alert.picture_missing": "L’image n’a pas pu être chargée.",
  "alert.picture_of": "Image : {title}",
  "alert.page_missing": "La page n’a pas pu être chargée. Connectez-vous et réessayez.",
  "alert.page_of": "Page : {title}",
  "alert.show_pictures": "Afficher les images",
  "alert.show_pictures_hint": "D’autres sites pourront voir que cet appareil les a chargées.",
  "alert.recording_at": "Enregistrement de {host}, qui peut voir que cet appareil l’a chargé",
  "channel.out": "Non abonné",
  "channel.put_out": "Le canal a désabonné cet appareil. Les alertes présentes restent ici.",
  "channel.muted_hint": "Ses alertes arrivent toujours, sans son ni notification.",
  "channel.leave_hint": "Ses alertes sont supprimées de cet appareil.",
  "channel.leave_sure": "Se désabonner de {name}",
  "channel.about": "À propos",
  "channel.place": "Zone",
  "channel.site": "Site web",
  "channel.tags": "Étiquettes",
  "channel.page": "Page",
  "channel.page_open": "Page publique du canal",
  "channel.latest": "Dernières alertes",
  "join.asks": "Il demande l’autorisation de",
  "join.private": "Ni compte ni nom. Le canal voit seulement le nombre d’abonnés.",
  "discover.search": "Nom ou étiquette",
  "discover.category": "Catégorie",
  "discover.every_category": "Toutes les catégories",
  "discover.none": "Aucun canal trouvé",
  "discover.none_hint": "Les canaux privés ne sont pas listés ; rejoignez-les avec une invitation.",
  "discover.more": "Afficher plus",
  "category.cities": "Villes",
  "category.travel": "Voyages",
  "category.events": "Événements",
  "category.concerts": "Concerts",
  "category.restaurants": "Restaurants",
  "category.hotels": "Hôtels",
  "category.business": "Entreprises",
  "category.ai": "IA",
  "category.sports": "Sports",
  "category.emergency": "Urgences",
  "category.community": "Communauté",
  "settings.elsewhere": "Charger les images et sons d’autres sites",
  "settings.elsewhere_hint":
    "Si désactivé, chacun est chargé seulement à votre demande. L’autre site peut voir l’adresse IP de cet appareil.",
  "settings.language_browser": "Langue du navigateur",
  "scheme.title": "Apparence",
  "scheme.system": "Système",
  "scheme.light": "Clair",
  "scheme.dark": "Sombre",
  "settings.translation": "Traduit par le projet Belfry, pas encore relu par des locuteurs natifs.",
  "settings.translation_fix": "Proposer une correction",
  "push.title": "Notifications push",
  "push.hint":
    "Le service push de votre navigateur voit alors quand il y a de nouvelles alertes, mais pas leur contenu. Les " +
    "notifications push peuvent se perdre ; les alertes restent dans la réception.",
  "push.insecure":
    "Les notifications push exigent https. Gardez l’application ouverte, ou demandez une adresse https à l’opérateur " +
    "de ce serveur.",
  "push.ios": "Installez l’application pour recevoir des notifications.",
  "push.browser":
    "Ce navigateur ne prend pas en charge les notifications push. Gardez l’application ouverte ou utilisez un autre " +
    "navigateur.",
  "push.server":
    "Ce serveur n’envoie pas de notifications push. Gardez l’application ouverte, ou demandez à son opérateur de les " +
    "activer.",
  "push.denied": "Les notifications sont bloquées pour ce site.",
  "settings.device": "Cet appareil",
  "settings.device_hint":
    "Le service l’identifie seulement par un numéro. Les alertes et canaux sont stockés dans ce navigateur et " +
    "supprimés avec ses données.",
  "settings.device_none": "Il est enregistré dès que vous vous abonnez à un canal ou en cherchez un.",

  // Inbox
  "inbox.unread": {
    one: "{count} alerte non lue",
    many: "{count} d’alertes non lues",
    other: "{count} alertes non lues",
  },
  "inbox.new": { one: "{count} nouvelle", many: "{count} de nouvelles", other: "{count} nouvelles" },
  "inbox.spotlight": "Maintenant",
  "inbox.empty": "Les alertes des canaux que vous suivez apparaissent ici.",
  "inbox.find": "Trouver un canal",
  "inbox.nothing_now": "Rien ne demande votre attention.",
  "inbox.more": "Afficher les plus anciennes",
  "alert.urgent": "Urgent",
  "alert.important": "Important",
  "alert.over": "Expirée",
  "alert.seen": "Confirmée",
  "alert.before": "Avant votre abonnement",
  "alert.dismissed": "Masquée",
  "alert.dismiss": "Masquer",
  "alert.bring_back": "Réafficher sous Maintenant",
  "alert.unread": "Non lue",
  "alert.ack": "Confirmer",
  "alert.acked_at": "Confirmée : {time}",
  "alert.ack_waits": "Votre confirmation sera envoyée quand vous serez en ligne.",
  "alert.reply_stays": "Les rapports sont désactivés : votre réponse reste sur cet appareil.",
  "alert.reply_waits": "Votre réponse sera envoyée quand vous serez en ligne.",
  "channel.repeats": "Répéter les alertes urgentes",
  "channel.repeats_hint":
    "Si le canal le demande, jusqu’à votre confirmation : seulement quand l’application est ouverte, pendant une " +
    "heure, et pendant les heures calmes seulement si vous l’avez autorisé.",
  "alert.until": "Jusqu’à : {time}",
  "alert.within": "À moins de {distance} d’un lieu",
  "alert.within_city": "À moins de {distance} de {city}",
  "alert.source_url": "En savoir plus",
  "alert.show_picture": "Afficher l’image",
  "alert.show_picture_hint": "Elle est chargée depuis {host}, qui peut voir que cet appareil l’a demandée.",
  "alert.recording_failed": "L’enregistrement n’a pas pu être lu.",
  "alert.play": "Écouter le son",
  "alert.read_aloud": "Lire à voix haute",
  "alert.show_all": "Tout afficher",
  "alert.cut": "Affichage des {shown} premiers caractères sur {all}.",
  "alert.rest_away": "Vous êtes hors ligne, et seul le début de ce texte est sur cet appareil.",
  "alert.rest_gone": "La suite n’est plus disponible : le canal a supprimé cette alerte.",
  "alert.withdrawn": "Retirée par le canal, conservée sur cet appareil.",

  // Network
  "net.offline": "Hors ligne.",
  "net.as_of": "Dernière mise à jour : {time}.",
  "net.waiting": {
    one: "{count} rapport sera envoyé quand vous serez en ligne.",
    many: "{count} de rapports seront envoyés quand vous serez en ligne.",
    other: "{count} rapports seront envoyés quand vous serez en ligne.",
  },
  "net.trouble": "Le serveur est injoignable. L’application réessaiera automatiquement.",

  // Channel
  "channel.subscribe": "S’abonner",
  "channel.subscribed": "Abonné",
  "channel.leave": "Se désabonner",
  "channel.left": "Vous êtes désabonné de {name}.",
  "channel.mute": "Couper le son",
  "channel.muted": "Muet",
  "channel.unmute": "Rétablir le son",
  "channel.allows": "Autorisé sur cet appareil",
  "channel.asks_nothing": "Il ne demande aucune autorisation : ses alertes apparaissent seulement dans la réception.",
  "channel.not_there": "Canal introuvable, ou une invitation est nécessaire.",
  "channel.none": "Vous n’avez pas encore d’abonnement.",

  // What leaves the device
  "reports.title": "Rapports de cet appareil",
  "reports.on": "Signaler lectures, confirmations et réponses",
  "reports.hint":
    "Les canaux voient seulement des nombres. Si désactivé, rien de tout cela ne quitte l’appareil, ni confirmations " +
    "ni réponses.",

  // Time
  "time.today": "Aujourd’hui",
  "time.yesterday": "Hier",
  "time.day_and_time": "{day}, {time}",
};
