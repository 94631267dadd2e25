// What lies on another server: named by its host, and fetched when somebody asks for it.

import { type Html, html } from "./html.ts";

export const hostOf = (address: string): string => new URL(address).host;

/**
 * A picture of another server, which would learn who looks at the page, and when. A closed disclosure loads nothing, and
 * who decides about an alert decides about this as well.
 */
export const pictureElsewhere = (address: string, alt: string): Html =>
  html`<details class="more elsewhere"><summary>Show the picture from ${hostOf(address)}</summary><img src="${address}" alt="${alt}" loading="lazy" decoding="async" referrerpolicy="no-referrer"></details>`;
