// The content of the page of a channel. Everything that the channel wrote is text. Addresses were checked to be https
// when they were written.

import type { AssetUrlResolver } from "../../model/domain/asset_rules.ts";
import { ALERT_FIELDS } from "../../model/fields/alert.ts";
import { CHANNEL_FIELDS } from "../../model/fields/channel.ts";
import { getOpenUrlActions } from "../../model/fields/split_alert_actions.ts";
import { LIMITS } from "../../model/limits.ts";
import { PUBLIC_EXCERPT_LENGTH, type PublicAlertRow, type PublicChannel } from "../../store/queries/public_pages.ts";
import { alertCard, type CardTexts } from "../../ui/alert_card.ts";
import { avatar, externalPicture, getLocalPicturePath, getUrlHost } from "../../ui/avatar.ts";
import { PERMISSION_ICONS } from "../../ui/category_and_permission_labels.ts";
import { listFieldFacts } from "../../ui/field_display_texts.ts";
import { type Html, type HtmlContent, html, isolate } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { renderQrCode } from "../../ui/qr_code.ts";
import { findCityOfCircle, toCompleteCircle } from "../web_app/browser/rules/geo_circle.ts";
import { buildCurlSubscribeCommands } from "./curl_poll_commands.ts";
import { renderExternalLink, renderLinkedText } from "./links.ts";
import { renderFactsLine, renderList, renderTextAttribute, renderTextByKey } from "./page_texts.ts";
import type { PublicPageBaseUrls, PublicPagesDeps } from "./public_pages_deps.ts";

interface ChannelPageAlert extends PublicAlertRow {
  sentAt: Date;
  expiresAt: Date | null;
}

interface ChannelPageData {
  card: PublicChannel;
  invite: string | null;
  alerts: ChannelPageAlert[];
  /** The validator of the public inbox with the same content; null without one. */
  inbox: string | null;
  places: PublicPageBaseUrls;
  silent: PublicPagesDeps["silent"];
  assets: AssetUrlResolver;
  now: Date;
}

/** The page's own address: the content of its QR code. */
const getChannelUrl = ({ card, invite, places }: ChannelPageData): string =>
  `${places.channelBaseUrl}/${card.handle}${invite === null ? "" : `?invite=${encodeURIComponent(invite)}`}`;

/** The metadata for link previews and feed readers. */
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

export function renderChannelPageBody(shown: ChannelPageData): Html {
  const { card, inbox } = shown;
  return html`${hero(shown)}
<div class="channel">
<div id="newest"${inbox !== null && html` data-inbox="${inbox}" data-seconds="${LIMITS.page_news_seconds}"`}>${newest(
    shown,
  )}</div>
<div class="beside">${card.is_public && describe(card)}${facts(shown)}${scan(shown)}</div>
${withoutApp(shown)}
</div>`;
}

const describe = (card: PublicChannel): Html =>
  html`${
    card.long &&
    html`<section class="card"><h2>${renderTextByKey("channel.about")}</h2><p class="long"
  dir="auto">${renderLinkedText(card.long)}</p></section>`
  }${asks(card)}`;

function heroPicture(imageUrl: string | null, { origin, publicUrl }: PublicPageBaseUrls): string | null {
  const path = getLocalPicturePath(imageUrl, publicUrl);
  return path === null ? null : origin + path;
}

const SILENT = { off: "push.server", insecure: "push.insecure" } as const;

/** The delivery of an alert while the app is closed, where the channel requests a permission for it. */
function closed({ card, silent }: ChannelPageData): HtmlContent {
  if (card.requested_perms.every((name) => name === "loc" || name === "quiet")) return null;
  return silent === null
    ? html`<details class="more small"><summary>${renderTextByKey("page.push_on_ios")}</summary>
        <p class="hint">${renderTextByKey("page.push")} ${renderTextByKey("page.push_ios")}</p></details>`
    : html`<p class="hint"><strong>${renderTextByKey("page.silent")}</strong> ${renderTextByKey(SILENT[silent])}</p>`;
}

