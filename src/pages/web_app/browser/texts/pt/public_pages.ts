// Portuguese: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const portuguesePublicPageTexts: PublicPageTextsWithPlurals<"one" | "many" | "other"> = {
  // Frame
  "page.your_alerts": "Os seus alertas",
  "page.docs": "Documentação",
  "page.sign_in": "Iniciar sessão",
  "page.translation": "Traduzido pelo projeto Belfry.",

  // A channel
  "page.push": "Pode permitir notificações push com a aplicação fechada.",
  "page.push_on_ios": "Configurar no iPhone ou iPad",
  "page.push_ios":
    "No iPhone e iPad exigem a aplicação no ecrã principal: toque em Partilhar e depois em “Adicionar ao ecrã " +
    "principal”.",
  "page.silent": "Sem notificações com a aplicação fechada.",
  "page.paused": "Em pausa.",
  "page.paused_hint": "Não envia alertas até o proprietário o retomar. Pode subscrever na mesma.",
  "page.private": "Privado.",
  "page.private_hint":
    "Vê esta página porque recebeu um convite. Qualquer pessoa com este endereço pode aderir, por isso não o partilhe.",
  "page.copy_link": "Copiar ligação",
  "page.no_account": "Sem conta, nome ou endereço: o canal só vê o número de subscritores.",
  "page.perms": "Permissões pedidas",
  "page.perms_none": "Nenhuma permissão pedida",
  "page.perms_hint": "Escolhe quais permitir ao subscrever. Pode alterar isto a qualquer momento.",
  "page.perm.notify": "Mostra um aviso quando chega um alerta.",
  "page.perm.sound": "Reproduz um tom ou uma gravação de até {seconds} segundos.",
  "page.perm.vibrate": "Faz vibrar o dispositivo brevemente.",
  "page.perm.tts": "Lê o alerta com a voz do dispositivo.",
  "page.perm.full": "Apenas para alertas urgentes.",
  "page.perm.loc": "O seu dispositivo verifica se um alerta se aplica à sua localização, que nunca sai do dispositivo.",
  "page.perm.quiet": "Toca mesmo nas suas horas de silêncio.",
  "page.newest": "Alertas mais recentes",
  "page.empty": "Os novos alertas deste canal aparecem aqui.",
  "page.picture_of_alert": "Imagem deste alerta",
  "page.picture_from": "Mostrar imagem de {host}",
  "page.picture_of_channel": "Imagem do canal",
  "page.subscribers_only": "O alerta completo é mostrado aos subscritores.",
  "page.details": "Detalhes",
  "page.alert_types": "Tipos de alerta",
  "page.feeds": "Feeds",
  "page.on_phone": "Abrir no telemóvel",
  "page.your_invite": "O seu convite",
  "page.qr_of": "Código QR do endereço desta página",
  "page.without_app": "Aderir sem a aplicação web",
  "page.without_app_hint":
    "Qualquer cliente HTTP pode receber alertas. Estes comandos registam um, aderem ao canal e leem os alertas. Mais " +
    "detalhes na {reference}.",
  "page.reference": "referência da API",

  // The directory
  "page.lede": "Canais públicos de alertas. Encontre um por nome ou etiqueta e subscreva na página dele.",
  "page.search": "Pesquisar",
  "page.pages": "Páginas",
  "page.back_to_newest": "Voltar aos mais recentes",
  "page.more_channels": "Mais canais",
  "page.no_channels": "Ainda não há canais públicos",
  "page.no_channels_hint": "Os novos canais públicos aparecem aqui.",
  "page.no_match": "Nenhum canal público corresponde por nome ou etiqueta.",
  "page.show_all": "Mostrar todos os canais",
  "near.button": "Perto de mim",
  "near.hint": "A sua localização só é usada neste dispositivo e não é enviada.",
  "near.inside_one": "Está na área dele",
  "near.away": "A {distance} da área dele",
  "near.locating": "A obter a sua localização…",
  "near.none": "Nenhum canal com área encontrado.",
  "near.outside": "Não está na área de nenhum canal; os mais próximos primeiro.",
  "near.inside": {
    one: "Está na área de {count} canal; os mais próximos primeiro.",
    many: "Está na área de {count} de canais; os mais próximos primeiro.",
    other: "Está na área de {count} canais; os mais próximos primeiro.",
  },
  "near.only_newest": "Só foram verificados os canais com área mais recentes.",
  "near.offline": "Não foi possível carregar os canais. Tente novamente quando estiver online.",
  "near.denied": "A sua localização não está disponível. Permita-a nas definições do navegador ou pesquise por nome.",

  // Pages that cannot be shown
  "refused.unknown": "Precisa de um convite",
  "refused.unknown_hint":
    "Nenhum canal público tem este endereço. Se o canal for privado, peça a ligação de convite ou o código QR. Se " +
    "escreveu o endereço, verifique-o.",
  "refused.invite": "Este convite não é válido",
  "refused.invite_hint":
    "Pode estar esgotado, expirado ou revogado, ou a ligação estar incompleta. Peça um novo a quem lho deu.",
  "refused.find": "Encontrar um canal público",
  "missing.title": "Página não encontrada",
  "missing.hint": "Verifique o endereço: a ligação pode estar incompleta.",
  "missing.home": "Ir para a página inicial",
  "failed.title": "O pedido falhou",
};
