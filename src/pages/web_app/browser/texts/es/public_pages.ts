// Spanish: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const spanishPublicPageTexts: PublicPageTextsWithPlurals<"one" | "many" | "other"> = {
  // Frame
  "page.your_alerts": "Tus alertas",
  "page.docs": "Documentación",
  "page.sign_in": "Iniciar sesión",
  "page.translation": "Traducido por el proyecto Belfry.",

  // A channel
  "page.push": "Puedes permitir notificaciones push con la aplicación cerrada.",
  "page.push_on_ios": "Configurar en iPhone o iPad",
  "page.push_ios":
    "En iPhone y iPad requieren la aplicación en la pantalla de inicio: toca Compartir y luego «Añadir a pantalla de " +
    "inicio».",
  "page.silent": "Sin notificaciones con la aplicación cerrada.",
  "page.paused": "En pausa.",
  "page.paused_hint": "No envía alertas hasta que su propietario lo reanude. Puedes suscribirte igualmente.",
  "page.private": "Privado.",
  "page.private_hint":
    "Ves esta página porque te han invitado. Cualquiera con esta dirección puede unirse, así que no la compartas.",
  "page.copy_link": "Copiar enlace",
  "page.no_account": "Sin cuenta, nombre ni dirección: el canal solo ve el número de suscriptores.",
  "page.perms": "Permisos solicitados",
  "page.perms_none": "No solicita permisos",
  "page.perms_hint": "Al suscribirte eliges cuáles permites. Puedes cambiarlo en cualquier momento.",
  "page.perm.notify": "Muestra un aviso cuando llega una alerta.",
  "page.perm.sound": "Reproduce un tono o una grabación de hasta {seconds} segundos.",
  "page.perm.vibrate": "Hace vibrar el dispositivo con un patrón corto.",
  "page.perm.tts": "Lee la alerta con la voz del dispositivo.",
  "page.perm.full": "Solo para alertas urgentes.",
  "page.perm.loc": "Tu dispositivo comprueba si una alerta vale para tu ubicación, que nunca sale del dispositivo.",
  "page.perm.quiet": "Suena incluso en tus horas de silencio.",
  "page.newest": "Últimas alertas",
  "page.empty": "Las nuevas alertas de este canal aparecerán aquí.",
  "page.picture_of_alert": "Imagen de esta alerta",
  "page.picture_from": "Mostrar imagen de {host}",
  "page.picture_of_channel": "Imagen del canal",
  "page.subscribers_only": "La alerta completa se muestra a los suscriptores.",
  "page.details": "Detalles",
  "page.alert_types": "Tipos de alerta",
  "page.feeds": "Fuentes web",
  "page.on_phone": "Abrir en tu teléfono",
  "page.your_invite": "Tu invitación",
  "page.qr_of": "Código QR de la dirección de esta página",
  "page.without_app": "Unirse sin la aplicación web",
  "page.without_app_hint":
    "Cualquier cliente HTTP puede recibir alertas. Estos comandos registran uno, lo unen al canal y leen sus " +
    "alertas. Más detalles en la {reference}.",
  "page.reference": "referencia de la API",

  // The directory
  "page.lede": "Canales públicos de alertas. Busca uno por nombre o etiqueta y suscríbete en su página.",
  "page.search": "Buscar",
  "page.pages": "Páginas",
  "page.back_to_newest": "Volver a los más recientes",
  "page.more_channels": "Más canales",
  "page.no_channels": "Aún no hay canales públicos",
  "page.no_channels_hint": "Los nuevos canales públicos aparecerán aquí.",
  "page.no_match": "Ningún canal público coincide por nombre o etiqueta.",
  "page.show_all": "Mostrar todos los canales",
  "near.button": "Cerca de mí",
  "near.hint": "Tu ubicación solo se usa en este dispositivo y no se envía a ningún sitio.",
  "near.inside_one": "Estás en su zona",
  "near.away": "A {distance} de su zona",
  "near.locating": "Obteniendo tu ubicación…",
  "near.none": "No se encontraron canales con zona.",
  "near.outside": "No estás en la zona de ningún canal; los más cercanos primero.",
  "near.inside": {
    one: "Estás en la zona de {count} canal; los más cercanos primero.",
    many: "Estás en la zona de {count} de canales; los más cercanos primero.",
    other: "Estás en la zona de {count} canales; los más cercanos primero.",
  },
  "near.only_newest": "Solo se comprobaron los canales con zona más recientes.",
  "near.offline": "No se pudieron cargar los canales. Inténtalo de nuevo cuando tengas conexión.",
  "near.denied": "Tu ubicación no está disponible. Permítela en los ajustes del navegador o busca por nombre.",

  // Pages that cannot be shown
  "refused.unknown": "Necesitas una invitación",
  "refused.unknown_hint":
    "Ningún canal público tiene esta dirección. Si el canal es privado, pide su enlace de invitación o código QR. Si " +
    "has escrito la dirección, compruébala.",
  "refused.invite": "Esta invitación no es válida",
  "refused.invite_hint":
    "Puede que esté agotada, caducada o revocada, o que el enlace esté incompleto. Pide una nueva a quien te la dio.",
  "refused.find": "Buscar un canal público",
  "missing.title": "Página no encontrada",
  "missing.hint": "Comprueba la dirección: puede que el enlace esté incompleto.",
  "missing.home": "Ir a la página de inicio",
  "failed.title": "La solicitud ha fallado",
};
