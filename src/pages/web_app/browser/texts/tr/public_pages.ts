// Turkish: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const turkishPublicPageTexts: PublicPageTextsWithPlurals<"one" | "other"> = {
  // Frame
  "page.your_alerts": "Uyarılarınız",
  "page.docs": "Belgeler",
  "page.sign_in": "Oturum aç",
  "page.translation": "Belfry projesinin çevirisi.",

  // A channel
  "page.push": "Uygulama kapalıyken anlık bildirimlere izin verebilirsiniz.",
  "page.push_on_ios": "iPhone veya iPad’de ayarla",
  "page.push_ios": "iPhone ve iPad’de uygulama ana ekranda olmalıdır: Paylaş’a, ardından “Ana Ekrana Ekle”ye dokunun.",
  "page.silent": "Uygulama kapalıyken bildirim yok.",
  "page.paused": "Duraklatıldı.",
  "page.paused_hint": "Sahibi sürdürene kadar uyarı göndermez. Yine de abone olabilirsiniz.",
  "page.private": "Özel.",
  "page.private_hint":
    "Bu sayfayı davetli olduğunuz için görüyorsunuz. Bu adresi bilen herkes katılabilir, o yüzden paylaşmayın.",
  "page.copy_link": "Bağlantıyı kopyala",
  "page.no_account": "Hesap, ad ya da adres gerekmez: kanal yalnızca abone sayısını görür.",
  "page.perms": "İstenen izinler",
  "page.perms_none": "İzin istenmiyor",
  "page.perms_hint":
    "Abone olurken hangilerine izin vereceğinizi seçersiniz. Bunu istediğiniz zaman değiştirebilirsiniz.",
  "page.perm.notify": "Uyarı gelince bir afiş gösterir.",
  "page.perm.sound": "En çok {seconds} saniyelik bir ton ya da kayıt çalar.",
  "page.perm.vibrate": "Cihazı kısa süre titretir.",
  "page.perm.tts": "Uyarıyı cihazın sesiyle okur.",
  "page.perm.full": "Yalnızca acil uyarılar için.",
  "page.perm.loc": "Cihazınız, uyarının konumunuz için geçerli olup olmadığını denetler; konum cihazdan asla çıkmaz.",
  "page.perm.quiet": "Sessiz saatlerinizde bile çalar.",
  "page.newest": "Son uyarılar",
  "page.empty": "Bu kanalın yeni uyarıları burada görünür.",
  "page.picture_of_alert": "Bu uyarının resmi",
  "page.picture_from": "Resmi göster: {host}",
  "page.picture_of_channel": "Kanalın resmi",
  "page.subscribers_only": "Uyarının tamamı abonelere gösterilir.",
  "page.details": "Ayrıntılar",
  "page.alert_types": "Uyarı türleri",
  "page.feeds": "Beslemeler",
  "page.on_phone": "Telefonunuzda açın",
  "page.your_invite": "Davetiniz",
  "page.qr_of": "Bu sayfanın adresinin QR kodu",
  "page.without_app": "Web uygulaması olmadan katıl",
  "page.without_app_hint":
    "Her HTTP istemcisi uyarı alabilir. Bu komutlar birini kaydeder, kanala katar ve uyarılarını okur. Ayrıntılar: " +
    "{reference}.",
  "page.reference": "API başvurusu",

  // The directory
  "page.lede": "Herkese açık uyarı kanalları. Ada ya da etikete göre bulun ve sayfasında abone olun.",
  "page.search": "Ara",
  "page.pages": "Sayfalar",
  "page.back_to_newest": "En yenilere dön",
  "page.more_channels": "Daha fazla kanal",
  "page.no_channels": "Henüz herkese açık kanal yok",
  "page.no_channels_hint": "Yeni herkese açık kanallar burada görünür.",
  "page.no_match": "Ad ya da etikete uyan herkese açık kanal yok.",
  "page.show_all": "Tüm kanalları göster",
  "near.button": "Yakınımda",
  "near.hint": "Konumunuz yalnızca bu cihazda kullanılır ve hiçbir yere gönderilmez.",
  "near.inside_one": "Bölgesindesiniz",
  "near.away": "Bölgesine {distance}",
  "near.locating": "Konumunuz alınıyor…",
  "near.none": "Bölgesi olan kanal bulunamadı.",
  "near.outside": "Hiçbir kanalın bölgesinde değilsiniz; en yakınlar önce.",
  "near.inside": {
    one: "{count} kanalın bölgesindesiniz; en yakınlar önce.",
    other: "{count} kanalın bölgesindesiniz; en yakınlar önce.",
  },
  "near.only_newest": "Yalnızca bölgesi olan en yeni kanallar denetlendi.",
  "near.offline": "Kanallar yüklenemedi. Çevrimiçi olduğunuzda yeniden deneyin.",
  "near.denied": "Konumunuz kullanılamıyor. Tarayıcı ayarlarında izin verin ya da ada göre arayın.",

  // Pages that cannot be shown
  "refused.unknown": "Davet gerekiyor",
  "refused.unknown_hint":
    "Bu adreste herkese açık kanal yok. Kanal özelse davet bağlantısını ya da QR kodunu isteyin. Adresi siz " +
    "yazdıysanız denetleyin.",
  "refused.invite": "Bu davet geçerli değil",
  "refused.invite_hint":
    "Kullanılmış, süresi dolmuş ya da iptal edilmiş olabilir veya bağlantı eksiktir. Size verenden yenisini isteyin.",
  "refused.find": "Herkese açık kanal bul",
  "missing.title": "Sayfa bulunamadı",
  "missing.hint": "Adresi denetleyin: bağlantı eksik olabilir.",
  "missing.home": "Ana sayfaya git",
  "failed.title": "İstek başarısız oldu",
};
