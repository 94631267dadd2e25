// JSON Feed 1.1 (jsonfeed.org). What the standard has no word for stands under `_belfry`.

import type { FeedFormat, ToldAlert, ToldChannel } from "./feed_format.ts";

function item({
  id,
  title,
  body,
  html,
  priority,
  image,
  source_url,
  actions,
  sent,
  expires,
  page,
}: ToldAlert) {
  return {
    id,
    url: page,
    ...(source_url && { external_url: source_url }),
    title,
    // One of the two has to be there.
    ...(html && { content_html: html }),
    ...((body || !html) && { content_text: body || title }),
    ...(image && { image }),
    date_published: sent,
    tags: [priority],
    _belfry: { priority, expires_at: expires, actions },
  };
}

const head = ({ name, description, image_url, page, self }: ToldChannel) => ({
  version: "https://jsonfeed.org/version/1.1",
  title: name,
  home_page_url: page,
  feed_url: self,
  description,
  ...(image_url && { icon: image_url }),
  authors: [{ name, url: page }],
});

export const JSON_FEED: FeedFormat = {
  file: "feed.json",
  type: "application/feed+json; charset=utf-8",
  entry: (alert) => JSON.stringify(item(alert)),
  whole: (channel, entries) =>
    `${JSON.stringify(head(channel)).slice(0, -1)},"items":[${entries.join(",")}]}`,
};
