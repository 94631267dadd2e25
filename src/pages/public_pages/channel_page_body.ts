// What the page of a channel says. Whatever the channel wrote is text; addresses were checked to be https when they
// were written.

import type { AssetAddresses } from "../../model/domain/asset_rules.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { getLinkActions } from "../../model/fields/alert_action.ts";
import { CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import { LIMITS } from "../../model/limits.ts";
import { EXCERPT_LENGTH, type PublicAlertRow, type PublicChannel } from "../../store/queries/public_pages.ts";
import { alertCard } from "../../ui/alert_card.ts";
import { avatar, externalPicture, getLocalPicturePath, getUrlHost } from "../../ui/avatar.ts";
import { CAPABILITY_INFO, CATEGORY_LABELS } from "../../ui/channel_labels.ts";
import { circleDrawing, formatPosition, toMapCircle } from "../../ui/circle_drawing.ts";
import { listPlainFacts } from "../../ui/field_values.ts";
import { type Content, type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { qrDrawing } from "../../ui/qr_code.ts";
import type { PublicPagesDeps, SiteUrls } from "./dependencies.ts";

export interface CurlTarget {
  publicUrl: string;
  handle: string;
  invite: string | null;
}

export function pollCommands({ publicUrl, handle, invite }: CurlTarget): string {
  const body = invite === null ? "{}" : JSON.stringify({ invite });
  return `HANDSET=${publicUrl}/handset/v1
TOKEN=$(curl -s $HANDSET/devices -H "Content-Type: application/json" \\
  -d '{"platform": "cli", "app_version": "1.0", "locale": "en", "timezone": "UTC"}' |
  sed 's/.*"token":"\\([A-Za-z0-9_]*\\)".*/\\1/')
curl -s -X PUT $HANDSET/subscriptions/${handle} -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" -d '${body}'
curl -s $HANDSET/inbox -H "Authorization: Bearer $TOKEN"`;
}

export interface ChannelPageAlert extends PublicAlertRow {
  sentAt: Date;
  expiresAt: Date | null;
}

export interface ChannelPageData {
  card: PublicChannel;
  invite: string | null;
  alerts: ChannelPageAlert[];
  /** The validator of the public inbox that says the same; null where there is none. */
  inbox: string | null;
  places: SiteUrls;
  silent: PublicPagesDeps["silent"];
  assets: AssetAddresses;
  now: Date;
}

/** A link to somewhere else, which learns nothing of where it was found. */
const away = (address: string, words: Content, classes = "") =>
  html`<a${classes && html` class="${classes}"`} href="${address}" rel="noopener noreferrer nofollow ugc">${words}</a>`;

/** The page's own address: what its QR code holds. */
export const getChannelUrl = ({ card, invite, places }: ChannelPageData): string =>
  `${places.channelBaseUrl}/${card.handle}${invite === null ? "" : `?invite=${encodeURIComponent(invite)}`}`;

/** What readers of links and of feeds are told. */
export function channelMetaTags({ card, places }: ChannelPageData): Html {
  const address = `${places.channelBaseUrl}/${card.handle}`;
  const facts: [kind: "name" | "property", name: string, content: string | null][] = [
    ["name", "description", card.description],
    ["property", "og:type", "website"],
    ["property", "og:site_name", "Belfry"],
    ["property", "og:title", card.name],
    ["property", "og:description", card.description],
    ["property", "og:url", address],
    ["property", "og:image", card.image_url],
    ["name", "twitter:card", "summary"],
    ["name", "twitter:title", card.name],
    ["name", "twitter:description", card.description],
    ["name", "twitter:image", card.image_url],
  ];
  return html`<link rel="canonical" href="${address}">
<link rel="alternate" type="application/atom+xml" title="${card.name}" href="${address}/feed.atom">
<link rel="alternate" type="application/feed+json" title="${card.name}" href="${address}/feed.json">
${facts.map(([kind, name, content]) => {
  if (content === null) return null;
  return kind === "name"
    ? html`<meta name="${name}" content="${content}">`
    : html`<meta property="${name}" content="${content}">`;
})}`;
}

export function channelBody(shown: ChannelPageData): Html {
  const { card } = shown;
  return html`${hero(shown)}
<div class="channel">
<div class="side first">${asks(card)}</div>
<div class="most">
${card.long && html`<section class="card"><h2>About</h2><p class="long">${card.long}</p></section>`}
<div id="newest"${shown.inbox !== null && html` data-inbox="${shown.inbox}" data-seconds="${LIMITS.page_news_seconds}"`}>${newest(shown)}</div>
${withoutApp(shown)}
</div>
<div class="side">${place(card)}${facts(shown)}${scan(shown)}</div>
</div>`;
}

function heroPicture(imageUrl: string | null, { origin, publicUrl }: SiteUrls): string | null {
  const path = getLocalPicturePath(imageUrl, publicUrl);
  return path === null ? null : origin + path;
}

const SILENT = {
  off: html`this server does not send push notifications. Keep the app open, or ask its operator to turn on <code>WEB_PUSH</code>.`,
  insecure:
    "push notifications require https. Keep the app open, or ask the operator of this server for an https address.",
};

/** What becomes of an alert while the app is closed, where the channel asks for anything that is noticed then. */
function closed({ card, silent }: ChannelPageData): Content {
  if (card.requested_perms.every((name) => name === "loc" || name === "quiet")) return null;
  return silent === null
    ? html`<p class="hint">You can allow push notifications while the app is closed. On iPhone and iPad they require the app on the home screen: tap Share, then “Add to Home Screen”.</p>`
    : html`<p class="hint"><strong>No notifications while the app is closed:</strong> ${SILENT[silent]}</p>`;
}

function hero(shown: ChannelPageData): Html {
  const { card, invite, places } = shown;
  const code = invite === null ? "" : `&invite=${encodeURIComponent(invite)}`;
  const under = [`@${card.handle}`, CATEGORY_LABELS[card.category], card.city].filter(Boolean);
  return html`<div class="hero">${avatar({ ...card, picture: heroPicture(card.image_url, places) }, "face", "l")}<div><h1>${card.name}</h1><p class="muted small">${under.join(" · ")}</p></div></div>
<p class="says">${card.description}</p>
${
  card.status === "paused" &&
  html`<p class="note warn">${icon("pause")}<span><strong>Paused.</strong> It sends no alerts until its owner resumes it. You can still subscribe.</span></p>`
}${
  !card.is_public &&
  html`<p class="note">${icon("lock")}<span><strong>Private.</strong> You can see this page because you were invited. Anyone with this address can join, so do not share it.</span></p>`
}
<p class="cta"><a class="button" href="${places.origin}/app/#join=${card.handle}${code}">${icon("bell", "s")}Subscribe</a> <a class="button plain" href="#scan">QR code</a></p>
<p class="hint">Opens in this browser. No account, name or address needed: the channel only sees the number of subscribers.</p>
${closed(shown)}`;
}

function asks({ requested_perms: asked }: PublicChannel): Html {
  if (asked.length === 0)
    return html`<section class="card"><h2>No permissions requested</h2><p class="small">Its alerts appear in your list only.</p></section>`;
  return html`<section class="card"><h2>Requested permissions</h2><ul class="asks">${asked
    .flatMap((name) => (Object.hasOwn(CAPABILITY_INFO, name) ? [CAPABILITY_INFO[name]] : []))
    .map(
      ({ icon: shows, label, means }) =>
        html`<li>${icon(shows)}<div><strong>${label}</strong><p class="hint">${means}</p></div></li>`,
    )}</ul><p class="hint">Each is off until you allow it, and you can turn it off again at any time.</p></section>`;
}

function newest({ card, alerts, assets, now }: ChannelPageData): Content {
  if (!card.is_public) return null;
  if (alerts.length === 0)
    return html`<h2>Newest alerts</h2><div class="empty"><p class="lead">No alerts yet</p><p>New alerts from this channel will appear here.</p></div>`;
  return html`<h2>Newest alerts</h2>${alerts.map((alert, at) => {
    const plain = listPlainFacts(ALERT_FIELDS, "public", alert);
    const past = alert.expiresAt !== null && alert.expiresAt <= now;
    return alertCard({
      id: `alert-${at + 1}`,
      channel: card,
      title: alert.title,
      text: alert.text && shortenText(alert.text),
      priority: alert.priority,
      state: past ? "past" : "read",
      sentAt: alert.sentAt,
      now,
      expiresAt: alert.expiresAt,
      picture: alert.image_asset_id && assets.urlOf(alert.image_asset_id),
      radiusKm: alert.radius_km,
      also: [
        alert.image_url && externalPicture(alert.image_url, "Picture of this alert"),
        plain.map(({ leads, label, words }) => leads === null && html`<p class="small">${label}: ${words}</p>`),
        alert.has_page && html`<p class="xs">The full alert is shown to subscribers.</p>`,
      ],
      acts: [
        ...getLinkActions(alert.actions).map(({ label, url }) => away(url, [icon("out", "s"), label], "button plain")),
        ...plain.flatMap(({ leads, words }) =>
          leads === null ? [] : [away(words, [icon("out", "s"), `${leads} ${getUrlHost(words)}`], "button plain")],
        ),
      ],
    });
  })}`;
}

/** As much of an alert's text as everybody is shown. */
export function shortenText(text: string): string {
  const characters = [...text];
  return characters.length <= EXCERPT_LENGTH ? text : `${characters.slice(0, EXCERPT_LENGTH).join("").trimEnd()}…`;
}

function place({ city, loc_rule, ...card }: PublicChannel): Content {
  const circle = toMapCircle(card);
  if (!circle) return null;
  const { lat, lon, radius_km } = circle;
  return html`<section class="card"><h2>Where${city && html`: ${city}`}</h2>${circleDrawing(circle)}
<dl class="who small"><dt>Centre</dt><dd><a href="geo:${lat},${lon}">${formatPosition(circle)}</a></dd><dt>Radius</dt><dd>${radius_km.toLocaleString("en")} km</dd>${
    loc_rule && html`<dt>Rule</dt><dd>${loc_rule}</dd>`
  }</dl></section>`;
}

function facts({ card, places }: ChannelPageData): Content {
  const { site, alert_types: types, tags, image_url, is_public } = card;
  const plain = listPlainFacts(CHANNEL_FIELDS, "public", card);
  if (!site && !types.length && !tags.length && !image_url && !is_public && !plain.length) return null;
  const find = (tag: string) => `${places.directory}?${new URLSearchParams({ q: tag })}`;
  const feeds = `${places.channelBaseUrl}/${card.handle}`;
  return html`<section class="card"><h2>Details</h2><dl class="who small">${
    site && html`<dt>Website</dt><dd>${away(site, getUrlHost(site))}</dd>`
  }${types.length > 0 && html`<dt>Alert types</dt><dd>${types.join(", ")}</dd>`}${
    tags.length > 0 &&
    html`<dt>Tags</dt><dd class="line">${tags.map((tag) => html`<a class="chip" href="${find(tag)}">${tag}</a>`)}</dd>`
  }${plain.map(({ label, leads, words }) => html`<dt>${label}</dt><dd>${leads === null ? words : away(words, getUrlHost(words))}</dd>`)}${is_public && html`<dt>Feeds</dt><dd><a href="${feeds}/feed.atom">Atom</a>, <a href="${feeds}/feed.json">JSON</a></dd>`}</dl>${
    image_url &&
    !getLocalPicturePath(image_url, places.publicUrl) &&
    externalPicture(image_url, "Picture of the channel")
  }</section>`;
}

function scan(shown: ChannelPageData): Html {
  const address = getChannelUrl(shown);
  return html`<section class="card" id="scan"><h2>${shown.invite === null ? "Open on your phone" : "Your invite"}</h2>${qrDrawing(
    address,
    "QR code of this page’s address",
  )}<p class="small address">${address}</p></section>`;
}

const withoutApp = ({ card, invite, places }: ChannelPageData) =>
  html`<details class="more"><summary>Join without the web app</summary><p class="small">Any HTTP client can be a handset. These commands register one, join the channel and read its alerts. See the <a href="${places.origin}/api/v1/docs">API reference</a> for details.</p><pre class="copy" tabindex="0"><code>${pollCommands(
    { publicUrl: places.publicUrl, handle: card.handle, invite },
  )}</code></pre></details>`;
