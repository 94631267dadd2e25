// French: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const frenchPublicPageTexts: PublicPageTextsWithPlurals<"one" | "many" | "other"> = {
  // Frame
  "page.your_alerts": "Vos alertes",
  "page.docs": "Documentation",
  "page.sign_in": "Se connecter",
  "page.translation": "Traduit par le projet Belfry.",

  // A channel
  "page.push": "Vous pouvez autoriser les notifications push quand l’application est fermée.",
  "page.push_on_ios": "Configurer sur iPhone ou iPad",
  "page.push_ios":
    "Sur iPhone et iPad, elles exigent l’application sur l’écran d’accueil : touchez Partager, puis « Sur l’écran " +
    "d’accueil ».",
  "page.silent": "Pas de notifications quand l’application est fermée.",
  "page.paused": "En pause.",
  "page.paused_hint":
    "Il n’envoie aucune alerte tant que son propriétaire ne le réactive pas. Vous pouvez vous abonner malgré tout.",
  "page.private": "Privé.",
  "page.private_hint":
    "Vous voyez cette page parce que vous êtes invité. Toute personne ayant cette adresse peut rejoindre le canal : " +
    "ne la partagez pas.",
  "page.copy_link": "Copier le lien",
  "page.no_account": "Ni compte, ni nom, ni adresse : le canal voit seulement le nombre d’abonnés.",
  "page.perms": "Autorisations demandées",
  "page.perms_none": "Aucune autorisation demandée",
  "page.perms_hint": "Vous choisissez lesquelles autoriser en vous abonnant. Vous pouvez changer cela à tout moment.",
  "page.perm.notify": "Affiche une bannière quand une alerte arrive.",
  "page.perm.sound": "Joue une tonalité ou un enregistrement de {seconds} secondes au plus.",
  "page.perm.vibrate": "Fait vibrer l’appareil brièvement.",
  "page.perm.tts": "Lit l’alerte avec la voix de l’appareil.",
  "page.perm.full": "Seulement pour les alertes urgentes.",
  "page.perm.loc": "Votre appareil vérifie si une alerte concerne votre position, qui ne quitte jamais l’appareil.",
  "page.perm.quiet": "Sonne même pendant vos heures calmes.",
  "page.newest": "Dernières alertes",
  "page.empty": "Les nouvelles alertes de ce canal apparaîtront ici.",
  "page.picture_of_alert": "Image de cette alerte",
  "page.picture_from": "Afficher l’image de {host}",
  "page.picture_of_channel": "Image du canal",
  "page.subscribers_only": "L’alerte complète est visible pour les abonnés.",
  "page.details": "Détails",
  "page.alert_types": "Types d’alerte",
  "page.feeds": "Flux",
  "page.on_phone": "Ouvrir sur votre téléphone",
  "page.your_invite": "Votre invitation",
  "page.qr_of": "Code QR de l’adresse de cette page",
  "page.without_app": "Rejoindre sans l’application web",
  "page.without_app_hint":
    "Tout client HTTP peut recevoir des alertes. Ces commandes en enregistrent un, rejoignent le canal et lisent ses " +
    "alertes. Plus de détails dans la {reference}.",
  "page.reference": "référence de l’API",

  // The directory
  "page.lede": "Canaux d’alertes publics. Trouvez-en un par nom ou étiquette, et abonnez-vous sur sa page.",
  "page.search": "Rechercher",
  "page.pages": "Pages",
  "page.back_to_newest": "Retour aux plus récents",
  "page.more_channels": "Plus de canaux",
  "page.no_channels": "Aucun canal public pour l’instant",
  "page.no_channels_hint": "Les nouveaux canaux publics apparaîtront ici.",
  "page.no_match": "Aucun canal public ne correspond par nom ou étiquette.",
  "page.show_all": "Afficher tous les canaux",
  "near.button": "Près de moi",
  "near.hint": "Votre position est utilisée seulement sur cet appareil et n’est envoyée nulle part.",
  "near.inside_one": "Vous êtes dans sa zone",
  "near.away": "À {distance} de sa zone",
  "near.locating": "Recherche de votre position…",
  "near.none": "Aucun canal avec une zone n’a été trouvé.",
  "near.outside": "Vous n’êtes dans la zone d’aucun canal ; les plus proches d’abord.",
  "near.inside": {
    one: "Vous êtes dans la zone de {count} canal ; les plus proches d’abord.",
    many: "Vous êtes dans la zone de {count} de canaux ; les plus proches d’abord.",
    other: "Vous êtes dans la zone de {count} canaux ; les plus proches d’abord.",
  },
  "near.only_newest": "Seuls les canaux avec une zone les plus récents ont été vérifiés.",
  "near.offline": "Les canaux n’ont pas pu être chargés. Réessayez quand vous serez en ligne.",
  "near.denied":
    "Votre position n’est pas disponible. Autorisez-la dans les réglages du navigateur, ou cherchez par nom.",

  // Pages that cannot be shown
  "refused.unknown": "Une invitation est nécessaire",
  "refused.unknown_hint":
    "Aucun canal public n’a cette adresse. Si le canal est privé, demandez son lien d’invitation ou son code QR. Si " +
    "vous avez saisi l’adresse, vérifiez-la.",
  "refused.invite": "Cette invitation n’est pas valide",
  "refused.invite_hint":
    "Elle est peut-être épuisée, expirée ou révoquée, ou le lien est incomplet. Demandez-en une nouvelle à la " +
    "personne qui vous l’a donnée.",
  "refused.find": "Trouver un canal public",
  "missing.title": "Page introuvable",
  "missing.hint": "Vérifiez l’adresse : le lien est peut-être incomplet.",
  "missing.home": "Aller à la page d’accueil",
  "failed.title": "Échec de la requête",
};
