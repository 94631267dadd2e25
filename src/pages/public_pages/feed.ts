// The feeds of a public channel, for readers and programs without knowledge of our API: rules#feeds. The formats are
// Atom 1.0 (RFC 4287), with all text escaped, and JSON Feed 1.1 (jsonfeed.org). Fields without a standard name are
// under `_belfry`. A 304 comes from the channel's revision alone, without reading its alerts.

import { createHash } from "node:crypto";
import { matchesEtag } from "../../api/transports/http_responses.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { HANDLE_PATTERN } from "../../model/fields/channel.ts";
import { getFieldNames, selectFieldsDrawnByKind } from "../../model/fields/field_table.ts";
import { getOpenUrlActions } from "../../model/fields/split_alert_actions.ts";
import { toIsoMicros } from "../../model/fields/sql_statement_types.ts";
import { LIMITS } from "../../model/limits.ts";
import { shareNextRead } from "../../store/db/batch_concurrent_calls.ts";
import { runStatement } from "../../store/db/statement.ts";
import {
  findPublicFeedChannel,
  listPublicFeedAlerts,
  type PublicFeedAlert,
  type PublicFeedChannel,
} from "../../store/queries/public_pages.ts";
import { type Html, xml } from "../../ui/html.ts";
import type { PublicPageRoute } from "./mount_page.ts";
import { createChannelRefusalResponder, SHARED_CACHE_CONTROL } from "./page_layout.ts";
import { derivePublicPageBaseUrls, type PublicPageBaseUrls, type PublicPagesDeps } from "./public_pages_deps.ts";

/** A channel as its feeds present it. */
interface FeedChannelInfo extends Pick<PublicFeedChannel, "name" | "description" | "image_url"> {
  page: string;
  /** The feed itself. */
  self: string;
  /** When something of it changed last: RFC 3339. */
  updated: string;
}

/** An alert as feeds present it. */
interface FeedEntry extends Omit<PublicFeedAlert, "sent_at" | "expires_at"> {
  /** For ever the same. */
  id: string;
  /** RFC 3339. */
  sent: string;
  expires: string | null;
  image: string | null;
  /** The channel's page where the alert has none of its own. */
  page: string;
}

interface FeedFormat {
  /** The last part of its path. */
  file: string;
  type: string;
  entry(alert: FeedEntry): string;
  whole(channel: FeedChannelInfo, entries: readonly string[]): string;
}

/** Characters that XML 1.0 cannot contain in any form. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const plain = (text: string): string => text.replace(NO_XML, "");

const link = (rel: string, href: string, title?: string): Html =>
  xml`<link rel="${rel}" href="${plain(href)}"${title !== undefined && xml` title="${plain(title)}"`}/>`;

function entry({ id, title, body, html: markup, priority, image, actions, sent, page }: FeedEntry): Html {
  return xml`<entry>
<id>${id}</id>
<title type="text">${plain(title)}</title>
<published>${sent}</published>
<updated>${sent}</updated>
${link("alternate", page)}
${image && link("enclosure", image)}
${getOpenUrlActions(actions).map(({ label, url }) => link("related", url, label))}
<category term="${priority}"/>
${body && xml`<summary type="text">${plain(body)}</summary>`}
${markup && xml`<content type="html">${plain(markup)}</content>`}
</entry>`;
}

function head({ name, description, image_url, page, self, updated }: FeedChannelInfo): Html {
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${self}</id>
<title type="text">${plain(name)}</title>
<subtitle type="text">${plain(description)}</subtitle>
<updated>${updated}</updated>
<author><name>${plain(name)}</name><uri>${page}</uri></author>
${link("self", self)}
${link("alternate", page)}
${image_url && xml`<logo>${plain(image_url)}</logo>`}
<generator>Belfry</generator>
`;
}

const ATOM_FEED: FeedFormat = {
  file: "feed.atom",
  type: "application/atom+xml; charset=utf-8",
  entry: (alert) => `${entry(alert)}\n`,
  whole: (channel, entries) => `${head(channel)}${entries.join("")}</feed>\n`,
};

const PLAIN = getFieldNames(selectFieldsDrawnByKind(ALERT_FIELDS, "feed"));

function item(alert: FeedEntry) {
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
      actions: getOpenUrlActions(actions),
      ...Object.fromEntries(PLAIN.map((name) => [name, alert[name]])),
    },
  };
}

const aboutOf = ({ name, description, image_url, page, self }: FeedChannelInfo) => ({
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
  whole: (channel, entries) => `${JSON.stringify(aboutOf(channel)).slice(0, -1)},"items":[${entries.join(",")}]}`,
};

/** Is incremented when unchanged rows are written in another form. */
const FORMAT = 1;
const MAX_BYTES = LIMITS.feed_bytes;
/** The alerts of a feed, and the length of each. */
const NEWEST = { limit: LIMITS.feed, markup_bytes: LIMITS.feed_markup };
/** The maximum size around the entries. */
const FRAME = 8 * 1024;

