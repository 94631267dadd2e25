// Portuguese: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const portugueseAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Copiar texto",
  "text.copied": "Copiado.",
  "text.copy_code": "Copiar código {code}",
  "text.less": "Mostrar menos",

  // Searches without a result
  "search.none": "Nenhum alerta corresponde a “{query}”.",
  "search.none_from": "Nenhum alerta de {channel} corresponde a “{query}”.",
  "search.none_of_channel": "Nenhum alerta correspondente de {channel}.",
  "search.clear": "Limpar pesquisa",
  "search.no_channel": "Nenhum canal corresponde a “{query}”.",
  "search.no_channel_in": "Nenhum canal em “{category}” corresponde a “{query}”.",
  "search.none_in_category": "Nenhum canal em “{category}”.",

  // A channel
  "channel.settings": "Definições do canal",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Subscrever e permitir notificações",
  "join.silent": "Subscrever sem notificações",
  "join.hint": "Desative as permissões que não quer conceder. Pode alterar isto a qualquer momento.",
  "hello.title": "{channel}: as notificações funcionam",
  "hello.body": "Os alertas deste canal terão este aspeto.",
  "hello.sent":
    "Foi enviada uma notificação de teste. Se não a vir, verifique as definições de notificações do dispositivo.",
  "silent.one": "{channel} ainda não pode alertá-lo.",
  "silent.why": "Ver porquê",
  "silent.allow": "Permitir notificações",
  "push.off": "As notificações push estão desligadas.",
  "push.not_allowed": "Este canal ainda não pode alertá-lo.",
  "push.asking":
    "Permita as notificações quando o navegador perguntar. Se não vir a pergunta, veja a barra de endereço.",
  "push.pending": "A ligar as notificações…",
  "push.failed": "Não foi possível ligar as notificações.",
  "push.failed_late": "Verifique a ligação. Uma firewall ou VPN pode estar a bloquear as notificações.",
  "push.failed_service": "Verifique a ligação e tente novamente.",
  "push.failed_private": "Se esta janela for privada, use uma normal.",
  "push.failed_worker": "A parte da aplicação em segundo plano não arrancou. Recarregue esta página.",
  "works.certain": "As notificações estão ligadas.",
  "works.depends":
    "Um telemóvel bloqueado só toca se o volume, o modo silencioso e a poupança de bateria o permitirem.",
  "silent.open_sounds": "Os alertas só tocam com a aplicação aberta.",
  "silent.open_shows": "Os alertas só aparecem com a aplicação aberta.",
  "push.failed_refused":
    "Este servidor não consegue contactar o serviço de notificações do seu navegador. Avise a pessoa que o gere.",
  "steps.chromium1": "Selecione o ícone ao lado do endereço da página.",
  "steps.chromium2": "Abra as permissões ou as definições do site e permita as notificações.",
  "steps.firefox1": "Selecione o cadeado ou o ícone de permissões ao lado do endereço.",
  "steps.firefox2": "Remova o bloqueio das notificações.",
  "steps.safari1": "Abra as definições do Safari e selecione “Sites”.",
  "steps.safari2": "Em “Notificações”, permita este site.",
  "steps.ios1": "Abra a aplicação Definições e toque em “Notificações”.",
  "steps.ios2": "Toque em {app} e ligue “Permitir notificações”.",
  "steps.home1": "Toque em “Partilhar”.",
  "steps.home2": "Escolha “Adicionar ao ecrã principal”.",
  "steps.home3": "Abra a aplicação a partir do ecrã principal e subscreva aí.",
  "steps.return": "Volte a esta página. Ela verifica de novo sozinha.",
  "install.button": "Instalar a aplicação",
  "install.hint": "Abre depois a partir do ecrã principal ou do ambiente de trabalho.",

  // Alerts that are put aside
  "alert.archive": "Arquivar",
  "alert.unarchive": "Mover para a entrada",
  "inbox.open": "Ir para a entrada",
  "alert.archived": "Arquivado",
  "alert.snoozed": "Adiado",
  "alert.normal": "Normal",
  "inbox.archive": "Arquivo",
  "inbox.archive_empty": "Os alertas que arquivar ficam aqui.",
  "undo.do": "Anular",
  "undo.dismissed": "Alerta dispensado.",
  "undo.archived": "Alerta arquivado.",
  "undo.unarchived": "Alerta movido para a entrada.",
  "undo.snoozed": "Alerta adiado.",
  "undo.unsnoozed": "Lembrete cancelado.",
  "snooze.title": "Lembrar mais tarde",
  "snooze.hour": "Dentro de 1 hora ({time})",
  "snooze.evening": "Esta noite ({time})",
  "snooze.tomorrow": "Amanhã ({time})",
  "snooze.until": "Lembrete: {time}",
  "snooze.cancel": "Cancelar o lembrete",
  "snooze.hint": "Volta a tocar se a aplicação estiver aberta; caso contrário, quando a abrir.",
  "why.snoozed": "Adiou este alerta.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Pausar",
  "pause.hour": "Durante 1 hora (até às {time})",
  "pause.eight": "Durante 8 horas (até às {time})",
  "pause.tomorrow": "Até amanhã ({time})",
  "pause.until": "Em pausa até: {time}. Os seus alertas continuam a chegar, sem som nem notificação.",
  "pause.resume": "Retomar",
  "pause.paused": "Em pausa",
  "why.paused": "Pôs este canal em pausa.",
  "quiet.zone":
    "No fuso horário deste dispositivo. As horas após a meia-noite pertencem ao dia anterior. Os alertas chegam na " +
    "mesma, sem som.",
  "quiet.days": "Nestes dias",
  "quiet.no_day": "Escolha pelo menos um dia.",
  "sounds.title": "Sons por prioridade",
  "sounds.hint":
    "A sua escolha substitui o som do alerta, com o volume da sua prioridade. Os alertas sem som continuam sem som.",
  "sounds.tone": "Toque",
  "sounds.vibration": "Vibração",
  "sounds.of_alert": "O do alerta",
  "why.chosen_silent": "Escolheu silêncio para os alertas desta prioridade.",
};