function hero(shown: ChannelPageData): Html {
  const { card, invite, places } = shown;
  const code = invite === null ? "" : `&invite=${encodeURIComponent(invite)}`;
  const under = renderFactsLine([`@${card.handle}`, renderTextByKey(`category.${card.category}`), card.city]);
  return html`<div class="hero">${avatar(
    { ...card, picture: heroPicture(card.image_url, places) },
    "face",
    "l",
  )}<div><h1><bdi>${card.name}</bdi></h1><p class="muted small facts-line">${under}</p></div></div>
<p class="says" dir="auto">${card.description}</p>
${
  card.status === "paused" &&
  html`<p class="note warn">${icon("pause")}<span><strong>${renderTextByKey("page.paused")}</strong> ${renderTextByKey(
    "page.paused_hint",
  )}</span></p>`
}${
  !card.is_public &&
  html`<p class="note">${icon("lock")}<span><strong>${renderTextByKey("page.private")}</strong> ${renderTextByKey(
    "page.private_hint",
  )}</span></p>`
}
<p class="cta"><a class="button" href="${places.origin}/app/#join=${card.handle}${code}">${[
    icon("bell", "s"),
    renderTextByKey("channel.subscribe"),
  ]}</a></p>
<p class="hint">${renderTextByKey("page.no_account")}</p>${closed(shown)}`;
}

function asks({ requested_perms: asked }: PublicChannel): Html {
  if (asked.length === 0)
    return html`<section class="card"><h2>${renderTextByKey("page.perms_none")}</h2><p
      class="small">${renderTextByKey("channel.asks_nothing")}</p></section>`;
  return html`<section class="card"><h2>${renderTextByKey("page.perms")}</h2><ul class="asks">${asked
    .filter((name) => Object.hasOwn(PERMISSION_ICONS, name))
    .map(
      (name) =>
        html`<li>${icon(PERMISSION_ICONS[name])}<div><strong>${renderTextByKey(`perm.${name}`)}</strong><p
          class="hint">${renderTextByKey(
            `page.perm.${name}`,
            name === "sound" ? { seconds: LIMITS.recording_seconds } : {},
          )}</p></div></li>`,
    )}</ul><p class="hint">${renderTextByKey("page.perms_hint")}</p></section>`;
}

function newest({ card, alerts, assets, now }: ChannelPageData): HtmlContent {
  // Its alerts are for subscribers.
  if (!card.is_public) return describe(card);
  if (alerts.length === 0)
    return html`<h2>${renderTextByKey("page.newest")}</h2><p class="muted">${renderTextByKey("page.empty")}</p>`;
  return html`<h2>${renderTextByKey("page.newest")}</h2>${alerts.map((alert, at) => {
    const plain = listFieldFacts(ALERT_FIELDS, "public", alert);
    const past = alert.expiresAt !== null && alert.expiresAt <= now;
    return alertCard(
      {
        id: `alert-${at + 1}`,
        channel: null,
        title: alert.title,
        text: alert.text && renderLinkedText(createPublicExcerpt(alert.text), alert.text),
        priority: alert.priority,
        state: past ? "past" : "read",
        sentAt: alert.sentAt,
        now,
        expiresAt: alert.expiresAt,
        // It follows the title and the text.
        picture: null,
        radiusKm: alert.radius_km,
        also: [
          alert.image_asset_id &&
            html`<img class="picture" src="${assets.urlOf(alert.image_asset_id)}"${
              CARD_TEXTS.picture
            } loading="lazy" decoding="async">`,
          alert.image_url && externalPicture(alert.image_url, CARD_TEXTS.picture, pictureFrom(alert.image_url)),
          plain.map(
            ({ leads, label, words }) => leads === null && html`<p class="small">${label}: ${isolate(words)}</p>`,
          ),
          alert.has_page && html`<p class="xs">${renderTextByKey("page.subscribers_only")}</p>`,
        ],
        acts: [
          ...getOpenUrlActions(alert.actions).map(({ label, url }) =>
            renderExternalLink(url, [icon("out", "s"), isolate(label)], "button plain"),
          ),
          ...plain.flatMap(({ leads, words }) =>
            leads === null
              ? []
              : [renderExternalLink(words, [icon("out", "s"), leads, " ", isolate(getUrlHost(words))], "button plain")],
          ),
        ],
      },
      { ...CARD_TEXTS, within: (km) => within(km, findCityOfCircle(alert, card)) },
    );
  })}`;
}

const within = (km: number, city: string | null): Html =>
  city
    ? renderTextByKey("alert.within_city", { distance: { km }, city })
    : renderTextByKey("alert.within", { distance: { km } });

