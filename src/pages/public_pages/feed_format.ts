// What feeds tell of a channel and of its alerts, as Atom 1.0 (RFC 4287), where whatever somebody wrote is escaped text, and as
// JSON Feed 1.1 (jsonfeed.org), where what the standard has no word for stands under `_belfry`.

import { ALERT } from "../../model/fields/alert.ts";
import { linksOf } from "../../model/fields/alert_action.ts";
import { namesOf, plainOn } from "../../model/fields/record.ts";
import type { FeedAlert, FeedChannel } from "../../store/queries/feeds.ts";
import { type Html, html } from "../../ui/html.ts";

/** A channel as its feeds tell of it. */
export interface ToldChannel extends Pick<FeedChannel, "name" | "description" | "image_url"> {
  page: string;
  /** The feed itself. */
  self: string;
  /** When something of it changed last: RFC 3339. */
  updated: string;
}

/** An alert as feeds tell of it. */
export interface ToldAlert extends Omit<FeedAlert, "sent_at" | "expires_at"> {
  /** For ever the same. */
  id: string;
  /** RFC 3339. */
  sent: string;
  expires: string | null;
  image: string | null;
  /** Where there is no page of its own, the channel's. */
  page: string;
}

export interface FeedFormat {
  /** The last part of its path. */
  file: string;
  type: string;
  entry(alert: ToldAlert): string;
  whole(channel: ToldChannel, entries: readonly string[]): string;
}

/** What XML 1.0 cannot hold in any form. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const plain = (text: string): string => text.replace(NO_XML, "");

const link = (rel: string, href: string, title?: string): Html =>
  html`<link rel="${rel}" href="${plain(href)}"${title !== undefined && html` title="${plain(title)}"`}/>`;

function entry({ id, title, body, html: markup, priority, image, actions, sent, page }: ToldAlert): Html {
  return html`<entry>
<id>${id}</id>
<title type="text">${plain(title)}</title>
<published>${sent}</published>
<updated>${sent}</updated>
${link("alternate", page)}
${image && link("enclosure", image)}
${linksOf(actions).map(({ label, url }) => link("related", url, label))}
<category term="${priority}"/>
${body && html`<summary type="text">${plain(body)}</summary>`}
${markup && html`<content type="html">${plain(markup)}</content>`}
</entry>`;
}

function head({ name, description, image_url, page, self, updated }: ToldChannel): Html {
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${self}</id>
<title type="text">${plain(name)}</title>
<subtitle type="text">${plain(description)}</subtitle>
<updated>${updated}</updated>
<author><name>${plain(name)}</name><uri>${page}</uri></author>
${link("self", self)}
${link("alternate", page)}
${image_url && html`<logo>${plain(image_url)}</logo>`}
<generator>Belfry</generator>
`;
}

export const ATOM: FeedFormat = {
  file: "feed.atom",
  type: "application/atom+xml; charset=utf-8",
  entry: (alert) => `${entry(alert)}\n`,
  whole: (channel, entries) => `${head(channel)}${entries.join("")}</feed>\n`,
};

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

const aboutOf = ({ name, description, image_url, page, self }: ToldChannel) => ({
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
    `${JSON.stringify(aboutOf(channel)).slice(0, -1)},"items":[${entries.join(",")}]}`,
};
