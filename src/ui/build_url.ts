// The address of one view of a list: its path, its query, and the anchor on the page. Addresses as text.

import { type Html, html } from "./html.ts";

export type UrlQuery = Record<string, string | null | undefined>;

/** Parameters without a value are left out of the address. `part` is an anchor on the page, such as `#list`. */
export function buildUrl(path: string, query: UrlQuery, part = ""): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) asked.set(name, value);
  return path + (asked.size > 0 ? `?${asked}` : "") + part;
}

/** An address whose lines break between its parts, not inside of them. */
export const breakableUrl = (address: string): Html =>
  html`${address.split(/(?<=[^/:]\/)|(?=[?&])/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}`;
