// Spanish, understood in Spain and Latin America. The reader is addressed as "tú".
// Our own translation: docs/contributing/translations.md says how to correct it.

import { spanishAlertsAndSubscribingTexts } from "./es/alerts_and_subscribing.ts";
import { spanishSoundAndPermissionTexts } from "./es/sounds_and_permissions.ts";
import type { AppTextsWithPlurals } from "./text_types.ts";

export const es: AppTextsWithPlurals<"one" | "many" | "other"> = {
  ...spanishSoundAndPermissionTexts,
  ...spanishAlertsAndSubscribingTexts,
  // Frame
  "app.name": "Belfry",
  "app.skip": "Ir al contenido",
  "app.new_version": "Hay una nueva versión disponible.",
  "app.reload": "Actualizar ahora",
  "nav.inbox": "Bandeja",
  "nav.channels": "Canales",
  "nav.discover": "Explorar",
  "nav.settings": "Ajustes",

  // Acts that many places have
  "do.again": "Reintentar",
  "do.back": "Atrás",
  "do.cancel": "Cancelar",
  "do.close": "Cerrar",
  "do.open": "Abrir",

  // Frame, what only the app says
  "app.loading": "Cargando…",
  "app.chosen": "Detalles",
  "app.choose": "Elige una alerta para leerla.",
  "app.choose_channel": "Elige un canal para ver sus alertas.",
  "silent.some": {
    one: "{count} canal aún no puede avisarte.",
    many: "{count} de canales aún no pueden avisarte.",
    other: "{count} canales aún no pueden avisarte.",
  },
  "app.no_store":
    "Este navegador bloquea el almacenamiento de esta página, así que no se pueden guardar alertas. Permite el " +
    "almacenamiento o sal del modo privado.",
  "device.refused": "Este dispositivo ya no está registrado.",
  "device.refused_hint":
    "Puede que haya estado sin conexión demasiado tiempo. Las alertas que ya tienes se quedan aquí; no llegarán " +
    "nuevas.",
  "device.again": "Registrar de nuevo",
  "device.again_done": "Este dispositivo se ha vuelto a unir a sus canales.",
  "device.again_some": "Se ha vuelto a unir, excepto a estos, que necesitan una nueva invitación: {names}",
  "device.file_hint":
    "El archivo contiene tus canales y ningún dato secreto; los canales privados necesitan una nueva invitación.",
  "device.save": "Exportar mis canales",
  "device.open": "Importar un archivo",
  "device.no_file": "Este archivo no se exportó desde esta aplicación.",
  "device.read": {
    one: "Te has suscrito a {count} canal del archivo.",
    many: "Te has suscrito a {count} de canales del archivo.",
    other: "Te has suscrito a {count} canales del archivo.",
  },
  "device.read_some": {
    one: "Te has suscrito a {count} canal del archivo. Estos ya no existen o necesitan una invitación: {names}",
    many: "Te has suscrito a {count} de canales del archivo. Estos ya no existen o necesitan una invitación: {names}",
    other: "Te has suscrito a {count} canales del archivo. Estos ya no existen o necesitan una invitación: {names}",
  },
  "device.move_hint":
    "Un enlace lo traslada todo, también los canales privados y tus alertas leídas y confirmadas. Funciona una vez, " +
    "durante {minutes} minutos.",
  "device.move": "Trasladar a otro navegador",
  "device.link": "Abre este enlace en el otro navegador",
  "device.copy": "Copiar",
  "device.copied": "Enlace copiado.",
  "device.share": "Compartir",
  "device.code": "Código QR del enlace",
  "device.moved_away": "Tus canales se han trasladado a otro navegador.",
  "device.moved_away_hint": "Las alertas que ya tienes se quedan aquí; no llegarán nuevas.",
  "device.move_title": "Trasladar aquí",
  "device.move_what":
    "Todas las suscripciones del otro navegador se trasladan aquí. El otro navegador se queda sin ellas.",
  "device.move_now": "Trasladar aquí",
  "device.moved": {
    one: "Se ha trasladado {count} canal aquí.",
    many: "Se han trasladado {count} de canales aquí.",
    other: "Se han trasladado {count} canales aquí.",
  },
  "device.moved_nothing": "Este enlace no es válido o ha caducado. Crea uno nuevo en el otro navegador.",
  "own.title": "Vincular este dispositivo",
  "own.what":
    "Este enlace convierte este dispositivo en un dispositivo de prueba: muestra los borradores que prueba quien " +
    "creó el enlace, en los canales a los que te has suscrito.",
  "own.careful":
    "Continúa solo si has creado el enlace tú. Los canales no lo ven, y puedes desvincularlo en cualquier momento.",
  "own.link": "Vincular este dispositivo",
  "own.linked": "Este dispositivo está vinculado a la cuenta de {name}.",
  "own.nothing": "Este enlace no es válido o ha caducado. Crea uno nuevo en la consola.",
  "own.card": "Dispositivo de prueba",
  "own.of": "Vinculado a la cuenta de {name} para mostrar pruebas de borradores.",
  "own.unlink": "Desvincular",
  "alert.test": "Prueba",
  "alert.test_hint": "Prueba de un borrador, visible solo en tus dispositivos de prueba; se elimina sola.",
  "device.remove_hint": "Al quitar el dispositivo se cancelan todas sus suscripciones. No se puede deshacer.",
  "device.remove": "Quitar este dispositivo",
  "device.remove_sure": "Cancelar suscripciones y quitar",
  "device.removed": "Se ha quitado el dispositivo. No tiene suscripciones.",
  "device.emptied": "Este navegador ha borrado los datos de la aplicación.",
  "device.emptied_hint": "Tus canales y alertas ya no están en este dispositivo. Suscríbete de nuevo a los canales.",
  "inbox.look": "Tu bandeja ha cambiado.",
  "inbox.all": "Todas",
  "inbox.filter_unread": "Sin leer",
  "inbox.to_confirm": "Por confirmar",
  "inbox.show": "Mostrar",
  "inbox.search": "Buscar en la bandeja",
  "inbox.channel": "Canal",
  "inbox.every_channel": "Todos los canales",
  "inbox.mark_read": "Marcar todas como leídas",
  "inbox.none_such": "No hay alertas que coincidan.",
  "inbox.empty_title": "Aún no hay alertas",
  "inbox.empty_following": "Las nuevas alertas de tus canales aparecerán aquí.",
  "alert.taken_back": "Retirada",
  "alert.was_until": "Fue válida hasta: {time}",
  "alert.gone": "Alerta no encontrada",
  "alert.gone_hint":
    "Esta alerta no está en este dispositivo. Puede que sea demasiado antigua o que no estés suscrito a su canal.",
  "alert.ack_stays": "Los informes están desactivados, así que tu confirmación se queda en este dispositivo.",
  "alert.picture_missing": "No se pudo cargar la imagen.",
  "alert.picture_of": "Imagen: {title}",
  "alert.page_missing": "No se pudo cargar la página. Conéctate e inténtalo de nuevo.",
  "alert.page_of": "Página: {title}",
  "alert.show_pictures": "Mostrar imágenes",
  "alert.show_pictures_hint": "Otros sitios podrán ver que este dispositivo las ha cargado.",
  "alert.recording_at": "Grabación de {host}, que puede ver que este dispositivo la ha cargado",
  "channel.out": "Sin suscripción",
  "channel.put_out":
    "El canal ha cancelado la suscripción de este dispositivo. Las alertas que ya tienes se quedan aquí.",
  "channel.muted_hint": "Sus alertas siguen llegando, sin sonido ni notificación.",
  "channel.leave_hint": "Sus alertas se borran de este dispositivo.",
  "channel.leave_sure": "Cancelar suscripción a {name}",
  "channel.about": "Acerca del canal",
  "channel.place": "Zona",
  "channel.site": "Sitio web",
  "channel.tags": "Etiquetas",
  "channel.page": "Página",
  "channel.page_open": "Página pública del canal",
  "channel.latest": "Últimas alertas",
  "join.asks": "Pide permiso para",
  "join.private": "Sin cuenta ni nombre. El canal solo ve el número de suscriptores.",
  "discover.search": "Nombre o etiqueta",
  "discover.category": "Categoría",
  "discover.every_category": "Todas las categorías",
  "discover.none": "No se encontraron canales",
  "discover.none_hint": "Los canales privados no aparecen; únete a ellos con una invitación.",
  "discover.more": "Mostrar más",
  "category.cities": "Ciudades",
  "category.travel": "Viajes",
  "category.events": "Eventos",
  "category.concerts": "Conciertos",
  "category.restaurants": "Restaurantes",
  "category.hotels": "Hoteles",
  "category.business": "Negocios",
  "category.ai": "IA",
  "category.sports": "Deportes",
  "category.emergency": "Emergencias",
  "category.community": "Comunidad",
  "settings.elsewhere": "Cargar imágenes y sonidos de otros sitios",
  "settings.elsewhere_hint":
    "Si está desactivado, se cargan solo cuando lo pides. El otro sitio puede ver la dirección IP de este dispositivo.",
  "settings.language_browser": "Idioma del navegador",
  "scheme.title": "Apariencia",
  "scheme.system": "Sistema",
  "scheme.light": "Claro",
  "scheme.dark": "Oscuro",
  "settings.translation": "Traducido por el proyecto Belfry; aún sin revisar por hablantes nativos.",
  "settings.translation_fix": "Proponer una corrección",
  "push.title": "Notificaciones push",
  "push.hint":
    "El servicio push de tu navegador puede ver entonces cuándo hay alertas nuevas, pero no su contenido. Las " +
    "notificaciones push pueden perderse; las alertas siguen en la bandeja.",
  "push.insecure":
    "Las notificaciones push requieren https. Deja la aplicación abierta o pide al operador de este servidor una " +
    "dirección https.",
  "push.ios": "Instala la aplicación para recibir notificaciones.",
  "push.browser": "Este navegador no admite notificaciones push. Deja la aplicación abierta o usa otro navegador.",
  "push.server":
    "Este servidor no envía notificaciones push. Deja la aplicación abierta o pide a su operador que las active.",
  "push.denied": "Las notificaciones de este sitio están bloqueadas.",
  "settings.device": "Este dispositivo",
  "settings.device_hint":
    "El servicio solo lo identifica con un número. Las alertas y los canales se guardan en este navegador y se " +
    "borran con sus datos.",
  "settings.device_none": "Se registra cuando te suscribes a un canal o lo buscas.",

  // Inbox
  "inbox.unread": {
    one: "{count} alerta sin leer",
    many: "{count} de alertas sin leer",
    other: "{count} alertas sin leer",
  },
  "inbox.new": { one: "{count} nueva", many: "{count} de nuevas", other: "{count} nuevas" },
  "inbox.spotlight": "Ahora",
  "inbox.empty": "Las alertas de los canales que sigues aparecen aquí.",
  "inbox.find": "Buscar un canal",
  "inbox.nothing_now": "Nada requiere tu atención.",
  "inbox.more": "Mostrar anteriores",
  "alert.urgent": "Urgente",
  "alert.important": "Importante",
  "alert.over": "Caducada",
  "alert.seen": "Confirmada",
  "alert.before": "Anterior a tu suscripción",
  "alert.dismissed": "Descartada",
  "alert.dismiss": "Descartar",
  "alert.bring_back": "Volver a mostrar en Ahora",
  "alert.unread": "Sin leer",
  "alert.ack": "Confirmar",
  "alert.acked_at": "Confirmada: {time}",
  "alert.ack_waits": "Tu confirmación se enviará cuando tengas conexión.",
  "alert.reply_stays": "Los informes están desactivados, así que tu respuesta se queda en este dispositivo.",
  "alert.reply_waits": "Tu respuesta se enviará cuando tengas conexión.",
  "channel.repeats": "Repetir alertas urgentes",
  "channel.repeats_hint":
    "Si el canal lo pide, hasta que confirmes: solo con la aplicación abierta, durante una hora, y en las horas de " +
    "silencio solo si lo has permitido.",
  "alert.until": "Hasta: {time}",
  "alert.within": "A menos de {distance} de un lugar",
  "alert.within_city": "A menos de {distance} de {city}",
  "alert.source_url": "Leer más",
  "alert.show_picture": "Mostrar imagen",
  "alert.show_picture_hint": "Se carga desde {host}, que puede ver que este dispositivo la ha pedido.",
  "alert.recording_failed": "No se pudo reproducir la grabación.",
  "alert.play": "Reproducir sonido",
  "alert.read_aloud": "Leer en voz alta",
  "alert.show_all": "Mostrar todo",
  "alert.cut": "Se muestran los primeros {shown} de {all} caracteres.",
  "alert.rest_away": "No tienes conexión y en este dispositivo solo está el principio del texto.",
  "alert.rest_gone": "El resto ya no está disponible: el canal ha borrado esta alerta.",
  "alert.withdrawn": "Retirada por el canal, guardada en este dispositivo.",

  // Network
  "net.offline": "Sin conexión.",
  "net.as_of": "Última actualización: {time}.",
  "net.waiting": {
    one: "{count} informe se enviará cuando tengas conexión.",
    many: "{count} de informes se enviarán cuando tengas conexión.",
    other: "{count} informes se enviarán cuando tengas conexión.",
  },
  "net.trouble": "No se puede contactar con el servidor. La aplicación lo reintentará automáticamente.",

  // Channel
  "channel.subscribe": "Suscribirse",
  "channel.subscribed": "Suscrito",
  "channel.leave": "Cancelar suscripción",
  "channel.left": "Has cancelado la suscripción a {name}.",
  "channel.mute": "Silenciar",
  "channel.muted": "Silenciado",
  "channel.unmute": "Dejar de silenciar",
  "channel.allows": "Permitido en este dispositivo",
  "channel.asks_nothing": "No pide permisos: sus alertas solo aparecen en la bandeja.",
  "channel.not_there": "Canal no encontrado, o necesitas una invitación.",
  "channel.none": "Aún no tienes suscripciones.",

  // What leaves the device
  "reports.title": "Informes de este dispositivo",
  "reports.on": "Informar de lecturas, confirmaciones y respuestas",
  "reports.hint":
    "Los canales solo ven cantidades. Si está desactivado, nada de esto sale del dispositivo, tampoco las " +
    "confirmaciones y respuestas.",

  // Time
  "time.today": "Hoy",
  "time.yesterday": "Ayer",
  "time.day_and_time": "{day}, {time}",
};
