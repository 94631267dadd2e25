// Japanese: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const japaneseSubscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "本文をコピー",
  "text.copied": "コピーしました。",
  "text.copy_code": "コード {code} をコピー",
  "text.less": "折りたたむ",

  // Searches without a result
  "search.none": "「{query}」に一致するアラートはありません。",
  "search.none_from": "{channel} のアラートで「{query}」に一致するものはありません。",
  "search.none_of_channel": "{channel} に該当するアラートはありません。",
  "search.clear": "検索をクリア",
  "search.no_channel": "「{query}」に一致するチャンネルはありません。",
  "search.no_channel_in": "「{category}」に「{query}」に一致するチャンネルはありません。",
  "search.none_in_category": "「{category}」にチャンネルはありません。",

  // A channel
  "channel.settings": "チャンネルの設定",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "登録して通知を許可",
  "join.silent": "通知なしで登録",
  "join.hint": "許可しない項目はオフにしてください。いつでも変更できます。",
  "hello.title": "{channel}：通知は正常です",
  "hello.body": "このチャンネルのアラートはこのように表示されます。",
  "hello.sent": "テスト通知を送信しました。表示されない場合は、端末の通知設定を確認してください。",
  "silent.title": "このチャンネルはまだ通知できません。",
  "silent.one": "{channel}はまだ通知できません。",
  "silent.some": "まだ通知できないチャンネルがあります。",
  "silent.why": "理由を表示",
  "silent.allow": "通知を許可",
  "push.off": "この端末ではプッシュ通知がオフです。",
  "push.not_allowed": "通知も音も許可されていません。",
  "push.asking": "ブラウザーの確認で通知を許可してください。確認が表示されない場合は、アドレスバーを見てください。",
  "push.pending": "この端末をプッシュ通知に登録しています…",
  "push.failed_late":
    "ブラウザーのプッシュサービスから応答がありません。接続と、ファイアウォールやVPNによるブロックを確認してください。",
  "push.failed_service": "ブラウザーをプッシュサービスに登録できませんでした。接続を確認して、もう一度お試しください。",
  "push.failed_private":
    "プライベートウィンドウなどのため、ブラウザーがプッシュ通知を拒否しました。通常のウィンドウを使ってください。",
  "push.failed_worker": "アプリのバックグラウンド部分が起動しませんでした。このページを再読み込みしてください。",
  "install.button": "アプリをインストール",
  "install.hint": "ホーム画面やデスクトップから開けるようになります。",

  // Alerts that are put aside
  "alert.archive": "アーカイブする",
  "alert.unarchive": "受信箱に戻す",
  "alert.archived": "アーカイブ済み",
  "alert.snoozed": "延期中",
  "alert.normal": "通常",
  "inbox.archive": "アーカイブ",
  "undo.do": "元に戻す",
  "undo.dismissed": "アラートを非表示にしました。",
  "undo.archived": "アラートをアーカイブしました。",
  "undo.unarchived": "アラートを受信箱に戻しました。",
  "undo.snoozed": "アラートを延期しました。",
  "undo.unsnoozed": "リマインダーを取り消しました。",
  "snooze.title": "後で通知",
  "snooze.hour": "1時間後（{time}）",
  "snooze.evening": "今日の夜（{time}）",
  "snooze.tomorrow": "明日（{time}）",
  "snooze.until": "リマインダー：{time}",
  "snooze.cancel": "リマインダーを取り消す",
  "snooze.hint": "アプリを開いていれば再び鳴り、閉じていれば次に開いたときに鳴ります。",
  "why.snoozed": "あなたが延期しました。",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "一時停止",
  "pause.hour": "1時間（{time}まで）",
  "pause.eight": "8時間（{time}まで）",
  "pause.tomorrow": "明日まで（{time}）",
  "pause.until": "{time}まで一時停止中です。アラートは音も通知もなしで届き続けます。",
  "pause.resume": "再開",
  "pause.paused": "一時停止中",
  "why.paused": "このチャンネルを一時停止しています。",
  "quiet.zone": "この端末のタイムゾーンで適用されます。深夜0時以降は前日に含まれます。アラートは音なしで届きます。",
  "quiet.days": "曜日",
  "quiet.no_day": "少なくとも1日を選んでください。",
  "sounds.title": "優先度ごとの音",
  "sounds.hint": "アラートの音の代わりに、優先度に応じた音量で鳴ります。音のないアラートは鳴りません。",
  "sounds.tone": "音",
  "sounds.vibration": "振動",
  "sounds.of_alert": "アラートの指定",
  "why.chosen_silent": "この優先度のアラートに無音を選んでいます。",
};