const CARD_TEXTS: Omit<CardTexts, "within"> = {
  important: renderTextByKey("alert.important"),
  urgent: renderTextByKey("alert.urgent"),
  expired: renderTextByKey("alert.over"),
  until: (time) => renderTextByKey("alert.until", { time }),
  wasUntil: (time) => renderTextByKey("alert.was_until", { time }),
  picture: renderTextAttribute("alt", "page.picture_of_alert"),
};

const pictureFrom = (address: string) => renderTextByKey("page.picture_from", { host: getUrlHost(address) });

/** The part of an alert's text that is public. */
export function createPublicExcerpt(text: string): string {
  const characters = [...text];
  return characters.length <= PUBLIC_EXCERPT_LENGTH
    ? text
    : `${characters.slice(0, PUBLIC_EXCERPT_LENGTH).join("").trimEnd()}…`;
}

function facts({ card, places }: ChannelPageData): HtmlContent {
  const { site, alert_types: types, tags, image_url, is_public } = card;
  const plain = listFieldFacts(CHANNEL_FIELDS, "public", card);
  const circle = toCompleteCircle(card);
  if (!circle && !site && !types.length && !tags.length && !image_url && !is_public && !plain.length) return null;
  const find = (tag: string) => `${places.directory}?${new URLSearchParams({ q: tag })}`;
  const feeds = `${places.channelBaseUrl}/${card.handle}`;
  return html`<section class="card"><h2>${renderTextByKey("page.details")}</h2><dl class="who small">${
    circle &&
    html`<dt>${renderTextByKey("channel.place")}</dt><dd><a href="geo:${circle.lat},${circle.lon}">${within(
      circle.radius_km,
      card.city,
    )}</a></dd>`
  }${
    site &&
    html`<dt>${renderTextByKey("channel.site")}</dt><dd>${renderExternalLink(site, isolate(getUrlHost(site)))}</dd>`
  }${
    types.length > 0 && html`<dt>${renderTextByKey("page.alert_types")}</dt><dd>${renderList(types.map(isolate))}</dd>`
  }${
    tags.length > 0 &&
    html`<dt>${renderTextByKey("channel.tags")}</dt><dd>${renderList(
      tags.map((tag) => html`<a href="${find(tag)}">${isolate(tag)}</a>`),
    )}</dd>`
  }${plain.map(
    ({ label, leads, words }) =>
      html`<dt>${label}</dt><dd>${
        leads === null ? isolate(words) : renderExternalLink(words, isolate(getUrlHost(words)))
      }</dd>`,
  )}${
    is_public &&
    html`<dt>${renderTextByKey("page.feeds")}</dt><dd>${renderList([
      html`<a href="${feeds}/feed.atom">Atom</a>`,
      html`<a href="${feeds}/feed.json">JSON</a>`,
    ])}</dd>`
  }</dl>${
    image_url &&
    !getLocalPicturePath(image_url, places.publicUrl) &&
    externalPicture(image_url, renderTextAttribute("alt", "page.picture_of_channel"), pictureFrom(image_url))
  }</section>`;
}

function scan(shown: ChannelPageData): Html {
  const address = getChannelUrl(shown);
  return html`<section class="card" id="scan"><h2>${renderTextByKey(
    shown.invite === null ? "page.on_phone" : "page.your_invite",
  )}</h2>${renderQrCode(
    address,
    renderTextAttribute("aria-label", "page.qr_of"),
  )}<p class="small address" dir="ltr">${address}</p><p class="small address" hidden><button class="plain"
    type="button">${renderTextByKey("page.copy_link")}</button> <span role="status"><span hidden>${renderTextByKey(
      "text.copied",
    )}</span></span></p></section>`;
}

const withoutApp = ({ card, invite, places }: ChannelPageData) =>
  html`<details class="more"><summary>${renderTextByKey("page.without_app")}</summary><p
    class="small">${renderTextByKey("page.without_app_hint", {
      reference: html`<a href="${places.origin}/api/v1/docs">${renderTextByKey("page.reference")}</a>`,
    })}</p><pre class="copy" dir="ltr" tabindex="0"><code>${buildCurlSubscribeCommands({
      publicUrl: places.publicUrl,
      handle: card.handle,
      invite,
    })}</code></pre></details>`;
