// The alert card, the same wherever an alert is shown: sender, priority and time; the text; place and end; actions. The
// priority has a colour and a label, never a colour alone.

import { type AvatarData, avatar } from "./avatar.ts";
import { type Html, type HtmlContent, html } from "./html.ts";
import { icon } from "./icons.ts";
import { timeElement } from "./time_format.ts";

export interface AlertCard {
  /** Names the card's parts on the page; used once. */
  id: string;
  /** Null on the channel's own page, which has its name. */
  channel: (AvatarData & { name: string }) | null;
  title: string;
  text: HtmlContent;
  priority: "normal" | "important" | "urgent";
  /** `past`: its time is over. */
  state: "unread" | "read" | "past";
  /** Null in an example. */
  sentAt: Date | null;
  now: Date;
  expiresAt: Date | null;
  /** A picture that is fetched with the page. */
  picture: string | null;
  /** In kilometres; null: everywhere. */
  radiusKm: number | null;
  /** Links and buttons, the deciding one first. */
  acts?: readonly Html[];
  /** The question and the buttons as `renderAlertActions` makes them, in place of `acts`. */
  actions?: HtmlContent;
  /** More lines below the text. */
  also?: HtmlContent;
}

/** The card's own texts. */
export interface CardTexts {
  important: HtmlContent;
  urgent: HtmlContent;
  expired: HtmlContent;
  within(km: number): HtmlContent;
  until(time: Html): HtmlContent;
  wasUntil(time: Html): HtmlContent;
  /** The attribute `alt` of the picture, with a space before it. */
  picture: Html;
}

const ENGLISH: CardTexts = {
  important: "Important",
  urgent: "Urgent",
  expired: "Expired",
  within: (km) => `Within ${formatDistanceKm(km)} of its location`,
  until: (time) => html`Until ${time}`,
  wasUntil: (time) => html`Was valid until ${time}`,
  picture: html` alt="Picture of this alert"`,
};

/** 0.5 → "500 m", 12.34 → "12.3 km" */
export function formatDistanceKm(km: number): string {
  if (km < 1) return `${Math.round(km * 1000)} m`;
  return `${km < 100 ? Math.round(km * 10) / 10 : Math.round(km).toLocaleString("en")} km`;
}

/** Every string of `card` is shown as text. */
export function alertCard(card: AlertCard, texts = ENGLISH): Html {
  const { channel, priority, state, radiusKm, expiresAt, acts = [] } = card;
  const mark = priority === "normal" ? null : texts[priority];
  const where = radiusKm !== null && html`${icon("place", "s")}${texts.within(radiusKm)}`;
  const until =
    expiresAt &&
    html`${icon("clock", "s")}<span>${texts[state === "past" ? "wasUntil" : "until"](
      timeElement(expiresAt, "near", card.now),
    )}</span>`;
  const classes = [
    "alert",
    ...(priority === "normal" ? [] : [priority]),
    ...(state === "unread" ? [] : ["read"]),
    ...(state === "past" ? ["past"] : []),
    ...(channel ? [] : ["inchannel"]),
  ];
  return html`<article class="${classes.join(" ")}" aria-labelledby="${card.id}">
<header>${
    channel &&
    html`${avatar(channel, `${card.id}-face`, "m")}<span class="name"
    dir="auto">${channel.name}</span>`
  }${
    mark && html`<span class="tag ${priority}">${mark}</span>`
  }${state === "past" && html`<span class="tag">${texts.expired}</span>`}${
    (card.sentAt || state === "unread") &&
    html`<span class="at">${card.sentAt && timeElement(card.sentAt, channel ? "recent" : "near", card.now)}${
      state === "unread" && html`<span class="dot" role="img" aria-label="Unread"></span>`
    }</span>`
  }</header>
${card.picture && html`<img class="picture" src="${card.picture}"${texts.picture} loading="lazy" decoding="async">`}
<h3 id="${card.id}" dir="auto">${card.title}</h3>
${card.text && html`<p class="text" dir="auto">${card.text}</p>`}${card.also}
${
  (where || until) &&
  html`<p class="xs facts-line">${[where, until].map((fact) => fact && html`<span class="line">${fact}</span>`)}</p>`
}
${acts.length > 0 && html`<footer>${acts}</footer>`}${card.actions}
</article>`;
}