export const createFeedPages = (deps: PublicPagesDeps): PublicPageRoute[] =>
  [ATOM_FEED, JSON_FEED].map((format) => feed(format, deps));

function feed(format: FeedFormat, deps: PublicPagesDeps): PublicPageRoute {
  const places = derivePublicPageBaseUrls(deps);
  const refused = createChannelRefusalResponder(places, "data");
  const read = shareNextRead((handle: string) => readWithDuePublished(deps, handle));
  return {
    path: `${places.base}/:handle/${format.file}`,
    async answer({ request, params: { handle = "" } }) {
      const found = HANDLE_PATTERN.test(handle) ? await read(handle) : null;
      if (!found) return refused(request, "unknown");
      const { channel, due } = found;
      const headers = headersOf(format, channel, due, places);
      if (isHeld(request.headers, headers)) return new Response(null, { status: 304, headers });
      const alerts = (await runStatement(deps.db, listPublicFeedAlerts, { pusher_id: channel.id, due, ...NEWEST })).map(
        (row) => toFeedEntry(row, `${places.channelBaseUrl}/${handle}`, deps.assets.urlOf),
      );
      const text = written(format, channel, alerts, places);
      return new Response(request.method === "HEAD" ? null : text, { headers });
    },
  };
}

/** The channel once everything that was due in it is stored as `sent`; `due` when storing failed. */
async function readWithDuePublished({ db, publishDue }: Pick<PublicPagesDeps, "db" | "publishDue">, handle: string) {
  const find = async () => (await runStatement(db, findPublicFeedChannel, { handle }))[0];
  const channel = await find();
  if (!channel?.due) return channel && { channel, due: false };
  const done = await publishDue([channel.id]);
  const again = await find();
  return again && { channel: again, due: !done };
}

function headersOf({ file, type }: FeedFormat, channel: PublicFeedChannel, due: boolean, places: PublicPageBaseUrls) {
  const headers: Record<string, string> = {
    "content-type": type,
    // A feed reads no credential, so any page may read it.
    "access-control-allow-origin": "*",
    "cache-control": SHARED_CACHE_CONTROL,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
  };
  // Alerts that are shown although storing failed are in no revision.
  if (due) return headers;
  const state = [FORMAT, file, places.publicUrl, places.channelBaseUrl, channel.revision].join(" ");
  headers.etag = `W/"${createHash("sha256").update(state).digest("base64url").slice(0, 22)}"`;
  if (channel.modified) headers["last-modified"] = new Date(toIsoMicros(channel.modified)).toUTCString();
  return headers;
}

/** If-Modified-Since counts only for whom has no validator (RFC 9110, 13.1.3). */
function isHeld(asked: Headers, { etag, "last-modified": modified }: Record<string, string>): boolean {
  const tags = asked.get("if-none-match");
  if (tags !== null) return etag !== undefined && matchesEtag(tags, etag);
  const since = Date.parse(asked.get("if-modified-since") ?? "");
  return modified !== undefined && Date.parse(modified) <= since;
}

function toFeedEntry(row: PublicFeedAlert, channelPage: string, urlOf: (id: string) => string): FeedEntry {
  const { image_asset_id: asset, image_url, sent_at, expires_at } = row;
  return {
    ...row,
    id: `urn:uuid:${row.id}`,
    sent: toIsoMicros(sent_at),
    expires: expires_at && toIsoMicros(expires_at),
    image: asset ? urlOf(asset) : image_url,
    page: row.source_url ?? channelPage,
  };
}

/** The newest alerts that fit. */
function written(
  format: FeedFormat,
  channel: PublicFeedChannel,
  alerts: FeedEntry[],
  places: PublicPageBaseUrls,
): string {
  const page = `${places.channelBaseUrl}/${channel.handle}`;
  const entries: string[] = [];
  let bytes = FRAME;
  for (const alert of alerts) {
    const entry = format.entry(alert);
    bytes += Buffer.byteLength(entry) + 1;
    if (bytes > MAX_BYTES) break;
    entries.push(entry);
  }
  const updated = alerts[0]?.sent ?? toIsoMicros(channel.created_at);
  return format.whole({ ...channel, page, self: `${page}/${format.file}`, updated }, entries);
}
