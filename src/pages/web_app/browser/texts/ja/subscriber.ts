// Japanese: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
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
};
