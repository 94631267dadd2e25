// Spanish: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const spanishAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Copiar texto",
  "text.copied": "Copiado.",
  "text.copy_code": "Copiar código {code}",
  "text.less": "Mostrar menos",

  // Searches without a result
  "search.none": "No hay alertas que coincidan con «{query}».",
  "search.none_from": "No hay alertas de {channel} que coincidan con «{query}».",
  "search.none_of_channel": "No hay alertas de {channel} que coincidan.",
  "search.clear": "Borrar búsqueda",
  "search.no_channel": "Ningún canal coincide con «{query}».",
  "search.no_channel_in": "Ningún canal de «{category}» coincide con «{query}».",
  "search.none_in_category": "No hay canales en «{category}».",

  // A channel
  "channel.settings": "Ajustes del canal",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Suscribirse con notificaciones",
  "join.silent": "Suscribirse sin notificaciones",
  "join.hint": "Desactiva los permisos que no quieras conceder. Puedes cambiarlo en cualquier momento.",
  "hello.title": "{channel}: las notificaciones funcionan",
  "hello.body": "Así se verán las alertas de este canal.",
  "hello.sent":
    "Se ha enviado una notificación de prueba. Si no la ves, revisa los ajustes de notificaciones del dispositivo.",
  "silent.one": "{channel} aún no puede avisarte.",
  "silent.why": "Ver por qué",
  "silent.allow": "Permitir notificaciones",
  "push.off": "Las notificaciones push están desactivadas.",
  "push.not_allowed": "Este canal aún no puede avisarte.",
  "push.asking":
    "Permite las notificaciones cuando el navegador lo pregunte. Si no ves la pregunta, mira en la barra de " +
    "direcciones.",
  "push.pending": "Activando las notificaciones…",
  "push.failed": "No se han podido activar las notificaciones.",
  "push.failed_late": "Revisa la conexión. Puede que un cortafuegos o una VPN bloquee las notificaciones.",
  "push.failed_service": "Revisa la conexión e inténtalo de nuevo.",
  "push.failed_private": "Si esta ventana es privada, usa una normal.",
  "push.failed_worker": "La parte en segundo plano de la aplicación no se inició. Recarga esta página.",
  "works.certain": "Las notificaciones están activadas.",
  "works.depends":
    "Un teléfono bloqueado suena solo si su volumen, el modo silencio y el ahorro de batería lo permiten.",
  "silent.open_sounds": "Las alertas solo suenan con la aplicación abierta.",
  "silent.open_shows": "Las alertas solo aparecen con la aplicación abierta.",
  "push.failed_refused":
    "Este servidor no puede conectar con el servicio de notificaciones de tu navegador. Avisa a la persona que lo " +
    "gestiona.",
  "steps.chromium1": "Selecciona el icono junto a la dirección de la página.",
  "steps.chromium2": "Abre los permisos o los ajustes del sitio y permite las notificaciones.",
  "steps.firefox1": "Selecciona el candado o el icono de permisos junto a la dirección.",
  "steps.firefox2": "Quita el bloqueo de las notificaciones.",
  "steps.safari1": "Abre los ajustes de Safari y selecciona «Sitios web».",
  "steps.safari2": "En «Notificaciones», permite este sitio.",
  "steps.ios1": "Abre la aplicación Ajustes y toca «Notificaciones».",
  "steps.ios2": "Toca {app} y activa «Permitir notificaciones».",
  "steps.home1": "Toca «Compartir».",
  "steps.home2": "Elige «Añadir a pantalla de inicio».",
  "steps.home3": "Abre la aplicación desde la pantalla de inicio y suscríbete allí.",
  "steps.return": "Vuelve a esta página. Lo comprueba de nuevo por sí sola.",
  "install.button": "Instalar la aplicación",
  "install.hint": "Así se abre desde la pantalla de inicio o el escritorio.",

  // Alerts that are put aside
  "alert.archive": "Archivar",
  "alert.unarchive": "Mover a la bandeja",
  "inbox.open": "Ir a la bandeja",
  "alert.archived": "Archivada",
  "alert.snoozed": "Aplazada",
  "alert.normal": "Normal",
  "inbox.archive": "Archivo",
  "inbox.archive_empty": "Aquí se guardan las alertas que archivas.",
  "undo.do": "Deshacer",
  "undo.dismissed": "Alerta descartada.",
  "undo.archived": "Alerta archivada.",
  "undo.unarchived": "Alerta movida a la bandeja.",
  "undo.snoozed": "Alerta aplazada.",
  "undo.unsnoozed": "Recordatorio cancelado.",
  "snooze.title": "Recordármelo más tarde",
  "snooze.hour": "En 1 hora ({time})",
  "snooze.evening": "Esta tarde ({time})",
  "snooze.tomorrow": "Mañana ({time})",
  "snooze.until": "Recordatorio: {time}",
  "snooze.cancel": "Cancelar el recordatorio",
  "snooze.hint": "Vuelve a sonar si la aplicación está abierta; si no, al abrirla.",
  "why.snoozed": "La has aplazado.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Pausar",
  "pause.hour": "Durante 1 hora (hasta las {time})",
  "pause.eight": "Durante 8 horas (hasta las {time})",
  "pause.tomorrow": "Hasta mañana ({time})",
  "pause.until": "En pausa hasta: {time}. Sus alertas siguen llegando, sin sonido ni notificación.",
  "pause.resume": "Reanudar",
  "pause.paused": "En pausa",
  "why.paused": "Has puesto este canal en pausa.",
  "quiet.zone":
    "En la zona horaria de este dispositivo. Las horas tras la medianoche pertenecen al día anterior. Las alertas " +
    "llegan igualmente, sin sonido.",
  "quiet.days": "En estos días",
  "quiet.no_day": "Elige al menos un día.",
  "sounds.title": "Sonidos por prioridad",
  "sounds.hint":
    "Tu elección sustituye el sonido de la alerta, con el volumen de su prioridad. Las alertas sin sonido siguen sin " +
    "sonido.",
  "sounds.tone": "Tono",
  "sounds.vibration": "Vibración",
  "sounds.of_alert": "El de la alerta",
  "why.chosen_silent": "Has elegido silencio para las alertas de esta prioridad.",
};
