// The alert card, the same wherever an alert is shown: who speaks, how loudly, when; what is said; where and until
// when; what to do. Loudness is said by tone and by word, never by colour alone.

import { type AvatarData, avatar } from "./avatar.ts";
import { type Content, type Html, html } from "./html.ts";
import { icon } from "./icons.ts";
import { timeElement } from "./time_format.ts";

export interface AlertCard {
  /** Names the card's parts on the page; used once. */
  id: string;
  channel: AvatarData & { name: string };
  title: string;
  text: string | null;
  priority: "normal" | "important" | "urgent";
  /** `past`: its time is over. */
  state: "unread" | "read" | "past";
  sentAt: Date;
  now: Date;
  expiresAt: Date | null;
  /** A picture that is fetched with the page. */
  picture: string | null;
  /** In kilometres; null: everywhere. */
  radiusKm: number | null;
  /** Links and buttons, the deciding one first. */
  acts?: readonly Html[];
  /** More lines below the text. */
  also?: Content;
}

const MARKS = { normal: null, important: "Important", urgent: "Urgent" } as const;

/** 0.5 → "500 m", 12.34 → "12.3 km" */
export function formatDistance(km: number): string {
  if (km < 1) return `${Math.round(km * 1000)} m`;
  return `${km < 100 ? Math.round(km * 10) / 10 : Math.round(km).toLocaleString("en")} km`;
}

/** Whatever `card` holds is text. */
export function alertCard(card: AlertCard): Html {
  const { channel, priority, state, radiusKm, expiresAt, acts = [] } = card;
  const mark = MARKS[priority];
  const where = radiusKm !== null && html`${icon("place", "s")}Within ${formatDistance(radiusKm)} of its location`;
  const until =
    expiresAt &&
    html`<span>${state === "past" ? "Was valid until" : "Until"} ${timeElement(expiresAt, "near", card.now)}</span>`;
  const classes = [
    "alert",
    ...(priority === "normal" ? [] : [priority]),
    ...(state === "unread" ? [] : ["read"]),
    ...(state === "past" ? ["past"] : []),
  ];
  return html`<article class="${classes.join(" ")}" aria-labelledby="${card.id}">
<header>${avatar(channel, `${card.id}-face`, "m")}<span class="name">${channel.name}</span>${
    mark && html`<span class="tag ${priority}">${mark}</span>`
  }${state === "past" && html`<span class="tag">Expired</span>`}${timeElement(card.sentAt, "near", card.now)}${
    state === "unread" && html`<span class="dot" role="img" aria-label="Unread"></span>`
  }</header>
${card.picture && html`<img class="picture" src="${card.picture}" alt="Picture of this alert" loading="lazy" decoding="async">`}
<h3 id="${card.id}">${card.title}</h3>
${card.text && html`<p class="text">${card.text}</p>`}${card.also}
${(where || until) && html`<p class="xs line">${where}${where && until && html`<span aria-hidden="true">·</span>`}${until}</p>`}
${acts.length > 0 && html`<footer>${acts}</footer>`}
</article>`;
}
