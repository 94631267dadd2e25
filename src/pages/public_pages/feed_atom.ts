// Atom 1.0 (RFC 4287). Whatever somebody wrote is escaped text: markup as well, which readers take for HTML by its type.

import { linksOf } from "../../model/fields/alert_action.ts";
import { type Html, html } from "../../ui/html.ts";
import type { FeedFormat, ToldAlert, ToldChannel } from "./feed_format.ts";

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
