// Japanese: the texts of the public pages that the app does not have.

import type { PublicPageTextsWithPlurals } from "../text_types.ts";

export const japanesePublicPageTexts: PublicPageTextsWithPlurals<"other"> = {
  // Frame
  "page.your_alerts": "アラート",
  "page.docs": "ドキュメント",
  "page.sign_in": "ログイン",
  "page.translation": "Belfry プロジェクトによる翻訳です。",

  // A channel
  "page.push": "アプリを閉じている間のプッシュ通知を許可できます。",
  "page.push_on_ios": "iPhone・iPad で設定する",
  "page.push_ios":
    "iPhone と iPad ではホーム画面のアプリが必要です。「共有」をタップし、「ホーム画面に追加」を選んでください。",
  "page.silent": "アプリを閉じている間は通知されません。",
  "page.paused": "一時停止中。",
  "page.paused_hint": "所有者が再開するまでアラートは送信されません。登録はできます。",
  "page.private": "非公開。",
  "page.private_hint":
    "招待されたため、このページが表示されています。このアドレスを知る人は誰でも参加できるので、共有しないでください。",
  "page.copy_link": "リンクをコピー",
  "page.no_account": "アカウントも名前もアドレスも不要です。チャンネルにわかるのは登録者数だけです。",
  "page.perms": "求められる許可",
  "page.perms_none": "許可は求められません",
  "page.perms_hint": "登録時に許可するものを選べます。いつでも変更できます。",
  "page.perm.notify": "アラートが届くとバナーを表示します。",
  "page.perm.sound": "音、または最長 {seconds} 秒の録音を再生します。",
  "page.perm.vibrate": "端末を短く振動させます。",
  "page.perm.tts": "端末の音声でアラートを読み上げます。",
  "page.perm.full": "至急のアラートのみ。",
  "page.perm.loc": "アラートが現在地に該当するかを端末が確認します。位置情報は端末の外に出ません。",
  "page.perm.quiet": "おやすみ時間中でも鳴ります。",
  "page.newest": "最新のアラート",
  "page.empty": "このチャンネルの新しいアラートがここに表示されます。",
  "page.picture_of_alert": "このアラートの画像",
  "page.picture_from": "{host} の画像を表示",
  "page.picture_of_channel": "チャンネルの画像",
  "page.subscribers_only": "アラートの全文は登録者に表示されます。",
  "page.details": "詳細",
  "page.alert_types": "アラートの種類",
  "page.feeds": "フィード",
  "page.on_phone": "スマートフォンで開く",
  "page.your_invite": "あなたの招待",
  "page.qr_of": "このページのアドレスの QR コード",
  "page.without_app": "ウェブアプリなしで参加",
  "page.without_app_hint":
    "どの HTTP クライアントでもアラートを受信できます。次のコマンドはクライアントを登録し、チャンネルに参加してアラートを読みます。詳しくは{reference}をご覧ください。",
  "page.reference": "API リファレンス",

  // The directory
  "page.lede": "公開アラートチャンネルです。名前やタグで探し、チャンネルのページで登録してください。",
  "page.search": "検索",
  "page.pages": "ページ",
  "page.back_to_newest": "最新に戻る",
  "page.more_channels": "ほかのチャンネル",
  "page.no_channels": "公開チャンネルはまだありません",
  "page.no_channels_hint": "新しい公開チャンネルがここに表示されます。",
  "page.no_match": "名前やタグに一致する公開チャンネルはありません。",
  "page.show_all": "すべてのチャンネルを表示",
  "near.button": "現在地の近く",
  "near.hint": "位置情報はこの端末でのみ使われ、どこにも送信されません。",
  "near.inside_one": "地域内にいます",
  "near.away": "地域まで {distance}",
  "near.locating": "位置を取得しています…",
  "near.none": "地域のあるチャンネルが見つかりません。",
  "near.outside": "どのチャンネルの地域内にもいません。近い順に表示します。",
  "near.inside": { other: "{count} 件のチャンネルの地域内にいます。近い順に表示します。" },
  "near.only_newest": "地域のある最新のチャンネルだけを調べました。",
  "near.offline": "チャンネルを読み込めませんでした。オンラインでもう一度お試しください。",
  "near.denied": "位置情報を利用できません。ブラウザの設定で許可するか、名前で検索してください。",

  // Pages that cannot be shown
  "refused.unknown": "招待が必要です",
  "refused.unknown_hint":
    "このアドレスの公開チャンネルはありません。非公開の場合は、招待リンクか QR コードをもらってください。アドレスを入力した場合は確認してください。",
  "refused.invite": "この招待は無効です",
  "refused.invite_hint":
    "使用済み、期限切れ、取り消し済みか、リンクが不完全な可能性があります。招待した人に新しいものを依頼してください。",
  "refused.find": "公開チャンネルを探す",
  "missing.title": "ページが見つかりません",
  "missing.hint": "アドレスを確認してください。リンクが不完全な可能性があります。",
  "missing.home": "ホームページへ",
  "failed.title": "リクエストに失敗しました",
};
