// JSON Feed 1.1 (jsonfeed.org). What the standard has no word for stands under `_belfry`.

import { ALERT } from "../../model/fields/alert.ts";
import { linksOf } from "../../model/fields/alert_action.ts";
import { namesOf, plainOn } from "../../model/fields/record.ts";
import type { FeedFormat, ToldAlert, ToldChannel } from "./feed_format.ts";

const PLAIN = namesOf(plainOn(ALERT, "feed"));

function item(alert: ToldAlert) {
  const { id, title, body, html, priority, image, source_url, actions, sent, expires, page } = alert;
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
    _belfry: {
      priority,
      expires_at: expires,
      actions: linksOf(actions),
      ...Object.fromEntries(PLAIN.map((name) => [name, alert[name]])),
    },
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
