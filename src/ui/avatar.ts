// A channel's avatar: its picture if it is on this server, else its initials on its two colours. Colours are SVG
// attributes, so that a policy without inline styles permits any of them. A picture on another server is replaced by
// the host's name, and fetched on request.

import { computeAvatarOverlayOpacity } from "./avatar_contrast_overlay.ts";
import { type Html, type HtmlContent, html } from "./html.ts";

export interface AvatarData {
  initials: string;
  /** `#rrggbb` */
  gradient_from: string;
  gradient_to: string;
  /** A picture of this server's, as `getLocalPicturePath` answers it. */
  picture?: string | null;
}

/**
 * The path of a channel's picture that was uploaded here. Null for one on another server: no page sends a request to
 * another server by itself. @param server the origin under which people reach us
 */
export const getLocalPicturePath = (imageUrl: string | null, server: string): string | null =>
  imageUrl?.startsWith(`${server}/assets/`) ? imageUrl.slice(server.length) : null;

/** `id` names the gradient and is used once a page; `size` is a class of alert_card.css: m, l or none. */
export function avatar(facts: AvatarData, id: string, size: "m" | "l" | "" = ""): Html {
  if (facts.picture) return html`<img class="face ${size}" src="${facts.picture}" alt="">`;
  const wide = [...facts.initials].length > 2;
  return html`<svg class="face ${size}" viewBox="0 0 44 44" aria-hidden="true"><linearGradient id="${id}" x2="1"
    y2="1"><stop stop-color="${facts.gradient_from}"/><stop offset="1"
      stop-color="${facts.gradient_to}"/></linearGradient><rect width="44" height="44" fill="url(#${id})"/><rect
      width="44" height="44" fill-opacity="${computeAvatarOverlayOpacity(facts)}"/><text x="22"
      y="${wide ? 27 : 28.5}" fill="#fff" text-anchor="middle"
      font-weight="650" font-size="${wide ? 14 : 18}">${facts.initials}</text></svg>`;
}

export const getUrlHost = (address: string): string => new URL(address).host;

/**
 * `alt` is the attribute, with a space before it. A picture of another server, which would learn the viewer and the
 * time. A closed disclosure loads nothing. The reviewer of an alert also decides about this.
 */
export const externalPicture = (
  address: string,
  alt = html` alt="Picture of this alert"`,
  summary: HtmlContent = `Show picture from ${getUrlHost(address)}`,
): Html =>
  html`<details class="more elsewhere"><summary>${summary}</summary><img src="${address}"${alt} loading="lazy"
    decoding="async" referrerpolicy="no-referrer"></details>`;
