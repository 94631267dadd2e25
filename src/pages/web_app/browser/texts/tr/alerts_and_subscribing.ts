// Turkish: texts of alerts, and searches without a result.

import type { AlertsAndSubscribingTexts } from "../text_types.ts";

export const turkishAlertsAndSubscribingTexts: AlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Metni kopyala",
  "text.copied": "Kopyalandı.",
  "text.copy_code": "{code} kodunu kopyala",
  "text.less": "Daha az göster",

  // Searches without a result
  "search.none": "“{query}” ile eşleşen uyarı yok.",
  "search.none_from": "{channel} kanalında “{query}” ile eşleşen uyarı yok.",
  "search.none_of_channel": "{channel} kanalında eşleşen uyarı yok.",
  "search.clear": "Aramayı temizle",
  "search.no_channel": "“{query}” ile eşleşen kanal yok.",
  "search.no_channel_in": "“{category}” içinde “{query}” ile eşleşen kanal yok.",
  "search.none_in_category": "“{category}” içinde kanal yok.",

  // A channel
  "channel.settings": "Kanal ayarları",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Abone ol ve bildirimlere izin ver",
  "join.silent": "Bildirimsiz abone ol",
  "join.hint": "Vermek istemediğiniz izinleri kapatın. Bunu istediğiniz zaman değiştirebilirsiniz.",
  "hello.title": "{channel}: bildirimler çalışıyor",
  "hello.body": "Bu kanalın uyarıları böyle görünecek.",
  "hello.sent": "Bir deneme bildirimi gönderildi. Görmüyorsanız cihazınızın bildirim ayarlarına bakın.",
  "silent.title": "Bu kanal sizi henüz uyaramıyor.",
  "silent.one": "{channel} sizi henüz uyaramıyor.",
  "silent.why": "Nedenini göster",
  "silent.how": "Nasıl yapılacağını göster",
  "silent.allow": "Bildirimlere izin ver",
  "push.off": "Anlık bildirimler kapalı.",
  "push.not_allowed": "Bildirim göndermesine veya ses çalmasına izin vermediniz.",
  "push.asking": "Tarayıcı sorduğunda bildirimlere izin verin. Soruyu görmüyorsanız adres çubuğuna bakın.",
  "push.pending": "Bu cihaz anlık bildirimler için kaydediliyor…",
  "push.failed_late":
    "Tarayıcınızın anlık bildirim hizmeti henüz yanıt vermedi. Bağlantıyı ve bir güvenlik duvarı ya da VPN engelini " +
    "denetleyin.",
  "push.failed_service": "Tarayıcınız anlık bildirim hizmetine kaydolamadı. Bağlantıyı denetleyip yeniden deneyin.",
  "push.failed_private":
    "Tarayıcınız, gizli penceredeki gibi, burada anlık bildirimleri reddediyor. Normal bir pencere kullanın.",
  "push.failed_worker": "Uygulamanın arka plan bölümü başlamadı. Bu sayfayı yenileyin.",
  "works.certain": "Bildirimlere izin verildi ve anlık bildirim kaydı yapıldı.",
  "works.depends": "Kilitli bir telefon ancak ses düzeyi, sessiz modu ve pil tasarrufu izin verirse ses çıkarır.",
  "silent.open_sounds": "Uyarılar yalnızca uygulama açıkken ses çıkarır.",
  "silent.open_shows": "Uyarılar yalnızca uygulama açıkken görünür.",
  "push.failed_refused": "Bu sunucu, tarayıcınızın bildirim hizmetine ulaşamıyor. Sunucuyu yöneten kişiye haber verin.",
  "steps.chromium1": "Sayfa adresinin yanındaki simgeyi seçin.",
  "steps.chromium2": "İzinleri veya site ayarlarını açın ve bildirimlere izin verin.",
  "steps.firefox1": "Adresin yanındaki kilit veya izin simgesini seçin.",
  "steps.firefox2": "Bildirim engelini kaldırın.",
  "steps.safari1": "Safari ayarlarını açın ve “Web Siteleri”ni seçin.",
  "steps.safari2": "“Bildirimler” altında bu siteye izin verin.",
  "steps.ios1": "Ayarlar uygulamasını açın ve “Bildirimler”e dokunun.",
  "steps.ios2": "{app} uygulamasına dokunun ve “Bildirimlere İzin Ver”i açın.",
  "steps.home1": "“Paylaş”a dokunun.",
  "steps.home2": "“Ana Ekrana Ekle”yi seçin.",
  "steps.home3": "Uygulamayı ana ekrandan açın ve orada abone olun.",
  "steps.return": "Bu sayfaya dönün. Kendiliğinden yeniden denetler.",
  "install.button": "Uygulamayı yükle",
  "install.hint": "Ardından ana ekrandan veya masaüstünden açılır.",

  // Alerts that are put aside
  "alert.archive": "Arşivle",
  "alert.unarchive": "Gelenlere taşı",
  "inbox.open": "Gelenlere git",
  "alert.archived": "Arşivlendi",
  "alert.snoozed": "Ertelendi",
  "alert.normal": "Normal",
  "inbox.archive": "Arşiv",
  "inbox.archive_empty": "Arşivlediğiniz uyarılar burada kalır.",
  "undo.do": "Geri al",
  "undo.dismissed": "Uyarı gizlendi.",
  "undo.archived": "Uyarı arşivlendi.",
  "undo.unarchived": "Uyarı gelenlere taşındı.",
  "undo.snoozed": "Uyarı ertelendi.",
  "undo.unsnoozed": "Anımsatıcı iptal edildi.",
  "snooze.title": "Sonra anımsat",
  "snooze.hour": "1 saat sonra ({time})",
  "snooze.evening": "Bu akşam ({time})",
  "snooze.tomorrow": "Yarın ({time})",
  "snooze.until": "Anımsatıcı: {time}",
  "snooze.cancel": "Anımsatıcıyı iptal et",
  "snooze.hint": "Uygulama açıksa yeniden çalar, değilse açtığınızda.",
  "why.snoozed": "Bunu ertelediniz.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Duraklat",
  "pause.hour": "1 saat ({time} saatine kadar)",
  "pause.eight": "8 saat ({time} saatine kadar)",
  "pause.tomorrow": "Yarına kadar ({time})",
  "pause.until": "Duraklatıldı, bitişi: {time}. Uyarıları ses ve bildirim olmadan gelmeye devam eder.",
  "pause.resume": "Sürdür",
  "pause.paused": "Duraklatıldı",
  "why.paused": "Bu kanalı duraklattınız.",
  "quiet.zone":
    "Bu cihazın saat diliminde. Gece yarısından sonraki saatler önceki güne aittir. Uyarılar ses olmadan gelmeye " +
    "devam eder.",
  "quiet.days": "Bu günlerde",
  "quiet.no_day": "En az bir gün seçin.",
  "sounds.title": "Önceliğe göre sesler",
  "sounds.hint": "Seçiminiz, önceliğinin ses düzeyinde uyarının sesinin yerine geçer. Sessiz uyarılar sessiz kalır.",
  "sounds.tone": "Ses",
  "sounds.vibration": "Titreşim",
  "sounds.of_alert": "Uyarıdan",
  "why.chosen_silent": "Bu öncelikteki uyarılar için sessizliği seçtiniz.",
};
