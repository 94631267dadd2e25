// English: texts of alerts, and searches without a result.

export const subscriberTexts = {
  // The text of an alert
  "text.copy": "Copy text",
  "text.copied": "Copied.",
  "text.copy_code": "Copy code {code}",
  "text.less": "Show less",

  // Searches without a result
  "search.none": "No alerts match “{query}”.",
  "search.none_from": "No alerts from {channel} match “{query}”.",
  "search.none_of_channel": "No matching alerts from {channel}.",
  "search.clear": "Clear search",
  "search.no_channel": "No channels match “{query}”.",
  "search.no_channel_in": "No channels in “{category}” match “{query}”.",
  "search.none_in_category": "No channels in “{category}”.",

  // A channel
  "channel.settings": "Channel settings",
} as const;
