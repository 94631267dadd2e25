// Links of public pages to other sites, and addresses and phone numbers of texts as links.

import { LIMITS } from "../../model/limits.ts";
import { type HtmlContent, html } from "../../ui/html.ts";
import { splitLinks } from "../web_app/browser/rules/text_links.ts";

/** A link to somewhere else, which learns nothing of where it was found. */
export const renderExternalLink = (address: string, words: HtmlContent, classes = "") =>
  html`<a${classes && html` class="${classes}"`} href="${address}" rel="noopener noreferrer nofollow ugc">${words}</a>`;

/** A text with its addresses and phone numbers as links (rules#app-text-links). `whole`: the text that was cut. */
export function renderLinkedText(text: string, whole = text): HtmlContent {
  let links = 0;
  let end = 0;
  return splitLinks(text).map(({ text: part, href }) => {
    end += part.length;
    // The end of an address may be missing where the text was cut.
    const isCut = text !== whole && end >= text.length - 1;
    if (href === null || isCut || ++links > LIMITS.page_text_links) return part;
    return renderExternalLink(href, html`<bdi dir="ltr">${part}</bdi>`);
  });
}
