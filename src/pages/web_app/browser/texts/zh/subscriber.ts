// Chinese: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const subscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "复制文字",
  "text.copied": "已复制。",
  "text.copy_code": "复制验证码 {code}",
  "text.less": "收起",

  // Searches without a result
  "search.none": "没有与“{query}”匹配的提醒。",
  "search.none_from": "{channel} 没有与“{query}”匹配的提醒。",
  "search.none_of_channel": "{channel} 没有匹配的提醒。",
  "search.clear": "清除搜索",
  "search.no_channel": "没有与“{query}”匹配的频道。",
  "search.no_channel_in": "“{category}”中没有与“{query}”匹配的频道。",
  "search.none_in_category": "“{category}”中没有频道。",

  // A channel
  "channel.settings": "频道设置",
};
