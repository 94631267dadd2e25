// French: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const frenchAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Copier le texte",
  "text.copied": "Copié.",
  "text.copy_code": "Copier le code {code}",
  "text.less": "Afficher moins",

  // Searches without a result
  "search.none": "Aucune alerte ne correspond à « {query} ».",
  "search.none_from": "Aucune alerte de {channel} ne correspond à « {query} ».",
  "search.none_of_channel": "Aucune alerte correspondante de {channel}.",
  "search.clear": "Effacer la recherche",
  "search.no_channel": "Aucun canal ne correspond à « {query} ».",
  "search.no_channel_in": "Aucun canal de « {category} » ne correspond à « {query} ».",
  "search.none_in_category": "Aucun canal dans « {category} ».",

  // A channel
  "channel.settings": "Réglages du canal",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "S’abonner avec notifications",
  "join.silent": "S’abonner sans notifications",
  "join.hint":
    "Désactivez les autorisations que vous ne souhaitez pas accorder. Vous pouvez changer d’avis à tout moment.",
  "hello.title": "{channel} : les notifications fonctionnent",
  "hello.body": "Les alertes de ce canal s’afficheront ainsi.",
  "hello.sent":
    "Une notification de test a été envoyée. Si vous ne la voyez pas, vérifiez les réglages de notification de " +
    "l’appareil.",
  "silent.one": "{channel} ne peut pas encore vous alerter.",
  "silent.why": "Voir pourquoi",
  "silent.allow": "Autoriser les notifications",
  "push.off": "Les notifications push sont désactivées.",
  "push.not_allowed": "Ce canal ne peut pas encore vous alerter.",
  "push.asking":
    "Autorisez les notifications quand le navigateur le demande. Si vous ne voyez pas la question, regardez la barre " +
    "d’adresse.",
  "push.pending": "Activation des notifications…",
  "push.failed": "Échec de l’activation des notifications.",
  "push.failed_late": "Vérifiez la connexion. Un pare-feu ou un VPN bloque peut-être les notifications.",
  "push.failed_service": "Vérifiez la connexion et réessayez.",
  "push.failed_private": "Si cette fenêtre est privée, utilisez une fenêtre normale.",
  "push.failed_worker": "La partie de l’application en arrière-plan n’a pas démarré. Rechargez cette page.",
  "works.certain": "Les notifications sont activées.",
  "works.depends":
    "Un téléphone verrouillé ne sonne que si son volume, le mode silencieux et l’économiseur de batterie le " +
    "permettent.",
  "silent.open_sounds": "Les alertes sonnent seulement quand l’application est ouverte.",
  "silent.open_shows": "Les alertes apparaissent seulement quand l’application est ouverte.",
  "push.failed_refused":
    "Ce serveur ne peut pas joindre le service de notification de votre navigateur. Prévenez la personne qui le gère.",
  "steps.chromium1": "Sélectionnez l’icône à côté de l’adresse de la page.",
  "steps.chromium2": "Ouvrez les autorisations ou les paramètres du site, et autorisez les notifications.",
  "steps.firefox1": "Sélectionnez le cadenas ou l’icône des autorisations à côté de l’adresse.",
  "steps.firefox2": "Retirez le blocage des notifications.",
  "steps.safari1": "Ouvrez les réglages de Safari et sélectionnez « Sites web ».",
  "steps.safari2": "Sous « Notifications », autorisez ce site.",
  "steps.ios1": "Ouvrez l’application Réglages et touchez « Notifications ».",
  "steps.ios2": "Touchez {app} et activez « Autoriser les notifications ».",
  "steps.home1": "Touchez « Partager ».",
  "steps.home2": "Choisissez « Sur l’écran d’accueil ».",
  "steps.home3": "Ouvrez l’application depuis l’écran d’accueil et abonnez-vous-y.",
  "steps.return": "Revenez à cette page. Elle vérifie à nouveau d’elle-même.",
  "install.button": "Installer l’application",
  "install.hint": "Elle s’ouvre alors depuis l’écran d’accueil ou le bureau.",

  // Alerts that are put aside
  "alert.archive": "Archiver",
  "alert.unarchive": "Déplacer vers la réception",
  "inbox.open": "Aller à la réception",
  "alert.archived": "Archivée",
  "alert.snoozed": "Reportée",
  "alert.normal": "Normal",
  "inbox.archive": "Archives",
  "inbox.archive_empty": "Les alertes que vous archivez sont conservées ici.",
  "undo.do": "Annuler",
  "undo.dismissed": "Alerte masquée.",
  "undo.archived": "Alerte archivée.",
  "undo.unarchived": "Alerte déplacée vers la réception.",
  "undo.snoozed": "Alerte reportée.",
  "undo.unsnoozed": "Rappel annulé.",
  "snooze.title": "Me le rappeler plus tard",
  "snooze.hour": "Dans 1 heure ({time})",
  "snooze.evening": "Ce soir ({time})",
  "snooze.tomorrow": "Demain ({time})",
  "snooze.until": "Rappel : {time}",
  "snooze.cancel": "Annuler le rappel",
  "snooze.hint": "L’alerte sonne à nouveau si l’application est ouverte, sinon à son ouverture.",
  "why.snoozed": "Vous l’avez reportée.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Mettre en pause",
  "pause.hour": "Pendant 1 heure (jusqu’à {time})",
  "pause.eight": "Pendant 8 heures (jusqu’à {time})",
  "pause.tomorrow": "Jusqu’à demain ({time})",
  "pause.until": "En pause jusqu’à : {time}. Ses alertes arrivent toujours, sans son ni notification.",
  "pause.resume": "Reprendre",
  "pause.paused": "En pause",
  "why.paused": "Vous avez mis ce canal en pause.",
  "quiet.zone":
    "Dans le fuseau horaire de cet appareil. Les heures après minuit appartiennent au jour précédent. Les alertes " +
    "arrivent toujours, sans son.",
  "quiet.days": "Ces jours-là",
  "quiet.no_day": "Choisissez au moins un jour.",
  "sounds.title": "Sons par priorité",
  "sounds.hint":
    "Votre choix remplace le son de l’alerte, au volume de sa priorité. Les alertes silencieuses le restent.",
  "sounds.tone": "Sonnerie",
  "sounds.vibration": "Vibration",
  "sounds.of_alert": "Celle de l’alerte",
  "why.chosen_silent": "Vous avez choisi le silence pour les alertes de cette priorité.",
};
